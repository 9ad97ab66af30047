#!/usr/bin/env python3
"""Checks docs/conformance.md: every test that it names exists in tests/, no row is missing, and
its counts are right.

Usage: check-conformance.py [ROOT]

ROOT is the repository, by default the one this script is in. Says nothing and exits 0 when all is
well; else exits 1 with a line per problem.
"""

import collections
import pathlib
import re
import sys

STATUSES = ("held", "differs", "untested", "open")
TEST_MACRO = re.compile(r"\b(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)")
REFERENCE = re.compile(r"`([\w/.-]+\.cpp) (\w+)\.(\w+)`")
LOOSE_REFERENCE = re.compile(r"\w+Tests?\.\w+|[\w/.-]+\.cpp\b")
ROW_NUMBER = re.compile(r"[A-Z]\d\d")


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def read(page):
    """The rows as (line, area, number, status, last cell); the tables of counts as {name: numbers}."""
    rows, totals, areas, area = [], {}, {}, None
    for at, line in enumerate(page.splitlines(), 1):
        if line.startswith("## "):
            area = line[3:].strip()
        if not line.startswith("|"):
            continue
        row = cells(line)
        if ROW_NUMBER.fullmatch(row[0]):
            rows.append((at, area, row[0], row[2] if len(row) == 4 else None, row[-1]))
        elif len(row) == 3 and row[1].isdigit():
            totals[row[0]] = int(row[1])
        elif len(row) == 5 and all(cell.isdigit() for cell in row[1:]):
            areas[row[0]] = [int(cell) for cell in row[1:]]
    return rows, totals, areas


def check_row(row, tests, problem):
    at, _, number, status, text = row
    if status is None:
        return problem(at, f"{number} does not have four columns")
    if status not in STATUSES:
        problem(at, f'{number} has the unknown status "{status}"')
    if not text:
        problem(at, f"{number} names neither a test nor a reason")
    named = REFERENCE.findall(text)
    if status == "held" and not named:
        problem(at, f"{number} is held, but names no test")
    for file, suite, case in named:
        if (suite, case) not in tests.get(file, ()):
            problem(at, f"{number}: tests/{file} has no test {suite}.{case}")
    for loose in LOOSE_REFERENCE.findall(REFERENCE.sub("", text)):
        problem(at, f'{number}: "{loose}" is not written as `file Suite.Case`')


def check_numbers(rows, problem):
    """Each letter's numbers stand there once, from 01 on, none left out."""
    by_letter = collections.defaultdict(list)
    for row in rows:
        by_letter[row[2][0]].append(int(row[2][1:]))
    for letter, numbers in by_letter.items():
        if numbers != list(range(1, len(numbers) + 1)):
            problem(1, f"the rows {letter}.. are not numbered one by one: {numbers}")


def check_counts(rows, totals, areas, problem):
    count = collections.Counter(row[3] for row in rows)
    for name, number in [(status, count[status]) for status in STATUSES] + [("total", len(rows))]:
        if totals.get(name) != number:
            problem(1, f"the top says {totals.get(name)} {name}, but there are {number}")
    by_area = collections.defaultdict(collections.Counter)
    for row in rows:
        by_area[row[1]][row[3]] += 1
    for area in sorted(set(areas) | set(by_area), key=str):
        real = [by_area[area][status] for status in STATUSES]
        if areas.get(area) != real:
            problem(1, f'the top says {areas.get(area)} of "{area}", but it is {real}')


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here
    page = root / "docs" / "conformance.md"
    problems = []

    def problem(line, text):
        problems.append(f"{page.relative_to(root)}:{line}: {text}")

    tests = {
        file.relative_to(root / "tests").as_posix(): set(
            TEST_MACRO.findall(file.read_text(encoding="utf-8"))
        )
        for file in (root / "tests").rglob("*.cpp")
    }
    rows, totals, areas = read(page.read_text(encoding="utf-8"))
    for row in rows:
        check_row(row, tests, problem)
    check_numbers(rows, problem)
    check_counts(rows, totals, areas, problem)
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
