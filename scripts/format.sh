#!/usr/bin/env bash
# Formats the C++ sources with clang-format 14, or checks them: scripts/format.sh [--check]
# Generated files and the peers of the benchmark are left alone.
source "$(dirname "$0")/lib.sh"

command -v clang-format-14 >/dev/null || die "clang-format-14 is missing: apt-get install clang-format-14"
cd "$root"

# Compares the text: --dry-run complains of the ends of inline namespaces, which it would not change.
check_format() {
  local file status=0
  for file; do
    cmp -s "$file" <(clang-format-14 "$file") || { say "$file: error: not formatted" && status=1; }
  done
  return "$status"
}
export -f check_format say
format=(clang-format-14 -i)
[[ ${1:-} == --check ]] && format=(bash -c 'check_format "$@"' check_format)

git ls-files -z '*.cpp' '*.hpp' ':!benchmarks/peers' |
  xargs -0 grep -ZL -m1 'Code generated .* DO NOT EDIT' |
  xargs -0 -r -n 40 -P "$jobs" "${format[@]}" ||
  die "Not formatted as .clang-format says. To do it: scripts/format.sh"
