# SPDX-License-Identifier: Apache-2.0
"""Runs the rows of a suite against the peers, interleaved: in every round each row runs once with every peer, and
the peer that begins changes from round to round. Nothing that failed becomes a figure: it is recorded as a gap
with its reason.
"""
import concurrent.futures
import dataclasses
import json
import math
import os
import statistics

import build
import count
import execute
import quiet
import stats


@dataclasses.dataclass
class Settings:
    rounds: int = 7
    samples: int = 5
    quick: bool = False
    pin: bool = False
    count: bool = False            # only the instruction counts
    threads: list | None = None
    rows: list | None = None       # parts of row ids
    launcher: str = ""             # command put before every timed process
    max_load: float = 0.3          # cores that others may use during a run before it is thrown away
    tries: int = 3                 # of a run that was disturbed
    values: dict = dataclasses.field(default_factory=dict)  # parameters of the suite
    given: list = dataclasses.field(default_factory=list)   # names of those that the user gave


def matches(part, row_id):
    """Whether --rows PART means this row: PART occurs in its id, or is "=" and the whole id."""
    return part[1:] == row_id if part.startswith("=") else part in row_id


@dataclasses.dataclass
class Cell:
    """One row at one thread count with one peer."""
    row: str
    threads: int
    peer: str
    rounds: list = dataclasses.field(default_factory=list)  # raw reports
    series: list = dataclasses.field(default_factory=list)  # samples of each round; [] where a round was void
    discarded: int = 0             # samples that did not use the cores
    disturbed: int = 0             # runs beside which other processes used more than Settings.max_load
    outliers: int = 0              # samples beyond the suite's `sigma` standard deviations
    gap: str | None = None         # why there is no figure
    missing: bool = False          # the peer is not there at all


class Measurement:
    def __init__(self, suite, peers, settings, build_dir, progress=lambda text, done=None: None, earlier=()):
        """`earlier` are cells of an interrupted measurement; their rounds are not measured again. `progress` is told what
        happens, and how many of all runs are done.
        """
        self.suite, self.peers, self.settings = suite, peers, settings
        self.build_dir = build_dir
        self.progress = progress
        self.checkpoint = lambda: None  # called after every row of a round
        self.cells = {(cell.row, cell.threads, cell.peer): cell for cell in earlier if not cell.gap}
        self.done = 0
        self.programs = {}
        self.counted = {}
        self.shared = {}               # reports of preloaded programs of this round, which several rows may read

    def wanted_rows(self):
        rows = [row for row in self.suite.rows if self.settings.quick <= row.quick]
        if self.settings.count:
            rows = [row for row in rows if row.kind == "count"]
        if self.settings.rows:
            rows = [row for row in rows if any(matches(part, row.id) for part in self.settings.rows)]
        return [row for row in rows if row.needs is None or row.needs in self.settings.given]

    def wanted_threads(self, row):
        wanted = self.settings.threads or (row.quick_threads if self.settings.quick else None)
        return [t for t in row.threads if wanted is None or t in wanted]

    def applies(self, row, peer):
        """A peer that a row can't have (another dialect, no such interface) is left out, not a gap."""
        base = peer.name.split("@")[0]
        if row.peers is not None and base not in row.peers and base != "ashlar":
            return False
        if peer.variant and peer.variant not in row.variants:
            return False
        if row.kind == "compile":
            known = peer.include is None or (peer.include / row.header).exists()
            return peer.dialect == "tbb" and (known or peer.name == "ashlar")
        program = self.suite.programs[row.program]
        if program.preload:
            return peer.dialect == "malloc" or peer.name == "ashlar"
        if peer.dialect not in program.sources:
            return False
        return program.interfaces is None or peer.interface in (*program.interfaces, "both")

    def cell(self, row, threads, peer):
        key = (row.id, threads, peer.name)
        if key not in self.cells:
            gap = f"{peer.title} is missing: {peer.missing}" if peer.missing else None
            self.cells[key] = Cell(*key, gap=gap, missing=bool(peer.missing))
        return self.cells[key]

    def program(self, name, peer):
        """Path of the built program; a build that failed once is not tried again."""
        program = self.suite.programs[name]
        peer = build.NoLibrary if program.preload else peer.built_for or peer
        key = (name, peer.name)
        if key not in self.programs:
            source = program.sources.get(peer.dialect) or next(iter(program.sources.values()))
            try:
                self.progress(f"build {name} for {peer.title}")
                self.programs[key] = build.build(self.build_dir, peer, source, name, program.defines,
                                                  program.flags)
            except build.BuildError as error:
                self.programs[key] = error
        if isinstance(self.programs[key], build.BuildError):
            raise self.programs[key]
        return self.programs[key]

    def run(self):
        rows = self.wanted_rows()
        self.prepare_all(rows)
        rounds = max(map(self.rounds_of, rows), default=0)
        for index in range(rounds):
            self.shared.clear()
            for row in rows:
                for threads in self.wanted_threads(row):
                    peers = self.left(row, threads, index)
                    if peers:
                        self.progress(f"round {index + 1}/{rounds}: {row.id}, {threads} threads", self.done)
                        self.run_round(row, threads, peers)
                        self.done += len(peers)
                self.checkpoint()
        return self.cells

    def left(self, row, threads, index):
        """The peers that have not run that round, the one that begins first."""
        if index >= self.rounds_of(row):
            return []
        peers = [peer for peer in self.peers.values() if self.applies(row, peer)]
        turn = index % max(1, len(peers))
        cells = [(peer, self.cell(row, threads, peer)) for peer in peers[turn:] + peers[:turn]]
        return [peer for peer, cell in cells if not cell.gap and len(cell.series) <= index]

    def wants_quiet(self):
        """Whether any row is measured that other processes falsify."""
        return not self.settings.count and any(not row.any_load for row in self.wanted_rows())

    def each(self, rows):
        """All (row, threads, peer) that will be measured."""
        return [(row, threads, peer) for row in rows for threads in self.wanted_threads(row)
                for peer in self.peers.values() if self.applies(row, peer)]

    def forecast(self):
        """(runs to come, about how many seconds they take)."""
        rows = self.wanted_rows()
        lengths = [self.run_seconds(row) for index in range(max(map(self.rounds_of, rows), default=0)) for row in rows
                   for threads in self.wanted_threads(row) for _ in self.left(row, threads, index)]
        return len(lengths), sum(lengths)

    def run_seconds(self, row):
        length = self.suite.run_setting("sample_ms", self.settings.quick, 30) / 1e3
        if "innerreps" in self.settings.values:
            parts = [self.settings.values[name] / self.suite.parameters[name]["default"] for name in row.us_per]
            length = self.settings.values["innerreps"] * row.us / 1e6 * math.prod(parts)
        warm = self.suite.run_setting("warm_ms", self.settings.quick, 150) / 1e3
        # A measurement runs the reference, a tenth of the region, and the region.
        return 0.03 + 1.2 * warm + 2 * length * (row.samples or self.settings.samples)

    def anything(self):
        """Whether there is a program to measure at all."""
        return any(not cell.gap for cell in self.cells.values())

    def prepare_all(self, rows):
        """Builds everything first, because a compiler beside a measurement would disturb it; one compiler per CPU."""
        wanted = [(row.program, peer) for row, _, peer in self.each(rows)
                  if row.kind != "compile" and not peer.missing]
        preloaded = {name for name, program in self.suite.programs.items() if program.preload}
        once = {(name, None if name in preloaded else (peer.built_for or peer).name): (name, peer) for name, peer in wanted}
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(lambda pair: self.try_build(*pair), once.values()))
        for row, threads, peer in self.each(rows):
            self.prepare(row, self.cell(row, threads, peer), peer)

    def try_build(self, name, peer):
        try:
            self.program(name, peer)
        except build.BuildError:
            pass  # prepare() meets the same error and records it

    def rounds_of(self, row):
        """Instruction counts are exact: one round. A --quick run never takes more rounds than it was told."""
        if row.kind == "count":
            return 1
        return min(row.rounds or self.settings.rounds, self.settings.rounds)

    def prepare(self, row, cell, peer):
        if cell.gap or row.kind == "compile":
            return
        try:
            self.program(row.program, peer)
        except build.BuildError as error:
            cell.gap = str(error)

    def run_round(self, row, threads, peers):
        if row.kind == "process":
            self.process_round(row, threads, peers)
            return
        take = {"samples": self.samples_round, "count": self.count_round, "compile": self.compile_round}[row.kind]
        for peer in peers:
            cell = self.cell(row, threads, peer)
            try:
                for _ in range(self.settings.tries):
                    if self.store(cell, row, take(row, threads, peer)):
                        break
                else:
                    cell.series.append([])
            except (execute.RunError, build.BuildError) as error:
                cell.gap = str(error)

    def store(self, cell, row, report):
        """Keeps the report in any case; its samples count only if the machine was left alone (else: False)."""
        cell.rounds.append(report)
        if not row.any_load and quiet.disturbs(report, self.settings.max_load):
            cell.disturbed += 1
            return False
        least = row.cores_min if cell.threads > 1 else 0
        good = [s[0] for s in report["samples"] if s[1] >= least]
        cell.discarded += report.get("discarded", 0) + len(report["samples"]) - len(good)
        if "sigma" in self.suite.runs:
            good, dropped = stats.without_outliers(good, self.suite.runs["sigma"])
            cell.outliers += dropped
        cell.series.append(good)
        return True

    def samples_round(self, row, threads, peer):
        settings = self.settings
        arguments = [row.row, "--threads", str(threads), "--samples", str(row.samples or settings.samples)]
        size = row.quick_size if settings.quick and row.quick_size else row.size
        if size:
            arguments += ["--size", str(size)]
        if row.cores_min and threads > 1:
            arguments += ["--cores-min", str(row.cores_min)]
        if settings.pin:
            arguments.append("--pin")
        arguments += self.of_the_suite(row)
        key = (row.program, *arguments, *row.env.items(), peer.name)
        if key not in self.shared or not row.value:
            self.shared[key] = execute.run_program(self.program(row.program, peer), arguments, peer, settings.launcher,
                                                   extra=row.env, preload=self.suite.programs[row.program].preload)
        report = self.shared[key]
        if not row.value:
            return report
        if row.value not in report["values"]:
            raise execute.RunError(f"the program reports no {row.value}")
        return {**report, "samples": [[report["values"][row.value], 0]]}

    def of_the_suite(self, row):
        """Arguments for the lengths that the suite wants and for its parameters."""
        made = []
        for key in ("sample_ms", "warm_ms"):
            length = self.suite.run_setting(key, self.settings.quick, None)
            if length is not None:
                made += [f"--{key.replace('_', '-')}", str(length)]
        for name, number in {**self.settings.values, **row.set}.items():
            made += ["--set", f"{name}={number}"]
        return made

    def count_round(self, row, threads, peer):
        key = (row.program, row.row, tuple(row.sizes), threads, peer.name)
        if key not in self.counted:
            self.counted[key] = count.per_operation(self.program(row.program, peer), row.row, row.sizes, threads, peer)
        found = self.counted[key]
        return {"samples": [[found[row.counts] * row.scale, 0]], "values": found}

    def compile_round(self, row, threads, peer):
        source = self.build_dir / f"include_{row.header.replace('/', '_').replace('.', '_')}.cpp"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(f"#include <{row.header}>\n", encoding="utf-8")
        command = build.compile_command(peer, source, [])
        if peer.include and not (peer.include / row.header).exists():
            raise execute.RunError(f"{peer.title} has no {row.header}")
        seconds = execute.compile_cost([*command, "-c", "-o", "/dev/null"], self.settings.launcher)
        cell = self.cell(row, threads, peer)
        if cell.rounds:
            values = cell.rounds[0]["values"]
        else:
            text = execute.run_process([*command, "-E", "-P"])
            values = {"lines": sum(1 for line in text.splitlines() if line.strip())}
        return {"samples": [[seconds, 0]], "values": values}

    def process_round(self, row, threads, order):
        """All peers and the process without a library in one run, start by start in turn."""
        clock = build.build(self.build_dir, build.NoLibrary, build.HARNESS / "spawn_clock.cpp", "spawn_clock")
        against = self.suite.programs[row.against]
        plain = build.build(self.build_dir, build.NoLibrary, next(iter(against.sources.values())), row.against,
                            against.defines)
        starts = row.samples or self.settings.samples
        command = [clock, str(starts), plain, *(self.program(row.program, peer) for peer in order)]
        try:
            found = json.loads(execute.run_process(command, self.settings.launcher))
        except execute.RunError as error:
            for peer in order:
                self.cell(row, threads, peer).gap = str(error)
            return
        base = found[0]["wall_us"]
        for peer, times in zip(order, found[1:]):
            samples = [[1e-3 * (wall - plain_wall), 0] for wall, plain_wall in zip(times["wall_us"], base)]
            values = {"process_ms": 1e-3 * statistics.median(times["wall_us"]),
                      "serial_ms": 1e-3 * statistics.median(base),
                      "cpu_ms": 1e-3 * statistics.median(times["cpu_us"])}
            self.store(self.cell(row, threads, peer), row, {"samples": samples, "values": values})
