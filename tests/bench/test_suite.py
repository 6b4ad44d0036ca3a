# SPDX-License-Identifier: Apache-2.0
import pathlib
import tempfile
import unittest

import support
import suite

PROGRAM = '[program.p]\nsource = "program.cpp"\n'
ROW = '[[row]]\nid = "a"\ntitle = "A"\nprogram = "p"\nrow = "a"\nunit = "ns"\nthreads = [1, 2]\n'


class Suite(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name) / "s"

    def load(self, text):
        return suite.load(support.write_suite(self.directory, text))

    def assert_refused(self, text, message):
        with self.assertRaises(suite.SuiteError) as caught:
            self.load(text)
        self.assertIn(message, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_goal_without_threads_holds_for_all(self):
        loaded = self.load(PROGRAM + ROW + 'goal = [{ peer = "onetbb", ratio = 0.5 }]\n')
        self.assertEqual([(g.threads, g.peer, g.ratio) for g in loaded.rows[0].goals],
                         [(1, "onetbb", 0.5), (2, "onetbb", 0.5)])

    def test_header_list_becomes_rows(self):
        loaded = self.load('[[row]]\nid = "c-{}"\ntitle = "compile {}"\nkind = "compile"\nunit = "s"\n'
                           'headers = ["tbb/a.h", "tbb/b.h"]\n')
        self.assertEqual([(r.id, r.title, r.header) for r in loaded.rows],
                         [("c-a", "compile a", "tbb/a.h"), ("c-b", "compile b", "tbb/b.h")])

    def test_mistakes_are_named(self):
        self.assert_refused(PROGRAM + ROW + "goals = []\n", "unknown key 'goals'")
        self.assert_refused(PROGRAM + ROW + "goal = [{ ratio = 0.5 }]\n", "names a peer or self_threads")
        self.assert_refused(PROGRAM + ROW + 'goal = [{ peer = "x", ratio = 1, absolute = 2 }]\n', "exactly one of")
        self.assert_refused(PROGRAM + ROW + 'goal = [{ absolute = 1, least = 2 }]\n', "belongs to a ratio goal against a peer")
        self.assert_refused(PROGRAM + ROW + 'goal = [{ peer = "x", ratoi = 1 }]\n', "unknown key ratoi")
        self.assert_refused(PROGRAM + ROW + 'goal = [{ threads = [4], peer = "x", ratio = 1 }]\n', "4 threads")
        self.assert_refused(PROGRAM + ROW + 'goal = [{ threads = [2], self_threads = 3, ratio = 1 }]\n', "self_threads 3")
        self.assert_refused(PROGRAM + ROW + ROW, "two rows with one id")
        self.assert_refused(PROGRAM + ROW.replace('"p"', '"q"'), "no program 'q'")
        self.assert_refused(PROGRAM.replace("program.cpp", "absent.cpp"), "absent.cpp does not exist")
        self.assert_refused(PROGRAM + ROW + 'kind = "count"\n', "lacks 'sizes'")
        self.assert_refused(PROGRAM + ROW + 'kind = "guess"\n', "unknown kind 'guess'")
        self.assert_refused("[[row]\n", "suite.toml")

    def test_missing_suite(self):
        with self.assertRaisesRegex(suite.SuiteError, "no suite 'nowhere'"):
            suite.load(self.directory.parent / "nowhere")

    def test_committed_suites_load(self):
        for path in sorted((support.HARNESS.parent).glob("*/suite.toml")):
            self.assertTrue(suite.load(path.parent).rows, path)


class MicroGoals(unittest.TestCase):
    """The figures of the issue, so that nobody loosens one in passing."""

    def test_figures(self):
        rows = {row.id: row for row in suite.load(support.HARNESS.parent / "micro").rows}
        goals = {(row.id, g.threads, g.peer, g.self_threads): g.ratio if g.ratio is not None else g.absolute
                 for row in rows.values() for g in row.goals}
        expected = {
            ("invoke", 1, "onetbb", None): 0.10, ("invoke", 2, "onetbb", None): 0.10,
            ("group", 1, "onetbb", None): 0.25, ("group", 2, "onetbb", None): 0.25,
            ("classic-blocking", 1, "tbb2020", None): 0.40, ("classic-blocking", 2, "tbb2020", None): 0.40,
            ("classic-cbr", 1, "tbb2020", None): 0.40, ("classic-cbr", 2, "tbb2020", None): 0.40,
            ("invoke-locked", 1, "onetbb", None): 1, ("invoke-instructions", 1, "onetbb", None): 130,
            ("chunk", 1, "onetbb", None): 0.35,
            ("small", 1, "onetbb", None): 0.30, ("small", 2, "onetbb", None): 0.30,
            ("uts", 2, "onetbb", None): 0.25, ("queens", 2, "onetbb", None): 0.30,
            ("coarse", 2, "onetbb", None): 1.0,
            ("idle-sleeping", 2, "onetbb", None): 0.05, ("idle-busy", 2, "onetbb", None): 1.06,
            ("wake", 2, "onetbb", None): 45, ("process", 1, "onetbb", None): 0.30,
            ("compile-parallel_for", 1, "tbb2020", None): 1.1,
            ("invoke", 8, None, 2): 1.10, ("group", 8, None, 2): 1.10, ("grain100", 8, None, 2): 1.10,
            ("classic-blocking", 8, None, 2): 1.10, ("classic-cbr", 8, None, 2): 1.10,
            ("uts", 8, None, 2): 1.10, ("queens", 8, None, 2): 1.10, ("small", 8, None, 2): 1.50,
            ("long-fib", 8, None, 2): 1.10, ("long-boards", 8, None, 2): 1.10, ("long-search", 8, None, 2): 1.10,
        }
        self.assertEqual(goals, expected)

    def test_rows_that_need_both_cores_say_so(self):
        rows = {row.id: row for row in suite.load(support.HARNESS.parent / "micro").rows}
        for name in ("invoke", "group", "classic-blocking", "classic-cbr", "grain100", "coarse", "uts", "queens"):
            self.assertEqual(rows[name].cores_min, 1.8, name)


if __name__ == "__main__":
    unittest.main()
