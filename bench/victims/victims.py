#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Victim selection on the real machine: time, CPU time, failed steals, conflicts and parks of the study's programs for each
policy and thread count, ten runs each, as mean and standard deviation / mean.

    ./dev bench victims --quick
    ./dev bench victims --programs swaptions --policies random,occupancy --threads 2,32
"""
import argparse
import datetime
import json
import os
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "characterisation"))

import policies  # noqa: E402  pylint: disable=wrong-import-position
import study_build  # noqa: E402  pylint: disable=wrong-import-position

from study_build import execute, peers_module  # noqa: E402  pylint: disable=wrong-import-position
import machine  # noqa: E402  pylint: disable=wrong-import-position,wrong-import-order

ROUNDS, RUNS = 2, 5  # ten runs of each, in two processes at different times
# One run takes about ten milliseconds on two CPUs: the CPU time of shorter ones can't be told.
QUICK_SIZES = {"fluidanimate": "test", "streamcluster": "test", "lu": "simmedium"}
QUICK_PROGRAMS = ["lu", "blackscholes", "bodytrack", "fluidanimate", "streamcluster", "swaptions"]


def arguments(argv):
    parser = argparse.ArgumentParser(prog="./dev bench victims", description=__doc__.splitlines()[0])
    study_build.add_common_options(parser)
    parser.add_argument("--policies", type=study_build.list_of(policies.POLICIES, "policy"), default=list(policies.POLICIES),
                        help="default: all; 'random' is needed for the ratios")
    return parser.parse_args(argv)


def size_of(options, program):
    if options.size:
        return options.size
    return QUICK_SIZES.get(program, "simsmall") if options.quick else "simmedium"


def plan(options):
    """(round, program, threads, policy); the policies of a program and thread count run next to each other, in turn."""
    made = []
    for index in range(ROUNDS):
        for program in options.programs or (QUICK_PROGRAMS if options.quick else study_build.PROGRAMS):
            for threads in options.threads or ([2, 8, 32] if options.quick else [1, 2, 4, 8, 16, 32]):
                turn = index * len(options.policies) // ROUNDS
                for policy in options.policies[turn:] + options.policies[:turn]:
                    made.append((index, program, threads, policy))
    return made


def measure(options, program_path, peer):
    todo = plan(options)
    progress = study_build.Progress(len(todo))
    cells = {}
    for _, program, threads, policy in todo:
        progress.step(f"{program}, {threads} threads, {policy}")
        cell = cells.setdefault((program, threads, policy), {
            "row": program, "threads": threads, "peer": policy, "rounds": [], "series": [], "discarded": 0, "disturbed": 0,
            "gap": None, "missing": False})
        command = [program, "--size", size_of(options, program), "--threads", threads, "--runs", RUNS,
                   "--warm-ms", 20 if options.quick else 100]
        try:
            report = study_build.run(program_path, command, peer, options, {"ASHLAR_VICTIM_POLICY": policy})
            cell["rounds"].append(report)
            cell["series"].append([ms for ms, _ in report["samples"]])
            cell["disturbed"] += report["disturbed"]
        except execute.RunError as error:
            cell["gap"] = str(error)
    progress.end()
    return list(cells.values())


def document_of(options, peer, cells, seconds):
    names = list(dict.fromkeys(cell["row"] for cell in cells))
    return {
        "suite": "victims", "title": "Victim selection on the real machine (Iordan, Jahre, Natvig 2015)",
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": peers_module.git_version(), "machine": machine.facts(), "compiler": peers_module.compiler_version("g++"),
        "peers": {policy: {**peer.describe(), "title": policy} for policy in options.policies},
        "sizes": {name: size_of(options, name) for name in names}, "quick": options.quick, "seconds": seconds,
        "results": [], "cells": cells, "policies": policies.rows(cells)}


def main(argv=None):
    options = arguments(argv)
    started = time.monotonic()
    path = options.json or options.build_dir / "victims.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()  # an unwritable path is found before the measurement
        peer = peers_module.resolve(["ashlar"], options.ashlar_prefix, options.build_dir)["ashlar"]
        progress = study_build.Progress(0)
        programs, missing = study_build.build_all(options.build_dir / "study", {"ashlar": peer}, progress.show)
        progress.end()
        if missing:
            raise OSError(0, missing["ashlar"], "Ashlar")
        cells = measure(options, programs["ashlar"], peer)
        document = document_of(options, peer, cells, round(time.monotonic() - started))
        path.write_text(json.dumps(document, separators=(",", ":")) + "\n", encoding="utf-8")
    except OSError as error:
        print(f"victims: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
        return 1
    print(policies.text(document))
    print(f"Results: {os.path.relpath(path)}")
    return 1 if any(cell["gap"] for cell in cells) else 0


if __name__ == "__main__":
    sys.exit(main())
