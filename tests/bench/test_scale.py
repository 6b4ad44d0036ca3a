# SPDX-License-Identifier: Apache-2.0
"""The scaling command: which thread counts, the description of a made-up machine, and the page to send."""
import importlib.util
import json
import pathlib
import re
import sys
import tempfile
import unittest

import support
import page
import suite

SCALE = support.HARNESS.parent / "scale"


def module(name):
    spec = importlib.util.spec_from_file_location(name, SCALE / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


places = module("places")
scale = module("scale")


def document():
    def cell(threads, peer, median):
        return {"row": "work", "threads": threads, "peer": peer, "median": median, "interval": [median, median]}
    results = [{"row": "work", "title": "Some </script> work", "unit": "ms", "threads": n, "peer": "onetbb", "ratio": 0.5, "goal": "", "reached": "",
                "theirs": 2.0, "ours": 1.0} for n in (1, 4)]
    return {"suite": "scale", "title": "Scaling", "date": "2026-01-01T00:00", "machine": {"cpu": "x", "cpus": 2}, "results": results,
            "peers": {"ashlar": {"title": "Ashlar"}, "onetbb": {"title": "oneTBB"}}, "places": {"processors": 2, "NUMA nodes": "node0: 0-1"},
            "statistics": [cell(1, "ashlar", 8.0), cell(4, "ashlar", 2.5), cell(1, "onetbb", 16.0), cell(4, "onetbb", 5.0)]}


class Scale(unittest.TestCase):
    def test_thread_counts(self):
        self.assertEqual(scale.thread_counts(2), [1, 2, 8])
        self.assertEqual(scale.thread_counts(24), [1, 2, 4, 8, 16, 24])
        self.assertEqual(scale.thread_counts(64)[-2:], [32, 64])

    def test_rows_that_need_two_threads_are_left_out_with_one(self):
        loaded = suite.load(SCALE)
        loaded.use_threads([1, 2, 8])
        counts = {row.id: row.threads for row in loaded.rows}
        self.assertEqual((counts["fork-join"], counts["queue"], counts["quality-loop"]), ([1, 2, 8], [2, 8], [2, 8]))

    def test_page_marks_oversubscription_and_holds_the_figures(self):
        made = document()
        table = page.parts_of([made])[0].items[1]
        self.assertEqual([row[1:] for row in table.rows], [["1", "ms", "8.000", "16.0", "-", "0.500", "1.00"],
                                                           ["4*", "ms", "2.500", "5.000", "-", "0.500", "3.20"]])
        text = scale.with_data(page.render([made]), made)
        held = re.search(r'<script type="application/json" id="results">(.*?)</script>', text, re.DOTALL).group(1)
        self.assertEqual(json.loads(held), made)

    def test_description_of_a_machine(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for cpu in range(4):
                self.write(root, f"sys/devices/system/cpu/cpu{cpu}/topology/core_cpus_list", f"{cpu % 2},{cpu % 2 + 2}")
                self.write(root, f"sys/devices/system/cpu/cpu{cpu}/cache/index3/shared_cpu_list", "0-3")
            for node, cpus in (("node0", "0,2"), ("node10", "3"), ("node2", "1")):
                self.write(root, f"sys/devices/system/node/{node}/cpulist", cpus)
            self.write(root, "sys/fs/cgroup/cpu.max", "150000 100000")
            found = places.facts(scratch)
        self.assertEqual((found["processors"], found["cores"], found["third-level caches"]), (4, 2, 1))
        self.assertEqual(found["NUMA nodes"], "node0: 0,2; node2: 1; node10: 3")
        self.assertEqual(found["CPU quota"], "150000 100000")

    @staticmethod
    def write(root, path, text):
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    unittest.main()
