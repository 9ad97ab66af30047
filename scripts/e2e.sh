#!/usr/bin/env bash
# Builds and runs the end-to-end tests: the library against a real API server, client-go and kubectl
# against the fake one. Where those cannot be built (no Go 1.26), the tests are skipped with the reason. Options
# go to cmake.
source "$(dirname "$0")/lib.sh"

"$root/scripts/deps.sh"
configure dev "$@"
build dev client-cpp-e2e || die "The build failed; the whole log: build/log/build-dev.log"
if programs=$("$root/scripts/realserver.sh"); then
  export CLIENT_CPP_REALSERVER=$programs/realserver CLIENT_CPP_PODLOAD=$programs/podload
elif (($? != 3)); then
  exit 1
fi
for name in clientgo kubectl informerlog; do
  if program=$("$root/scripts/go-program.sh" "$name"); then
    export "CLIENT_CPP_${name^^}=$program"
  elif (($? != 3)); then
    exit 1
  fi
done
status=0
step "Running the end-to-end tests" "$root/build/log/test-e2e.log" run_ctest dev e2e || status=$?
"$root/scripts/count-tests.py" "$root/build/log/ctest-dev-e2e.xml" || status=1
exit "$status"
