# SPDX-License-Identifier: Apache-2.0
"""Builds the programs of the study once per library, and runs one. Peers, process environment and the checks of a run are
those of bench/harness. What the runners of this folder and of bench/victims share.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "harness"))

import build as harness_build  # noqa: E402  pylint: disable=wrong-import-position
import execute  # noqa: E402  pylint: disable=wrong-import-position
import machine  # noqa: E402  pylint: disable=wrong-import-position
import page  # noqa: E402  pylint: disable=wrong-import-position
import peers as peers_module  # noqa: E402  pylint: disable=wrong-import-position
import quiet  # noqa: E402  pylint: disable=wrong-import-position
import resume  # noqa: E402  pylint: disable=wrong-import-position

PROGRAMS = ("bitcounter", "lu", "matmult_loop", "matmult_recursive", "treeadd", "blackscholes", "bodytrack", "fluidanimate",
            "streamcluster", "swaptions")
NEED_CLASSIC_TASKS = ("matmult_recursive", "treeadd", "fluidanimate", "streamcluster")
WITH_STATIC = ("blackscholes", "fluidanimate", "swaptions")
SIZES = ("test", "simsmall", "simmedium", "simlarge", "native")
FLAGS = ["-std=c++17", "-O2", "-DNDEBUG", "-DTBB_SUPPRESS_DEPRECATED_MESSAGES=1", f"-I{HERE}", f"-I{HERE.parent / 'kernels'}",
         f"-I{harness_build.INCLUDE}"]


def has(peer, program):
    """oneTBB removed class tbb::task."""
    return program not in NEED_CLASSIC_TASKS or peer.interface in ("classic", "both")


def compile_to(target, command, what):
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    for old in target.parent.glob(target.name.rsplit("-", 1)[0] + "-" + "?" * 16):
        old.unlink()
    part = target.with_suffix(".part")  # an interrupted build leaves no half-written target behind
    done = subprocess.run([*command, "-o", str(part)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise harness_build.BuildError(f"{what} does not build: {harness_build.first_error(done.stderr)}")
    part.rename(target)


def build_one(directory, peer, pool):
    """The path of `study` for a peer; raises BuildError."""
    headers = [*sorted(HERE.rglob("*.h")), *sorted((HERE.parent / "kernels" / "common").glob("*.h")),
               *sorted(harness_build.INCLUDE.rglob("*.h")), *harness_build.peer_inputs(peer)]
    folder = pathlib.Path(directory).resolve() / peer.name
    objects, jobs = [], []
    for source in [*sorted((HERE / "common").glob("*.cpp")), *sorted((HERE / "programs").glob("*.cpp"))]:
        command = [peer.compiler, *FLAGS, "-isystem", str(peer.include), "-c", str(source)]
        objects.append(folder / f"{source.stem}.o-{harness_build.digest_of([source, *headers], command)}")
        jobs.append(pool.submit(compile_to, objects[-1], command, f"{source.name} for {peer.title}"))
    for job in jobs:
        job.result()
    command = [peer.compiler, *map(str, objects), *harness_build.link_flags(peer)]
    program = folder / f"study-{harness_build.digest_of([], command)}"
    compile_to(program, command, f"study for {peer.title}")
    return program


def build_all(directory, peers, show):
    """Programs by peer, and for the peers without one the reason in one line."""
    programs, missing = {}, {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for name, peer in peers.items():
            show(f"building the programs for {peer.title}")
            if peer.missing:
                missing[name] = peer.missing
                continue
            try:
                programs[name] = build_one(directory, peer, pool)
            except harness_build.BuildError as error:
                missing[name] = str(error)
    return programs, missing


def disturbed(report, max_load):
    """Whether other processes used more than that many cores beside the runs. The kernel counts their time in ticks of 10 ms,
    so a few ticks beside a short run say nothing."""
    seconds = 1e-3 * sum(ms for ms, _ in report["samples"])
    return report["foreign_cores"] > max_load and report["foreign_cores"] * seconds > 0.04


def run(program, arguments, peer, options, env=None):
    """The report of one process, repeated while others disturb; the last one counts, marked, if they never stop."""
    for _ in range(3):
        report = execute.run_program(program, arguments, peer, options.launcher, extra=env)
        report["disturbed"] = disturbed(report, options.max_load)
        if not report["disturbed"]:
            break
    return report


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
    parser.add_argument("--programs", type=list_of(PROGRAMS, "program"), help="e.g. lu,swaptions (default: see README)")
    parser.add_argument("--threads", type=numbers, help="thread counts, e.g. 1,2,8")
    parser.add_argument("--size", choices=SIZES, help="size of all problems (default: see README)")
    parser.add_argument("--json", type=pathlib.Path, help="result file (default: in the build directory)")
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


def empty_cell(row, threads, peer):
    """As bench/harness stores them."""
    return {"row": row, "threads": threads, "peer": peer, "rounds": [], "series": [], "discarded": 0, "disturbed": 0, "gap": None,
            "missing": False}


def run_into(cell, number, program, arguments, peer, options, env=None):
    """Runs a process, unless its report of that round is there already, and adds the report to the cell, or the reason why there
    is none."""
    try:
        report = options.finished.report(number, cell["row"], cell["peer"], [str(a) for a in arguments],
                                         lambda: run(program, arguments, peer, options, env))
    except execute.RunError as error:
        cell["gap"] = str(error)
        return
    cell["rounds"].append(report)
    cell["series"].append([ms for ms, _ in report["samples"]])
    cell["disturbed"] += report["disturbed"]


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
            "peers": peers, "quick": options.quick, "seconds": seconds, "disturbed": objection(cells, options), "results": [],
            "cells": cells}


def run_suite(name, options, peer_names, measure, text):
    """Builds, measures, writes and prints; the exit status. measure(programs, peers, missing, started) gives the document."""
    started = time.monotonic()
    path = options.json or options.build_dir / f"{name}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()  # an unwritable path is found before the measurement
        options.finished = finished_so_far(path, options)
        peers = peers_module.resolve(["ashlar", *peer_names], options.ashlar_prefix, options.build_dir)
        progress = Progress(0)
        programs, missing = build_all(options.build_dir / "study", peers, progress.show)
        if "ashlar" in missing:
            raise OSError(0, missing["ashlar"], "Ashlar")
        busy = None if options.anyway else quiet.wait_for_quiet(options.max_load, options.patience)
        progress.end()
        if busy:
            raise Refused(busy)
        document = measure(programs, peers, missing, started)
        path.write_text(json.dumps(document, separators=(",", ":")) + "\n", encoding="utf-8")
        options.finished.discard()
        print(text(document))
        print(f"Results: {os.path.relpath(path)}")
        if options.html:
            page.write(options.html, [document])
            print(f"Page: {os.path.relpath(options.html)}")
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


class Progress:
    """One line on a terminal: what runs, the share that is done, the time left."""

    def __init__(self, total):
        self.total, self.done, self.start = total, 0, time.monotonic()

    def show(self, text):
        if sys.stderr.isatty():
            left = (time.monotonic() - self.start) / self.done * (self.total - self.done) if self.done else None
            shown = "" if left is None else f", about {left / 60:.0f} min left" if left > 90 else f", about {left:.0f} s left"
            print(f"\r\033[K{100 * self.done // max(1, self.total):3} %{shown}: {text}", end="", file=sys.stderr, flush=True)

    def step(self, text):
        self.show(text)
        self.done += 1

    def end(self):
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
