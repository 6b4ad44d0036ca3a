#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a unit of work costs in every construct, with bodies of 0 ns to 1 ms and 1, 2, 4 threads, beside the peers.

    ./dev bench sweep                          everything, about an hour
    ./dev bench sweep --quick                  fewer bodies, one round
    ./dev bench sweep --threads 1,2,8,16 --sites pipe-2,each-feeder
    ./dev bench sweep --asleep                 bodies that sleep, 4 to 64 threads
    ./dev bench sweep --cold 20                each run once, after 20 ms of serial work
"""
import dataclasses
import datetime
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "bench" / "harness"), str(HERE)]
import build  # noqa: E402
import cells  # noqa: E402
import cli  # noqa: E402
import machine  # noqa: E402
import peers as peers_module  # noqa: E402
import progress  # noqa: E402
import quiet  # noqa: E402
import run as runner  # noqa: E402
import store  # noqa: E402

TITLE = "Sweep: constructs, bodies, threads"
GRAINS = [0, 50, 100, 200, 400, 800, 1600, 3200, 12_800, 100_000, 1_000_000]
QUICK_GRAINS = [0, 100, 400, 1600, 12_800]
SLEEPS = [1_000_000, 10_000_000]
PEERS = ["onetbb", "tbb2020", "libgomp", "taskflow"]
SOURCES = {"tbb": "tbb.cpp", "openmp": "openmp.cpp", "taskflow": "taskflow.cpp"}


@dataclasses.dataclass
class Library:
    name: str
    title: str
    program: pathlib.Path
    environment: dict = dataclasses.field(default_factory=dict)


def libraries(names, options):
    """The programs, built, of ours and of the peers that can be had; and one line for each that can't."""
    found, missing = [], []
    peers = peers_module.resolve(["ashlar", *names], options.ashlar_prefix, ROOT / "build" / "bench")
    ours = peers["ashlar"]
    if ours.missing:
        raise OSError(f"Ashlar: {ours.missing}")

    def add(name, title, peer, defines=(), environment=None):
        source = HERE / SOURCES[peer.dialect]
        flags = ["-std=c++20"] if peer.dialect == "taskflow" else []
        program = build.build(ROOT / "build" / "bench" / "sweep", peer, source, name, defines, flags)
        found.append(Library(name, title, program, environment or {}))

    add("ashlar", ours.title, ours)
    for name in names:
        peer = peers[name]
        if peer.missing:
            missing.append(f"{peer.title}: {peer.missing}")
            continue
        add(name, peer.title, peer)
        if name == "tbb2020":
            add("ashlar-classic", f"{ours.title}, TBB 2020's dialect", ours, ["ASHLAR_CLASSIC_DIALECT=1"])
        if name == "onetbb":
            below = peers_module.drop_in(ours, peer)
            if below.missing:
                missing.append(f"{below.title}: {below.missing}")
            else:
                found.append(Library("ashlar-binary", below.title, found[-1].program, {"LD_LIBRARY_PATH": str(below.lib)}))
    return found, missing


def command_of(library, threads, options):
    samples, length = (3, 5) if options.quick else (5, 15)
    command = [str(library.program), "--threads", str(threads), "--samples", str(samples), "--sample-ms", str(length),
               "--grains", ",".join(map(str, options.grains))]
    command += ["--sites", ",".join(options.sites)] if options.sites else []
    command += ["--asleep"] if options.asleep else []
    return command + (["--cold-ms", f"{options.cold:g}"] if options.cold else [])


def take(library, threads, options):
    """One process: {(site, grain): (CPU time, [wall times])}, and the cores that others used."""
    environment = {**runner.os.environ, **library.environment}
    command = command_of(library, threads, options)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=3600)
    if done.returncode != 0:
        raise OSError(f"{library.name} with {threads} threads ended with {done.returncode}: {peers_module.last_line(done.stderr)}")
    return cells.parse(done.stdout)


def measure(found, options):
    """{library: {threads: {(site, grain): Cell}}}, rounds interleaved; how many processes were disturbed, and of how many."""
    results = {library.name: {threads: {} for threads in options.threads} for library in found}
    steps = [(number, threads, library) for number in range(options.rounds) for threads in options.threads
             for library in found[number % len(found):] + found[:number % len(found)]]
    say, disturbed = progress.Bar(), 0
    say.total = len(steps)
    for index, (number, threads, library) in enumerate(steps):
        say(f"round {number + 1} of {options.rounds}: {library.name}, {threads} threads", index)
        for attempt in range(3):
            taken, foreign = take(library, threads, options)
            if foreign <= options.max_load or options.asleep:
                break
            disturbed += attempt == 2
        for key, (cpu, walls) in taken.items():
            cell = results[library.name][threads].setdefault(key, cells.Cell())
            cell.cpu.append(cpu)
            cell.wall.append(walls)
    say.end()
    return results, disturbed, len(steps)


def arguments(argv):
    parser = cli.Parser(prog="./dev bench sweep", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="five bodies, one round, short samples")
    parser.add_argument("--threads", type=runner.numbers, help="default 1,2,4; asleep 1,4,8,32,64")
    parser.add_argument("--grains", type=lambda text: [int(part) for part in text.split(",")], help="bodies in ns")
    parser.add_argument("--sites", type=lambda text: text.split(","), help="only these constructs")
    parser.add_argument("--peers", type=lambda text: text.split(","), default=PEERS, help=f"default {','.join(PEERS)}")
    parser.add_argument("--rounds", type=runner.positive, help="interleaved rounds (default 5, quick 1)")
    parser.add_argument("--asleep", action="store_true", help="bodies sleep, so that processors are irrelevant")
    parser.add_argument("--cold", type=float, default=0, metavar="MS", help="each sample is one run after so much serial work")
    parser.add_argument("--limit", type=float, default=1.05, help="what a cell may be of the better (default 1.05)")
    parser.add_argument("--max-load", type=float, default=0.3, help="cores that others may use meanwhile (default 0.3)")
    parser.add_argument("--anyway", action="store_true", help="report although other processes disturb")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "build" / "bench" / "sweep.json", help="where the results go")
    parser.add_argument("--svg", type=pathlib.Path, help="directory for the heat maps (needs matplotlib)")
    parser.add_argument("--store", action="store_true", help="also store the results under bench/results")
    parser.add_argument("--check", action="store_true", help="exit code 1 if a cell is above the limit")
    parser.add_argument("--ashlar-prefix", help="an installed Ashlar; default: build the tree's")
    options = parser.parse_args(argv)
    options.settings = {"quick": options.quick, "rows": options.sites or options.grains, "threads": options.threads}
    options.threads = options.threads or ([1, 4, 8, 32, 64] if options.asleep else [1, 2, 4])
    options.grains = options.grains or (SLEEPS[:1 + (not options.quick)] if options.asleep else QUICK_GRAINS if options.quick else GRAINS)
    options.rounds = options.rounds or (1 if options.quick else 5)
    if 1 not in options.threads:
        options.threads.insert(0, 1)  # what a second thread is compared with
    return options


def main(argv=None):
    options = arguments(argv)
    try:
        store.check_writable(options.json)
        found, missing = libraries(options.peers, options)
        objection = None if options.anyway or options.asleep else quiet.wait_for_quiet(options.max_load, 20)
        if objection:
            sys.exit(f"sweep: {objection}; --anyway measures all the same")
        results, disturbed, taken = measure(found, options)
    except (OSError, KeyError, build.BuildError) as error:
        sys.exit(f"sweep: {error}")
    document = {"suite": "sweep", "title": TITLE, "results": [], "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "commit": peers_module.git_version(), "machine": machine.facts(), "settings": options.settings, "quick": options.quick,
                "asleep": options.asleep, "cold_ms": options.cold, "libraries": {library.name: library.title for library in found}, "missing": missing,
                "cells": cells.listed(results)}
    refusal = None if options.anyway or options.asleep else quiet.refusal(disturbed, taken)
    if refusal:
        sys.exit(f"sweep: {refusal}")
    store.write(options.json, document)
    if options.store:
        store.write(store.path_for(document), document)
    above = cells.report(results, cells.RIVALS, options.limit)
    for line in missing:
        print(f"not measured: {line}")
    if options.svg:
        cells.draw(results, cells.RIVALS, document["libraries"], options.svg)
    return 1 if options.check and above else 0


if __name__ == "__main__":
    sys.exit(main())
