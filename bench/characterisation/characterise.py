#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The characterisation of IISWC'08: what spawn, get_task, acquire_queue, steal and wait_for_all cost in clock cycles and
which share of the run time they take, per program and thread count, beside pthread versions and the other TBBs.

    ./dev bench characterisation --quick
    ./dev bench characterisation --programs lu,swaptions --threads 1,2 --size simlarge
"""
import argparse
import statistics
import sys
import time

import operations
import study_build

ROUNDS = 3  # processes of each kind, at different times
# Long enough to be timed, short enough for three minutes in all.
QUICK_SIZES = {"lu": "simmedium", "treeadd": "simlarge", "fluidanimate": "test"}


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
    for number in range(ROUNDS):
        for program, threads, peer, version, observed in todo:
            row = name_of(program, version, observed)
            cell = cells.setdefault((row, threads, peer), study_build.empty_cell(row, threads, peer))
            progress.step(f"{row}, {threads} threads, {peers[peer].title}")
            study_build.run_into(cell, number, programs[peer], command_of(options, program, threads, version, observed), peers[peer],
                                 options)
    progress.end()
    return list(cells.values())


def document_of(options, peers, missing, cells, seconds):
    described = {name: {**peer.describe(), "missing": missing.get(name)} for name, peer in peers.items()}
    return {**study_build.document_of(options, "characterisation", "What parallelism costs in whole programs (IISWC'08)", described,
                                      cells, seconds),
            "sizes": {program: size_of(options, program) for program in options.programs or study_build.PROGRAMS},
            "operations": operations.rows(cells),
            "clock_reading": statistics.median([r["values"]["ticks_per_reading"] for c in cells for r in c["rounds"]
                                                if c["row"] != "costs"] or [0])}


def main(argv=None):
    options = arguments(argv)

    def measured(programs, peers, missing, started):
        cells = measure(options, programs, peers)
        return document_of(options, peers, missing, cells, round(time.monotonic() - started))
    return study_build.run_suite("characterisation", options, options.peers, measured, operations.text)


if __name__ == "__main__":
    sys.exit(main())
