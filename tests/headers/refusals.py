#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Targets that there is no port for are refused by one #error that says what is missing.

    refusals.py SOURCE_DIR

The compiler's own names tell it the target, so that taking one away, or -m32, stands for another target. Nothing is linked and no
header of the other target is needed: the refusal comes before anything else."""
import os
import pathlib
import subprocess
import sys

REFUSED = {  # what the compiler is told: what the error says
    ("-U__SIZEOF_POINTER__", "-D__SIZEOF_POINTER__=4"): "needs a 64-bit target",
    ("-U__linux__",): "has no port to this system",
    ("-U__GNUC__", "-U__clang__"): "needs g++ or clang",
}


def errors(source, header, flags):
    run = subprocess.run([os.environ.get("CXX", "c++"), "-std=c++17", f"-I{source / 'include'}", *flags, "-fsyntax-only", "-x", "c++", "-"],
                         input=f"#include <{header}>\n", capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    return [line for line in run.stderr.splitlines() if "error:" in line]


def main():
    source = pathlib.Path(sys.argv[1])
    wrong = [f"the target of these tests is refused: {e}" for e in errors(source, "ashlar/base/config.h", ())]
    for flags, words in REFUSED.items():
        found = errors(source, "ashlar/base/config.h", flags)
        if len(found) != 1 or words not in found[0]:
            wrong.append(f"{' '.join(flags)}: not one error that {words!r} stands in: {found}")
        # Whatever a program includes, this is the first that it is told.
        for header in ("tbb/tbb.h", "tbb/parallel_for.h", "tbb/scalable_allocator.h"):
            found = errors(source, header, flags)
            if not found or words not in found[0]:
                wrong.append(f"{' '.join(flags)}: <{header}> begins with another error: {found[:1]}")
    print("\n".join(wrong) or f"{len(REFUSED)} refusals")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
