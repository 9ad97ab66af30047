#!/usr/bin/env bash
# Prints the path of a kubectl of the version that tests/go/kubectl names. Building it takes some ten
# minutes of processor time, so that is done only with CLIENT_CPP_BUILD_KUBECTL=1; it is kept outside
# the tree and reused. Without one that is built: says so and exits with 3.
source "$(dirname "$0")/lib.sh"

out=$(go_program_folder kubectl tests/go/kubectl)
go_build() {
  export CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS=-mod=readonly
  (cd "$root/tests/go/kubectl" && go build -trimpath \
    -ldflags '-s -w -X k8s.io/component-base/version.gitVersion=v1.37.2' -o "$out/kubectl.new" .)
  mv "$out/kubectl.new" "$out/kubectl"
}
if [[ ! -x $out/kubectl ]]; then
  [[ ${CLIENT_CPP_BUILD_KUBECTL:-0} == 1 ]] || {
    say "No kubectl: it is not built yet, set CLIENT_CPP_BUILD_KUBECTL=1 to have it built" >&2
    exit 3
  }
  need_go "kubectl"
  mkdir -p "$out"
  step "Building kubectl" "$root/build/log/kubectl.log" go_build >&2 ||
    die "Its modules come from the Go module proxy: is the network there?"
fi
say "$out/kubectl"
