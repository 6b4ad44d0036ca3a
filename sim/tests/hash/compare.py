#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py REFERENCE SOURCE_ROOT COMPILER...: builds probe.cpp with g++ and clang++ at -O0 and -O2 and compares what it
prints with the reference program's output. Exit status 77 if only one kind of compiler is there."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

reference, root = sys.argv[1], Path(sys.argv[2])
expected = subprocess.run([reference], check=True, capture_output=True, text=True).stdout
assert len(expected.splitlines()) > 100, "the probe printed too little"
gcc = next((c for c in ("g++",) if shutil.which(c)), None)
clang = next((c for c in ("clang++", "clang++-19", "clang++-16") if shutil.which(c)), None)
# The reference is the build's own compiler, optimised.
variants = [(c, level) for c, level in ((gcc, "-O0"), (clang, "-O0"), (clang, "-O2")) if c]
failures = 0
with tempfile.TemporaryDirectory() as folder:
    for compiler, level in variants:
        program = Path(folder) / "probe"
        subprocess.run([compiler, level, "-std=c++20", f"-I{root}/sim", f"-I{root}/src", f"-I{root}/include",
                        f"{root}/sim/tests/hash/probe.cpp", "-o", program], check=True)
        same = subprocess.run([program], check=True, capture_output=True, text=True).stdout == expected
        print(f"{compiler} {level}: {'the same hashes' if same else 'OTHER HASHES'}")
        failures += not same
if failures:
    sys.exit(1)
sys.exit(0 if gcc and clang else 77)
