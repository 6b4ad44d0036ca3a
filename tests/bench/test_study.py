# SPDX-License-Identifier: Apache-2.0
"""The tables of bench/characterisation and bench/victims against reports with known figures, and their command lines."""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path[:0] = [str(BENCH / "characterisation"), str(BENCH / "victims"), str(BENCH / "harness")]

import characterise  # noqa: E402  pylint: disable=wrong-import-position
import energy  # noqa: E402  pylint: disable=wrong-import-position
import operations  # noqa: E402  pylint: disable=wrong-import-position
import policies  # noqa: E402  pylint: disable=wrong-import-position
import study_build  # noqa: E402  pylint: disable=wrong-import-position
import study_run  # noqa: E402  pylint: disable=wrong-import-position
import victims  # noqa: E402  pylint: disable=wrong-import-position

COUNTS = {"spawned": 100, "executed": 50, "stolen": 10, "conflicts": 10, "failed_steals": 7, "parks": 2, "spawn_ticks": 12000,
          "get_task_ticks": 2000, "acquire_queue_ticks": 2600, "steal_ticks": 10200, "wait_ticks": 80000, "ticks_per_ms": 100000,
          "ticks_per_reading": 20, "serial_ms": 3.0}


def cell(row, threads, peer, samples, gap=None, **counts):
    report = {"samples": samples, "values": {**COUNTS, **counts}, "foreign_cores": 0}
    return {"row": row, "threads": threads, "peer": peer, "rounds": [report], "series": [[ms for ms, _ in samples]],
            "disturbed": 0, "gap": gap}


def study(**counts):
    return [cell("lu/tasks", 2, "ashlar", [[2.0, 2], [2.0, 2]]), cell("lu/tasks/observed", 2, "ashlar", [[2.5, 2], [2.5, 2]], **counts),
            cell("lu/tasks", 2, "tbb2020", [[4.0, 2]]), cell("lu/static", 2, "ashlar", [[1.6, 2]])]


class Operations(unittest.TestCase):
    def test_cycles_are_without_the_clock(self):
        found = operations.rows(study())[0]["operations"]
        self.assertEqual({name: entry["cycles"] for name, entry in found.items()},
                         {"spawn": 100, "get_task": 20, "acquire_queue": 110, "steal": 1000, "wait_for_all": None})
        self.assertEqual(found["acquire_queue"]["number"], 20)

    def test_shares_are_of_all_threads(self):
        found = operations.rows(study())[0]
        whole = 2 * 2.5 * 100000
        self.assertAlmostEqual(found["operations"]["spawn"]["share"], 100 * 10000 / whole)
        self.assertAlmostEqual(found["operations"]["wait_for_all"]["share"], 100 * 80000 / whole)
        self.assertAlmostEqual(found["share"], 100 * (10000 + 80000) / whole)
        busy = operations.rows(study(steal_ticks=100200))[0]  # a worker that finds nothing
        self.assertAlmostEqual(busy["share"], 100 * (10000 + 100000) / whole)

    def test_what_never_happened_has_no_cost(self):
        found = operations.rows(study(stolen=0, conflicts=0, steal_ticks=0, acquire_queue_ticks=0))[0]["operations"]
        self.assertIsNone(found["steal"]["cycles"])
        self.assertEqual(found["acquire_queue"]["share"], 0)

    def test_less_than_the_clock_is_nothing(self):
        self.assertEqual(operations.rows(study(spawn_ticks=1500))[0]["operations"]["spawn"]["cycles"], 0)

    def test_times(self):
        found = operations.rows(study())[0]
        self.assertEqual((found["ms"], found["observed_ms"], found["static_ms"], found["tbb2020_ms"]), (2.0, 2.5, 1.6, 4.0))

    def test_rounds_are_averaged(self):
        cells = study()
        cells[1]["rounds"].append(study(spawn_ticks=22000)[1]["rounds"][0])
        self.assertEqual(operations.rows(cells)[0]["operations"]["spawn"]["cycles"], 150)

    def test_gap_is_no_row(self):
        cells = study()
        cells[0]["gap"] = "crashed"
        self.assertEqual(operations.rows(cells), [])

    def test_text_marks_and_names_gaps(self):
        costs = cell("costs", 1, "tbb2020", [[50, 1]])
        costs["rounds"][0]["values"] = {"allocate": 40, "spawn": 50, "get_task": 60.5, "wait_for_all": 30}
        cells = [*study(), costs, cell("lu/tasks", 2, "onetbb", [], gap="no such thing")]
        document = {"title": "T", "machine": {"cpu": "C", "cpus": 1}, "commit": "c", "date": "d", "sizes": {"lu": "test"},
                    "clock_reading": 20, "operations": operations.rows(cells), "cells": cells, "seconds": 1, "disturbed": None,
                    "peers": {"ashlar": {"title": "Ashlar", "missing": None}, "onetbb": {"title": "oneTBB", "missing": "no network"},
                              "tbb2020": {"title": "TBB 2020", "missing": None}}}
        shown = [" ".join(line.split()) for line in operations.text(document).splitlines()]
        for line in ("lu 2* 3.00 2.00 1.50 1.60 1.25 4.00 0.50", "lu 2* 100 100 20 50 110 20 1000 10 7",
                     "TBB 2020 40.0 50.0 60.5 30.0", "Missing: oneTBB: no network", "No figure: lu/tasks, 2 threads, onetbb: no such thing"):
            self.assertIn(line, shown)


def policy_cells():
    made = []
    for threads, failed in ((2, 10), (32, 5000)):
        made += [cell("swaptions", threads, "random", [[10, 2], [12, 2], [14, 2]], failed_steals=failed, conflicts=5),
                 cell("swaptions", threads, "occupancy", [[15, 2], [18, 2], [21, 2]], failed_steals=1, conflicts=1),
                 cell("lu", threads, "random", [[1, 2], [1, 2]], conflicts=5),
                 cell("lu", threads, "occupancy", [[0.8, 1], [0.8, 1]], conflicts=9)]
    return made


class Energy(unittest.TestCase):
    def zone(self, folder, name, count, most=1_000_000):
        (folder / name).mkdir(exist_ok=True)
        for file, value in (("energy_uj", count), ("max_energy_range_uj", most)):
            (folder / name / file).write_text(f"{value}\n", encoding="ascii")

    def test_packages_and_counters_that_begin_again(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            self.assertIsNone(energy.joules(energy.packages(folder), energy.packages(folder)))
            for name, count in (("intel-rapl:0", 100_000), ("intel-rapl:1", 900_000), ("intel-rapl:0:0", 5), ("dtpm", 1)):
                self.zone(folder, name, count)
            before = energy.packages(folder)
            self.assertEqual(sorted(before), ["intel-rapl:0", "intel-rapl:1"])
            self.zone(folder, "intel-rapl:0", 300_000)
            self.zone(folder, "intel-rapl:1", 99_999)
            self.assertAlmostEqual(energy.joules(before, energy.packages(folder)), 0.2 + 0.2)
            # A counter that can't be read is none.
            (folder / "intel-rapl:1" / "energy_uj").write_text("", encoding="ascii")
            self.assertIsNone(energy.joules(before, energy.packages(folder)))

    def test_joules_of_the_policies(self):
        cells = policy_cells()
        self.assertIn("no energy counters", policies.joules_table(policies.rows(cells)))
        for each in cells:
            for report in each["rounds"]:
                report["joules"] = 6.0 if each["peer"] == "occupancy" else 8.0
        found = {(r["program"], r["threads"], r["policy"]): r for r in policies.rows(cells)}
        self.assertEqual(found["lu", 2, "occupancy"]["joules_ratio"], 0.75)
        self.assertIn("6.00 J", policies.joules_table(list(found.values())))


class Policies(unittest.TestCase):
    def test_mean_and_deviation(self):
        row = policies.rows(policy_cells())[0]
        self.assertEqual((row["ms"], row["cpu_ms"], row["runs"], row["speedup"]), (12, 24, 3, 0.25))
        self.assertAlmostEqual(row["sigma_over_mu"], 2 / 12)
        self.assertAlmostEqual(row["cpu_sigma_over_mu"], 4 / 24)

    def test_relative_to_random(self):
        found = {(r["program"], r["threads"], r["policy"]): r for r in policies.rows(policy_cells())}
        self.assertEqual(found["swaptions", 2, "occupancy"]["time_ratio"], 1.5)
        self.assertEqual(found["lu", 32, "occupancy"]["cpu_ratio"], 0.4)
        self.assertEqual(found["lu", 32, "random"]["time_ratio"], 1)

    def test_relative_to_tbb41_where_it_was_measured(self):
        cells = policy_cells() + [cell("swaptions", 2, "tbb41", [[30, 2], [30, 2], [30, 2]], conflicts=0)]
        found = {(r["program"], r["threads"], r["policy"]): r for r in policies.rows(cells)}
        self.assertEqual([found["swaptions", 2, policy]["time_ratio"] for policy in ("tbb41", "random", "occupancy")], [1, 0.4, 0.6])

    def test_without_random_there_are_no_ratios(self):
        found = policies.rows([c for c in policy_cells() if c["peer"] != "random"])
        self.assertEqual({row["time_ratio"] for row in found}, {None})

    def test_single_run_has_no_deviation(self):
        self.assertIsNone(policies.rows([cell("lu", 2, "random", [[1, 2]])])[0]["sigma_over_mu"])

    def test_means_over_programs(self):
        made = {(policy, threads): (time, cpu) for policy, threads, time, cpu in policies.summary(policies.rows(policy_cells()))}
        self.assertAlmostEqual(made["occupancy", 2][0], (1.5 * 0.8) ** 0.5)
        self.assertAlmostEqual(made["occupancy", 2][1], (1.5 * 0.4) ** 0.5)


class Pages(unittest.TestCase):
    def test_every_figure_of_the_papers_is_drawn(self):
        cells = policy_cells() + [cell("bodytrack", n, p, [[10, 2], [11, 2]]) for n in (2, 32) for p in ("random", "occupancy")]
        common = {"title": "T", "date": "2026-01-01", "machine": {"cpu": "C", "cpus": 2}, "sizes": {"lu": "test"}, "results": [],
                  "peers": {"ashlar": {"title": "Ashlar"}, "tbb2020": {"title": "TBB 2020"}}}
        made = study_run.page.parts_of([{**common, "suite": "victims", "policies": policies.rows(cells), "cells": cells},
                                          {**common, "suite": "characterisation", "operations": operations.rows(study()), "cells": study()}])
        figures = [[item.number for item in part.items if isinstance(item, study_run.page.Figure)] for part in made]
        # What the paper claims is judged by the rules of bench/paper; tbb41 was not measured.
        said = [claim for claim in study_run.page.claims_of(made) if "in real runs" in claim.text]
        self.assertEqual({claim.verdict for claim in said}, {"open"})
        self.assertIn("Not measured", said[0].finding)
        self.assertEqual(figures, [["2a", "2b", "3a", "4a", "5a", "6a"], ["1", "2a", "2b", "3a"]])
        costs, _, _, _, times, _ = made[1].items
        self.assertEqual([(s.name, s.values) for s in costs.chart.series],
                         [("spawn", [100]), ("get_task", [20]), ("acquire_queue", [110]), ("steal", [1000])])
        self.assertEqual(times.rows, [["lu", "2", "3.00", "2.00", "1.50", "1.60", "1.25", "4.00", "0.50"]])
        self.assertEqual(times.head[-2:], ["TBB 2020 ms", "ours / its"])
        bars = made[0].items[3].chart  # figure 4a: swaptions
        self.assertEqual((bars.groups, [s.name for s in bars.series]), (["2", "32*"], ["random", "occupancy"]))
        self.assertEqual(bars.series[1].values, [1.5, 1.5])
        self.assertAlmostEqual(bars.series[1].high[0], 1.5 * (1 + 1 / 6))
        self.assertIn("<svg", study_run.page.figure_html(made[0], made[0].items[3]))


class Runs(unittest.TestCase):
    def test_too_much_disturbance_is_not_reported(self):
        def cells(disturbed):
            return [{"disturbed": disturbed, "rounds": [None] * 8}]
        options = victims.arguments([])
        self.assertIsNone(study_run.objection(cells(2), options))
        with self.assertRaisesRegex(study_run.Refused, "^other processes disturbed 3 of 8 runs, more than 25 %; --anyway"):
            study_run.objection(cells(3), options)
        self.assertIn("3 of 8", study_run.objection(cells(3), victims.arguments(["--anyway"])))

    def test_ten_runs_of_every_policy(self):
        todo = victims.plan(victims.arguments(["--quick"]))
        for key in {(program, threads, policy) for _, program, threads, policy in todo}:
            self.assertEqual(victims.RUNS * sum(entry[1:] == key for entry in todo), 10)
        full = victims.plan(victims.arguments([]))
        self.assertEqual({threads for _, _, threads, _ in full}, {1, 2, 4, 8, 16, 32})
        self.assertEqual({policy for *_, policy in full}, set(policies.POLICIES))

    def test_policies_are_those_of_the_library(self):
        header = (BENCH.parent / "src/sched/policy/victim.h").read_text(encoding="utf-8")
        names = header.split("victim_policy_names[] = {")[1].split("}")[0]
        # The default is one of two others, by the arena's size.
        self.assertEqual(tuple(part.strip(' "\n') for part in names.split(",")), ("by_size", *policies.POLICIES))

    def test_a_peer_without_classic_tasks_runs_what_it_can(self):
        peers = {name: study_run.peers_module.Peer(name, name, interface=interface)
                 for name, interface in (("ashlar", "both"), ("onetbb", "onetbb"), ("tbb2020", "classic"))}
        todo = characterise.plan(characterise.arguments(["--programs", "treeadd,swaptions", "--threads", "2"]), peers)
        self.assertEqual([(program, peer, version) for program, _, peer, version, _ in todo],
                         [("treeadd", "ashlar", "tasks")] * 2 + [("treeadd", "tbb2020", "tasks")] +
                         [("swaptions", "ashlar", "tasks")] * 2 + [("swaptions", "ashlar", "static"), ("swaptions", "onetbb", "tasks"),
                                                                   ("swaptions", "tbb2020", "tasks")])

    def test_wrong_options_give_one_clear_line(self):
        wrong = {("--programs", "nonsense"): "no program 'nonsense'; there are bitcounter, lu,",
                 ("--threads", "0"): "'0' is not a list of numbers from 1 to 1024 such as 1,2",
                 ("--size", "huge"): "invalid choice: 'huge'"}
        for parse in (victims.arguments, characterise.arguments):
            for given, message in wrong.items():
                self.assertIn(message, self.complaint(parse, given))
        self.assertIn("no policy 'best'; there are distance, random,", self.complaint(victims.arguments, ("--policies", "best")))
        self.assertIn("no peer 'gomp'", self.complaint(characterise.arguments, ("--peers", "gomp")))

    def test_unwritable_path_gives_one_line_before_anything_is_built(self):
        for main, name in ((victims.main, "victims"), (characterise.main, "characterisation")):
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors):
                self.assertEqual(main(["--json", "/proc/nowhere/results.json"]), 1)
                self.assertEqual(main(["--html", "/proc/nowhere/page.html", "--json", "/dev/null"]), 1)
            self.assertEqual(errors.getvalue(), f"{name}: /proc/nowhere: No such file or directory\n" * 2)

    def test_length_is_foretold_from_one_run_of_each_program(self):
        def step(program, threads, **more):
            return study_run.Step(0, program or "costs", threads, "ashlar", "ashlar", program, "test", **more)
        called = []

        def one_run(_program, arguments, *_):
            called.append(arguments[0])
            if arguments[0] == "treeadd":
                raise study_run.execute.RunError("crashed")
            return {"process_s": 3.0, "samples": [[1000.0, 1]]}
        with mock.patch.object(study_run.execute, "run_program", one_run), \
                mock.patch.object(study_run.os, "sched_getaffinity", return_value={0, 1}):
            found = study_run.lengths([step("lu", 1, runs=3, warm_ms=100), step("lu", 2, runs=4), step("lu", 32, warm_ms=2000),
                                       step("treeadd", 1), step(None, 1)], "study", None, victims.arguments([]))
        # Of the 3 s 1 is the run's, as the others' are 1 on one thread, 0.5 on two CPUs; the second is not warmed.
        self.assertEqual(found, [2 + 1 + 3, 2 + 2, 2 + 2 + 0.5, 0, study_run.COSTS_S])
        self.assertEqual(called, ["lu", "treeadd"])

    def test_large_problems_may_take_long(self):
        allowed = []

        def one_run(_program, _arguments, _peer, _launcher, timeout, **_):
            allowed.append(timeout)
            return {"process_s": 3.0, "samples": [[1000.0, 1]], "foreign_cores": 0}
        with mock.patch.object(study_run.execute, "run_program", one_run):
            for size in ("simlarge", "native"):
                step = study_run.Step(0, "lu", 1, "ashlar", "ashlar", "lu", size)
                study_run.lengths([step], "study", None, victims.arguments([]))
                study_run.run("study", step.arguments, None, victims.arguments([]))
        self.assertEqual(allowed, [600, 600, 14400, 14400])

    def test_pinning_reaches_the_programs(self):
        for pinned in (False, True):
            given = ["--quick", *(["--pin"] if pinned else [])]
            peers = {"ashlar": study_run.peers_module.Peer("ashlar", "Ashlar", interface="both")}
            todo = victims.steps(victims.arguments(given)) + characterise.steps(characterise.arguments(given), peers)
            self.assertEqual({"--pin" in step.arguments for step in todo if step.program}, {pinned})

    def complaint(self, parse, given):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), self.assertRaises(SystemExit) as ended:
            parse(list(given))
        self.assertEqual((ended.exception.code, len(errors.getvalue().splitlines())), (2, 1))
        return errors.getvalue()


class Resume(unittest.TestCase):
    """An interrupted study goes on with the runs that are missing."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = pathlib.Path(scratch.name) / "victims.json"
        self.ran, self.interrupt_at = [], None

    def run_one(self, _program, arguments, _peer, _options, env):
        if len(self.ran) == self.interrupt_at:
            raise KeyboardInterrupt
        self.ran.append((arguments[0], env["ASHLAR_VICTIM_POLICY"]))
        return {**cell("lu", 2, "random", [[2.0 + len(self.ran), 2]])["rounds"][0], "disturbed": False}

    def lengths(self, steps, *_):
        return [30] * len(steps)

    def command(self, *more):
        peer = study_run.peers_module.Peer("ashlar", "Ashlar", interface="both")
        errors = io.StringIO()
        with mock.patch.object(study_run, "run", self.run_one), \
                mock.patch.object(study_run, "lengths", self.lengths), \
                mock.patch.object(study_run.peers_module, "resolve", return_value={"ashlar": peer}), \
                mock.patch.object(study_run.store, "path_for", return_value=self.path.with_name("stored.json")), \
                mock.patch.object(study_build, "build_all", return_value=({"ashlar": "study"}, {})), \
                contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            code = victims.main(["--programs", "lu", "--threads", "2", "--policies", "random,occupancy", "--anyway",
                                 "--json", str(self.path), *more])
        return code, errors.getvalue()

    def announced(self, processes, length, *bar):
        return "\n".join([f"{victims.TITLE}: {processes} processes, about {length}. Ctrl-C keeps what was measured; --resume goes on.",
                          *bar, ""])

    def test_goes_on_with_what_is_missing(self):
        self.interrupt_at = 3
        code, errors = self.command()
        self.assertEqual(code, 130)
        self.assertTrue(errors.startswith(self.announced(10, "5 min 00 s")))
        self.assertTrue(errors.endswith("\nvictims: interrupted; --resume goes on with what is missing\n"))
        self.interrupt_at = None
        code, errors = self.command("--resume")
        self.assertEqual(code, 0)
        self.assertTrue(errors.startswith("Going on with 3 runs done.\n" + self.announced(7, "3 min 30 s")))
        self.assertEqual(len(self.ran), 10)
        found = json.loads(self.path.read_text(encoding="utf-8"))
        self.assertEqual({c["peer"]: len(c["rounds"]) for c in found["cells"]}, {"random": 5, "occupancy": 5})
        samples = sorted(report["samples"][0][0] for c in found["cells"] for report in c["rounds"])
        self.assertEqual(samples, [3.0 + n for n in range(10)])
        self.assertFalse(self.path.with_suffix(".partial").exists())

    def test_the_bar_tells_how_far_it_is(self):
        _, errors = self.command()
        bars = [line for line in errors.splitlines() if "lu, 2 threads" in line]
        self.assertEqual([line.split("%")[0].split()[-1] for line in bars], [str(n) for n in range(10, 100, 10)])
        self.assertRegex(bars[-1], r"^█+░+  90 %, \d+ s left  lu, 2 threads, \w+$")

    def test_begins_anew_without_resume(self):
        self.interrupt_at = 3
        self.command()
        self.interrupt_at = None
        code, errors = self.command()
        self.assertEqual(code, 0)
        self.assertTrue(errors.startswith(self.announced(10, "5 min 00 s")))
        self.assertEqual(len(self.ran), 3 + 10)

    def test_stores_a_copy(self):
        self.assertEqual(self.command("--store")[0], 0)
        self.assertEqual(self.path.read_text(), self.path.with_name("stored.json").read_text())

    def test_nothing_to_resume_is_one_line(self):
        code, errors = self.command("--resume")
        self.assertEqual((code, self.ran), (3, []))
        self.assertRegex(errors, r"^victims: nothing to resume: .*victims.partial has no run of this commit\n$")


if __name__ == "__main__":
    unittest.main()
