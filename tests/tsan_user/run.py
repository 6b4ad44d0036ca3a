#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs correct.cpp's and racy.cpp's programs: no warning of ThreadSanitizer, and ten races found.

usage: run.py CORRECT RACY
"""

import os
import subprocess
import sys


def run(*command: str, options: str = "") -> tuple[int, str]:
    """The exit status and what ThreadSanitizer says."""
    environment = {**os.environ, "TSAN_OPTIONS": f"exitcode=66 {options}"}
    made = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=800, check=False)
    return made.returncode, made.stderr


def main() -> int:
    correct, racy = sys.argv[1:3]
    status, said = run(correct, "4")
    if "FATAL: ThreadSanitizer" in said:
        print(f"skipped: {said}")  # a kernel whose address space it can't use
        return 77
    failed = status != 0 or "WARNING" in said
    if failed:
        print(f"the correct program ends with {status}:\n{said}")
    for number in range(10):
        # The sanitizer keeps few accesses of each word: a run may miss what the next one finds.
        for _ in range(20):
            status, said = run(racy, str(number), options="atexit_sleep_ms=0")  # the races are long over
            if found := status == 66 and "data race" in said:
                break
        if not found:
            print(f"race {number} is not found: status {status}\n{said}")
            failed = True
    print("failed" if failed else "no warning; 10 of 10 races found")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
