# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of the study, step by step: what the runners of this folder and of bench/victims share. Peers, process
environment and the checks of a run are those of bench/harness.
"""
import argparse
import dataclasses
import datetime
import os
import pathlib
import sys
import time

import study_build

import cli  # noqa: F401 (for the runners)
import energy
import execute
import machine
import page
import peers as peers_module
import progress
import quiet
import resume
import store

ROOT = study_build.ROOT
COSTS_S = 1.5  # how long `study --costs` takes


@dataclasses.dataclass(frozen=True)
class Step:
    """One process: `runs` runs of a program, or the costs of empty tasks (program None)."""
    number: int                    # the round
    row: str
    threads: int
    peer: str                      # column of the cell
    library: str                   # whose build of `study` it is
    program: str | None
    size: str = ""
    runs: int = 1
    warm_ms: int = 0
    more: tuple = ()               # further options of `study`
    env: dict | None = None

    @property
    def arguments(self):
        if self.program is None:
            return ["--costs"]
        return [self.program, "--size", self.size, *self.more, "--threads", str(self.threads), "--runs", str(self.runs),
                "--warm-ms", str(self.warm_ms)]


def list_of(known, what):
    def parse(text):
        found = [part for part in text.split(",") if part]
        unknown = [name for name in found if name not in known]
        if unknown or not found:
            raise argparse.ArgumentTypeError(f"no {what} '{unknown[0] if unknown else text}'; there are {', '.join(known)}")
        return list(dict.fromkeys(found))
    return parse


def numbers(text):
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or min(found) < 1 or max(found) > 1024:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of numbers from 1 to 1024 such as 1,2")
    return list(dict.fromkeys(found))


def one_number(text):
    return numbers(text)[0]


def add_common_options(parser):
    """What both runners understand."""
    parser.add_argument("--quick", action="store_true", help="smaller problems: below three minutes on 2 CPUs")
    parser.add_argument("--programs", type=list_of(study_build.PROGRAMS, "program"), help="e.g. lu,swaptions (default: see README)")
    parser.add_argument("--threads", type=numbers, help="thread counts, e.g. 1,2,8")
    parser.add_argument("--size", choices=study_build.SIZES, help="size of all problems (default: see README)")
    parser.add_argument("--pin", action="store_true", help="pin thread k to CPU k after warming, round robin")
    parser.add_argument("--json", type=pathlib.Path, help="result file (default: in the build directory)")
    parser.add_argument("--store", action="store_true",
                        help="also store the results under bench/results/<machine>/<date>-<suite>-<commit>.json.gz")
    parser.add_argument("--max-load", type=float, default=0.3, metavar="CORES",
                        help="repeat, and in the end mark, runs beside which other processes used more (default 0.3)")
    parser.add_argument("--patience", type=one_number, default=30, metavar="SECONDS",
                        help="how long to wait until other processes are quiet (default 30)")
    parser.add_argument("--anyway", action="store_true", help="measure and report although other processes disturb")
    parser.add_argument("--resume", action="store_true", help="go on with a measurement that was interrupted")
    parser.add_argument("--html", type=pathlib.Path, help="also write a page with tables and figures")
    parser.add_argument("--ashlar-prefix", type=pathlib.Path, help="an installed Ashlar; default: build the tree's")
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build" / "bench")
    parser.add_argument("--launcher", default=os.environ.get("ASHLAR_BENCH_LAUNCHER", ""),
                        help="command put before every timed process")


class Refused(Exception):
    """One line: why nothing is measured or reported."""


def longest(arguments):
    """Seconds after which a process counts as hanging. One of size native may run for an hour."""
    return 4 * 3600 if "native" in arguments else 600


def run(program, arguments, peer, options, env=None):
    """The report of one process, repeated while others disturb; the last one counts, marked, if they never stop."""
    for _ in range(3):
        before = energy.packages()
        report = execute.run_program(program, arguments, peer, options.launcher, longest(arguments), extra=env)
        report["joules"] = energy.joules(before, energy.packages())
        report["disturbed"] = quiet.disturbs(report, options.max_load)
        if not report["disturbed"]:
            break
    return report


def lengths(steps, program, peer, options):
    """About how many seconds each step takes, from one run of each program on one thread."""
    cpus, alone = len(os.sched_getaffinity(0)), {}
    for key in dict.fromkeys((step.program, step.size) for step in steps if step.program):
        try:
            report = execute.run_program(program, [key[0], "--size", key[1], "--runs", "1", "--warm-ms", "0"], peer, options.launcher,
                                         longest(key))
            alone[key] = report["process_s"], 1e-3 * report["samples"][0][0]
        except execute.RunError:
            alone[key] = 0, 0  # the step itself will say why

    def length(step):
        if not step.program:
            return COSTS_S
        process, once = alone[step.program, step.size]
        each = once / min(step.threads, cpus)
        warm = max(1e-3 * step.warm_ms, each) if step.warm_ms else 0
        return process - once + warm + step.runs * each
    return [length(step) for step in steps]


def key_of(step):
    return step.number, step.row, step.peer, step.arguments


def announce(title, missing, seconds):
    print(f"{title}: {missing} processes, about {progress.duration(seconds)}. Ctrl-C keeps what was measured; --resume goes on.",
          file=sys.stderr, flush=True)


def empty_cell(step):
    """As bench/harness stores them."""
    return {"row": step.row, "threads": step.threads, "peer": step.peer, "rounds": [], "series": [], "discarded": 0, "disturbed": 0,
            "gap": None, "missing": False}


def run_into(cell, step, program, peer, options, tell):
    """Runs a process, unless its report of that round is there already, and adds the report to the cell, or the reason why there
    is none."""
    def fresh():
        tell()
        return run(program, step.arguments, peer, options, step.env)
    try:
        report = options.finished.report(*key_of(step), fresh)
    except execute.RunError as error:
        cell["gap"] = str(error)
        return
    cell["rounds"].append(report)
    cell["series"].append([ms for ms, _ in report["samples"]])
    cell["disturbed"] += report["disturbed"]


def measure(title, steps, programs, peers, options):
    """Says how long it will take, runs the steps that have no report yet, and returns all cells."""
    show = progress.Bar()
    show("how long it will take")
    missing = [step for step in steps if not options.finished.has(*key_of(step))]
    took = lengths(missing, programs["ashlar"], peers["ashlar"], options)
    show.end()
    announce(title, len(missing), sum(took))
    show.total = sum(took)
    before = {id(step): sum(took[:i]) for i, step in enumerate(missing)}
    cells = {}
    try:
        for step in steps:
            cell = cells.setdefault((step.row, step.threads, step.peer), empty_cell(step))

            def tell(step=step):
                show(f"{step.row}, {step.threads} threads, {step.peer}", before[id(step)])
            run_into(cell, step, programs[step.library], peers[step.library], options, tell)
    finally:
        show.end()
    return list(cells.values())


def objection(cells, options):
    """What the results must say about disturbance; raises Refused if they must not be reported."""
    line = quiet.refusal(sum(c["disturbed"] for c in cells), sum(len(c["rounds"]) for c in cells))
    if line and not options.anyway:
        raise Refused(f"{line}; --anyway reports all the same")
    return line


def document_of(options, suite, title, peers, cells, seconds):
    """What is the same in the result files of both suites."""
    return {"suite": suite, "title": title, "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "commit": peers_module.git_version(), "machine": machine.facts(), "compiler": peers_module.compiler_version("g++"),
            "peers": peers, "quick": options.quick, "pin": options.pin, "seconds": seconds, "disturbed": objection(cells, options),
            "results": [], "cells": cells}


def prepare(options, peer_names):
    """(programs by peer, peers, reasons why peers have none), once the machine is quiet."""
    peers = peers_module.resolve(["ashlar", *peer_names], options.ashlar_prefix, options.build_dir)
    show = progress.Bar()
    programs, missing = study_build.build_all(options.build_dir / "study", peers, show)
    if "ashlar" in missing:
        raise OSError(0, missing["ashlar"], "Ashlar")
    show("waiting until no other process disturbs")
    busy = None if options.anyway else quiet.wait_for_quiet(options.max_load, options.patience)
    show.end()
    if busy:
        raise Refused(busy)
    return programs, peers, missing


def publish(document, text, path, options):
    store.write(path, document)
    print(text(document))
    if options.store:
        path = store.path_for(document)
        store.write(path, document)
    print(f"Results: {os.path.relpath(path)}")
    if options.html:
        page.write(options.html, [document])
        print(f"Page: {os.path.relpath(options.html)}")


def run_suite(name, options, peer_names, measured, text):
    """Builds, measures, writes and prints; the exit status. measured(programs, peers, missing, started) gives the document."""
    started = time.monotonic()
    path = options.json or options.build_dir / f"{name}.json"
    try:
        store.check_writable(path, options.html)  # known before the measurement, not after it
        options.finished = finished_so_far(path, options)
        programs, peers, missing = prepare(options, peer_names)
        document = measured(programs, peers, missing, started)
        publish(document, text, path, options)
        options.finished.discard()
    except Refused as refused:
        print(f"{name}: {refused}", file=sys.stderr)
        return 3
    except OSError as error:
        print(f"{name}: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\n{name}: interrupted; --resume goes on with what is missing", file=sys.stderr)
        return 130
    return 1 if any(cell["gap"] for cell in document["cells"]) else 0


def finished_so_far(path, options):
    """The reports of an interrupted measurement, or none; raises Refused if there should be some."""
    finished = resume.Finished(path.with_suffix(".partial"), peers_module.git_version())
    if not options.resume:
        finished.discard()
        return resume.Finished(finished.path, finished.commit)
    if not finished.of_this_commit():
        raise Refused(f"nothing to resume: {finished.path} has no run of this commit")
    print(f"Going on with {finished.of_this_commit()} runs done.", file=sys.stderr)
    return finished
