#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the soft limit article's program: three tests without a limit and with 500, 400, 300 and 100 MB, with our allocator,
tbbmalloc and the default malloc, the kinds in turn; the program's own output is what is stored.
"""
import argparse
import datetime
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "harness")]

import build  # noqa: E402  pylint: disable=wrong-import-position
import cli  # noqa: E402  pylint: disable=wrong-import-position
import execute  # noqa: E402  pylint: disable=wrong-import-position
import machine  # noqa: E402  pylint: disable=wrong-import-position
import peers  # noqa: E402  pylint: disable=wrong-import-position
import progress  # noqa: E402  pylint: disable=wrong-import-position
import resume  # noqa: E402  pylint: disable=wrong-import-position

ROOT = HERE.parents[1]
LIBRARIES = {"ashlar": "ashlar", "onetbb": "tbbmalloc"}  # and what the article calls their allocators
LIMITS = (0, 500, 400, 300, 100)
OUTPUT = re.compile(r"Test #\d: done\.\nPeak Memory Consumption: (\d+) MB\.\nElapsed time: (\S+) seconds\.\n")


def arguments(argv):
    parser = cli.Parser(prog="soft_limit.py", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="runs of each kind (default 5, which a verdict needs)")
    parser.add_argument("--repeats", type=int, default=100, help="repetitions in tests 1 and 2 (default 100, as in the article)")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "build" / "bench" / "soft.json")
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build" / "bench")
    parser.add_argument("--anyway", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def kinds(libraries):
    """(test, limit, allocator, library): the default malloc is run with our library beside it, which it doesn't call."""
    for test in (1, 2, 3):
        for limit in LIMITS:
            for library in libraries:
                yield test, limit, LIBRARIES[library], library
        if "ashlar" in libraries:
            yield test, 0, "glibc", "ashlar"


def run_one(program, test, limit, allocator, repeats):
    """What the program says of one run."""
    text = execute.run_process([program, str(test), str(limit), "1" if allocator == "glibc" else "0", str(repeats)])
    found = OUTPUT.search(text)
    if not found or (limit and f"Soft Limit enabled: {limit}MB." not in text):
        raise execute.RunError(f"soft_limit_test said {text.strip()[:80]!r}")
    return {"peak": int(found[1]), "seconds": float(found[2])}


def measure(programs, options, finished):
    todo = list(kinds(list(programs)))
    rows = {kind: [] for kind in todo}
    show, done = progress.Bar(), 0
    show.total = options.rounds * len(todo)
    for number in range(options.rounds):
        for kind in todo:
            test, limit, allocator, library = kind
            show(f"round {number + 1}: test {test}, limit {limit or 'none'}, {allocator}", done)
            rows[kind].append(finished.report(number, test, f"{allocator} {limit}", [str(options.repeats)], lambda chosen=kind: run_one(
                programs[chosen[3]], *chosen[:3], options.repeats)))
            done += 1
    show.end()
    return [{"test": test, "limit": limit or "none", "allocator": allocator, "runs": runs} for (test, limit, allocator, _), runs in rows.items()]


def main(argv=None):
    options = arguments(argv)
    try:
        found = peers.resolve(list(LIBRARIES), None, options.build_dir)
        programs = {name: build.build(options.build_dir / "soft", peer, HERE / "soft_limit_test.cpp", "soft_limit_test", flags=["-ltbbmalloc"])
                    for name, peer in found.items() if not peer.missing}
        finished = resume.Finished(options.json.with_suffix(".partial"), peers.git_version())
        rows = measure(programs, options, finished)
    except (build.BuildError, execute.RunError) as error:
        print(f"soft_limit.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nsoft_limit.py: interrupted; the same command goes on", file=sys.stderr)
        return 130
    document = {"suite": "soft", "title": "The soft heap limit", "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "commit": peers.git_version(), "machine": machine.facts(), "peers": {name: peer.describe() for name, peer in found.items()},
                "repeats": options.repeats, "rows": rows, "results": []}
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(document) + "\n", encoding="utf-8")
    finished.discard()
    for row in rows:
        runs = sorted(run["peak"] for run in row["runs"]), sorted(run["seconds"] for run in row["runs"])
        print(f"test {row['test']}, limit {row['limit']}, {row['allocator']}: {runs[0][len(runs[0]) // 2]} MB, {runs[1][len(runs[1]) // 2]:.2f} s")
    return 0 if "ashlar" in programs else 1


if __name__ == "__main__":
    sys.exit(main())
