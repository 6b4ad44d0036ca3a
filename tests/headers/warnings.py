#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the programs that use every public name with all that programs switch on that take warnings for errors: warnings.py
SOURCE_DIR FORWARDING_DIR. Our headers lie in an ordinary include folder (-I), and their templates are instantiated."""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CXX = os.environ.get("CXX", "g++")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Wundef", "-Wuseless-cast",
            "-Wzero-as-null-pointer-constant", "-Wold-style-cast"]
PROGRAMS = ("tests/headers/names/**/*.cpp", "tests/flow/names/**/*.cpp")


def is_gcc():
    return "Free Software Foundation" in subprocess.run([CXX, "--version"], capture_output=True, text=True, check=False).stdout


def main():
    source, forwarding = (Path(folder).resolve() for folder in sys.argv[1:3])
    flags = WARNINGS if is_gcc() else [w for w in WARNINGS if w != "-Wuseless-cast"]

    def check(job):
        file, classic = job
        # The optimiser's warnings come from the templates, which the dialects share; it takes half of the time.
        run = subprocess.run([CXX, "-std=c++17", "-O0" if classic else "-O2", *flags, f"-DASHLAR_CLASSIC_DIALECT={classic}", f"-I{source / 'include'}",
                              f"-I{forwarding}", f"-I{source / 'tests'}", f"-I{source / 'tests/flow'}", "-c", str(file), "-o", os.devnull],
                             capture_output=True, text=True, check=False)
        # What the test itself does is its own matter.
        ours = re.compile(rf"^(?:{re.escape(str(source))}/include|{re.escape(str(forwarding))})/\S+: (?:warning|error): .*", re.MULTILINE)
        said = ours.findall(run.stderr)
        if run.returncode != 0 and not said:
            said = [f"{file}: does not compile", run.stderr[:2000]]
        return said

    jobs = []
    for file in sorted(path for pattern in PROGRAMS for path in source.glob(pattern)):
        dialects = {"classic": (1,), "forward": (1,), "onetbb": (0,)}.get(file.parent.name, (0, 1))
        jobs += [(file, classic) for classic in dialects]
    with ThreadPoolExecutor(2) as pool:
        said = sorted({line for lines in pool.map(check, jobs) for line in lines})
    print("\n".join(said) if said else f"{len(jobs)} programs compile without a warning")
    return bool(said)


if __name__ == "__main__":
    sys.exit(main())
