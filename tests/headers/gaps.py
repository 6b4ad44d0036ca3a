#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each known difference from both TBBs (gaps.toml) names what holds it closed, and that is there: a line of a test, a name that
style.visible compares, or a line of docs/compatibility.md. Where the review is at hand that found them (../shared/reference),
each entry of it has to be in gaps.toml.

    gaps.py SOURCE_DIR"""
import json
import re
import sys
import tomllib
from pathlib import Path

DOCUMENT = "docs/compatibility.md"
# How the review names its entries: M1 to M15, headings 3.1 to 3.6, and its programs.
ENTRIES = {"api": (r"^\| \**(M\d+b?)\**\s*\|", "api_gaps.md"), "compat": (r"^### (3\.[1-6]) ", "compat_gaps.md")}


def squeezed(text):
    return re.sub(r"\s+", " ", re.sub(r'"\s*\n\s*"', "", text))


class Source:
    def __init__(self, root):
        self.root, self.texts = root, {}
        self.visible = json.loads((root / "tests/headers/visible.json").read_text())

    def text(self, name):
        if name not in self.texts:
            path = self.root / name
            files = sorted(path.rglob("*.cpp")) if path.is_dir() else [path]
            self.texts[name] = squeezed("\n".join(file.read_text() for file in files if file.exists()))
        return self.texts[name]

    def complaint(self, claim):
        kind, _, rest = claim.partition(": ")
        if kind == "visible":
            header, name = rest.split()
            told = [peer[f"tbb/{header}"] for peer in self.visible.values() if f"tbb/{header}" in peer]
            return None if any(name in entry["names"] + entry["standard"] for entry in told) else f"style.visible does not compare {rest}"
        file = DOCUMENT if kind == "documented" else kind
        return None if rest and squeezed(rest) in self.text(file) else f"{file} has no line with: {rest}"


def entries(reference, cases):
    """(table, name) of what the review lists."""
    for table, (pattern, file) in ENTRIES.items():
        yield from ((table, name) for name in re.findall(pattern, (reference / file).read_text(), re.M))
    yield from (("compat", path.stem) for path in sorted(cases.glob("*.cpp")) if not path.name.endswith(".lib.cpp"))


def main():
    root = Path(sys.argv[1]).resolve()
    source, listed = Source(root), tomllib.loads((root / "tests/headers/gaps.toml").read_text())
    claims = [(name, claim) for table in listed.values() for name, claimed in table.items() for claim in claimed]
    failures = [f"{name}: {complaint}" for name, claim in claims if (complaint := source.complaint(claim))]
    failures += [f"{name} names nothing" for table in listed.values() for name, claimed in table.items() if not claimed]
    shared = root.parent / "shared"
    if (shared / "reference/api_gaps.md").exists():
        failures += [f"{name} is not in gaps.toml" for table, name in entries(shared / "reference", shared / "cases/compat")
                     if name not in listed[table]]
    else:
        print("gaps: SKIPPED the comparison with the review: it is not at hand")
    print("\n".join(failures))
    print(f"gaps: {sum(map(len, listed.values()))} entries, {len(claims)} claims, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
