# SPDX-License-Identifier: Apache-2.0
"""The suite threads: its rows are what its programs have, and its page draws every row over the threads."""
import re
import unittest

import support
import page
import suite

THREADS = support.HARNESS.parent / "threads"


def described(row, threads, peer, median):
    return {"row": row, "threads": threads, "peer": peer, "median": median, "interval": [median, median + 0.1]}


class Rows(unittest.TestCase):
    def test_every_scenario_is_a_row(self):
        named = set()
        for header in THREADS.glob("*.h"):
            for table in re.findall(r"inline scenarios \w+\(\) \{(.*?)\n\}", header.read_text(encoding="utf-8"), re.S):
                named |= set(re.findall(r'\{"([\w.-]+)",', table))
        rows = [row for row in suite.load(THREADS).rows if row.program == "quality"]
        self.assertGreater(len(named), 30)
        self.assertEqual({row.row for row in rows}, named)

    def test_sleeping_rows_do_not_need_a_quiet_machine(self):
        for row in suite.load(THREADS).rows:
            self.assertEqual(row.cores_min, 0, row.id)
            if row.program in ("quality", "episodes"):
                self.assertTrue(row.any_load, row.id)


class Page(unittest.TestCase):
    def test_a_figure_per_row_with_a_point_per_thread_count(self):
        document = {
            "suite": "threads", "title": "Many threads", "date": "2026-01-01T00:00:00Z", "machine": {"cpu": "a", "cpus": 2},
            "peers": {"ashlar": {"title": "Ashlar"}, "onetbb": {"title": "oneTBB"}}, "results": [
                {"row": row, "title": row, "threads": 4, "peer": "onetbb", "unit": "x", "theirs": 1, "ours": 2, "ratio": 2, "goal": "",
                 "reached": ""} for row in ("loop", "membarriers")],
            "statistics": [described("loop", 4, "ashlar", 2.0), described("loop", 64, "ashlar", 11.0),
                           described("loop", 4, "onetbb", 1.0), described("membarriers", 8, "ashlar", 9.0)]}
        part, = page.sections_of("threads").parts([document])
        loop, membarriers, table = part.items
        self.assertEqual(loop.chart.groups, ["4", "64"])
        self.assertEqual([(s.name, s.values) for s in loop.chart.series], [("Ashlar", [2.0, 11.0]), ("oneTBB", [1.0, None])])
        self.assertTrue(loop.chart.log)
        self.assertEqual((membarriers.chart.groups, membarriers.chart.log), (["8"], False))
        self.assertEqual(len(table.rows), 2)


if __name__ == "__main__":
    unittest.main()
