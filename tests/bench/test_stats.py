# SPDX-License-Identifier: Apache-2.0
import random
import unittest

import support  # noqa: F401  pylint: disable=unused-import
import stats


class Value(unittest.TestCase):
    def test_median_of_round_medians(self):
        # One disturbed sample and one disturbed round change nothing.
        self.assertEqual(stats.value([[10, 11, 900], [12, 12, 12], [500, 500, 500]]), 12)

    def test_void_rounds_do_not_count(self):
        self.assertEqual(stats.value([[], [7], []]), 7)
        self.assertIsNone(stats.value([[], []]))
        self.assertIsNone(stats.value([]))


class Ratio(unittest.TestCase):
    def test_slow_windows_cancel(self):
        # The machine is three times slower in the second round and ten times in the third, for both.
        self.assertAlmostEqual(stats.ratio([[1.0], [3.0], [10.0]], [[4.0], [12.0], [40.0]]), 0.25)

    def test_formed_within_the_rounds(self):
        # The quotient of the two medians would be 9 / 12.
        self.assertAlmostEqual(stats.ratio([[1.0], [9.0], [10.0]], [[4.0], [12.0], [80.0]]), 0.25)

    def test_only_common_rounds(self):
        self.assertAlmostEqual(stats.ratio([[1.0], [], [8.0]], [[2.0], [1.0], []]), 0.5)
        self.assertIsNone(stats.ratio([[1.0], []], [[], [1.0]]))

    def test_no_ratio_to_a_cost_of_zero_or_less(self):
        self.assertIsNone(stats.ratio([[1.0]], [[0.0]]))
        self.assertIsNone(stats.ratio([[1.0]], [[-0.1]]))


class SingleSamples(unittest.TestCase):
    def test_the_short_way_says_the_same(self):
        generator = random.Random(7)
        for count in (1, 2, 5, 6, 15):
            ours, theirs = ([[generator.uniform(1, 2)] for _ in range(count)] for _ in range(2))
            self.assertEqual(stats.ratio_interval(ours, theirs), stats._drawn_interval(stats.paired(ours, theirs), 1))  # pylint: disable=protected-access

    def test_a_divisor_of_zero_goes_the_long_way(self):
        self.assertIsNone(stats.ratio_interval([[1.0]] * 3, [[0.0]] * 3))
        self.assertEqual(stats.ratio_interval([[1.0]] * 3, [[2.0], [0.0], [2.0]]), (0.5, 0.5))


class Interval(unittest.TestCase):
    def setUp(self):
        generator = random.Random(42)
        self.ours = [[generator.gauss(1.0, 0.05) for _ in range(5)] for _ in range(9)]
        self.theirs = [[generator.gauss(4.0, 0.2) for _ in range(5)] for _ in range(9)]

    def test_holds_the_ratio_and_is_narrow(self):
        low, high = stats.ratio_interval(self.ours, self.theirs)
        self.assertLess(low, stats.ratio(self.ours, self.theirs))
        self.assertGreater(high, stats.ratio(self.ours, self.theirs))
        self.assertGreater(low, 0.23)
        self.assertLess(high, 0.27)

    def test_same_data_same_interval(self):
        self.assertEqual(stats.ratio_interval(self.ours, self.theirs), stats.ratio_interval(self.ours, self.theirs))

    def test_grows_with_the_spread(self):
        wide = [[2 * (x - 1) + 1 for x in s] for s in self.ours]
        low, high = stats.value_interval(self.ours)
        wide_low, wide_high = stats.value_interval(wide)
        self.assertGreater(wide_high - wide_low, 1.5 * (high - low))

    def test_covers_the_true_median_about_as_often_as_it_says(self):
        covered = 0
        for trial in range(60):
            generator = random.Random(trial)
            series = [[generator.gauss(10, 1) for _ in range(3)] for _ in range(15)]
            low, high = stats.value_interval(series, seed=trial)
            covered += low <= 10 <= high
        self.assertGreaterEqual(covered, 52)

    def test_none_without_samples(self):
        self.assertIsNone(stats.value_interval([[]]))
        self.assertIsNone(stats.ratio_interval([[1.0]], [[]]))


class Tbbench(unittest.TestCase):
    """The statistics of the TBBench paper against series whose values are known."""

    def test_three_deviations(self):
        # 20 zeros and one 21: mean 1, deviation 4.583, so 21 lies 4.36 deviations out and everything else 0.22.
        kept, dropped = stats.without_outliers([0.0] * 20 + [21.0], 3)
        self.assertEqual((kept, dropped), ([0.0] * 20, 1))
        # Of ten values none can lie three deviations out, however far it is.
        self.assertEqual(stats.without_outliers([0.0] * 9 + [1e9], 3)[1], 0)
        self.assertEqual(stats.without_outliers([0.0] * 10 + [1e9], 3)[1], 1)
        self.assertEqual(stats.without_outliers([5.0] * 20, 3), ([5.0] * 20, 0))
        self.assertEqual(stats.without_outliers([1.0, 9.0], 3), ([1.0, 9.0], 0))

    def test_description(self):
        found = stats.describe([[1.0, 2.0, 3.0], [], [3.0, 4.0, 5.0]])
        self.assertEqual((found["mean"], found["median"], found["rounds"], found["samples"]), (3.0, 3.0, 2, 6))
        self.assertAlmostEqual(found["cv"], 2 ** 0.5 / 3)  # run means 2 and 4
        self.assertEqual(found["quartiles"], [2.25, 3.75])
        self.assertIsNone(stats.describe([[], []]))
        self.assertIsNone(stats.describe([[1.0]])["cv"])

    def test_mean_interval_covers_a_known_mean(self):
        generator = random.Random(7)
        hits = 0
        for trial in range(20):
            rounds = [[generator.gauss(10, 1) for _ in range(4)] for _ in range(10)]
            low, high = stats.mean_interval(rounds, trial)
            hits += low <= 10 <= high
        self.assertGreaterEqual(hits, 15)

    def test_unpaired(self):
        self.assertEqual(stats.unpaired_ratio([[4.0]], [[2.0], [2.0]]), 2)
        self.assertIsNone(stats.unpaired_ratio([[4.0]], [[0.0]]))
        self.assertEqual(stats.unpaired_interval([[4.0]] * 3, [[2.0]]), (2, 2))
        self.assertIsNone(stats.unpaired_interval([[]], [[2.0]]))


if __name__ == "__main__":
    unittest.main()
