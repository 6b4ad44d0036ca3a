# SPDX-License-Identifier: Apache-2.0
"""The runner with fake programs: interleaving, thrown-away samples, and that nothing failed becomes a figure."""
import pathlib
import tempfile
import unittest

import support
import measure
import peers
import report
import suite

TEXT = """
[program.p]
source = "program.cpp"
[program.old]
source = "program.cpp"
interfaces = ["classic"]

[[row]]
id = "work"
title = "Work"
program = "p"
row = "work"
unit = "ns"
threads = [1, 2]
cores_min = 1.8
goal = [{ threads = [1], peer = "onetbb", ratio = 0.5 }, { threads = [2], self_threads = 1, ratio = 0.6 },
        { threads = [2], peer = "tbb2020", ratio = 0.5 }]

[[row]]
id = "idle"
title = "Idle"
program = "p"
row = "idle"
unit = "cores"
goal = [{ peer = "onetbb", absolute = 0.05 }]

[[row]]
id = "old"
title = "Old"
program = "old"
row = "work"
unit = "ns"
"""

LOG = "open(os.environ['LOG'], 'a').write(' '.join([os.path.basename(__file__), *sys.argv[1:4]]) + '\\n')\n"


class Runner(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.log = self.scratch / "log"
        self.suite = suite.load(support.write_suite(self.scratch / "s", TEXT))
        self.peers = {
            "ashlar": peers.Peer("ashlar", "Ashlar", interface="both"),
            "onetbb": peers.Peer("onetbb", "oneTBB", interface="onetbb"),
            "tbb2020": peers.Peer("tbb2020", "TBB 2020", interface="classic"),
        }

    def program(self, peer, body):
        log = LOG.replace("os.environ['LOG']", repr(str(self.log)))
        return support.fake_program(self.scratch / peer / peer, log + body)

    def measure(self, programs, **settings):
        settings.setdefault("rounds", 3)
        run = measure.Measurement(self.suite, self.peers, measure.Settings(**settings), self.scratch / "build")
        for (name, peer), path in programs.items():
            run.programs[name, peer] = path
        cells = run.run()
        found = report.lines(run.wanted_rows(), cells, list(self.peers))
        return cells, {(line.row, line.threads, line.peer): line for line in found}

    def fixed(self, **values):
        """Programs that report one value each."""
        made = {}
        for peer, value in values.items():
            path = self.program(peer, support.report_line([[value, 2.0]] * 3))
            made["p", peer] = made["old", peer] = path
        return made

    def test_rounds_are_interleaved_and_the_first_changes(self):
        self.measure(self.fixed(ashlar=1, onetbb=4, tbb2020=8), rows=["work"], threads=[1])
        order = [line.split()[0] for line in self.log.read_text().splitlines()]
        self.assertEqual(order, ["ashlar", "onetbb", "tbb2020", "onetbb", "tbb2020", "ashlar",
                                 "tbb2020", "ashlar", "onetbb"])

    def test_ratio_and_goals(self):
        _, lines = self.measure(self.fixed(ashlar=1, onetbb=4, tbb2020=1.5))
        self.assertEqual(lines["work", 1, "onetbb"].ratio, 0.25)
        self.assertEqual(lines["work", 1, "onetbb"].reached, "yes")
        self.assertEqual(lines["work", 2, "tbb2020"].reached, "no")
        self.assertEqual(lines["work", 2, "own 1 threads"].reached, "no")
        self.assertEqual(lines["idle", 1, "onetbb"].reached, "no")
        self.assertEqual(lines["work", 1, "tbb2020"].goal, "")

    def test_interface_decides_which_rows_a_peer_has(self):
        cells, _ = self.measure(self.fixed(ashlar=1, onetbb=4, tbb2020=8))
        self.assertIn(("old", 1, "tbb2020"), cells)
        self.assertIn(("old", 1, "ashlar"), cells)
        self.assertNotIn(("old", 1, "onetbb"), cells)

    def test_samples_without_the_cores_are_thrown_away(self):
        programs = self.fixed(onetbb=4, tbb2020=8)
        programs["p", "ashlar"] = self.program("ashlar", support.report_line([[9, 1.0], [2, 1.9], [9, 1.79]]))
        cells, lines = self.measure(programs, rows=["work"])
        self.assertEqual(cells["work", 2, "ashlar"].series, [[2]] * 3)
        self.assertEqual(cells["work", 2, "ashlar"].discarded, 6)
        self.assertIn("ashlar: 6 samples thrown away", lines["work", 2, "tbb2020"].note)
        self.assertEqual(cells["work", 1, "ashlar"].discarded, 0)  # one thread can't use two cores

    def test_row_that_never_used_the_cores_is_void(self):
        programs = self.fixed(onetbb=4, tbb2020=8)
        programs["p", "ashlar"] = self.program("ashlar", support.report_line([[1, 1.0]]))
        _, lines = self.measure(programs, rows=["work"], threads=[2])
        self.assertEqual(lines["work", 2, "tbb2020"].reached, "gap")
        self.assertIn("void", lines["work", 2, "tbb2020"].note)

    def test_disturbed_runs_are_repeated_and_thrown_away(self):
        programs = self.fixed(onetbb=4, tbb2020=8)
        # Every other run of ours happens beside a busy process.
        body = (f"n = open({str(self.log)!r}).read().count('ashlar')\n"
                "print(json.dumps({'ok': True, 'samples': [[1 if n % 2 else 99, 2.0]], 'values': {},"
                " 'foreign_cores': 0.0 if n % 2 else 0.9}))")
        programs["p", "ashlar"] = self.program("ashlar", body)
        cells, lines = self.measure(programs, rows=["work"], threads=[1])
        cell = cells["work", 1, "ashlar"]
        self.assertEqual((cell.series, cell.disturbed, len(cell.rounds)), ([[1]] * 3, 2, 5))
        self.assertEqual(lines["work", 1, "onetbb"].ratio, 0.25)
        self.assertIn("2 runs thrown away", lines["work", 1, "onetbb"].note)

    def test_row_that_was_always_disturbed_is_void(self):
        programs = self.fixed(onetbb=4, tbb2020=8)
        programs["p", "ashlar"] = self.program("ashlar", support.report_line([[0.1, 2.0]], foreign_cores=0.9))
        cells, lines = self.measure(programs, rows=["work"], threads=[1])
        self.assertEqual(cells["work", 1, "ashlar"].series, [[], [], []])
        self.assertEqual(lines["work", 1, "onetbb"].reached, "gap")
        self.assertIn("void", lines["work", 1, "onetbb"].note)

    def assert_gap(self, body, message):
        programs = self.fixed(onetbb=4, tbb2020=8)
        programs["p", "ashlar"] = self.program("ashlar", body)
        cells, lines = self.measure(programs, rows=["work"], threads=[1])
        self.assertRegex(cells["work", 1, "ashlar"].gap, message)
        self.assertEqual(lines["work", 1, "onetbb"].reached, "gap")
        self.assertIsNone(lines["work", 1, "onetbb"].ours)
        self.assertEqual(self.log.read_text().count("ashlar"), 1)  # not tried again

    def test_wrong_result_is_no_figure(self):
        self.assert_gap(support.report_line([[0.001, 2.0]], ok=False), "wrong result: sum")

    def test_failing_program_is_no_figure(self):
        self.assert_gap(support.report_line([[1, 2.0]]) + "\nsys.exit(3)", "exit code 3")

    def test_crash_is_no_figure(self):
        self.assert_gap("os.kill(os.getpid(), 11)", "signal 11")

    def test_silent_program_is_no_figure(self):
        self.assert_gap("print('hello')", "no report")

    def test_foreign_library_is_refused(self):
        self.peers["ashlar"].lib = self.scratch / "ours" / "lib"
        self.assert_gap(support.report_line([[1, 2.0]], tbb="/usr/lib/libtbb.so.12"), "foreign libtbb.so.12")

    def test_program_that_loaded_no_library_is_refused(self):
        self.peers["ashlar"].lib = self.scratch / "ours" / "lib"
        self.assert_gap(support.report_line([[1, 2.0]]), "no libtbb")

    def test_our_library_under_a_peers_programs(self):
        ours, theirs = self.peers["ashlar"], self.peers["onetbb"]
        ours.lib, theirs.lib = self.scratch / "ours" / "lib", self.scratch / "theirs" / "lib"
        (ours.lib / "ashlar-compat").mkdir(parents=True)
        (ours.lib / "ashlar-compat" / "libtbb.so.12").touch()
        self.peers["ashlar"] = peers.drop_in(ours, theirs)
        # One program, which says what its loader would have found: the folder of the path, else that of its build.
        body = (f"lib = os.environ.get('LD_LIBRARY_PATH', {str(theirs.lib)!r})\n"
                "print(json.dumps({'ok': True, 'samples': [[1 if 'ours' in lib else 4, 2.0]], 'values': {}, 'tbb': lib + '/libtbb.so.12'}))")
        cells, lines = self.measure({("p", "onetbb"): self.program("onetbb", body)}, rows=["work"], threads=[1])
        self.assertEqual((cells["work", 1, "ashlar"].gap, cells["work", 1, "onetbb"].gap), (None, None))
        self.assertEqual(lines["work", 1, "onetbb"].ratio, 0.25)

    def test_our_library_that_a_peers_program_does_not_load_is_a_gap(self):
        theirs = self.peers["onetbb"]
        self.peers["ashlar"] = peers.drop_in(peers.Peer("ashlar", "Ashlar", lib=self.scratch), theirs)
        self.assertIn("no ashlar-compat/libtbb.so.12", self.peers["ashlar"].missing)
        (self.scratch / "ashlar-compat").mkdir()
        (self.scratch / "ashlar-compat" / "libtbb.so.12").touch()
        self.peers["ashlar"] = peers.drop_in(peers.Peer("ashlar", "Ashlar", lib=self.scratch), theirs)
        body = support.report_line([[1, 2.0]], tbb="/usr/lib/libtbb.so.12")
        cells, lines = self.measure({("p", "onetbb"): self.program("onetbb", body)}, rows=["work"], threads=[1])
        self.assertIn("foreign libtbb.so.12", cells["work", 1, "ashlar"].gap)
        self.assertEqual(lines["work", 1, "onetbb"].reached, "gap")

    def test_missing_peer_is_a_gap_never_a_pass(self):
        self.peers["onetbb"].missing = "no network"
        cells, lines = self.measure(self.fixed(ashlar=0.0001, tbb2020=8))
        self.assertEqual(cells["work", 1, "onetbb"].gap, "oneTBB is missing: no network")
        self.assertEqual(lines["work", 1, "onetbb"].reached, "gap")

    def test_peer_that_was_not_asked_for_is_a_gap(self):
        del self.peers["onetbb"]
        _, lines = self.measure(self.fixed(ashlar=0.0001, tbb2020=8))
        self.assertEqual(lines["work", 1, "onetbb"].reached, "gap")
        self.assertIn("not measured", lines["work", 1, "onetbb"].note)

    def test_missing_library_of_ours_is_a_gap(self):
        self.peers["ashlar"].missing = "does not build"
        _, lines = self.measure(self.fixed(onetbb=4, tbb2020=8))
        self.assertEqual({line.reached for line in lines.values() if line.goal}, {"gap"})
        self.assertEqual(lines["work", 1, "onetbb"].theirs, 4)

    def test_program_that_does_not_build_is_a_gap(self):
        (self.suite.directory / "program.cpp").write_text("#include <no_such_header.h>\n")
        programs = self.fixed(onetbb=4, tbb2020=8)
        cells, _ = self.measure(programs, rows=["work"], threads=[1])
        self.assertIn("does not build for Ashlar", cells["work", 1, "ashlar"].gap)
        self.assertIn("no_such_header.h", cells["work", 1, "ashlar"].gap)

    def test_options_reach_the_program(self):
        self.measure(self.fixed(ashlar=1, onetbb=4, tbb2020=8), rows=["work"], threads=[2], rounds=1)
        self.assertTrue(all(" work --threads 2" in line for line in self.log.read_text().splitlines()))


class Judge(unittest.TestCase):
    def test_doubt_is_shown(self):
        self.assertEqual(report.judge(0.09, 0.10, (0.08, 0.095)), "yes")
        self.assertEqual(report.judge(0.09, 0.10, (0.08, 0.11)), "yes?")
        self.assertEqual(report.judge(0.11, 0.10, (0.09, 0.12)), "no?")
        self.assertEqual(report.judge(0.11, 0.10, (0.105, 0.12)), "no")
        self.assertEqual(report.judge(None, 0.10, None), "gap")
        self.assertEqual(report.judge(130, 130, (130, 130)), "yes")


class JudgeAbove(unittest.TestCase):
    """A limit that is a cost or a multiple of the peer's, whichever is larger."""
    GOAL = suite.Goal(4, "onetbb", ratio=1.05, least=1.15)

    def judge(self, own, other):
        return report.judge_above(self.GOAL, [[x] for x in own], [[x] for x in other])

    def test_the_larger_limit_counts(self):
        self.assertEqual(self.judge([1.14] * 3, [1.0] * 3), "yes")
        self.assertEqual(self.judge([1.16] * 3, [1.0] * 3), "no")
        self.assertEqual(self.judge([2.09] * 3, [2.0] * 3), "yes")
        self.assertEqual(self.judge([2.2] * 3, [2.0] * 3), "no")

    def test_missed_only_if_the_intervals_are_apart(self):
        self.assertEqual(self.judge([1.1, 1.3, 1.4], [1.0] * 3), "yes?")
        self.assertEqual(self.judge([1.3, 1.3, 1.4], [1.0, 1.0, 1.3]), "yes?")
        self.assertEqual(self.judge([1.3, 1.3, 1.4], [1.0, 1.0, 1.1]), "no")

    def test_gaps(self):
        self.assertEqual(self.judge([], [1.0]), "gap")
        self.assertEqual(self.judge([1.0], []), "gap")

    def test_how_it_is_written(self):
        self.assertEqual(self.GOAL.text("x"), "<= max(1.15, 1.05 x peer)")


class Table(unittest.TestCase):
    def test_every_line_is_there(self):
        line = report.Line("a", "Work", 2, "ns", "onetbb", 41.2, 4.0, 0.0971, (0.09, 0.11), "<= 0.10", "yes?", "3 lost")
        text = report.table([line], {"onetbb": "oneTBB 2023.2"})
        for part in ("Work", "oneTBB 2023.2", "41.2", "4.000", "0.097", "0.090 .. 0.110", "<= 0.10", "yes?", "3 lost"):
            self.assertIn(part, text)
        self.assertEqual(report.summary([line]), "1 goals: 1 reached, 0 missed, 0 gaps")


class Rows(unittest.TestCase):
    def test_a_part_or_the_whole(self):
        self.assertTrue(measure.matches("chunk", "chunk-16"))
        self.assertTrue(measure.matches("=chunk-1", "chunk-1"))
        self.assertFalse(measure.matches("=chunk-1", "chunk-16"))
        self.assertFalse(measure.matches("static", "chunk-1"))


if __name__ == "__main__":
    unittest.main()
