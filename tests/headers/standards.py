#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public header compiles with one compiler in each of several language versions, in both dialects, lean and not, without a warning:

    standards.py COMPILER STANDARD[,STANDARD ...] [--flag=FLAG ...]     as clang++-19 17,20,23,26 --flag=-stdlib=libc++

check.py does the same with the installed compilers, header by header; this is for one that is named. Exit code 77: it is missing."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import check

ROOT = Path(__file__).resolve().parents[2]
# The versions that had a working name when the compiler came out.
WORKING = {"23": ("c++23", "c++2b"), "26": ("c++26", "c++2c")}


def spelling(compiler, standard):
    """What the compiler calls the version, or None."""
    for name in WORKING.get(standard, (f"c++{standard}",)):
        if subprocess.run([compiler, f"-std={name}", "-fsyntax-only", "-x", "c++", "-"], input="", capture_output=True, text=True, check=False).returncode == 0:
            return name
    return None


def forwarding(folder):
    """oneapi/tbb, as CMake makes it."""
    for header in sorted((ROOT / "include/tbb").rglob("*.h")):
        name = header.relative_to(ROOT / "include")
        made = folder / "oneapi" / name
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(f"#pragma once\n#include <{name}>\n")
    (folder / "oneapi/tbb.h").write_text("#pragma once\n#include <tbb/tbb.h>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("compiler")
    parser.add_argument("standards")
    parser.add_argument("--flag", action="append", default=[])
    options = parser.parse_args()
    if not shutil.which(options.compiler):
        print(f"standards: {options.compiler} is not installed")
        return 77
    names = {standard: spelling(options.compiler, standard) for standard in options.standards.split(",")}
    headers = [str(path.relative_to(ROOT / "include")) for path in sorted((ROOT / "include/tbb").glob("*.h"))
               if path.name not in ("tbbmalloc_proxy.h", "tbb_disable_exceptions.h")]
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        forwarding(Path(made))
        includes = [f"-I{ROOT / 'include'}", f"-I{made}"]
        jobs = [((options.compiler, name, [*options.flag, *dialect, *lean]), ["oneapi/tbb.h", *headers], includes)
                for name in names.values() if name for dialect in ([], [check.CLASSIC]) for lean in ([], [check.LEAN])]
        failures = [failure for failure in pool.map(check.compile_one, jobs) if failure]
    failures += [f"{options.compiler} knows no C++{standard}" for standard, name in names.items() if not name]
    print("\n".join([*failures, f"standards: {options.compiler}, {len(headers)} headers, C++{options.standards}: {len(jobs)} compilations, "
                     f"{len(failures)} failures"]))
    return 1 if failures or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
