#!/usr/bin/env bash
# Builds the consumer with pkg-config alone and runs it: build-and-run.sh COMPILER PREFIX OUT
set -euo pipefail
compiler=$1 prefix=$2 out=$3

mkdir -p "$out"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name client-cpp.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs client-cpp)"
"$compiler" -std=c++20 "$(dirname "$0")/../consumer.cpp" "${flags[@]}" -o "$out/consumer"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir client-cpp) "$out/consumer"
