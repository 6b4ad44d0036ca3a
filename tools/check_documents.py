#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what the documents name exists.

In backquotes: a file or folder of the repository, by its path or the end of its path, with {a,b} and * as in a shell; in a
document about our own code a qualified C++ name, too, each part of which is a word of the code. Links lead to a file.
CHANGELOG.md and docs/releases tell of the past; the links of docs/site are those of the built pages."""
import fnmatch
import os
import re
import sys

import source_tree as tree

PAST = ("CHANGELOG.md", "docs/releases/")
ABOUT_CODE = ("ARCHITECTURE.md", "docs/decisions/", "include/", "src/", "sim/", "tests/model/")
QUOTED = re.compile(r"`([^`\n]+)`")
FENCED = re.compile(r"^```.*?^```", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s#:]+)(?:#[^)\s]*)?\)")
PATH = re.compile(r"[\w.+{},*-]+(?:/[\w.+{},*-]*)*")
SUFFIX = re.compile(r"\w\.(?:h|cpp|py|md|toml|cmake|yml)$")
QUALIFIED = re.compile(r"\b\w+(?:::~?\w+)+")


def expand(name):
    """The names that one with {a,b} stands for."""
    choice = re.search(r"\{([^}]*)\}", name)
    if not choice:
        return [name]
    return [whole for part in choice[1].split(",") for whole in expand(name[:choice.start()] + part + name[choice.end():])]


def sub_paths(files):
    """Each run of folders and file names of a path, so that src/sched/park/latch.h is known as park/latch.h and src/sched too."""
    parts = [tree.relative(path).split("/") for path in files]
    return {"/".join(names[i:j]) for names in parts for j in range(1, len(names) + 1) for i in range(j)}


def is_path(name, folders):
    """Does the text in backquotes name something in the repository? PREFIX/x.py, for one, lies elsewhere."""
    if not PATH.fullmatch(name) or re.match(r"[A-Z]+/", name):
        return False
    return SUFFIX.search(name) is not None or ("/" in name and name.partition("/")[0] in folders)


def exists(name, document, known):
    if name.startswith("../"):
        return (document.parent / name).exists()
    name = name.rstrip("/").removeprefix("oneapi/")  # generated from include/tbb
    return name in known or ("*" in name and bool(fnmatch.filter(known, name)))


def missing(document, known, folders, words):
    """(position, complaint) for everything that the document names and that isn't there."""
    text = FENCED.sub(lambda block: "\n" * block[0].count("\n"), document.read_text(encoding="utf-8"))
    for quoted in QUOTED.finditer(text):
        name = quoted[1]
        if is_path(name, folders):
            yield from ((text[:quoted.start()], f"there is no {one}") for one in expand(name) if not exists(one, document, known))
        for qualified in QUALIFIED.findall(name) if tree.relative(document).startswith(ABOUT_CODE) else ():
            if not set(re.findall(r"\w+", qualified)) <= words:
                yield text[:quoted.start()], f"the code has no {qualified}"
    if "docs/site/" not in tree.relative(document):
        for link in LINK.finditer(QUOTED.sub(lambda code: " " * len(code[0]), text)):
            if not os.path.exists(document.parent / link[1]):
                yield text[:link.start()], f"the link leads to no file: {link[1]}"


def main():
    files = tree.tracked_files()
    documents = [p for p in files if p.suffix == ".md" and not tree.relative(p).startswith(PAST)]
    words = {word for p in files if p.suffix in tree.CXX for word in re.findall(r"\w+", p.read_text(encoding="utf-8"))}
    known, folders = sub_paths(files), {tree.relative(p).partition("/")[0] for p in files}
    errors = [f"{tree.relative(document)}:{before.count(chr(10)) + 1}: {complaint}"
              for document in documents for before, complaint in missing(document, known, folders, words)]
    return tree.finish("check_documents", errors, f"{len(documents)} documents")


if __name__ == "__main__":
    sys.exit(main())
