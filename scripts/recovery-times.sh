#!/usr/bin/env bash
# Measures how long informers of client-go and of this library take to show a write that was made after a
# fault, and prints the table of docs/reliability.md. Options go to the program, for example --only 410.
# Takes a quarter of an hour. Without Go 1.26: this library alone, on the fake server.
source "$(dirname "$0")/lib.sh"

configure dev >&2
build dev recovery-times informer-log >&2 || die "The build failed; the whole log: build/log/build-dev.log"
if program=$("$root/scripts/go-program.sh" informerlog); then
  export CLIENT_CPP_INFORMERLOG=$program
elif (($? != 3)); then
  exit 1
fi
if programs=$("$root/scripts/realserver.sh"); then
  export CLIENT_CPP_REALSERVER=$programs/realserver
elif (($? != 3)); then
  exit 1
fi
exec "$root/build/dev/tests/tools/recovery-times" "$@"
