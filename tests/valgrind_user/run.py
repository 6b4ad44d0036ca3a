#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs program.cpp under Helgrind and DRD as docs/debugging.md says: nothing is told of tasks, and a race of the program's own
threads is found. Without the suppressions there is something to say: they are needed.

usage: run.py PROGRAM SUPPRESSIONS
"""
import re
import shutil
import subprocess
import sys


def errors(tool, program, suppressions, *arguments):
    command = ["valgrind", f"--tool={tool}", "--read-inline-info=no", *suppressions, program, *arguments]
    made = subprocess.run(command, capture_output=True, text=True, timeout=800, check=False)
    found = re.search(r"ERROR SUMMARY: (\d+) errors", made.stderr)
    if made.returncode != 0 or not found:
        sys.exit(f"{' '.join(command)}: status {made.returncode}\n{made.stderr[-5000:]}")
    return int(found.group(1)), made.stderr


def main():
    program, file = sys.argv[1:]
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is missing")
        return 77
    failed = False
    plain, _ = errors("helgrind", program, [], "correct")
    for tool in ("helgrind", "drd"):
        silenced, said = errors(tool, program, [f"--suppressions={file}"], "correct")
        racy, _ = errors(tool, program, [f"--suppressions={file}"], "racy")
        print(f"{tool}: {silenced} errors of the correct program (asked 0), {racy} of the racy one")
        failed = failed or silenced != 0 or racy == 0
        if silenced:
            print(said[-5000:])
    print(f"helgrind, without the suppressions: {plain} errors of the correct program")
    return 1 if failed or plain == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
