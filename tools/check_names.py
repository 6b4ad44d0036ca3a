#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the names in backquotes of the documents are names of this tree.

A name is a word with an underscore, a word before parentheses, or a qualified C++ name. It is a word of some file that is no
document, or what a test program is called after a file or folder (unit_sched). The parts of a qualified name are words of one file. A preset
behind --preset is one of CMakePresets.json. A number beside the name of a constant in backquotes, as in "50 us (`wake_up_us`)" or "248
(`max_places`)", is the constant's value; CONTRIBUTING.md has the budgets of tools/budget.toml. tools/documents.toml has the names that belong to others. Documents of the past are left out, and no text of
the tree but theirs names an issue by a number that no reader can look up."""
import json
import re
import sys
import tomllib

import source_tree as tree
from check_documents import FENCED, PAST, QUOTED

NAME = re.compile(r"(?<![\w.~/$-])~?[A-Za-z_]\w*(?:::~?[A-Za-z_]\w*)*(?=(\()?)")
PRESET = re.compile(r"--preset[= ](\w+)")
ISSUE = re.compile(r"\b[Ii]ssues? (?:no\. ?)?\d+\b")
UNITS = {"ns": 1, "us": 1000, "ms": 1_000_000}
VALUED = re.compile(r"\b(\d[\d,.]*)(?:\s(ns|us|ms))?\s\(`(\w+)`\)")
# Of a number, perhaps multiplied or shifted; a time's name ends with its unit.
CONSTANT = re.compile(r"\bconstexpr [\w: ]+ (\w+) ?[={] ?([\d.'uUlL *<()]+)(?:\}|;|,)|\bstd::uint64_t (\w+) = ticks_of_(ns|us)\(([\d.']+)\);")
# What is called after a file or a folder of the tests.
BUILT = re.compile(r"(?:unit|stress|model|example|sample|flow|bench|execution|test)_(\w+)")
UNREAD = ("bench/results/", "bench/history/", "CHANGELOG.md")


def looks_like_name(name, called):
    return "::" in name or "_" in name.strip("_") or called


# A sentence of CONTRIBUTING.md with budgets, and where these stand in tools/budget.toml.
BUDGETS = ((r"at most (\d+) lines, functions at most (\d+) lines of code and\s+cyclomatic complexity (\d+)",
            (("files", "lines"), ("functions", "lines"), ("functions", "complexity"))),
           (r"at most ([\d.]+) s each with `ASHLAR_LEAN_HEADERS=1`", (("headers", "seconds"),)))


def wrong_budgets():
    document, file = tree.ROOT / "CONTRIBUTING.md", tree.ROOT / "tools/budget.toml"
    budget = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() and document.exists() else {}
    for sentence, places in BUDGETS if budget else ():
        told = re.search(sentence, document.read_text(encoding="utf-8"))
        if not told:
            yield f"CONTRIBUTING.md: there is no sentence as: {sentence}"
            continue
        for number, (table, key) in zip(told.groups(), places):
            if float(number) != budget[table][key]:
                yield f"CONTRIBUTING.md: {number}, but tools/budget.toml has {table}.{key} = {budget[table][key]}"


class Tree:
    """The words of all files that are no documents, and where they stand."""

    def __init__(self):
        self.where, self.constants = {}, {}
        files = tree.tracked_files()
        for path in files:
            name = tree.relative(path)
            if path.suffix == ".md" or name.startswith(UNREAD) or name == "tools/documents.toml":
                continue
            text = path.read_bytes().decode("utf-8", "ignore")
            for word in set(re.findall(r"\w+", text)):
                self.where.setdefault(word, set()).add(name)
            if path.suffix in tree.CXX:
                self.keep_constants(text)
        self.stems = {part for path in files for part in (*path.relative_to(tree.ROOT).parts[:-1], path.stem)}
        self.presets = {preset["name"] for preset in json.loads((tree.ROOT / "CMakePresets.json").read_text())["configurePresets"]}
        foreign = tomllib.loads((tree.ROOT / "tools/documents.toml").read_text())["foreign"]
        self.foreign, self.foreign_documents = re.compile("|".join(foreign["names"])), foreign["documents"]

    def keep_constants(self, text):
        for match in CONSTANT.finditer(text):
            name, value, unit = (match[1], match[2], match[1].rpartition("_")[2]) if match[1] else (match[3], match[5], match[4])
            try:
                number = float(eval(re.sub(r"(?<=\d)[uUlL]+|'", "", value), {"__builtins__": {}}))  # pylint: disable=eval-used
            except (SyntaxError, TypeError):
                continue
            self.constants.setdefault(name, set()).add(number * UNITS.get(unit, 1))

    def has(self, name):
        parts = [part.lstrip("~") for part in name.split("::")]
        if self.foreign.fullmatch(parts[0]) or self.foreign.fullmatch(name):
            return True
        if len(parts) == 1:
            built = BUILT.fullmatch(name)
            return name in self.where or name in self.stems or (built is not None and built[1] in self.stems)
        places = [self.where.get(part, set()) for part in parts]
        return all(places) and all(a & b for a, b in zip(places, places[1:]))


def complaints(text, of):
    """(position, complaint) for what a document names."""
    text = FENCED.sub(lambda block: re.sub(r"[^\n]", " ", block[0]), text)
    prose = re.sub(r"^Not: .*(?:\n.+)*", lambda block: re.sub(r"[^\n]", " ", block[0]), text, flags=re.M)  # words that the glossary gives up
    for quoted in QUOTED.finditer(prose):
        for found in NAME.finditer(quoted[1]):
            if looks_like_name(found[0], found[1]) and not of.has(found[0]):
                yield quoted.start(), f"nothing is called {found[0]}"
    for found in PRESET.finditer(text):
        if found[1] not in of.presets:
            yield found.start(), f"there is no preset {found[1]}"
    for found in VALUED.finditer(text):
        told, values = float(found[1].replace(",", "")) * UNITS.get(found[2], 1), of.constants.get(found[3], set())
        if (values or found[2]) and told not in values:
            is_so = " or ".join(f"{value:g}" for value in sorted(values)) or "unknown"
            yield found.start(), f"{found[3]} is {is_so}{' ns' if found[2] else ''}, not {told:g}"


def main():
    files, of, errors = tree.tracked_files(), Tree(), [*wrong_budgets()]
    documents = [path for path in files if path.suffix == ".md" and not tree.relative(path).startswith((*PAST, *of.foreign_documents))]
    for document in documents:
        text = document.read_text(encoding="utf-8")
        errors += [f"{tree.relative(document)}:{text[:at].count(chr(10)) + 1}: {complaint}" for at, complaint in complaints(text, of)]
    for path in files:
        if path.suffix in tree.CXX | {".md", ".py", ".toml", ".cmake", ".sh", ".yml", ".txt"} and not tree.relative(path).startswith((*PAST, *UNREAD)) \
                and path.name not in ("check_names.py", "checkers_test.py", "documents_test.py"):
            for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
                errors += [f"{tree.relative(path)}:{number}: no reader can look up {issue}" for issue in ISSUE.findall(line)]
    return tree.finish("check_names", errors, f"{len(documents)} documents")


if __name__ == "__main__":
    sys.exit(main())
