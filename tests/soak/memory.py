#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does memory grow while what lives stays the same? Runs each public construct in four shapes, each case in a process of its own.

    ./dev soak --memory          an hour in all             ./dev soak --memory 2     each case for two hours
    ./dev soak --memory 0.1 --only 'hash_map\\.'             only cases whose names match
    ./dev soak --memory --peer onetbb                       the same with another library

A case grows if its resident memory at the end is a tenth, and 1 MiB, above that at a fifth of its run. What lives may vary, so the
end is the median of the last fifth, and the beginning the most that was there around a fifth. A case that grows runs again, up
to three times and four times as long, so that a case does not count which only comes slowly to its full size, or which a busy machine kept from
giving back what it had for a while. soak/memory/known_growth.toml lists cases
that grow today: one that is listed and does not grow, several times in a row, is a failure, too. Curves and drawings lie in the folder of --store."""
import argparse
import concurrent.futures
import datetime
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "bench" / "harness")]
import build as builder  # noqa: E402
import charts  # noqa: E402
import machine  # noqa: E402
import peers  # noqa: E402
import store as files  # noqa: E402

KNOWN = HERE / "memory" / "known_growth.toml"
FROM, SHARE, SLACK_KIB = 0.2, 0.1, 1024
AROUND, END = 0.1, 0.8  # what counts as the beginning: from FROM - AROUND to FROM + AROUND; the end: from END on
LONGER = 4  # further runs of what grows
TRIES = 4  # a leak is there each time; what is known to grow may depend on where the system puts threads
POINTS = 20  # of a drawing


class Broken(Exception):
    """A case that came to no end: why, in one line."""


def grows(samples):
    """Whether a curve, a list of (part, operations, seconds, KiB), ends above what it was at a fifth."""
    beginning, end = bounds(samples)
    return end > beginning * (1 + SHARE) + SLACK_KIB


def bounds(samples):
    """The KiB at the beginning and at the end."""
    around = [kib for part, _, _, kib in samples if abs(part - FROM) <= AROUND + 1e-9] or [at_part(samples, FROM)]
    return max(around), statistics.median(kib for part, _, _, kib in samples if part >= END - 1e-9)


def at_part(samples, part):
    return next(kib for reached, _, _, kib in samples if reached >= part - 1e-9)


def in_words(samples):
    (first, end), last = bounds(samples), samples[-1]
    each = (end - first) * 1024 / max(1, last[1] * (1 - FROM))
    return f"{first / 1024:.1f} -> {end / 1024:.1f} MiB, {last[1]} operations ({each:.1f} bytes each), {last[2]:.1f} s"


def run_case(program, name, limit, patience):
    """The curve of a case."""
    try:
        done = subprocess.run([program, name, *limit], capture_output=True, text=True, timeout=patience, check=False)
    except subprocess.TimeoutExpired:
        raise Broken(f"no end after {patience:.0f} s") from None
    try:
        samples = [(float(p), int(n), float(s), int(k)) for p, n, s, k in (line.split() for line in done.stdout.splitlines())]
    except ValueError:
        raise Broken("an answer that is no curve") from None
    if done.returncode != 0 or not samples or samples[-1][0] < 1:
        raise Broken(f"ended with {done.returncode}: {peers.last_line(done.stderr)}")
    return samples


class Check:
    """Runs cases, and says of each whether it is as expected."""

    def __init__(self, program, known, seconds=0.0, patience=300.0, say=print):
        self.program, self.known, self.seconds, self.patience, self.say = str(program), known, seconds, patience, say
        self.curves, self.failures = {}, {}

    def curve(self, name, times):
        limit = ["--seconds", str(self.seconds * times)] if self.seconds else ["--factor", str(times)]
        return run_case(self.program, name, limit, self.patience + 2 * self.seconds * times)

    def one(self, name):
        try:
            samples = self.curve(name, 1)
            for _ in range(TRIES - 1):
                if grows(samples) == (name in self.known):
                    break
                samples = self.curve(name, LONGER)
        except Broken as broken:
            self.fail(name, str(broken))
            return
        self.curves[name] = samples
        if grows(samples) and name not in self.known:
            self.fail(name, f"memory grows: {in_words(samples)}")
        elif grows(samples):
            self.say(f"memory: {name} grows, as is known ({self.known[name]}): {in_words(samples)}")
        elif name in self.known:
            self.fail(name, f"no longer grows: take it out of {KNOWN.name}: {in_words(samples)}")

    def fail(self, name, what):
        self.failures[name] = what
        self.say(f"memory: FAILED {name}: {what}")

    def all(self, names, jobs):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for future in [pool.submit(self.one, name) for name in names]:
                future.result()


def list_cases(program):
    lines = subprocess.run([str(program), "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.split()[0] for line in lines]


def load_known(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def draw(construct, curves):
    """One construct's shapes; MiB over the part of the run."""
    parts = [(i + 1) / POINTS for i in range(POINTS)]
    series = [charts.Series(shape.replace("_", " "), [at_part(samples, part) / 1024 for part in parts]) for shape, samples in curves.items()]
    groups = [f"{part:.0%}" if round(part * 100) % 20 == 0 else "" for part in parts]
    chart = charts.Chart("lines", groups, series, "MiB", x_title=f"{construct}: resident memory over the run")
    return charts.themed(charts.svg(chart, f"resident memory of {construct}"), "light")


def keep(folder, check, options):
    """The curves as a file and as a drawing of each construct."""
    folder.mkdir(parents=True, exist_ok=True)
    document = {"suite": "memory", "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "commit": peers.git_version(), "machine": machine.facts(), "library": options.peer or peers.OURS,
                "settings": {"seconds": check.seconds}, "curve": ["part", "operations", "seconds", "KiB"],
                "failures": check.failures, "curves": dict(sorted(check.curves.items()))}
    files.write(folder / "memory.json", document)
    constructs = {}
    for name, samples in sorted(check.curves.items()):
        construct, shape = name.split(".")
        constructs.setdefault(construct, {})[shape] = samples
    for construct, curves in constructs.items():
        (folder / f"{construct}.svg").write_text(draw(construct, curves), encoding="utf-8")
    print(f"memory: curves and drawings are in {folder}", flush=True)


def build_for_peer(name):
    """The same cases with another library."""
    try:
        peer = peers.resolve([name])[name]
    except KeyError as error:
        sys.exit(f"memory: {error.args[0]}")
    if peer.missing or not peer.lib:
        sys.exit(f"memory: {peer.title} can't be had: {peer.missing or 'it is no library of this interface'}")
    # oneTBB lacks what two files are about.
    sources = sorted(str(path) for path in (HERE / "memory").glob("*.cpp") if path.name not in ("classic.cpp", "own_flow.cpp"))
    target = ROOT / "build" / "memory" / name / "soak_memory"
    target.parent.mkdir(parents=True, exist_ok=True)
    objects = []
    for source in sources:
        objects.append(str(target.parent / pathlib.Path(source).with_suffix(".o").name))
        command = [*builder.compile_command(peer, source, []), "-std=c++20", "-c", "-o", objects[-1]]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"memory: {source} does not build for {peer.title}: {builder.first_error(done.stderr)}")
    done = subprocess.run([peer.compiler, "-o", str(target), *objects, *builder.link_flags(peer), "-ltbbmalloc"], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"memory: the cases do not link with {peer.title}: {builder.first_error(done.stderr)}")
    return target


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path, help="soak_memory")
    parser.add_argument("--seconds", type=float, default=0, help="for each case; else each does its short form's operations")
    parser.add_argument("--total-seconds", type=float, default=0, help="for all cases together")
    parser.add_argument("--only", default="", help="a regular expression")
    parser.add_argument("--jobs", type=int, default=2, help="cases at a time; each has up to four threads that work")
    parser.add_argument("--patience", type=float, default=300, help="seconds after which a case hangs")
    parser.add_argument("--known", type=pathlib.Path, default=KNOWN)
    parser.add_argument("--store", type=pathlib.Path, help="the folder of the curves and drawings")
    parser.add_argument("--peer", default="", help="another library that has the interface, of bench/harness/peers.toml")
    options = parser.parse_args(arguments)
    program = build_for_peer(options.peer) if options.peer else options.program
    # What is known is known of this library.
    known = {} if options.peer else load_known(options.known)
    cases = list_cases(program)
    names = [name for name in cases if re.search(options.only, name)]
    if not names:
        sys.exit(f"memory: no case's name matches '{options.only}'")
    seconds = options.total_seconds * options.jobs / len(names) if options.total_seconds else options.seconds
    check = Check(program, known, seconds, options.patience, lambda text: print(text, flush=True))
    for name in sorted(set(known) - set(cases)):
        check.fail(name, f"{KNOWN.name} lists it, and there is no such case")
    began = time.monotonic()
    try:
        check.all(names, options.jobs)
    finally:
        if options.store and check.curves:
            keep(options.store, check, options)
    print(f"memory: {len(names)} cases, {time.monotonic() - began:.0f} s, "
          f"{f'{len(check.failures)} FAILED' if check.failures else 'no failure'}", flush=True)
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
