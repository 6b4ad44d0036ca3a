#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site's search finds what newcomers ask for: search_check.py BUILD_DIR (of build.py). Of the users' queries in queries.toml WANTED have their page among
the first three; a public name's page comes first. Exit code 77: there is no node, which runs the search's scripts (search.js)."""
import fnmatch
import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

SITE = Path(__file__).resolve().parent
WANTED = 57
FIRST = {"users": 3, "names": 1}


def found(html, queries):
    """For each query the pages, best first."""
    done = subprocess.run(["node", SITE / "search.js", html], input="\n".join(queries), capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    if not shutil.which("node"):
        print("search_check: there is no node")
        return 77
    html, groups = Path(sys.argv[1]) / "html", tomllib.loads((SITE / "queries.toml").read_text())
    missed = {}
    for group, queries in groups.items():
        for (query, pages), best in zip(queries.items(), found(html, queries), strict=True):
            if not any(fnmatch.fnmatch(page, wanted) for page in best[:FIRST[group]] for wanted in pages):
                missed.setdefault(group, []).append(f"{query!r} finds {', '.join(best[:3]) or 'nothing'}, not {' or '.join(pages)}")
    for group, lines in missed.items():
        print("\n".join([f"{group}:", *lines]))
    users, names = (len(groups[group]) - len(missed.get(group, ())) for group in ("users", "names"))
    print(f"search_check: {users} of {len(groups['users'])} queries have their page among the first {FIRST['users']}, {names} of {len(groups['names'])} names are first")
    return 0 if users >= WANTED and names == len(groups["names"]) else 1


if __name__ == "__main__":
    sys.exit(main())
