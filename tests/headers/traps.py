#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No public header calls a function of the program's by mistake: traps.py SOURCE_DIR FORWARDING_DIR

An unqualified call with an argument of a program's type finds the functions beside that type. The namespace `program` of the
programs in traps/ has a function template of each name that our headers call without a qualification; it takes whatever it is
given, as well as any of ours does, and is deleted. So each program that compiles shows that all calls it instantiates are
qualified, or are of members."""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CXX = os.environ.get("CXX", "g++")
CALL = re.compile(r"(?<![\w.>:~])([a-z]\w*)\s*(?:<[^;(){}]*>)?\(")
# No function can have one of these names.
KEYWORDS = set("""alignas alignof bool catch co_await co_return co_yield const const_cast constexpr decltype defined delete deprecated
double dynamic_cast explicit extern for if inline int long new noexcept nodiscard operator reinterpret_cast requires return sizeof static
static_assert static_cast switch template this throw typedef typeid typename unsigned void while""".split())
# What a program may give to the library and to the standard's: a function of that name beside a type is an offer.
OFFERS = {"tbb_hasher"}


def called_names(source):
    """All that is called without a qualification, or declared: which of both it is does not matter."""
    names = set()
    for header in (source / "include").rglob("*.h"):
        text = re.sub(r"//[^\n]*", "", header.read_text())
        text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.MULTILINE)
        names.update(CALL.findall(text))
    return sorted(names - KEYWORDS - OFFERS)


def trap_header(names):
    lines = ["#pragma once", "namespace program {"]
    for name in names:
        lines += [f"#ifndef {name}", f"template <typename... Args> void {name}(Args&&...) = delete;", "#endif"]
    return "\n".join(lines + ["}  // namespace program", ""])


def main():
    source, forwarding = (Path(folder).resolve() for folder in sys.argv[1:3])
    names = called_names(source)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "generated_traps.h").write_text(trap_header(names))

        def check(job):
            file, standard, classic = job
            run = subprocess.run([CXX, f"-std={standard}", f"-DASHLAR_CLASSIC_DIALECT={classic}", "-DTBB_SUPPRESS_DEPRECATED_MESSAGES=1", "-w",
                                  f"-I{folder}", f"-I{source / 'include'}", f"-I{forwarding}", "-fsyntax-only", str(file)],
                                 capture_output=True, text=True, check=False)
            if run.returncode == 0:
                return []
            caught = re.findall(r"^(\S+?:\d+):\d+: error: .*program::(\w+)\(Args", run.stderr, re.MULTILINE)
            said = {f"{at}: the call of {name} finds the program's" for at, name in caught}
            return said or {line for line in run.stderr.splitlines() if "error:" in line}

        jobs = [(file, standard, classic) for file in sorted((source / "tests/headers/traps").glob("*.cpp"))
                for standard, classic in (("c++17", 1), ("c++20", 0))]
        with ThreadPoolExecutor(2) as pool:
            wrong = sorted({line for said in pool.map(check, jobs) for line in said})
    print("\n".join(wrong) if wrong else f"{len(jobs)} programs call what they mean beside {len(names)} traps")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
