#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The characterisation of IISWC'08: what spawn, get_task, acquire_queue, steal and wait_for_all cost in clock cycles and
which share of the run time they take, per program and thread count, beside pthread versions and the other TBBs.

    ./dev bench characterisation --quick
    ./dev bench characterisation --programs lu,swaptions --threads 1,2 --size simlarge
"""
import argparse
import datetime
import json
import os
import statistics
import sys
import time

import operations
import study_build

from study_build import execute, peers_module  # paths are set by study_build
import machine  # pylint: disable=wrong-import-order

ROUNDS = 3  # processes of each kind, at different times
# Long enough to be timed, short enough for three minutes in all.
QUICK_SIZES = {"lu": "simmedium", "treeadd": "simlarge", "fluidanimate": "test", "streamcluster": "test"}


def arguments(argv):
    parser = argparse.ArgumentParser(prog="./dev bench characterisation", description=__doc__.splitlines()[0])
    study_build.add_common_options(parser)
    parser.add_argument("--runs", type=study_build.one_number, help="timed runs of a process, of which there are three (default 3)",
                        default=3)
    parser.add_argument("--peers", type=study_build.list_of(("onetbb", "tbb2020"), "peer"), default=["onetbb", "tbb2020"],
                        help="other TBBs (default onetbb,tbb2020)")
    return parser.parse_args(argv)


def size_of(options, program):
    if options.size:
        return options.size
    return QUICK_SIZES.get(program, "simsmall") if options.quick else "simlarge"


def plan(options, programs):
    """What is run: (program, threads, peer, version, observed), the variants of one program and thread count together."""
    made = []
    for program in options.programs or study_build.PROGRAMS:
        for threads in options.threads or ([1, 2, 4] if options.quick else [1, 2, 4, 8]):
            made += [(program, threads, "ashlar", "tasks", False), (program, threads, "ashlar", "tasks", True)]
            if program in study_build.WITH_STATIC:
                made.append((program, threads, "ashlar", "static", False))
            made += [(program, threads, name, "tasks", False) for name, peer in programs.items()
                     if name != "ashlar" and study_build.has(peer, program)]
    return made


def command_of(options, program, threads, version, observed):
    if program == "costs":
        return ["--costs"]
    return [program, "--size", size_of(options, program), "--version", version, "--threads", threads, "--runs", options.runs,
            "--warm-ms", 30 if options.quick else 150, *(["--observe"] if observed else [])]


def name_of(program, version, observed):
    return program if program == "costs" else f"{program}/{version}" + ("/observed" if observed else "")


def measure(options, programs, peers):
    """Cells as bench/harness stores them; the row says program, version and whether the scheduler was observed. In every
    round the variants of a program run next to each other."""
    there = {name: peers[name] for name in programs}
    todo = [("costs", 1, name, "tasks", False) for name, peer in there.items() if study_build.has(peer, "treeadd")]
    todo += plan(options, there)
    progress = study_build.Progress(ROUNDS * len(todo))
    cells = {}
    for _ in range(ROUNDS):
        for program, threads, peer, version, observed in todo:
            row = name_of(program, version, observed)
            cell = cells.setdefault((row, threads, peer), {
                "row": row, "threads": threads, "peer": peer, "rounds": [], "series": [], "discarded": 0, "disturbed": 0,
                "gap": None, "missing": False})
            progress.step(f"{row}, {threads} threads, {peers[peer].title}")
            try:
                report = study_build.run(programs[peer], command_of(options, program, threads, version, observed), peers[peer], options)
                cell["rounds"].append(report)
                cell["series"].append([ms for ms, _ in report["samples"]])
                cell["disturbed"] += report["disturbed"]
            except execute.RunError as error:
                cell["gap"] = str(error)
    progress.end()
    return list(cells.values())


def document_of(options, peers, missing, cells, seconds):
    programs = options.programs or list(study_build.PROGRAMS)
    return {
        "suite": "characterisation", "title": "What parallelism costs in whole programs (IISWC'08)",
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": peers_module.git_version(), "machine": machine.facts(), "compiler": peers_module.compiler_version("g++"),
        "peers": {name: {**peer.describe(), "missing": missing.get(name)} for name, peer in peers.items()},
        "sizes": {program: size_of(options, program) for program in programs}, "quick": options.quick, "seconds": seconds,
        "results": [], "cells": cells, "operations": operations.rows(cells),
        "clock_reading": statistics.median([r["values"]["ticks_per_reading"] for c in cells for r in c["rounds"] if c["row"] != "costs"] or [0])}


def main(argv=None):
    options = arguments(argv)
    started = time.monotonic()
    path = options.json or options.build_dir / "characterisation.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()  # an unwritable path is found before the measurement
        peers = peers_module.resolve(["ashlar", *options.peers], options.ashlar_prefix, options.build_dir)
        progress = study_build.Progress(0)
        programs, missing = study_build.build_all(options.build_dir / "study", peers, progress.show)
        progress.end()
        if "ashlar" in missing:
            raise OSError(0, missing["ashlar"], "Ashlar")
        cells = measure(options, programs, peers)
        document = document_of(options, peers, missing, cells, round(time.monotonic() - started))
        path.write_text(json.dumps(document, separators=(",", ":")) + "\n", encoding="utf-8")
    except OSError as error:
        print(f"characterisation: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
        return 1
    print(operations.text(document))
    print(f"Results: {os.path.relpath(path)}")
    return 1 if any(cell["gap"] for cell in cells) else 0


if __name__ == "__main__":
    sys.exit(main())
