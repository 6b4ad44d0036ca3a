#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses lengths of time that are written in ticks of the processor's counter, which are other times on other processors.

They belong into include/ashlar/os/tuning.h, as nanoseconds. In a file outside os and obs that reads the counter or
speaks of ticks every whole number from a thousand on is taken for one, but where its line says that it counts nanoseconds,
or tools/budget.toml names it."""
import re
import sys
import tomllib

import source_tree as tree

ABOUT_TICKS = re.compile(r"ticks")
NUMBER = re.compile(r"(?<![\w.])(0x[0-9a-fA-F]+|\d+)([uUlL]*)(?![\w.])")
LEAST = 1000
NANOSECONDS = re.compile(r"\bnanoseconds\b|\bticks_per_ns\b")
ELSEWHERE = ("src/os/", "include/ashlar/os/", "src/obs/", "include/ashlar/obs/")


def numbers(line):
    return [m[1] for m in NUMBER.finditer(line) if not m[1].startswith("0x") and int(m[1]) >= LEAST]


def check_file(path, exceptions):
    text = re.sub(r"(?<=\d)'(?=\d)", "", path.read_text(encoding="utf-8"))
    lines = [("" if code.lstrip().startswith("#") else code, line)
             for code, line in zip(tree.code_lines(text), text.split("\n"))]
    if not any(ABOUT_TICKS.search(code) for code, _ in lines):
        return []
    name = tree.relative(path)
    return [f"{name}:{number}: {value} in a file about ticks: lengths of time belong into include/ashlar/os/tuning.h"
            for number, (code, line) in enumerate(lines, 1) if not NANOSECONDS.search(line)
            for value in numbers(code) if f"{name}:{value}" not in exceptions]


def main():
    exceptions = tomllib.loads((tree.ROOT / "tools/budget.toml").read_text())["ticks"]["exceptions"]
    files = [p for p in tree.files_below("include", "src") if not tree.relative(p).startswith(ELSEWHERE)]
    errors = [error for path in files for error in check_file(path, exceptions)]
    return tree.finish("check_ticks", errors, f"{len(files)} files")


if __name__ == "__main__":
    sys.exit(main())
