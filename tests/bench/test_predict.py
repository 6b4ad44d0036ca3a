# SPDX-License-Identifier: Apache-2.0
"""What the comparison of simulated with measured runs (sim/product/predict.py) says of given samples."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sim/product"))

import predict  # noqa: E402  pylint: disable=wrong-import-position

STEADY = [1.00, 1.01, 1.01, 1.02, 1.02, 1.02, 1.03]
TWO_MODES = [1.19, 1.19, 1.19, 1.2, 1.6, 1.6, 1.6, 1.7, 1.8]


def summary(predicted, real):
    return predict.table({("row", 4): predicted}, {("row", 4): real})[0]


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
            self.assertAlmostEqual(predict.moved(a, b), found)

    def test_few_runs_decide_nothing(self):
        self.assertIn("The worst of the 0 cells", summary([1.0] * 9, STEADY[:4]))

    def test_a_good_prediction_of_steady_runs(self):
        text = summary([1.02] * 9, STEADY)
        self.assertIn("Above 15 %: none", text)
        self.assertIn("farther: none", text)


if __name__ == "__main__":
    unittest.main()
