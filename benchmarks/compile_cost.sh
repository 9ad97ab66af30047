#!/usr/bin/env bash
# What this library adds to the compile time of a one-kind watcher: the program of README.md against a
# file that includes the same standard headers and nothing else, at -O2, in turn.
#   benchmarks/compile_cost.sh [ROUNDS]
source "$(dirname "$0")/../scripts/lib.sh"

rounds=${1:-9}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The standard headers that the watcher's file reaches, itself or through the library's.
"${CXX:-g++}" -std=c++20 -M -I "$root/include" "$root/examples/readme.cpp" | tr ' \\' '\n\n' |
  grep -E '/c\+\+/[0-9.]+/[a-z_]+$' | sed -E 's|.*/(.*)|#include <\1>|' | sort -u >"$work/std.cpp"
echo 'int main() {}' >>"$work/std.cpp"

seconds() {
  local TIMEFORMAT=%U
  { time "${CXX:-g++}" -std=c++20 -O2 -I "$root/include" -c "$1" -o /dev/null 2>/dev/null; } 2>&1
}
median() { sort -n "$1" | sed -n "$(((rounds + 1) / 2))p"; }

for ((round = 0; round < rounds; ++round)); do
  std=$(seconds "$work/std.cpp")
  watcher=$(seconds "$root/examples/readme.cpp")
  echo "$std" >>"$work/std"
  echo "$watcher" >>"$work/watcher"
  awk "BEGIN {print $watcher - $std}" >>"$work/more"
done
printf 'standard headers %.2f s, watcher %.2f s, the library adds %.2f s (medians of %d, user time)\n' \
  "$(median "$work/std")" "$(median "$work/watcher")" "$(median "$work/more")" "$rounds"
