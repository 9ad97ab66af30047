#!/usr/bin/env bash
# Builds the pod watcher and runs it against the fake API server: a cache fills, pods come, change and
# go, and the program ends. Needs no cluster. Minutes the first time, seconds after that.
source "$(dirname "$0")/lib.sh"

"$root/scripts/deps.sh"
configure dev
build dev pod-watcher || die "The build failed; the whole log: build/log/build-dev.log"
say "Running build/dev/examples/pod-watcher --fake"
timeout --foreground 120 "$root/build/dev/examples/pod-watcher" --fake "$@"
