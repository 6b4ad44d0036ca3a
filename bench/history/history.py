#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the instruction counts of public operations went from commit to commit, and which of them rose again.

    ./dev bench history                        a table of what changed
    ./dev bench history --html history.html    all of it as a page

The counts are those that `tools/golden.py --long --store` has stored; before these, what git remembers of the short form's file.
"""
import argparse
import datetime
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "bench" / "harness"))
sys.path.insert(0, str(HERE))
import cli  # noqa: E402
import page  # noqa: E402
import points  # noqa: E402
import sections  # noqa: E402

GOLDEN = "tests/golden/x86_64-gcc12.txt"


def git(*arguments):
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def remembered():
    """A point for every commit that changed the short form's file, the oldest first."""
    found = []
    for line in git("log", "--reverse", "--format=%h %ct", "--", GOLDEN).splitlines():
        commit, seconds = line.split()
        date = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        found.append(points.Point(commit, date, points.parse_golden(git("show", f"{commit}:{GOLDEN}"))))
    return found


def document(found):
    return {"suite": "history", "title": "History of instruction counts", "date": found[-1].date, "commit": found[-1].commit,
            "machine": {"cpu": "counted by callgrind", "cpus": 1}, "results": [], "peers": {},
            "points": [{"commit": p.commit, "date": p.date, "counts": p.counts} for p in found]}


def main():
    parser = cli.Parser(prog="history", description=__doc__.splitlines()[0])
    parser.add_argument("--html", type=pathlib.Path, help="write the page")
    parser.add_argument("--counts", type=pathlib.Path, default=HERE / "counts", help=argparse.SUPPRESS)
    options = parser.parse_args()
    found = points.joined(remembered() + points.stored(options.counts))
    if not found:
        sys.exit("history: no counts are stored, and git remembers none")
    print(sections.text(document(found)))
    if options.html:
        try:
            page.write(options.html, [document(found)])
        except OSError as error:
            sys.exit(f"history: cannot write {options.html}: {error.strerror}")
        print(f"Page: {options.html}")


if __name__ == "__main__":
    main()
