#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that others have compiled against oneTBB, on its library and on ours: the same results, and what they cost.

    ./dev bench clients                     all programs of clients.toml
    ./dev bench clients --only mkl,salmon --rounds 2 --anyway
    ./dev bench clients --long --rounds 1   tasks of about a minute, memory over time
"""
import argparse
import datetime
import json
import os
import pathlib
import sys
import tempfile
import time
import tomllib

import client_outcomes as outcomes
import client_places as places
import client_runs as running
from client_places import fetch

import cli  # of bench/harness, which places puts into the path
import machine
import peers
import progress
import quiet
import store

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TITLE = "Programs that are already compiled, on oneTBB's library and on ours"
KEYS = {"title", "script", "python", "debian", "names", "environment", "interpreter", "pauses", "long"}


def arguments(argv):
    parser = cli.Parser(prog="./dev bench clients", description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", type=lambda text: text.split(","), help="these programs, comma separated")
    parser.add_argument("--rounds", type=int, default=10, help="runs of each program with each library, alternately (default 10)")
    parser.add_argument("--long", type=int, nargs="?", const=1, default=0, metavar="MINUTES",
                        help="the long tasks: about so many minutes each (default 1), with the memory of each second")
    parser.add_argument("--quick", action="store_true", help="two rounds")
    parser.add_argument("--repeat", type=int, default=0, metavar="N", help="afterwards N runs on ours that aren't timed: results only")
    parser.add_argument("--anyway", action="store_true", help="measure though other processes use the machine")
    parser.add_argument("--max-load", type=float, default=0.3, help="cores that others may use (default 0.3)")
    parser.add_argument("--patience", type=float, default=60, help="seconds to wait until they use no more (default 60)")
    parser.add_argument("--json", type=pathlib.Path, help="where the results go (default build/bench/clients.json)")
    parser.add_argument("--resume", action="store_true", help="keep what that file has of this commit")
    parser.add_argument("--store", action="store_true", help="also store the results under bench/results/<machine>")
    parser.add_argument("--check", action="store_true", help="exit code 1 if a result differs or the proof fails")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "build" / "clients", help="where the programs are fetched to")
    parser.add_argument("--ashlar-prefix", type=pathlib.Path, help="an installed Ashlar; default: build the tree's")
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build" / "bench")
    return parser.parse_args(argv)


def load(path):
    with open(path, "rb") as file:
        data = tomllib.load(file)
    for name, entry in data.items():
        unknown = set(entry) - KEYS
        if unknown or len({"debian", "python"} & set(entry)) != 1 or not {"title", "script"} <= set(entry):
            raise ValueError(f"{path.name}: '{name}': {', '.join(sorted(unknown)) or 'needs a title, a script, and wheels or a package'}")
    return data


def libraries(options):
    """Ours and oneTBB's, with their descriptions."""
    found = peers.resolve(["ashlar", "onetbb"], options.ashlar_prefix, options.build_dir)
    missing = [f"{peer.title}: {peer.missing}" for peer in found.values() if peer.missing]
    ours = found["ashlar"].lib
    if not missing and not (ours / "ashlar-compat" / "libtbb.so.12").exists():
        missing = [f"there is no ashlar-compat/libtbb.so.12 in {ours}"]
    if missing:
        sys.exit(f"clients: {missing[0]}")
    beside = [ours / name for name in ("libtbb-ashlar.so.0", "libtbbmalloc-ashlar.so.0")]
    return ([places.Library("onetbb", found["onetbb"].lib), places.Library("ashlar", ours / "ashlar-compat", beside)],
            {name: peer.describe() for name, peer in found.items()})


def proofs(client, both, folders, empty):
    """Which library was in memory, and that none does not do: the complaints, and the results."""
    said, expected = [], None
    for library in both:
        done = running.run(client, folders[library.name], watched=True)
        said += outcomes.complaints_about(done, library, both)
        if expected is None:
            expected = done["output"]
        elif done["output"] != expected:
            said.append(f"{library.name} gives other results: {outcomes.difference(expected, done['output'])}")
    if running.run(client, folders[empty.name], timeout=120)["status"] == 0:
        said.append("it succeeds with a library that exports nothing")
    return said, expected


def measure(client, both, folders, options, expected, bar):
    """Rounds of {library: run}; and what went wrong in one of them."""
    rounds, wrong, limit = [], [], 900 + 1800 * options.long
    for index in range(2 if options.quick else options.rounds):
        made = {}
        for library in both[index % 2:] + both[:index % 2]:
            done = running.run(client, folders[library.name], sampled=options.long > 0, timeout=limit)
            expected = done["output"] if expected is None else expected
            if done["status"] != 0 or done["output"] != expected:
                wrong.append(f"round {index + 1} with {library.name}: exit code {done['status']} {done['error'] or 'or other results'}")
            made[library.name] = {key: done[key] for key in ("wall", "cpu", "memory_kib", "foreign_cores", "resident_kib")}
            bar(f"{client.name}, {library.name}")
        rounds.append(made)
    for index in range(options.repeat):
        done = running.run(client, folders["ashlar"], timeout=limit)
        if done["status"] != 0 or done["output"] != expected:
            wrong.append(f"repetition {index + 1}: exit code {done['status']} {done['error'] or 'or other results'}")
    return rounds, wrong


def examine(name, entry, both, options, bar):
    made = {"name": name, "title": entry["title"], "pauses": entry.get("pauses", False), "version": "", "missing": None,
            "complaints": [], "rounds": [], "max_load": options.max_load}
    with tempfile.TemporaryDirectory() as scratch:
        try:
            client = places.Client(name, entry, fetch.Cache(options.cache))
            made["version"] = client.version
            empty = places.empty_library(scratch)
            folders = {library.name: library.stand_ins(entry.get("names", []), scratch) for library in [*both, empty]}
            client.prepare(folders[both[0].name])
        except (fetch.Missing, OSError) as error:
            return {**made, "missing": str(error)}
        made["complaints"], expected = proofs(client, both, folders, empty)
        if expected:
            if options.long:
                client, expected = client.longer(entry["long"] * options.long), None
                client.prepare(folders[both[0].name])
            made["rounds"], wrong = measure(client, both, folders, options, expected, bar)
            made["complaints"] += wrong
    return made


def document_of(results, described, seconds):
    return {"suite": "clients", "title": TITLE, "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "commit": peers.git_version(), "machine": machine.facts(), "peers": described, "results": results, "seconds": round(seconds)}


def earlier_results(path, commit):
    if not path.exists():
        return {}
    document = json.loads(path.read_text(encoding="utf-8"))
    return {result["name"]: result for result in document["results"]} if document["commit"] == commit else {}


def main(argv=None):
    options = arguments(argv)
    try:
        entries = load(HERE / "clients.toml")
        entries = {name: entries[name] for name in options.only or entries if not options.long or "long" in entries[name]}
    except (ValueError, KeyError) as error:
        print(f"clients: {error.args[0]}", file=sys.stderr)
        return 2
    path = options.json or options.build_dir / "clients.json"
    store.check_writable(path)
    both, described = libraries(options)
    disturbed = None if options.anyway else quiet.wait_for_quiet(options.max_load, options.patience)
    if disturbed:
        print(f"clients: {disturbed} (--anyway measures all the same)", file=sys.stderr)
        return 3
    started, results, bar = time.monotonic(), [], progress.Bar()
    kept = earlier_results(path, peers.git_version()) if options.resume else {}
    for name, entry in entries.items():
        results.append(kept.get(name) or examine(name, entry, both, options, bar))
        bar.end()
        print(outcomes.line(results[-1]), flush=True)
        document = document_of(results, described, time.monotonic() - started)
        store.write(path, document)
    print(f"\n{outcomes.text(document)}")
    if options.store:
        path = store.path_for(document)
        store.write(path, document)
    print(f"Results: {os.path.relpath(path)}")
    return 1 if options.check and outcomes.failed(document) else 0


if __name__ == "__main__":
    sys.exit(main())
