#!/usr/bin/env bash
# Builds consumers with pkg-config alone and runs them: build-and-run.sh COMPILER PREFIX OUT
set -euo pipefail
compiler=$1 prefix=$2 out=$3

mkdir -p "$out"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name client-cpp.pc)")
export PKG_CONFIG_PATH

# build_and_run PACKAGE PROGRAM
build_and_run() {
  read -ra flags <<<"$(pkg-config --cflags --libs "$1")"
  "$compiler" -std=c++20 "$(dirname "$0")/../$2.cpp" "${flags[@]}" -o "$out/$2"
  LD_LIBRARY_PATH=$(pkg-config --variable=libdir client-cpp) "$out/$2"
}
build_and_run client-cpp consumer
if pkg-config --exists client-cpp-prometheus; then
  build_and_run client-cpp-prometheus consumer_prometheus
else
  echo "client-cpp-prometheus was not built: not tested"
fi
