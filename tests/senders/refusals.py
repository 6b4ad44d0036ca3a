#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""<ashlar/execution.h> is refused with one error before C++20, and without an implementation; <tbb/tbb.h> does not include it.

    refusals.py INCLUDE_DIR"""
import os
import subprocess
import sys

CXX = os.environ.get("CXX", "g++")


def errors_of(text, standard):
    done = subprocess.run([CXX, f"-std={standard}", "-fsyntax-only", "-I", sys.argv[1], "-x", "c++", "-"], input=text, capture_output=True, text=True,
                          check=False)
    return [line for line in done.stderr.splitlines() if "error:" in line]


def main():
    wrong = []
    for standard, expected in (("c++17", "needs C++20"), ("c++20", "include <stdexec/execution.hpp>")):
        errors = errors_of("#include <ashlar/execution.h>\n", standard)
        if len(errors) != 1 or expected not in errors[0]:
            wrong.append(f"{standard}: not one error about '{expected}': {errors}")
    errors = errors_of("#include <tbb/tbb.h>\n#ifdef ASHLAR_EXECUTION_PARTS\n#error tbb.h includes it\n#endif\n", "c++20")
    print("\n".join(wrong + errors))
    return 1 if wrong or errors else 0


if __name__ == "__main__":
    sys.exit(main())
