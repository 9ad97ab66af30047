#!/usr/bin/env bash
# Builds and runs the unit and integration tests. Options go to cmake, for example
# -DCMAKE_COMPILE_WARNING_AS_ERROR=ON.
source "$(dirname "$0")/lib.sh"

labels='unit|integration'
"$root/scripts/deps.sh"
configure dev "$@"
build dev client-cpp-tests || die "The build failed; the whole log: build/log/build-dev.log"
# Without Go, the tests that need client-go are skipped with the reason.
if program=$("$root/scripts/go-program.sh" informerlog); then
  export CLIENT_CPP_INFORMERLOG=$program
elif (($? != 3)); then
  exit 1
fi
if step "Running the tests: ${labels//|/ and }" "$root/build/log/test-dev.log" run_ctest dev "$labels"
then
  "$root/scripts/count-tests.py" "$root/build/log/ctest-dev-${labels//|/-}.xml"
else
  "$root/scripts/count-tests.py" "$root/build/log/ctest-dev-${labels//|/-}.xml" || true
  sed -n '/The following tests FAILED/,/^Errors while/p' "$root/build/log/test-dev.log"
  die "One program again: ctest --preset dev -R <name>; one case: build/dev/tests/<name> --gtest_filter=<case>"
fi
