# SPDX-License-Identifier: Apache-2.0
"""The history of instruction counts: what counts as risen, what is stored, what the page shows."""
import importlib.util
import json
import pathlib
import sys
import tempfile
import unittest

import support  # noqa: F401  pylint: disable=unused-import
import page

ROOT = pathlib.Path(__file__).resolve().parents[2]


def module(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


golden = module("golden", ROOT / "tools" / "golden.py")
points = module("points", ROOT / "bench" / "history" / "points.py")


def document(*counts):
    found = [{"commit": f"commit{i}", "date": f"2026-01-0{i + 1}", "counts": c} for i, c in enumerate(counts)]
    return {"suite": "history", "title": "History", "date": "2026-01-01", "machine": {}, "peers": {}, "results": [], "points": found}


class Courses(unittest.TestCase):
    def test_a_row_rises_above_its_least_count_not_above_the_one_before(self):
        up_again = points.courses(document({"a": [100, 0]}, {"a": [90, 0]}, {"a": [95, 0]}))[0]
        self.assertTrue(up_again.risen)  # 5.6 % above 90
        self.assertEqual((up_again.least[0], up_again.last), ("commit1", 95))
        self.assertFalse(points.courses(document({"a": [90, 0]}, {"a": [94, 0]}))[0].risen)
        self.assertFalse(points.courses(document({"a": [2, 0]}, {"a": [2.4, 0]}))[0].risen)  # half an instruction is no rise

    def test_of_one_commit_the_point_with_more_rows_stays(self):
        few, many = (points.Point("abcdef0", "2026-01-01", dict.fromkeys(rows, [1, 0])) for rows in ("a", "ab"))
        self.assertEqual(points.joined([many, few]), [many])

    def test_page_and_text(self):
        made = document({"fork_join": [80, 1], "containers.map_find": [50, 0]}, {"fork_join": [100, 1], "containers.map_find": [50, 0]})
        items = page.parts_of([made])[0].items
        drawn = [item for item in items if isinstance(item, page.Figure)]
        self.assertEqual([figure.chart.series[0].values for figure in drawn], [[1.0, 1.25]])  # what did not change is not drawn
        tables = [item for item in items if isinstance(item, page.Table)]
        self.assertEqual([row[0] for table in tables for row in table.rows], ["fork_join", "containers.map_find"])
        text = page.sections_of("history").text(made)
        self.assertIn("2 rows over 2 commits", text)
        self.assertIn("fork_join", text)
        self.assertNotIn("map_find", text)


class LongForm(unittest.TestCase):
    def test_a_rise_is_told(self):
        before = {"a": [100.0, 1.0], "b": [1.0, 0.0], "gone": [5.0, 0.0]}
        self.assertEqual(golden.risen({"a": (105.0, 1.0), "b": (1.4, 0.0), "new": (9.0, 0.0)}, before), [])
        self.assertEqual(golden.risen({"a": (106.0, 2.0)}, before),
                         ["a: 106.0 instructions, stored last 100.0", "a: 2.0 locked, stored last 1.0"])

    def test_a_commit_is_stored_once(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "counts"
            self.assertEqual(golden.last_stored(folder), {})
            golden.store({"a": (2.0, 0.0)}, folder)
            path = golden.store({"a": (1.5, 0.0)}, folder)
            self.assertEqual([p.name for p in folder.iterdir()], [path.name])
            self.assertEqual(golden.last_stored(folder), {"a": [1.5, 0.0]})
            self.assertEqual([p.counts for p in points.stored(folder)], [{"a": [1.5, 0.0]}])
            self.assertEqual(set(json.loads(path.read_text(encoding="utf-8"))), {"commit", "date", "compiler", "counts"})


if __name__ == "__main__":
    unittest.main()
