# SPDX-License-Identifier: Apache-2.0
"""The sweep: what its programs print is read, a cell is judged by the better of two, and a miss is told."""
import re
import sys
import unittest

import support

SWEEP = support.HARNESS.parent / "sweep"
sys.path.insert(0, str(SWEEP))
import cells  # noqa: E402  pylint: disable=wrong-import-position
import sweep  # noqa: E402  pylint: disable=wrong-import-position


def results(ours_one, ours_two, rival_two):
    """One cell as five rounds with two samples of each library."""
    def taken(time):
        return {("site", 100): cells.Cell([time] * 5, [[time, time * 1.01]] * 5)}
    return {"ashlar": {1: taken(ours_one), 2: taken(ours_two)}, "onetbb": {1: taken(200), 2: taken(rival_two)}}


class Cells(unittest.TestCase):
    def test_what_programs_print(self):
        found, foreign = cells.parse("pipe-2 0 12.5 30.1 31.2\npipe-2 400 500 400 401\nforeign_cores 0.12\n")
        self.assertEqual(found, {("pipe-2", 0): (12.5, [30.1, 31.2]), ("pipe-2", 400): (500, [400, 401])})
        self.assertEqual(foreign, 0.12)

    def test_a_cell_is_compared_with_the_better(self):
        self.assertEqual(cells.judge(results(100, 60, 80), "ashlar", "onetbb", 2, ("site", 100)).better, "onetbb")
        found = cells.judge(results(100, 120, 180), "ashlar", "onetbb", 2, ("site", 100))
        self.assertEqual(found.better, "1 thread")
        self.assertAlmostEqual(found.ratio, 1.2)
        self.assertAlmostEqual(found.of_rival, 120 / 180)

    def test_a_miss_is_told_and_counted(self):
        said = []
        self.assertEqual(cells.report(results(100, 104, 180), {"ashlar": "onetbb"}, 1.05, said.append), 0)
        self.assertEqual(cells.report(results(100, 120, 180), {"ashlar": "onetbb"}, 1.05, said.append), 1)
        self.assertIn("1 of 1 cells above 1.05; 0 above 1.05 of onetbb", said)
        self.assertTrue(any("1.20" in line and "!" in line for line in said))

    def test_a_wide_interval_is_no_miss(self):
        noisy = results(100, 120, 180)
        noisy["ashlar"][2]["site", 100].wall = [[90], [95], [120], [125], [130]]
        self.assertEqual(cells.report(noisy, {"ashlar": "onetbb"}, 1.05, lambda line: None), 0)

    def test_results_survive_the_file(self):
        before = results(100, 120, 180)
        self.assertEqual(cells.from_list(cells.listed(before)), before)


class Runner(unittest.TestCase):
    def test_one_thread_is_always_measured(self):
        self.assertEqual(sweep.arguments(["--threads", "8"]).threads, [1, 8])
        self.assertEqual(sweep.arguments(["--asleep"]).threads, [1, 4, 8, 32, 64])

    def test_the_page_names_every_family(self):
        page = (SWEEP / "README.md").read_text(encoding="utf-8")
        for header in SWEEP.glob("*.h"):
            if header.name != "sweep.h":
                self.assertIn(f"`{header.name}`", page)

    def test_other_libraries_have_no_sites_of_their_own(self):
        ours = set()
        for header in SWEEP.glob("*.h"):
            text = header.read_text(encoding="utf-8")
            ours |= set(re.findall(r'"([a-z]+(?:-[a-z0-9]+)*-?)"', text))
        for source in ("openmp.cpp", "taskflow.cpp"):
            for name in re.findall(r'\{"([a-z0-9-]+)"', (SWEEP / source).read_text(encoding="utf-8")):
                self.assertTrue(name in ours or re.sub(r"\d+$", "", name) in ours, name)


if __name__ == "__main__":
    unittest.main()
