#!/usr/bin/env bash
# Builds the end-to-end tests' API server (tests/realserver: a real kube-apiserver with etcd) and prints
# the path of the folder with the programs `realserver` and `podload`. They are kept outside the tree
# and reused while their sources are the same; the first build takes 5 to 10 minutes.
# Without Go 1.26 or newer: says so and exits with 3.
source "$(dirname "$0")/lib.sh"

sources=$root/tests/realserver
unavailable() {
  say "No real API server: $*" >&2
  exit 3
}

hash=$(cd "$sources" && find realserver podload -type f \( -name '*.go' -o -name 'go.*' -o -name '*.json' -o -name '*.sh' \) -print0 |
  LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c1-12)
out=${XDG_CACHE_HOME:-$HOME/.cache}/client-cpp/realserver-$hash

if [[ ! -x $out/realserver || ! -x $out/podload ]]; then
  command -v go >/dev/null || unavailable "Go is not installed (1.26 or newer is needed; see go.dev/dl)"
  version=$(GOTOOLCHAIN=local go env GOVERSION)
  [[ $(printf '%s\n' go1.26 "$version" | sort -V | head -n 1) == go1.26 ]] ||
    unavailable "Go is $version; 1.26 or newer is needed (see go.dev/dl)"
  mkdir -p "$out"
  go_build() {
    export CGO_ENABLED=0 GOTOOLCHAIN=local
    "$sources/realserver/build.sh" "$out/realserver.new"
    (cd "$sources/podload" && go build -trimpath -ldflags '-s -w' -o "$out/podload" .)
    mv "$out/realserver.new" "$out/realserver"
  }
  step "Building the real API server" "$root/build/log/realserver.log" go_build >&2 ||
    die "Its modules come from the Go module proxy: is the network there?"
fi
say "$out"
