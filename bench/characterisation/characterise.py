#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The characterisation of IISWC'08: what spawn, get_task, acquire_queue, steal and wait_for_all cost in clock cycles and
which share of the run time they take, per program and thread count, beside pthread versions and the other TBBs.

    ./dev bench characterisation --quick
    ./dev bench characterisation --programs lu,swaptions --threads 1,2 --size simlarge
"""
import statistics
import sys
import time

import operations
import study_build
import study_run

TITLE = "What parallelism costs in whole programs (IISWC'08)"
ROUNDS = 3  # processes of each kind, at different times
# Long enough to be timed, short enough for three minutes in all.
QUICK_SIZES = {"lu": "simmedium", "treeadd": "simlarge", "fluidanimate": "test"}


def arguments(argv):
    parser = study_run.cli.Parser(prog="./dev bench characterisation", description=__doc__.splitlines()[0])
    study_run.add_common_options(parser)
    parser.add_argument("--runs", type=study_run.one_number, help="timed runs of a process, of which there are three (default 3)",
                        default=3)
    parser.add_argument("--peers", type=study_run.list_of(("onetbb", "tbb2020"), "peer"), default=["onetbb", "tbb2020"],
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


def name_of(program, version, observed):
    return f"{program}/{version}" + ("/observed" if observed else "")


def steps(options, peers):
    """The plan, round after round, as processes; each round begins with the operations on empty tasks. The row says program, version
    and whether the scheduler was observed."""
    made = []
    for number in range(ROUNDS):
        made += [study_run.Step(number, "costs", 1, name, name, None) for name, peer in peers.items() if study_build.has(peer, "treeadd")]
        for program, threads, peer, version, observed in plan(options, peers):
            more = ["--version", version, *(["--observe"] if observed else []), *(["--pin"] if options.pin else [])]
            size = size_of(options, program)
            warm_ms = 0 if size == "native" else 30 if options.quick else 150  # half a minute warms itself
            made.append(study_run.Step(number, name_of(program, version, observed), threads, peer, peer, program, size, options.runs,
                                       warm_ms, tuple(more)))
    return made


def document_of(options, peers, missing, cells, seconds):
    described = {name: {**peer.describe(), "missing": missing.get(name)} for name, peer in peers.items()}
    return {**study_run.document_of(options, "characterisation", TITLE, described, cells, seconds),
            "sizes": {program: size_of(options, program) for program in options.programs or study_build.PROGRAMS},
            "operations": operations.rows(cells),
            "clock_reading": statistics.median([r["values"]["ticks_per_reading"] for c in cells for r in c["rounds"]
                                                if c["row"] != "costs"] or [0])}


def main(argv=None):
    options = arguments(argv)

    def measured(programs, peers, missing, started):
        todo = steps(options, {name: peers[name] for name in programs})
        cells = study_run.measure(TITLE, todo, programs, peers, options)
        return document_of(options, peers, missing, cells, round(time.monotonic() - started))
    return study_run.run_suite("characterisation", options, options.peers, measured, operations.text)


if __name__ == "__main__":
    sys.exit(main())
