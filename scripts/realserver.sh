#!/usr/bin/env bash
# Builds the end-to-end tests' API server (tests/realserver: a real kube-apiserver with etcd) and prints
# the path of the folder with the programs `realserver` and `podload`. They are kept outside the tree
# and reused while their sources are the same; the first build takes 5 to 10 minutes.
# Without Go 1.26 or newer: says so and exits with 3.
source "$(dirname "$0")/lib.sh"

out=$(go_program_folder realserver tests/realserver)
go_build() {
  export CGO_ENABLED=0 GOTOOLCHAIN=local
  "$root/tests/realserver/realserver/build.sh" "$out/realserver.new"
  (cd "$root/tests/realserver/podload" &&
    go build -trimpath -ldflags '-s -w' -o "$out/podload" .)
  mv "$out/realserver.new" "$out/realserver"
}
if [[ ! -x $out/realserver ]]; then
  need_go "real API server"
  mkdir -p "$out"
  step "Building the real API server" "$root/build/log/realserver.log" go_build >&2 ||
    die "Its modules come from the Go module proxy: is the network there?"
fi
say "$out"
