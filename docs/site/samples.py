#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every piece of C++ in the documents is a part of a program that the tests compile and run: the lines of each ```cpp block stand,
in their order and without others between them, in a file of examples/ or docs/samples, with blanks in any number. So do the paragraphs
of comments in include/tbb that begin with an indented line. README's first block is compiled and run by consume.readme. The documents
for contributors (FOR_CONTRIBUTORS) may show parts of the library and its tests, too. Indented blocks with C++ in them are refused."""
import re
import sys
from pathlib import Path

import comments

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^ *```cpp\n(.*?)^ *```", re.M | re.S)
INDENTED = re.compile(r"^ {4,}(?:#include <|.*\btbb::\w+[^`]*;\s*$)", re.M)
FENCED = re.compile(r"^ *```.*?^ *```", re.M | re.S)
FOR_CONTRIBUTORS = {"docs/guide/add_an_algorithm.md", "docs/guide/add_a_node.md", "docs/guide/port.md"}
OWN_CODE = ("include", "src", "tests/unit")


def bare(text):
    return [" ".join(line.split()) for line in text.split("\n") if line.strip()]


def contains(program, piece):
    return any(program[i:i + len(piece)] == piece for i in range(len(program)))


def programs(*folders):
    return [bare(p.read_text()) for folder in folders for p in sorted((ROOT / folder).rglob("*.*")) if p.suffix in (".cpp", ".h")]


def in_comments(header):
    """The pieces of code in a header's comments: paragraphs that begin with an indented line."""
    for block, _, _ in comments.blocks(header):
        for _, paragraph in comments.grouped(block or []):
            if paragraph[0].startswith("  "):
                yield "\n".join(paragraph)


def main():
    samples = programs("examples", "docs/samples")
    documents = [ROOT / "README.md", *sorted(p for p in (ROOT / "docs").rglob("*.md") if "site" not in p.parts)]
    pieces, foreign = [], []
    for path in documents:
        text, name = path.read_text(), str(path.relative_to(ROOT))
        found = BLOCK.findall(text)[name == "README.md":]
        allowed = samples + programs(*OWN_CODE) if name in FOR_CONTRIBUTORS else samples
        pieces += [(name, block, allowed) for block in found]
        foreign += [f"{name}: C++ that is no ```cpp block: {line.strip()}" for line in INDENTED.findall(FENCED.sub("", text))]
    for path in sorted((ROOT / "include/tbb").rglob("*.h")):
        pieces += [(str(path.relative_to(ROOT)), block, samples) for block in in_comments(path.read_text())]
    foreign += [f"{name}: no program has: {bare(block)[0]}" for name, block, allowed in pieces
                if not any(contains(program, bare(block)) for program in allowed)]
    print("\n".join([*foreign, f"{len(pieces)} pieces of code, {len(foreign)} of them not from a program"]))
    return 1 if foreign or not pieces else 0


if __name__ == "__main__":
    sys.exit(main())
