#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs that end, with the watch for hangs on: each has to end as without it, and none may be told to hang. What
is called long, or a sleep, is told and allowed."""
import os
import re
import subprocess
import sys

SECONDS = "1"
LIMIT = 600
# Test cases whose child processes hang on purpose.
HANG_ON_PURPOSE = "--test-case-exclude=*is reported*,*are reported*,*on demand*"


def main():
    wrong = 0
    for program in sys.argv[1:]:
        name = os.path.basename(program)
        command = [program] + ([HANG_ON_PURPOSE] if name.startswith(("unit_", "stress_")) else [])
        environment = {**os.environ, "ASHLAR_HANG_REPORT": SECONDS}
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", timeout=LIMIT,
                                  check=False)
            text, code = done.stdout + done.stderr, done.returncode
        except subprocess.TimeoutExpired as late:
            text, code = (late.stderr or b"").decode(errors="replace"), "none: it didn't end"
        said = re.findall(r"no task has completed for [0-9.]+ s(.*)", text)
        alarm = any(words == ": a hang" for words in said)
        wrong += alarm or code != 0
        print(f"{name}: exit code {code}; told: {said}")
        if alarm or code != 0:
            print(text[-20000:])
    print(f"{len(sys.argv) - 1} programs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
