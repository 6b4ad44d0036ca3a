#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/figures.py shows what is stored, and notices a document that shows something else."""
import gzip
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SPECIFICATION = """[[document]]
file = "README.md"
columns = ["onetbb", "tbb2020"]
picture = "picture"
[[document.row]]
label = "a loop"
suite = "micro"
row = "loop"
threads = [1, 2]
bar = "loop"
[[document]]
file = "guide.md"
columns = ["onetbb"]
[[document.row]]
label = "the loop"
suite = "micro"
row = "loop"
threads = [2]
"""
DOCUMENTS = ("README.md", "guide.md")


class Figures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        (self.root / "tools").mkdir()
        (self.root / "tools" / "figures.toml").write_text(SPECIFICATION)
        for name in DOCUMENTS:
            (self.root / name).write_text("before\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nafter\n")
        self.store("2026-01-01T00:00:00Z", 10.0)

    def tearDown(self):
        self.folder.cleanup()

    def store(self, date, ours, rows=None):
        results = [{"row": "loop", "threads": t, "peer": p, "theirs": theirs, "ours": ours / t, "ratio": ours / theirs}
                   for t in (1, 2) for p, theirs in (("onetbb", 40.0), ("tbb2020", None if t == 2 else 30.0))
                   if theirs is not None]
        document = {"suite": "micro", "date": date, "commit": "0123456789", "results": results, "cells": [],
                    "machine": {"cpu": "CPU", "cpus": 2, "virtual": False},
                    "settings": {"rounds": 3, "rows": rows, "threads": None}}
        folder = self.root / "bench" / "results" / "machine"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{date}-micro-{len(list(folder.iterdir()))}.json.gz").write_bytes(gzip.compress(json.dumps(document).encode()))

    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, str(ROOT / "tools" / "figures.py"), "--root", str(self.root), *arguments],
                              capture_output=True, text=True)

    def document(self, name):
        return (self.root / name).read_text()

    def test_writes_and_is_content_then(self):
        self.assertEqual(self.run_tool("--check").returncode, 1)
        self.assertEqual(self.run_tool().returncode, 0)
        self.assertIn("| a loop | 40.0 / 40.0 | 30.0 / – | 10.0 / 5.00 | 0.25 / 0.25 |", self.document("README.md"))
        self.assertIn("| the loop | 40.0 | 5.00 | 0.25 |", self.document("guide.md"))
        for text in map(self.document, DOCUMENTS):
            self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
            self.assertIn("`./dev bench micro` (3 rounds; CPU, 2 processors; 2026-01-01, commit 0123456)", text)
        self.assertEqual(self.run_tool("--check").returncode, 0)

    def test_draws_the_last_ratio_and_notices_another_picture(self):
        self.run_tool()
        for theme, other in (("light", "dark"), ("dark", "light")):
            drawing = (self.root / f"picture-{theme}.svg").read_text()
            self.assertIn("0.25", drawing)
            (self.root / f"picture-{theme}.svg").write_text((self.root / f"picture-{other}.svg").read_text())
            self.assertIn(f"picture-{theme}.svg", self.run_tool("--check").stderr)
            (self.root / f"picture-{theme}.svg").write_text(drawing)
        (self.root / "picture-dark.svg").unlink()
        self.assertEqual(self.run_tool("--check").returncode, 1)

    def test_notices_a_changed_figure(self):
        for name in DOCUMENTS:
            self.run_tool()
            (self.root / name).write_text(self.document(name).replace("5.00", "4.00"))
            found = self.run_tool("--check")
            self.assertEqual(found.returncode, 1)
            self.assertEqual([line.partition(":")[0] for line in found.stderr.splitlines()], [name])

    def test_notices_a_newer_result(self):
        self.run_tool()
        self.store("2026-01-02T00:00:00Z", 20.0)
        self.assertEqual(self.run_tool("--check").returncode, 1)

    def test_a_part_of_a_suite_does_not_count(self):
        self.run_tool()
        self.store("2026-01-02T00:00:00Z", 20.0, rows=["loop"])
        self.assertEqual(self.run_tool("--check").returncode, 0)

    def test_a_row_that_nothing_stored_has(self):
        (self.root / "tools" / "figures.toml").write_text(SPECIFICATION.replace('row = "loop"', 'row = "lop"'))
        found = self.run_tool()
        self.assertEqual(found.returncode, 1)
        self.assertIn("no row lop", found.stderr)


if __name__ == "__main__":
    unittest.main()
