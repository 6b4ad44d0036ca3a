#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks ARCHITECTURE.md's glossary against the code.

An entry is a paragraph "* **term** (`file`): ...", perhaps with more terms in it, each with the file that owns it. The owner exists
below include/ashlar or src, and has the term in its own name or as a word of a name in it, in singular or plural. No term has two entries. The words
that an entry "Not:" lists are given up: no name of the code of these layers has one of them, but for the names listed
behind a word as "(but ... `name`)"."""
import re
import sys

import source_tree as tree

DOCUMENT = tree.ROOT / "ARCHITECTURE.md"
TERM = re.compile(r"\*\*([a-z][a-z -]*)\*\*(?: \(`([^`]+)`\))?")
ENTRY = re.compile(r"^\* (.*(?:\n  .*)*)", re.M)
GIVEN_UP = re.compile(r"^Not: (.*(?:\n.+)*)", re.M)
LAYERS = ("include/ashlar/sched", "src/sched", "include/ashlar/algo", "src/algo", "include/ashlar/alloc", "src/alloc", "include/ashlar/flow", "src/flow")
NAME = re.compile(r"[A-Za-z_]\w*")


def names_of(path):
    names = {name.lower().strip("_") for line in tree.code_lines(path.read_text()) for name in NAME.findall(line)}
    return names | {path.stem}


def holds(name, words):
    """Is the term a part of the name, on word boundaries?"""
    return re.search(rf"(?:^|_){words}s?(?:_|$)", name) is not None


def check_term(term, owner):
    if not owner:
        return f"ARCHITECTURE.md: the term {term} names no file that owns it"
    found = [p for p in (tree.ROOT / "include/ashlar" / owner, tree.ROOT / "src" / owner) if p.is_file()]
    if not found:
        return f"ARCHITECTURE.md: {term}: there is no {owner} below include/ashlar or src"
    words = re.sub(r"[ -]", "_", term)
    if not any(holds(name, words) for path in found for name in names_of(path)):
        return f"ARCHITECTURE.md: {term}: no name in {owner} has this word"
    return None


def main():
    text = DOCUMENT.read_text()
    glossary = text.partition("\n## Glossary\n")[2].partition("\n## ")[0]
    terms = [found for entry in ENTRY.findall(glossary) for found in TERM.findall(entry)]
    errors = [error for term, owner in terms if (error := check_term(term, owner))]
    names = [term for term, _ in terms]
    errors += [f"ARCHITECTURE.md: {term} has two entries" for term in sorted({t for t in names if names.count(t) > 1})]
    given_up = GIVEN_UP.search(glossary)
    words = {word: set(re.findall(r"`(\w+)`", but)) for word, but in re.findall(r"`(\w+)`(?: \(but ([^)]*)\))?", given_up[1])} if given_up else {}
    for path in tree.files_below(*LAYERS):
        errors += [f"{tree.relative(path)}: {name} has the word {word}, which the glossary gives up"
                   for name in sorted(names_of(path)) for word, but in words.items() if name not in but and holds(name, word)]
    if not terms or not words:
        errors.append("ARCHITECTURE.md: the glossary has no terms, or none that are given up")
    return tree.finish("check_glossary", errors, f"{len(terms)} terms, {len(words)} words given up")


if __name__ == "__main__":
    sys.exit(main())
