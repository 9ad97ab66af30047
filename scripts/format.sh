#!/usr/bin/env bash
# Formats the C++ sources with clang-format 14, or checks them: scripts/format.sh [--check]
# Generated files are left alone.
source "$(dirname "$0")/lib.sh"

options=(-i)
[[ ${1:-} == --check ]] && options=(--dry-run --Werror)

command -v clang-format-14 >/dev/null || die "clang-format-14 is missing: apt-get install clang-format-14"
cd "$root"
git ls-files -z '*.cpp' '*.hpp' |
  xargs -0 grep -ZL -m1 'Code generated .* DO NOT EDIT' |
  xargs -0 -r -n 40 -P "$jobs" clang-format-14 "${options[@]}" ||
  die "Not formatted as .clang-format says. To do it: scripts/format.sh"
