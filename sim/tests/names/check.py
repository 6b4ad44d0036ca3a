#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records kinds.cpp and checks that the report names every region after the user's function and its line.

usage: check.py PROGRAM SOURCE ASHLAR_SIM {lines,names,stripped}
"names": the program has no debug information, and regions have names without lines. "stripped": neither; the report
says so.
"""

import json
import os
import re
import subprocess
import sys
import tempfile


def wanted(source: str) -> list[tuple[str, str, int]]:
    """Kind, function and line of each region that the source declares."""
    with open(source, encoding="utf-8") as text:
        lines = text.read().splitlines()
    found = []
    for number, line in enumerate(lines, start=1):
        if m := re.match(r"\s*// region (\w+) (\w+(?: \w+)?)$", line):
            found.append((m[1], m[2], number + 1))
    return found


def pattern(kind: str, function: str) -> str:
    """A regular expression for the region's name, whichever compiler made it."""
    scope = r"\(anonymous namespace\)::" + function
    if kind == "named":
        return function.replace(" ", " / ")
    return {"lambda": scope + r"\(\)::(\{lambda\(.*\)#\d+\}|\$_\d+)", "class": scope, "coroutine": scope + r"\(int\)"}[kind]


def report(program: str, sim: str, folder: str) -> tuple[dict, str]:
    """The report of one run, and the trace as the Chrome format has it."""
    trace = os.path.join(folder, "run.trace")
    chrome = os.path.join(folder, "run.json")
    subprocess.run([program], check=True, env={**os.environ, "ASHLAR_TRACE": trace, "ASHLAR_NUM_THREADS": "4"})
    made = subprocess.run([sim, "report", trace, "--format", "json", "--threads", "4"], check=True, capture_output=True)
    subprocess.run([sim, "export", trace, "--chrome", chrome], check=True, capture_output=True)
    with open(chrome, encoding="utf-8") as text:
        return json.loads(made.stdout), text.read()


def complaints(program: str, source: str, sim: str, what: str, folder: str) -> list[str]:
    made, chrome = report(program, sim, folder)
    names = [r["name"] for r in made["regions"]]
    result = []
    if '"nearly over"' not in chrome:
        result.append("the export has no instant event")
    if what == "stripped":
        if not any("is stripped" in w for w in made["warnings"]):
            result.append(f"nothing says that the program is stripped: {made['warnings']}")
        return result
    told = any("no debug information" in w for w in made["warnings"])
    if told != (what == "names"):
        fault = "says wrongly" if told else "doesn't say"
        result.append(f"the report {fault} that the program has no debug information: {made['warnings']}")
    for kind, function, line in wanted(source):
        expected = pattern(kind, function)
        if what == "lines" and kind != "named":
            expected += r" \(kinds\.cpp:" + str(line) + r"\)"
        if not any(re.fullmatch(expected, n) for n in names):
            result.append(f"no region {expected}")
    result += [f"a region is called {n}" for n in names if re.search(r"ashlar::|__gnu_cxx::|__pstl::|std::|^_Z|task at", n)]
    return result + ([f"names: {names}"] if result else [])


def main() -> int:
    program, source, sim, what = sys.argv[1:5]
    with tempfile.TemporaryDirectory() as folder:
        if what == "stripped":
            bare = os.path.join(folder, "kinds")
            subprocess.run(["strip", "-o", bare, program], check=True)
            program = bare
        found = complaints(program, source, sim, what, folder)
    print("\n".join(found) or "every region has its name")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
