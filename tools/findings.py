#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the scripts of findings/ and tells which surprises of other libraries are no longer as they were seen."""
import argparse
import os
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "findings"
SKIPPED = 77  # what a script exits with whose packages can't be had here
LIMIT = 300  # seconds for one finding, most of which a slow network takes


def told(script, part):
    """The text behind `part` in the comment at the script's top."""
    text, inside = [], False
    for line in script.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        inside = line.startswith(f"# {part}: ") or (inside and line.startswith("#   "))
        if inside:
            text.append(line[1:].strip())
    return " ".join(text).removeprefix(f"{part}: ")


def list_all(scripts):
    for script in scripts:
        print(f"{script.stem}\n  {told(script, 'Library')}")
        print(textwrap.fill(told(script, "Seen"), 116, initial_indent="  ", subsequent_indent="  "))


def run(script):
    """Runs one script; returns its exit code and the last line that it printed."""
    with subprocess.Popen(["bash", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True) as process:
        try:
            output = process.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate()
            return 1, f"no end within {LIMIT} s"
        except KeyboardInterrupt:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            raise
    return process.returncode, (re.findall(r"[^\n]*\S[^\n]*", output) or [""])[-1]


def main():
    parser = argparse.ArgumentParser(prog="./dev findings", description=__doc__)
    parser.add_argument("name", nargs="?", default="", help="only the findings whose names hold NAME")
    parser.add_argument("--list", action="store_true", help="tell what was seen, and run nothing")
    options = parser.parse_args()
    scripts = [script for script in sorted(FOLDER.glob("*.sh")) if options.name in script.stem]
    if not scripts:
        sys.exit(f"dev: no finding's name holds '{options.name}'; ./dev findings --list names all")
    if options.list:
        return list_all(scripts)
    counts = {"as seen": 0, "CHANGED": 0, "SKIPPED": 0}
    for script in scripts:
        code, line = run(script)
        result = "as seen" if code == 0 else "SKIPPED" if code == SKIPPED else "CHANGED"
        counts[result] += 1
        print(f"{result}  {script.stem}" + ("" if code == 0 else f": {line or f'exit code {code}'}"), flush=True)
    print(", ".join(f"{number} {result.lower()}" for result, number in counts.items()))
    return 1 if counts["CHANGED"] else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
