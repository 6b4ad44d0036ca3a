#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual page of ashlar-sim knows the subcommands and options that the program has, and no others: manual.py PROGRAM PAGE"""
import re
import shutil
import subprocess
import sys
from pathlib import Path


def text_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout


def main():
    program, page = sys.argv[1:]
    manual, wrong = Path(page).read_text(), []

    def compare(what, told, known):
        if told != known or not known:
            wrong.append(f"{what}: not told {sorted(known - told)}, but told {sorted(told - known)}")

    subcommands = set(re.findall(r"^  (\w+) +[A-Za-z]", text_of(program, "--help").partition("Subcommands:")[2], re.M))
    options = {name: set(re.findall(r"^  (?:-\w,)?--([a-z-]+)", text_of(program, name, "--help"), re.M)) - {"help"} for name in subcommands}
    compare("subcommands", set(re.findall(r"^\.It Cm (\w+)", manual, re.M)), subcommands)
    synopsis = manual.partition(".Sh SYNOPSIS")[2].partition(".Sh DESCRIPTION")[0]
    for name, known in options.items():
        uses = re.search(rf"^\.Cm {name}\n(.*?)^\.Nm$", synopsis, re.M | re.S)
        compare(f"synopsis of {name}", set(re.findall(r"Fl -([a-z-]+)", uses[1] if uses else "")), known)
    compare("options", set(re.findall(r"^\.It Fl (?:\w , Fl )?-([a-z-]+)", manual, re.M)), set().union(*options.values()) | {"help", "version"})
    if ".Sh EXIT STATUS" not in manual:
        wrong.append("no exit status is told")
    if shutil.which("groff"):
        shown = subprocess.run(["groff", "-mdoc", "-ww", "-Tascii", page], capture_output=True, text=True, check=False)
        if shown.returncode or shown.stderr:
            wrong.append(f"groff: {shown.stderr}")
    print(*wrong or [f"{len(subcommands)} subcommands and {sum(map(len, options.values()))} options are told"], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
