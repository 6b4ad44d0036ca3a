#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every piece of C++ in the documents is a part of a program that the tests compile and run: the lines of each ```cpp block stand,
in their order and without others between them, in a file of examples/ or docs/samples, indented in any way. README's first block is
compiled and run by consume.readme. Indented blocks with C++ in them are refused."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```cpp\n(.*?)^```", re.M | re.S)
INDENTED = re.compile(r"^ {4,}(?:#include <|.*\btbb::\w+[^`]*;\s*$)", re.M)
FENCED = re.compile(r"^```.*?^```", re.M | re.S)


def bare(text):
    return [line.strip() for line in text.split("\n") if line.strip()]


def contains(program, piece):
    return any(program[i:i + len(piece)] == piece for i in range(len(program)))


def main():
    programs = [bare(p.read_text()) for folder in ("examples", "docs/samples") for p in sorted((ROOT / folder).rglob("*.*")) if p.suffix in (".cpp", ".h")]
    documents = [ROOT / "README.md", *sorted(p for p in (ROOT / "docs").rglob("*.md") if "site" not in p.parts)]
    count, foreign = 0, []
    for path in documents:
        text = path.read_text()
        found = BLOCK.findall(text)
        if path.name == "README.md" and path.parent == ROOT:
            count, found = count + 1, found[1:]
        for block in found:
            count += 1
            lines = bare(block)
            if not any(contains(program, lines) for program in programs):
                foreign.append(f"{path.relative_to(ROOT)}: no program has: {lines[0]}")
        foreign += [f"{path.relative_to(ROOT)}: C++ that is no ```cpp block: {line.strip()}"
                    for line in INDENTED.findall(FENCED.sub("", text))]
    print("\n".join([*foreign, f"{count} blocks, {len(foreign)} of them not from a program"]))
    return 1 if foreign or not count else 0


if __name__ == "__main__":
    sys.exit(main())
