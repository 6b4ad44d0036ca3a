# SPDX-License-Identifier: Apache-2.0
"""The comparison of simulated with measured runs (sim/product): what it says of given samples, that it leaves out no row without a
reason, and that what the documents tell is what is stored."""
import math
import pathlib
import re
import statistics
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sim/product"))

import compared  # noqa: E402  pylint: disable=wrong-import-position
import comparison  # noqa: E402  pylint: disable=wrong-import-position
import judge  # noqa: E402  pylint: disable=wrong-import-position
import many_processors  # noqa: E402  pylint: disable=wrong-import-position
import predict  # noqa: E402  pylint: disable=wrong-import-position

STEADY = [1.00, 1.01, 1.01, 1.02, 1.02, 1.02, 1.03]
TWO_MODES = [1.19, 1.19, 1.19, 1.2, 1.6, 1.6, 1.6, 1.7, 1.8]


def summary(predicted, real):
    return comparison.table({("row", 4): predicted}, {("row", 4): real})[0]


class Summary(unittest.TestCase):
    def test_a_wrong_prediction_of_steady_runs_is_told(self):
        text = summary([1.3] * 9, STEADY)
        self.assertIn("Above 15 %: row 4 (27 %)", text)
        self.assertIn("The worst of the 1 cells", text)
        self.assertIn("within 15 % is 27.5 %", text)

    def test_runs_that_scatter_are_named_and_still_counted_in_the_worst_of_all(self):
        text = summary([1.19] * 9, TWO_MODES)
        self.assertIn("worst 25.6 %", text)
        self.assertIn("The worst of the 0 cells", text)
        self.assertIn("row 4 (34 %)", text)

    def test_two_modes_on_both_sides_are_compared_as_distributions(self):
        # The same two values, each as often: the medians of an even and an odd number of runs are 30 % apart, the runs are not.
        even, odd = [1.2] * 5 + [1.6] * 5, [1.2] * 5 + [1.6] * 6
        text = summary(even, odd)
        self.assertIn("1 cells have several modes on both sides (row 4)", text)
        self.assertIn("Of the medians alone the worst is row 4 with 12.5 %", text)
        self.assertIn("worst 1.3 %", text)

    def test_other_shares_of_the_same_modes_are_an_error(self):
        self.assertIn("Above 15 %: row 4 (17 %)", summary([1.2] * 9 + [1.6] * 2, [1.2] * 2 + [1.6] * 9))

    def test_other_modes_are_an_error(self):
        self.assertIn("Above 15 %: row 4 (33 %)", summary([1.2] * 5 + [1.6] * 5, [1.8] * 5 + [2.4] * 5))

    def test_known_distances_of_distributions(self):
        for a, b, found in (([1], [2], 0.5), ([1, 3], [3, 1], 0), ([1, 1, 3], [1, 3, 3], 2 / 7), ([2, 2], [2, 4, 4], 4 / 10)):
            self.assertAlmostEqual(comparison.moved(a, b), found)

    def test_few_runs_decide_nothing(self):
        self.assertIn("The worst of the 0 cells", summary([1.0] * 9, STEADY[:4]))

    def test_a_good_prediction_of_steady_runs(self):
        text = summary([1.02] * 9, STEADY)
        self.assertIn("Above 15 %: none", text)
        self.assertIn("farther: none", text)

    def test_counts_of_which_none_was_measured(self):
        self.assertEqual(comparison.error([0, 0, 1], [0] * 5), 0)
        self.assertEqual(comparison.error([1] * 3, [0] * 5), math.inf)

    def test_rows_with_other_units_are_told_apart(self):
        predicted = {("time", 4): [130.0] * 5, ("count", 4): [0.0] * 5, ("count", 8): [6.0] * 5, ("count", 16): [1.0] * 5}
        real = {("time", 4): [100.0] * 5, ("count", 4): [0.0] * 5, ("count", 8): [5.0] * 5, ("count", 16): [0.0] * 5}
        text, lines = comparison.table_of_others(predicted, real, {"time": "us", "count": "tasks"}.get)
        self.assertIn("Times, 1 cells: median error 30.0 % (asked 5), worst 30.0 % (asked 15). Above 15 %: time 4 (30 %).", text)
        self.assertIn("Of the 3 cells of counts 1 have the measured median; the others are count 8, count 16.", text)
        self.assertTrue(lines[-1].endswith("| none was measured |"), lines[-1])


class Rows(unittest.TestCase):
    """Nothing that is measured is left out without a reason."""

    def test_every_row_of_the_suite_is_predicted_or_has_a_reason(self):
        left_out = [row for group, _ in compared.reasons() for row in group]
        self.assertEqual(len(left_out), len(set(left_out)))
        self.assertEqual({row.id for row in compared.all_rows()}, set(left_out) | set(compared.rows()))
        for group, why in compared.reasons():
            self.assertGreater(len(why), 10, group)

    def test_what_is_predicted_and_measured_is_what_the_suite_has(self):
        cells = compared.cells(compared.rows())
        self.assertEqual(list(predict.read(predict.PREDICTED)), cells)
        self.assertEqual(list(predict.read(predict.MEASURED)), cells)
        self.assertEqual({len(runs) for runs in predict.read(predict.PREDICTED).values()}, {predict.RUNS})

    def test_no_scenario_with_sleeping_bodies_is_left_out(self):
        self.assertLessEqual({row.id for row in compared.all_rows() if row.program == "quality"} | {"waking-last"}, set(compared.rows()))

    def test_what_checks_look_at_is_predicted(self):
        self.assertLessEqual(set(predict.CHECKED), set(compared.cells(compared.rows())))

    def test_no_cost_is_calibrated_on_a_row_that_is_compared(self):
        """The comparisons of `sort` get the time that they take in another program, which sorts and counts alike."""
        row, other = (path.read_text(encoding="utf-8") for path in (ROOT / "bench/threads/algorithms.h", ROOT / "sim/product/comparison_cost.cpp"))
        for text in ("apart = (\\d+);", "n = ([\\d']+)[;,]", r"\+\+compared % apart == 0"):
            found = [re.findall(text, source)[-1] for source in (row[row.index("outcome sort("):], other)]
            self.assertEqual(found[0], found[1])
        self.assertEqual(predict.COMPARED, int(re.search(r"apart = (\d+);", row)[1]))
        self.assertEqual(set(predict.COMPUTES), {"sort"})


class Stored(unittest.TestCase):
    """What is stored is what its sources say, and what the documents tell is what is stored."""

    def test_measured_runs_are_those_of_the_results_that_they_name(self):
        self.assertTrue(predict.results_of_measured())
        self.assertEqual(predict.MEASURED.read_text(encoding="utf-8"), predict.measured_text(predict.results_of_measured()))

    def test_the_page_is_made_of_the_stored_runs(self):
        made = predict.page(predict.read(predict.PREDICTED), predict.read(predict.MEASURED))
        self.assertEqual((ROOT / "docs/study/product.md").read_text(encoding="utf-8"), made)

    def test_the_readme_tells_what_is_stored(self):
        text = (ROOT / "sim/product/README.md").read_text(encoding="utf-8")
        for sentence in predict.told_in_readme():
            self.assertIn(sentence, text)

    def test_the_page_of_victims_is_made_of_the_stored_runs(self):
        self.assertEqual(judge.WRITTEN.read_text(encoding="utf-8"), judge.page(*judge.read()))

    def test_what_the_readme_says_of_occupancy(self):
        makespans, lost = judge.read()
        processors, seeds = judge.each(makespans, 1), judge.each(makespans, 3)
        self.assertEqual(processors, [4, 8, 16, 32, 64, 128])
        for count in processors:
            for other in ("random", "distance"):
                self.assertLess(statistics.median(judge.mean_ratios(makespans, count, "occupancy", seeds, other)), 1)
            for program in ("uneven-tree", "loops"):
                alike, random = (statistics.median(lost[program, count, policy, seed] for seed in judge.each(lost, 3)) for policy in ("occupancy", "random"))
                self.assertLess(alike, 2 * random, (program, count))

    def test_all_processors_are_stored(self):
        found = many_processors.read()
        self.assertEqual({f"{processors}:{threads}" for processors, threads, _ in found}, set(many_processors.CELLS))
        self.assertEqual({row for _, _, row in found}, set(many_processors.ROWS))


if __name__ == "__main__":
    unittest.main()
