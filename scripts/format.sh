#!/usr/bin/env bash
# Formats the C++ sources with clang-format 14, or checks them: scripts/format.sh [--check]
# Generated files and the peers of the benchmark are left alone.
source "$(dirname "$0")/lib.sh"

command -v clang-format-14 >/dev/null || die "clang-format-14 is missing: apt-get install clang-format-14"
cd "$root"

# Compares the text: --dry-run complains of the ends of inline namespaces, which it would not change.
formatted() { cmp -s "$1" <(clang-format-14 "$1"); }
check_format() {
  local file status=0
  for file; do
    formatted "$file" || { say "$file: error: not formatted" && status=1; }
  done
  return "$status"
}
# clang-format -i touches every file it reads, and all would be compiled again.
apply_format() {
  local file
  for file; do
    formatted "$file" || clang-format-14 -i "$file"
  done
}
export -f formatted check_format apply_format say
action=apply_format
[[ ${1:-} == --check ]] && action=check_format

git ls-files -z '*.cpp' '*.hpp' ':!benchmarks/peers' |
  xargs -0 grep -ZL -m1 'Code generated .* DO NOT EDIT' |
  xargs -0 -r -n 40 -P "$jobs" bash -c "$action"' "$@"' "$action" ||
  die "Not formatted as .clang-format says. To do it: scripts/format.sh"
