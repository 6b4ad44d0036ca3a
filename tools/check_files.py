#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses files that another user can take the place of.

Everywhere: a name that can be foretold in a folder that everybody may write to ("/tmp/ashlar-1"; a template with XXXXXX, or a
folder of one's own, is right), and the functions that only think up such a name. In what is shipped, a file that is made is
closed at exec (O_CLOEXEC) and is a new one (O_EXCL, mkostemp, mkdtemp); what a user names may be there already, and the places
that open such are NAMED_BY_USER."""
import re
import sys

import source_tree as tree

# File and what it calls: why it needs no O_EXCL.
NAMED_BY_USER = {
    ("src/os/posix/record_file.cpp", "open"): "ASHLAR_TRACE; only a regular file, and locked, before it is cut off",
    ("sim/machine/machine_file.cpp", "ofstream"): "a device or pipe that the user names, or what make_new_file has just made",
    ("sim/study/results.cpp", "ofstream"): "the table's file, named on the command line",
}
FORETOLD = re.compile(r"""["'](?:/tmp|/var/tmp|/dev/shm)/[^"'\n]*["']""")
ONLY_NAMES = re.compile(r"(?<![\w.])(?:(?:std::|::)?(?:tmpnam|tempnam|mktemp)|tempfile\.mktemp)\s*\(")
OPENED = re.compile(r"(?<![\w.])(?:::|std::)?(open|openat|creat|fopen|freopen|mkstemp|mkostemp|ofstream|fstream|memfd_create)\b([^;]*)")
SHIPPED = ("src", "include", "command", "sim")
SUFFIXES = tree.CXX | {".py", ".c", ".sh"}


def lines_of(path):
    """The code of each line: what C++ and Python say in comments doesn't count."""
    text = path.read_text(encoding="utf-8")
    comment = r"//[^\n]*" if path.suffix in tree.CXX else r"(?m)(?:^|\s)#\s[^\n]*"
    return re.sub(comment, "", text).split("\n")


def in_public_folders(path):
    for number, line in enumerate(lines_of(path), 1):
        for found in FORETOLD.findall(line):
            if "XXXXXX" not in found:
                yield f"{tree.relative(path)}:{number}: {found}: anybody may have put something there before"
        if ONLY_NAMES.search(line):
            yield f"{tree.relative(path)}:{number}: a name without a file: another user may take it first"


def objection(call, arguments):
    """What is wrong with a call that opens a file, or None."""
    if call in ("fopen", "freopen"):
        mode = re.search(r',\s*"([^"]*)"', arguments)
        return "makes a file that may be there already, or another user's link" if not mode or re.search(r"[wa]", mode[1]) else None
    if call in ("open", "openat") and "O_CREAT" not in arguments:
        return None
    if call in ("creat", "ofstream", "fstream") or call in ("open", "openat") and "O_EXCL" not in arguments:
        return "makes a file that may be there already, or another user's link"
    cloexec = "MFD_CLOEXEC" if call == "memfd_create" else "O_CLOEXEC"
    return None if cloexec in arguments else f"lacks {cloexec}: programs that are started inherit it"


def made(path, used):
    name = tree.relative(path)
    for number, line in enumerate(lines_of(path), 1):
        for call, arguments in OPENED.findall(line):
            why = objection(call, arguments)
            if why and (name, call) in NAMED_BY_USER:
                used.add((name, call))
            elif why and not line.lstrip().startswith("#"):
                yield f"{name}:{number}: {call} {why}"


def main():
    everywhere = [p for p in tree.tracked_files() if p.suffix in SUFFIXES and p.name not in ("check_files.py", "checkers_test.py")]
    shipped = [p for p in tree.files_below(*SHIPPED) if "tests" not in p.parts]
    used = set()
    errors = [error for path in everywhere for error in in_public_folders(path)]
    errors += [error for path in shipped for error in made(path, used)]
    errors += [f"tools/check_files.py: {file} has no {call} that needs the exception any more"
               for file, call in NAMED_BY_USER if (tree.ROOT / file).exists() and (file, call) not in used]
    return tree.finish("check_files", errors, f"{len(everywhere)} files")


if __name__ == "__main__":
    sys.exit(main())
