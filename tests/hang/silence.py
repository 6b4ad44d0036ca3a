#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs that end, with the watch for hangs on: each has to end as without it, and none may be told to hang. What
is called long, or a sleep, is told and allowed.

usage: silence.py PROGRAM ...
       silence.py --all BUILD     every unit test, stress test and example that CTest knows there and that is built
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

SECONDS = "1"
LIMIT = 900
# Test cases whose child processes hang on purpose.
HANG_ON_PURPOSE = "--test-case-exclude=*is reported*,*are reported*,*on demand*"
LABELS = {"unit", "stress", "example", "execution"}


def all_programs(build):
    """The commands of the tests that are programs of ours, not scripts that run some; each once."""
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    commands, missing = [], 0
    for test in json.loads(listing.stdout)["tests"]:
        labels = {label for p in test.get("properties", []) if p["name"] == "LABELS" for label in p["value"]}
        command = test.get("command")
        if command is None:
            missing += bool(labels & LABELS)
        elif labels & LABELS and Path(command[0]).resolve().is_relative_to(build.resolve()) and command not in commands:
            missing += not os.access(command[0], os.X_OK)
            if os.access(command[0], os.X_OK):
                commands.append(command)
    return commands, missing


def run(command):
    """Exit code, all that it said, and what the watch told."""
    environment = {**os.environ, "ASHLAR_HANG_REPORT": SECONDS}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", timeout=LIMIT, check=False)
        text, code = done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired as late:
        text, code = (late.stderr or b"").decode(errors="replace"), "none: it didn't end"
    return code, text, re.findall(r"no task has completed for [0-9.]+ s(.*)", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--all", type=Path, metavar="BUILD")
    given = parser.parse_args()
    commands, missing = [[program] for program in given.programs], 0
    if given.all:
        more, missing = all_programs(given.all)
        commands += more
    alarms = failures = 0
    for command in commands:
        name = os.path.basename(command[0])
        begun = time.monotonic()
        code, text, said = run(command + ([HANG_ON_PURPOSE] if name.startswith(("unit_", "stress_")) else []))
        alarm = sum(words == ": a hang" for words in said)
        alarms += alarm
        failures += code not in (0, 77)
        print(f"{name}: {time.monotonic() - begun:.0f} s, exit code {code}; told: {said}", flush=True)
        if alarm or code not in (0, 77):
            print(text[-20000:])
    print(f"{len(commands)} programs, {alarms} false alarms, {failures} failed; {missing} tests are not built")
    return 1 if alarms or failures or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
