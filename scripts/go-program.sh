#!/usr/bin/env bash
# go-program.sh NAME: builds the Go program tests/go/NAME and prints its path. It is kept outside the
# tree and reused while its sources are the same. Without Go 1.26 or newer: says so and exits with 3.
source "$(dirname "$0")/lib.sh"

name=$1
[[ -d $root/tests/go/$name ]] || die "There is no tests/go/$name"
out=$(go_program_folder "$name" "tests/go/$name")
go_build() {
  export CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS=-mod=readonly
  # kubectl looks at its own version, which only its releases set.
  local flags='-s -w -X k8s.io/component-base/version.gitVersion=v1.37.2'
  (cd "$root/tests/go/$name" && go build -trimpath -ldflags "$flags" -o "$out/$name.new" .)
  mv "$out/$name.new" "$out/$name"
}
if [[ ! -x $out/$name ]]; then
  need_go "$name"
  mkdir -p "$out"
  step "Building $name" "$root/build/log/$name.log" go_build >&2 ||
    die "Its modules come from the Go module proxy: is the network there?"
fi
say "$out/$name"
