#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the budgets of tools/budget.toml.

    check_budget.py                    file lengths, macros, friends, licence lines, machine paths
    check_budget.py --functions        length, complexity and parameters of each function
    check_budget.py --headers [CXX]    compile cost of each public header

Exit codes: 0 fine, 1 over budget, 77 not checked because the tool is missing."""
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import source_tree as tree

SKIPPED = 77
DEFINE = re.compile(r"\s*#\s*define\s+(\w+)")
INCLUDE = re.compile(r"\s*#\s*include\s*<([^>]+)>")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
# Absolute paths that exist on one machine only. (Written in pieces, so that this file passes its own check.)
MACHINE_PATH = re.compile(r"(?<![\w.$}/-])/(" + "|".join(["wo" + "rk", "ro" + "ot", "ho" + "me"]) + r")/\w")
FRIEND = re.compile(r"\bfriend\s[^;{]*;")
NO_FUNCTIONS = {"alignof", "alignas", "decltype", "sizeof", "noexcept", "requires"}
TEXT = {".h", ".cpp", ".py", ".md", ".txt", ".cmake", ".toml", ".json", ".in", ".sh", ".yml", ".map", ""}
# The last column of the last line of -ftime-report.
ALLOCATED = re.compile(r"^ *TOTAL.*?(\d+)([kM])\s*$", re.M)
UNITS = {"k": 1 << 10, "M": 1 << 20}
LICENSED = {".h", ".cpp", ".py", ".cmake"}


def check_files(budget):
    errors, count = [], 0
    limit, exceptions = budget["files"]["lines"], budget["files"]["exceptions"]
    for path in tree.tracked_files():
        name = tree.relative(path)
        if path.suffix not in TEXT or name == "LICENSE" or name.startswith("bench/results/"):
            continue
        count += 1
        lines = path.read_text(errors="replace").split("\n")
        if path.suffix in tree.CXX | {".py"} and len(lines) - 1 > limit and name not in exceptions:
            errors.append(f"{name}: {len(lines) - 1} lines, limit {limit}")
        if path.suffix in LICENSED and not any("SPDX-License-Identifier: Apache-2.0" in x for x in lines[:2]):
            errors.append(f"{name}:1: the licence line is missing")
        for number, line in enumerate(lines, 1):
            if path.suffix != ".md" and UNFINISHED.search(line) and name != "tools/check_budget.py":
                errors.append(f"{name}:{number}: unfinished work is an issue, not a comment")
            if MACHINE_PATH.search(line):
                errors.append(f"{name}:{number}: a path of one machine: {line.strip()}")
    return errors, f"{count} files"


def check_macros(budget):
    errors, own = [], set()
    rules, headers = budget["macros"], budget["headers"]
    for path in tree.files_below("include", "src"):
        name = tree.relative(path)
        banned = name.startswith(tuple(headers["forbidden_below"]))
        for number, line in enumerate(tree.code_lines(path.read_text()), 1):
            define, include = DEFINE.match(line), INCLUDE.match(line)
            if include and banned and include.group(1) in headers["forbidden"]:
                errors.append(f"{name}:{number}: <{include.group(1)}> is too expensive here")
            if not define or name in rules["interface"]:
                continue
            macro = define.group(1)
            if name.startswith("include/tbb/") and not macro.startswith("ASHLAR_"):
                continue
            # A header for C programs as well has an include guard.
            if name in rules["files"]:
                own.add(macro)
            elif macro.startswith("ASHLAR_") and macro.endswith("_H"):
                continue
            else:
                errors.append(f"{name}:{number}: macro {macro}; our own macros live in {' and '.join(rules['files'])}")
    if len(own) > rules["count"]:
        errors.append(f"{len(own)} macros of our own, limit {rules['count']}")
    return errors, f"{len(own)} macros"


def check_friends(budget):
    """Classes and functions that are friends without a body there: each opens a class to code that stands elsewhere."""
    friends, lines = [], 0
    for path in tree.files_below("include", "src"):
        text = path.read_text()
        lines += text.count("\n")
        friends += [f"{tree.relative(path)}: {' '.join(found.split())}" for found in FRIEND.findall("\n".join(tree.code_lines(text)))]
    limit = budget["friends"]["per_kloc"] * lines / 1000
    errors = [*friends, f"{len(friends)} friends without a body, limit {limit:.0f}"] if len(friends) > limit else []
    return errors, f"{len(friends)} friends without a body"


def find_lizard():
    """The command that runs lizard: the project's virtual environment first."""
    for candidate in (tree.ROOT / ".venv/bin/lizard", shutil.which("lizard")):
        if candidate and Path(candidate).exists():
            return str(candidate)
    return None


def check_functions(budget):
    command = find_lizard()
    if not command:
        return None, "lizard is not installed (./dev lint installs it)"
    rules, errors = budget["functions"], []
    folders = [f for f in rules["folders"] if (tree.ROOT / f).is_dir()]
    run = subprocess.run([command, "-l", "cpp", "--csv", *folders], cwd=tree.ROOT, capture_output=True, text=True)
    if run.returncode not in (0, 1) or not run.stdout:
        return [f"lizard failed: {run.stderr.strip()}"], "0 functions"
    rows, at_limit = run.stdout.splitlines(), []
    for row in rows:
        fields = re.findall(r'"((?:[^"]|"")*)"|([^,]+)', row)
        values = [a or b for a, b in fields]
        nloc, complexity, _, parameters = (int(v) for v in values[:4])
        # lizard takes `inline v1` of a namespace for one word.
        path, function = values[6], values[7].replace("::inlinev1::", "::")
        # lizard takes alignas(alignof(...)) of a class for a function.
        if f"{path}:{function}" in rules["exceptions"] or function.split("::")[-1] in NO_FUNCTIONS:
            continue
        for what, value, limit in (("lines", nloc, rules["lines"]), ("complexity", complexity, rules["complexity"]),
                                   ("parameters", parameters, rules["parameters"])):
            if value > limit:
                errors.append(f"{path}: {function}: {what} {value}, limit {limit}")
        if complexity == rules["complexity"] and path.startswith(("include/", "src/")):
            at_limit.append(f"{path}: {function}: complexity {complexity}, as much as is allowed")
    # A function cut until it just fits is not simpler.
    if len(at_limit) > rules["at_limit"]:
        errors += [*at_limit, f"{len(at_limit)} functions at the limit of complexity, {rules['at_limit']} are allowed"]
    return errors, f"{len(rows)} functions"


def compile_cost(compiler, *headers):
    """Bytes that the compiler allocates for a file of these headers, each twice, and its complaint if it does not compile without a warning,
    or does not tell. (style.headers leaves what is compiled here to this check.)"""
    run = subprocess.run([compiler, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-ftime-report",
                          "-DASHLAR_LEAN_HEADERS=1", f"-I{tree.ROOT / 'include'}", "-x", "c++", "-"],
                         input="".join(2 * f"#include <{header}>\n" for header in headers), capture_output=True, text=True)
    told = ALLOCATED.search(run.stderr)
    if run.returncode or not told:
        return 0, run.stderr or "the compiler does not tell what memory it takes"
    return int(told[1]) * UNITS[told[2]], None


def check_headers(budget, compiler):
    """A header's cost is what g++ allocates for it, in units of the reference's headers. Unlike time this is the same in each run, whatever
    else the machine does, and it goes with time: of 29 headers the two ratios to the reference's differed by at most 16 %."""
    rules, errors = budget["headers"], []
    reference, complaint = compile_cost(compiler, *rules["reference"])
    if complaint:
        return [f"the reference: {complaint}"], "0 headers"
    paths = [str(path.relative_to(tree.ROOT / "include")) for path in tree.files_below("include/tbb")]
    found = [(*compile_cost(compiler, header), header) for header in paths]
    for memory, complaint, header in sorted(found, key=lambda one: -one[0]):
        seconds, limit = memory / reference * rules["reference_seconds"], rules["exceptions"].get(header, rules["seconds"])
        print(f"{seconds:6.2f} s  {header}")
        if complaint:
            errors.append(f"{header}: does not compile alone:\n{complaint}")
        elif seconds > limit:
            errors.append(f"{header}: {seconds:.2f} s, limit {limit:.2f} s")
    return errors, f"{len(found)} headers"


def main():
    budget = tomllib.loads((tree.ROOT / "tools/budget.toml").read_text())
    if "--headers" in sys.argv:
        compiler = sys.argv[-1] if sys.argv[-1] != "--headers" else "g++"
        errors, checked = check_headers(budget, compiler)
        return tree.finish("check_budget --headers", errors, checked)
    if "--functions" in sys.argv:
        errors, checked = check_functions(budget)
        if errors is None:
            print(f"check_budget --functions: SKIPPED: {checked}")
            return SKIPPED
        return tree.finish("check_budget --functions", errors, checked)
    errors, files = check_files(budget)
    macro_errors, macros = check_macros(budget)
    friend_errors, friends = check_friends(budget)
    return tree.finish("check_budget", errors + macro_errors + friend_errors, f"{files}, {macros}, {friends}")


if __name__ == "__main__":
    sys.exit(main())
