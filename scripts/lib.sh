# Shared by the scripts of this folder; sourced, not run.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${JOBS:-$(nproc)}

# Objects compiled in one build folder serve the others.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

say() { printf '%s\n' "$*"; }

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

# step TITLE LOG COMMAND...: runs the command with its output in LOG and prints one line with the
# time it took. When it fails, shows the end of LOG and returns its status.
step() {
  local title=$1 log=$2 start=$SECONDS status=0
  shift 2
  mkdir -p "$(dirname "$log")"
  printf '%s ... ' "$title"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status == 0)); then
    say "$((SECONDS - start)) s"
    return 0
  fi
  say "FAILED after $((SECONDS - start)) s; the end of $log:"
  show_failure "$log"
  return "$status"
}

# The lines that matter of a build's or a test run's log: from the first error, else the end.
show_failure() {
  local first
  first=$(grep -nE -m1 'error:|^FAILED:|CMake Error|\[  FAILED  \]|Sanitizer' "$1" | cut -d: -f1 || true)
  if [[ -n $first ]]; then
    tail -n "+$((first > 5 ? first - 5 : 1))" "$1" | head -n 80
  else
    tail -n 60 "$1"
  fi | sed 's/^/    /'
}

# configure PRESET [cmake options]: quick when nothing changed.
configure() {
  local preset=$1
  shift
  step "Configuring build/$preset" "$root/build/log/configure-$preset.log" \
    cmake -S "$root" --preset "$preset" "$@" ||
    die "Configuring failed. A library may be missing: run scripts/deps.sh. After a change of compiler: rm -rf build/$preset"
}

# build PRESET TARGET...
build() {
  local preset=$1
  shift
  step "Building $* in build/$preset" "$root/build/log/build-$preset.log" \
    cmake --build "$root/build/$preset" --parallel "$jobs" --target "$@"
}

# run_ctest PRESET LABELS: results as JUnit in build/log/ctest-PRESET-LABELS.xml.
run_ctest() {
  local preset=$1 labels=$2
  local name="ctest-$preset-${labels//|/-}"
  (cd "$root" && ctest --preset "$preset" -L "^($labels)\$" --parallel "$jobs" \
    --test-output-size-passed 4000000 --test-output-size-failed 4000000 \
    --output-junit "$root/build/log/$name.xml")
}

# go_program_folder NAME SOURCE_FOLDER: where the test programs made of these sources are kept, outside
# the tree, so that they are built once and not per clone.
go_program_folder() {
  local hash
  hash=$(cd "$root/$2" && find . -type f ! -name '*.md' -print0 | LC_ALL=C sort -z |
    xargs -0 sha256sum | sha256sum | cut -c1-12)
  say "${XDG_CACHE_HOME:-$HOME/.cache}/client-cpp/$1-$hash"
}

# need_go WHAT: ends the script with 3 and the reason where Go is missing or too old.
need_go() {
  local version=none
  ! command -v go >/dev/null || version=$(GOTOOLCHAIN=local go env GOVERSION)
  [[ $version != none && $(printf '%s\n' go1.26 "$version" | sort -V | head -n 1) == go1.26 ]] || {
    say "No $1: Go 1.26 or newer is needed, found: $version (see go.dev/dl)" >&2
    exit 3
  }
}
