#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses fixed sizes of the kernel's page: kernels have 4, 16 or 64 KiB, and round up what they are asked to give back.

src/os/posix/pages.h alone asks the system. Below src, include and command, 4 KiB in any spelling is refused in files that
have to do with the kernel's pages, and 4, 16 and 64 KiB in what has `page` or `guard` in its name, but for buffers of char and
what tools/budget.toml names."""
import re
import sys
import tomllib

import source_tree as tree

THE_PLACE = "src/os/posix/pages.h"
ASKS = re.compile(r"\b(_SC_PAGE_?SIZE|getpagesize|AT_PAGESZ)\b")
ABOUT_PAGES = re.compile(r"\b(madvise|mprotect|munmap|mremap|mmap|mbind|mincore|msync|mlock|os_\w+|system_page|page_size|guard_bytes)\b")
PART = r"(?:0x[0-9a-f]+|\d+)[uzl]*"
NUMBER = re.compile(rf"(?<![\w.]){PART}(?:\s*(?:\*|<<)\s*{PART})*(?![\w.])", re.I)
BRACED = re.compile(rf"\b(?:std::)?\w+\s*\{{\s*({PART})\s*\}}", re.I)
BUFFER = re.compile(r"\bchar \w+\[\w+\]")
NAMED = re.compile(r"\b\w*(?:page|guard)\w*\s*(?:=(?!=)|\{|\s\(?(?=\d))", re.I)
SMALL = 4096
SIZES = (4096, 16384, 65536)


def value(written):
    """Of a number, or of one multiplied or shifted."""
    first, *rest = re.split(r"\s*(\*|<<)\s*", written)
    whole = int(first.rstrip("uUlLzZ"), 0) if not re.fullmatch(r"0\d+", first) else int(first, 8)
    for operator, by in zip(rest[::2], rest[1::2]):
        by = int(by.rstrip("uUlLzZ"), 0)
        whole = whole * by if operator == "*" else whole << min(by, 64)
    return whole


def numbers(code):
    """Values in the line and where they begin; a mask counts as the size that it stands for."""
    code = BRACED.sub(lambda found: found[1].rjust(len(found[0])), re.sub(r"(?<=\d)'(?=\d)", "", BUFFER.sub("", code)))
    for found in NUMBER.finditer(code):
        yield found.start(), found[0].strip(), next((s for s in SIZES if value(found[0]) in (s, s - 1)), 0)


def check_file(path, exceptions):
    name = tree.relative(path)
    if name == THE_PLACE:
        return []
    lines = tree.code_lines(path.read_text(encoding="utf-8"))
    about = any(ABOUT_PAGES.search(code) for code in lines)
    errors = []
    for number, code in enumerate(lines, 1):
        if ASKS.search(code):
            errors.append(f"{name}:{number}: {THE_PLACE} asks for the kernel's page")
        named = NAMED.search(code)
        for at, written, size in numbers(code):
            if (size == SMALL and about or size and named and named.start() < at) and f"{name}:{written}" not in exceptions:
                errors.append(f"{name}:{number}: {written} as the kernel's page: {THE_PLACE} knows its size")
    return errors


def main():
    exceptions = tomllib.loads((tree.ROOT / "tools/budget.toml").read_text())["pages"]["exceptions"]
    files = tree.files_below("include", "src", "command")
    errors = [error for path in files for error in check_file(path, exceptions)]
    return tree.finish("check_pages", errors, f"{len(files)} files")


if __name__ == "__main__":
    sys.exit(main())
