#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The demonstration: the four programs of the 2007 paper on real input, beside their serial versions and beside
oneTBB and classic TBB where those are installed. Ends with a picture. Well under a minute after the build.
"""
import argparse
import os
import pathlib
import sys
import time

import kernel_build
from kernel_build import ROOT, execute, harness_build, peers_module

LOW_CORES = 0.9  # a time that used less of the CPUs than this is marked
POSSIBLE = 1.05  # times the processors, as bench/paper/verdict.py
SCENE = kernel_build.KERNELS_DIR / "ray_tracer" / "scenes" / "spiral.scene"


class Case:
    """One row: a program, its arguments, and which style of it runs on which library (None: it has no such style)."""

    def __init__(self, title, setting, kernel, arguments, styles):
        self.title, self.setting, self.kernel, self.arguments, self.styles = title, setting, kernel, arguments, styles


def everywhere(style):
    return dict.fromkeys(kernel_build.LIBRARIES, style)


CLASSIC = {"ashlar": "TBB+CBR", "onetbb": None, "tbb2020": "TBB+CBR"}
FIB = ["--n", "40", "--cutoffs", "12"]
CASES = [
    Case("fibonacci(40), cutoff 12, classic tasks", "cutoff 12", "fibonacci", FIB, CLASSIC),
    Case("fibonacci(40), cutoff 12, parallel_invoke", "cutoff 12", "fibonacci", FIB, everywhere("parallel_invoke")),
    Case("parallel_for, 100 million, grain 100", "grain 100", "parallel_for", ["--grains", "100"], everywhere("parallel_for")),
    Case("parallel_for, 100 million, automatic", "auto", "parallel_for", ["--grains", "100"], everywhere("parallel_for")),
    Case("sub_string_finder, {length} characters", "grain 100", "sub_string_finder", ["--length", "10000", "--grains", "100"],
         everywhere("parallel_for")),
    Case("ray tracer, {size}, tiles of 50", "grain 50", "ray_tracer",
         [str(SCENE), "--measure", "--size", "640x360", "--grains", "50,1"], everywhere("parallel_for")),
    Case("ray tracer, {size}, single pixels", "grain 1", "ray_tracer",
         [str(SCENE), "--measure", "--size", "640x360", "--grains", "50,1"], everywhere("parallel_for")),
]


def not_installed(name, version, _into):
    raise OSError(f"{name} {version} is not installed here ('./dev bench' fetches it)")


def find_libraries(options):
    """Ours, and the peers that are on this machine already: the demonstration needs no network."""
    spec = peers_module.load_spec()
    found = {"ashlar": peers_module.resolve_ours(options.ashlar_prefix, options.build_dir)}
    for name in kernel_build.LIBRARIES[1:]:
        found[name] = peers_module.resolve_peer(name, spec[name], peers_module.cache_dir(), not_installed)
    return found


class Terminal:
    def __init__(self):
        self.colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self.live = sys.stderr.isatty()

    def paint(self, code, text):
        return f"\033[{code}m{text}\033[0m" if self.colour else text

    def bold(self, text):
        return self.paint("1", text)

    def good(self, text):
        return self.paint("1;32", text)

    def faint(self, text):
        return self.paint("2", text)

    def show(self, text):
        if self.live:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def clear(self):
        self.show("")


class Results:
    """Reports by (kernel, arguments, library): each process measures all rows that it can serve."""

    def __init__(self, builder, cpus, terminal):
        self.builder, self.cpus, self.terminal = builder, cpus, terminal
        self.reports, self.errors = {}, []

    def key(self, case, name):
        return case.kernel, tuple(case.arguments), name

    def run(self):
        keys = list(dict.fromkeys(self.key(case, name) for case in CASES for name in self.builder.peers))
        for done, (kernel, arguments, name) in enumerate(keys):
            program = self.builder.programs.get((kernel, name))
            if not program:
                continue
            peer = self.builder.peers[name]
            bar = "#" * (30 * done // len(keys))
            self.terminal.show(f"[{bar:.<30}] {100 * done // len(keys):3} %  {kernel} on {peer.title}")
            styles = {case.styles[name] for case in CASES if self.key(case, name) == (kernel, arguments, name)} - {None}
            # One thread is shown for ours only.
            threads = f"1,{self.cpus}" if name == "ashlar" and self.cpus > 1 else str(self.cpus)
            try:
                self.reports[kernel, arguments, name] = kernel_build.run_kernel(
                    program, [*arguments, "--styles", ",".join(sorted(styles)), "--threads", threads, "--repeat", "3",
                              "--warm-ms", "100", "--cores-min", str(LOW_CORES)], peer)
            except execute.RunError as error:
                self.errors.append(str(error))
        self.terminal.clear()

    def cell(self, case, name, threads):
        report = self.reports.get(self.key(case, name))
        for row in report["results"] if report else []:
            if (row["style"], row["setting"], row["threads"]) == (case.styles[name], case.setting, threads):
                return row
        return None

    def parameters(self, case):
        for name in self.builder.peers:
            report = self.reports.get(self.key(case, name))
            if report:
                return report["parameters"]
        return {}


def doubtful(row, cpus):
    return row["cores"] < LOW_CORES * min(row["threads"], cpus)


def milliseconds(row, cpus):
    return f"{1e3 * row['wall_s']:.1f}{'?' if doubtful(row, cpus) else ' '}" if row else "- "


def speedup(row, cpus):
    """More than the processors allow is no speed-up: the serial run was disturbed, or its processor slower."""
    return f"{row['speedup']:.2f}x" if row["speedup"] <= POSSIBLE * min(row["threads"], cpus) else "void"


def print_table(results, terminal):
    peers, cpus = results.builder.peers, results.cpus
    others = [name for name in list(peers)[1:] if any((k, name) in results.builder.programs for k in kernel_build.KERNELS)]
    head = ["", "serial", "Ashlar, 1 thread", f"Ashlar, {cpus} threads", "speed-up", *(f"{peers[n].title}, {cpus}" for n in others)]
    rows = []
    for case in CASES:
        ours = {n: results.cell(case, "ashlar", n) for n in (1, cpus)}
        there = {name: results.cell(case, name, cpus) for name in others}
        measured = [row for row in (ours[cpus], *there.values()) if row]
        if not measured:
            continue
        row = [case.title.format(**{"length": "", "size": "", **results.parameters(case)}),
               f"{1e3 * measured[0]['serial_s']:.1f}"]
        row += [milliseconds(ours[n], cpus) for n in (1, cpus)]
        row.append(speedup(ours[cpus], cpus) if ours[cpus] else "-")
        row += [milliseconds(there[name], cpus) for name in others]
        fastest = ours[cpus] and ours[cpus]["wall_s"] <= min(r["wall_s"] for r in measured)
        rows.append((row, fastest and not any(doubtful(r, cpus) for r in measured)))
    widths = [max(len(r[i]) for r in [head, *(r for r, _ in rows)]) for i in range(len(head))]

    def line(cells):
        return "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths)))
    print(terminal.bold(line(head)))
    print(terminal.faint("─" * (sum(widths) + 2 * (len(widths) - 1))))
    for row, fastest in rows:
        cells = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))]
        if fastest:
            cells[3] = terminal.good(cells[3])
        print("  ".join(cells))
    print(terminal.faint("milliseconds, median of 3 runs; every result was checked against the serial version"))
    if any(row[4] == "void" for row, _ in rows):
        print(terminal.faint("void: more than the processors allow; the serial run was disturbed, or its processor was slower then"))
    if any("?" in cell for row, _ in rows for cell in row):
        print(terminal.faint(f"? had less than {LOW_CORES:.0%} of the CPUs: other processes are running, or the kernel "
                             "kept the threads on one CPU"))


def draw_picture(results, options, terminal):
    program = results.builder.programs.get(("ray_tracer", "ashlar"))
    if not program:
        return None
    path = options.picture.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    terminal.show("drawing the picture")
    try:
        text = execute.run_process([program, str(SCENE), "--output", str(path), "--samples", "2"])
    except execute.RunError as error:
        results.errors.append(str(error))
        return None
    finally:
        terminal.clear()
    return path, text.strip().split(": ", 1)[-1]


def arguments(argv):
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__.splitlines()[0])
    parser.add_argument("--picture", type=pathlib.Path, default=ROOT / "build" / "demo" / "spiral.png",
                        help="where the ray tracer's picture goes (default build/demo/spiral.png)")
    parser.add_argument("--ashlar-prefix", type=pathlib.Path, help="an installed Ashlar; default: build the tree's")
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build" / "bench")
    return parser.parse_args(argv)


def main(argv=None):
    options = arguments(argv)
    terminal = Terminal()
    try:
        terminal.show("building the library")
        peers = find_libraries(options)
        builder = kernel_build.Builder(options.build_dir / "kernels", peers).build(terminal.show)
        terminal.clear()
        started = time.monotonic()
        cpus = len(os.sched_getaffinity(0))
        results = Results(builder, cpus, terminal)
        results.run()
        print(f"\n{terminal.bold('Ashlar')} on {cpus} CPUs: the four programs of the 2007 TBB paper\n")
        print_table(results, terminal)
        picture = draw_picture(results, options, terminal)
    except (harness_build.BuildError, OSError) as error:
        terminal.clear()
        print(f"demo: {error}", file=sys.stderr)
        return 1
    if picture:
        print(f"\nPicture: {terminal.bold(os.path.relpath(picture[0]))}  ({picture[1]})")
    for reason in dict.fromkeys([*builder.missing.values(), *results.errors]):
        print(f"Missing: {reason}")
    print(f"{time.monotonic() - started:.0f} s")
    ours_missing = any(name == "ashlar" for _, name in builder.missing)
    return 1 if results.errors or ours_missing else 0


if __name__ == "__main__":
    sys.exit(main())
