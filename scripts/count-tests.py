#!/usr/bin/env python3
"""Sums the test cases in ctest's JUnit files and prints "N passed, N failed, N skipped".

Usage: count-tests.py FILE...

A GoogleTest program counts with each of its cases, any other test as one. CHECKS_FAILED in the
environment is how many checks failed, with or without test cases: the least that is reported as
failed. Exits 1 if something failed or if there was nothing at all.
"""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree


def count_program(case):
    output = case.findtext("system-out") or ""

    def number(mark):
        found = re.findall(rf"^\[  {mark}  ?\] (\d+) tests?", output, re.MULTILINE)
        return int(found[-1]) if found else 0

    status = case.get("status")
    if not re.search(r"^\[==========\] Running \d+ tests?", output, re.MULTILINE):
        return {"run": (1, 0, 0), "fail": (0, 1, 0)}.get(status, (0, 0, 1))
    passed, failed, skipped = number("PASSED"), number("FAILED"), number("SKIPPED")
    if status == "fail" and failed == 0:
        failed = 1  # It crashed or ran into the time limit.
    return passed, failed, skipped


def main():
    total = [0, 0, 0]
    for path in sys.argv[1:]:
        for case in ElementTree.parse(path).iter("testcase"):
            total = [a + b for a, b in zip(total, count_program(case))]
    total[1] = max(total[1], int(os.environ.get("CHECKS_FAILED", "0")))
    print("{} passed, {} failed, {} skipped".format(*total))
    return 1 if total[1] or not any(total) else 0


if __name__ == "__main__":
    sys.exit(main())
