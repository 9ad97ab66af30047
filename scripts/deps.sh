#!/usr/bin/env bash
# Installs what is needed to build and test, on Debian 12 or Ubuntu 24.04. Does nothing, quickly, when
# all of it is there. `scripts/deps.sh ci` adds what only .ci/run needs.
source "$(dirname "$0")/lib.sh"

packages=(
  g++ cmake ninja-build ccache git pkg-config ca-certificates
  libcurl4-openssl-dev nlohmann-json3-dev libspdlog-dev libyaml-cpp-dev libexpected-dev zlib1g-dev
  libcpp-httplib-dev libssl-dev libbrotli-dev openssl
  prometheus-cpp-dev
  libgtest-dev libgmock-dev libbenchmark-dev libcli11-dev python3
)
# tinyproxy: http, microsocks: socks5, stunnel4: TLS before either, as neither can itself; nghttp2-proxy:
# a server whose HTTP/2 connection answers pings while its streams are silent.
[[ ${1:-} == ci ]] && packages+=(
  clang-format-14 curl lld tinyproxy-bin microsocks stunnel4 nghttp2-proxy
)

command -v dpkg-query >/dev/null ||
  die "This script knows Debian and Ubuntu only. Install the equivalents of: ${packages[*]}"

missing=()
installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "${packages[@]}" 2>/dev/null |
  awk '$1 == "ii" {print $2}' || true)
for package in "${packages[@]}"; do
  grep -qxF "$package" <<<"$installed" || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || die "Run as root: apt-get install ${missing[*]}"
  as_root=(sudo)
fi
install_missing() {
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=120 update
  "${as_root[@]}" apt-get -q -y -o DPkg::Lock::Timeout=120 install --no-install-recommends \
    "${missing[@]}"
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
step "Installing ${missing[*]}" "$log" install_missing ||
  die "The installation failed. By hand: apt-get update && apt-get install ${missing[*]}"
