# SPDX-License-Identifier: Apache-2.0
"""The verdicts on whole programs, from made-up cells."""
import unittest

import support  # noqa: F401  pylint: disable=unused-import

import page


def report(wall, cpu, peak, foreign=0.0):
    return {"samples": [[wall, 1]], "foreign_cores": foreign, "watched_s": 1.0,
            "values": {"cpu": cpu, "peak_mb": peak, "voluntary": 3, "involuntary": 2}}


def cell(peer, walls, cpu=1.0, peak=10.0, threads=2):
    return {"row": "p", "threads": threads, "peer": peer, "gap": None, "series": [[w] for w in walls],
            "rounds": [report(w, cpu, peak) for w in walls]}


def document(cells):
    titles = {"ashlar": "Ashlar", "onetbb": "oneTBB", "tbb2020": "TBB 2020"}
    return {"settings": {"max_load": 0.3, "rounds": 5}, "machine": {"cpu": "a", "cpus": 2, "name": "m"}, "date": "2026-01-01T00:00:00Z",
            "peers": {name: {"title": title} for name, title in titles.items()}, "cells": cells}


class Programs(unittest.TestCase):
    def setUp(self):
        self.sections = page.sections_of("programs")
        self.verdicts = self.sections.verdicts

    def of(self, cells):
        return {v.peer: v for v in self.verdicts.of(document(cells))}

    def test_the_whole_interval_decides(self):
        found = self.of([cell("ashlar", [1, 1.01, 0.99, 1, 1]), cell("onetbb", [2, 2.1, 1.9, 2, 2]), cell("tbb2020", [0.9, 0.9, 0.91, 0.9, 0.9])])
        self.assertEqual((found["onetbb"].verdict, found["tbb2020"].verdict), ("faster", "slower"))
        self.assertEqual((found["onetbb"].better_tbb, found["tbb2020"].better_tbb), (False, True))
        level = self.of([cell("ashlar", [1, 1.1, 0.9, 1.05, 0.95]), cell("onetbb", [1, 1, 1, 1, 1])])
        self.assertEqual(level["onetbb"].verdict, "level")
        self.assertEqual(self.of([cell("ashlar", [1, 1]), cell("onetbb", [2, 2])])["onetbb"].verdict, "open")

    def test_disturbed_tries_do_not_count(self):
        ours, theirs = cell("ashlar", [1, 1, 1], cpu=1.0), cell("onetbb", [1, 1, 1], cpu=2.0)
        ours["rounds"].insert(1, report(9, 9.0, 99.0, foreign=1.5))
        found = self.of([ours, theirs])["onetbb"]
        self.assertEqual((found.ratios["cpu"], found.ratios["peak_mb"], found.switches), (0.5, 1.0, (5, 5)))

    def test_text_names_goals_that_are_missed(self):
        text = self.sections.text(document([cell("ashlar", [3, 3, 3], peak=8.0), cell("onetbb", [2, 2, 2])]))
        self.assertIn("slower than the better TBB, 2 threads: 1 of 1 (goal 0), NOT reached: p", text)
        self.assertIn("geometric mean of time against oneTBB, 2 threads, 1 programs: 1.500 (goal 0.90), NOT reached", text)
        self.assertIn("geometric mean of peak memory against oneTBB, 2 threads, 1 programs: 0.800 (goal 0.95), reached", text)
        self.assertEqual(len(self.sections.parts([document([cell("ashlar", [3, 3, 3]), cell("onetbb", [2, 2, 2])])])), 1)

    def test_floor_is_our_run_with_one_thread(self):
        cells = [cell("ashlar", [3, 3, 3], cpu=4.0), cell("onetbb", [2, 2, 2], cpu=5.0), cell("ashlar", [3.2, 3.2, 3.2], cpu=3.0, threads=1)]
        text = self.sections.text(document(cells))
        self.assertIn("floor: time of our runs with one thread, halved, against oneTBB with 2 threads, 1 programs: 0.800", text)
        self.assertIn("floor: CPU time of our runs with one thread, against oneTBB with 2 threads, 1 programs: 0.600", text)
        self.assertNotIn("floor", self.sections.text(document(cells[:2])))


if __name__ == "__main__":
    unittest.main()
