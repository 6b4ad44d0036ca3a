#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/environment.md lists exactly the environment variables that the sources read, and for a variable
with a choice of words exactly these words, the first one as the default. A list at the document's end has those that only tests, measurements
and the simulator read. The header that sets the policies from code names the same words."""
import re
import sys

import source_tree as tree

DOCUMENT = tree.ROOT / "docs" / "environment.md"
# Every string literal that looks like one of our variables counts as read: nothing else has such names in quotes.
LITERAL = re.compile(r'"((?:ASHLAR|TBB)_[A-Z0-9_]+)"')
CHOICE = re.compile(r'"((?:ASHLAR|TBB)_[A-Z0-9_]+)",\s*(\w+_names)\b')
NAMES = re.compile(r'\b(\w+_names)\[\]\s*=\s*\{([^}]*)\}')
# Whose misspellings are told.
MISSPELT = tree.ROOT / "src/os/misspelt.cpp"
KNOWN = re.compile(r"\bours\[\] = \{([^}]*)\}")
ASKED = re.compile(r'(?:getenv|environ\.get)\(\s*"((?:ASHLAR|TBB)_[A-Z0-9_]+)"')
ENTRY = re.compile(r"^\* ((?:`[A-Z0-9_]+`(?:, )?)+):", re.M)
HEADER = tree.ROOT / "include/ashlar/sched/policy/policy.h"
POLICY = re.compile(r"^// (\w+): +(\w+) \(default\), ([\w, ]+)\.$", re.M)
ROW = re.compile(r"^\| `([A-Z0-9_]+)` \|([^|]*)\|([^|]*)\|", re.M)


def read_sources():
    variables, choices, words = {}, {}, {}
    for path in tree.files_below("src", "include"):
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        for match in LITERAL.finditer(text):
            variables.setdefault(match.group(1), tree.relative(path))
        choices.update(match.groups() for match in CHOICE.finditer(text))
        words.update((m.group(1), re.findall(r'"(\w+)"', m.group(2))) for m in NAMES.finditer(text))
    return variables, {variable: words.get(names, []) for variable, names in choices.items()}


def main():
    variables, choices = read_sources()
    rows = ROW.findall(DOCUMENT.read_text(encoding="utf-8")) if DOCUMENT.exists() else []
    listed = {name: (re.findall(r"`(\w+)`", accepted), re.findall(r"`(\w+)`", default))
              for name, accepted, default in rows}
    errors = [f"{variables[v]}: reads {v}, which docs/environment.md doesn't list" for v in variables if v not in listed]
    errors += [f"docs/environment.md: lists {v}, which nothing reads" for v in listed if v not in variables]
    for variable, words in choices.items():
        if variable in listed and listed[variable] != (words, words[:1]):
            errors.append(f"docs/environment.md: {variable} accepts {', '.join(words)}; the first is the default")
    policies = {kind: [first, *rest.split(", ")] for kind, first, rest in POLICY.findall(HEADER.read_text(encoding="utf-8"))} if HEADER.exists() else {}
    errors += [f"{tree.relative(HEADER)}: the {kind} policies are {', '.join(choices.get(f'ASHLAR_{kind.upper()}_POLICY', []))}"
               for kind, names in policies.items() if names != choices.get(f"ASHLAR_{kind.upper()}_POLICY")]
    known = {f"ASHLAR_{name}" for name in KNOWN.search(MISSPELT.read_text(encoding="utf-8")).group(1).replace('"', "").replace(",", " ")
             .replace("allocators", "MALLOC_STATS").split()}
    errors += [f"{tree.relative(MISSPELT)}: {v} is in the list here or in docs/environment.md, not in both"
               for v in sorted(known ^ {v for v in listed if v.startswith("ASHLAR_")})]
    asked = {}
    for path in tree.files_below("tests", "bench", "sim", "examples", "tools", suffixes=tree.CXX | {".py"}):
        if path.name != "checkers_test.py":
            asked.update((v, tree.relative(path)) for v in ASKED.findall(path.read_text(encoding="utf-8")) if v not in listed)
    told = {v for entry in ENTRY.findall(DOCUMENT.read_text(encoding="utf-8") if DOCUMENT.exists() else "") for v in re.findall(r"`(\w+)`", entry)}
    errors += [f"{asked[v]}: reads {v}, which the list of docs/environment.md has not" for v in sorted(asked.keys() - told)]
    errors += [f"docs/environment.md: the list has {v}, which no test reads" for v in sorted(told - asked.keys())]
    return tree.finish("check_environment", errors, f"{len(variables)} variables")


if __name__ == "__main__":
    sys.exit(main())
