#!/usr/bin/env bash
# Builds tests/go/clientgo, which runs client-go's own clients against the fake API server, and prints
# the program's path. It is kept outside the tree and reused while its sources are the same.
# Without Go 1.26 or newer: says so and exits with 3.
source "$(dirname "$0")/lib.sh"

out=$(go_program_folder clientgo tests/go/clientgo)
go_build() {
  export CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS=-mod=readonly
  (cd "$root/tests/go/clientgo" && go build -trimpath -ldflags '-s -w' -o "$out/clientgo.new" .)
  mv "$out/clientgo.new" "$out/clientgo"
}
if [[ ! -x $out/clientgo ]]; then
  need_go "client-go program"
  mkdir -p "$out"
  step "Building the client-go program" "$root/build/log/clientgo.log" go_build >&2 ||
    die "Its modules come from the Go module proxy: is the network there?"
fi
say "$out/clientgo"
