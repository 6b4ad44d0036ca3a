#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what the documents name exists.

In backquotes: a file or folder of the repository, by its path or the end of its path, with {a,b} and * as in a shell; in a
document about our own code a qualified C++ name, too, each part of which is a word of the code. Links lead to a file, and behind
a # to a heading of it, of the first three levels (GitHub's anchors, which docs/site/conf.py makes, too). CHANGELOG.md and docs/releases
tell of the past. The links of docs/site/index.md begin at the repository's root, where docs/site/build.py puts the page."""
import collections
import fnmatch
import functools
import os
import re
import sys

import source_tree as tree

PAST = ("CHANGELOG.md", "docs/releases/")
ABOUT_CODE = ("ARCHITECTURE.md", "docs/decisions/", "include/", "src/", "sim/", "tests/model/")
QUOTED = re.compile(r"`([^`\n]+)`")
FENCED = re.compile(r"^ *```.*?^ *```", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s#:]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#{1,3} +(.+?)(?: +#+)? *$", re.M)
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


@functools.cache
def anchors(document):
    """The anchors that GitHub and MyST make of a document's headings."""
    text = FENCED.sub("", document.read_text(encoding="utf-8"))
    shown = [re.sub(r"`|\*\*?|!?\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in HEADING.findall(text)]
    made, counts = set(), collections.Counter()
    for heading in shown:
        anchor = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        made.add(f"{anchor}-{counts[anchor]}" if counts[anchor] else anchor)
        counts[anchor] += 1
    return made


def dead(link, anchor, document):
    """What is wrong with a link to a file of the repository, or None."""
    on_site = "docs/site/" in tree.relative(document)
    aim = (tree.ROOT if on_site else document.parent) / link if link else document
    if on_site and link.startswith("reference/"):  # generated
        return None
    if not os.path.exists(aim):
        return f"the link leads to no file: {link}"
    if anchor and aim.suffix == ".md" and anchor not in anchors(aim):
        return f"the link leads to no heading: {link}#{anchor}"
    return None


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
    for link in LINK.finditer(QUOTED.sub(lambda code: " " * len(code[0]), text)):
        complaint = dead(link[1], link[2], document)
        if complaint:
            yield text[:link.start()], complaint


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
