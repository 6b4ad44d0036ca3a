# SPDX-License-Identifier: Apache-2.0
"""The latency suite: rows that share one run, and what its page says of given waits."""
import unittest

import support
import page
import suite

PEERS = {"ashlar": {"title": "Ashlar"}, "onetbb": {"title": "oneTBB"}, "tbb2020": {"title": "TBB 2020"}}


def values(scale):
    return {"n": 1000, "p50": 1 * scale, "p90": 2 * scale, "p99": 4 * scale, "p999": 8 * scale, "max": 100 * scale, "cpu": scale,
            "beyond": scale / 2}


def document(scales):
    """One wait, measured in two rounds; `scales` by peer."""
    cells = [{"row": "server-60-p50", "threads": 2, "peer": peer, "gap": None,
              "rounds": [{"values": values(scale)}, {"values": values(2 * scale)}]} for peer, scale in scales.items()]
    results = [{"row": f"server-60-{value}", "title": f"requests: {value}", "threads": 2, "unit": "us", "peer": peer,
                "ratio": scales["ashlar"] / scale} for value in ("p50", "p99", "p999", "max")
               for peer, scale in scales.items() if peer != "ashlar"]
    return {"suite": "latency", "title": "Latency", "date": "", "machine": {"cpu": "x", "cpus": 2}, "peers": PEERS, "results": results,
            "cells": cells}


class Latency(unittest.TestCase):
    def test_one_run_serves_all_percentiles(self):
        rows = [row for row in suite.load(support.HARNESS.parent / "latency").rows if row.row == "server-60"]
        self.assertEqual([row.value for row in rows], ["p50", "p99", "p999", "max", "cpu", "beyond"])
        self.assertEqual({(row.program, row.size, tuple(row.threads)) for row in rows}, {("server", None, (2,))})
        goals = {row.value: [(goal.peer, goal.ratio) for goal in row.goals] for row in rows}
        self.assertEqual(goals["p50"], [])
        self.assertEqual(goals["p99"], [("onetbb", 0.8), ("tbb2020", 1.0)])
        self.assertEqual(goals["max"], [("onetbb", 2.0), ("tbb2020", 2.0)])
        self.assertEqual(goals["cpu"], [("onetbb", 0.5)])

    def test_goal_of_an_unknown_value_is_nobodys(self):
        plain = dict(id="a", title="A", program="p", row="a", unit="us")
        made = list(suite._expanded([{**plain, "values": {"p50": "half"}, "goal": [{"peer": "x", "ratio": 1, "values": ["p99"]}]}]))
        self.assertEqual([(row["id"], row["title"], row["value"], row["goal"]) for row in made], [("a-p50", "A: half", "p50", [])])

    def test_page(self):
        part = page.parts_of([document({"ashlar": 10, "onetbb": 20, "tbb2020": 8})])[0]
        table, drawing, used, beyond = part.items
        self.assertEqual([row[2:] for row in table.rows][0],
                         ["Ashlar", "us", "1000", "15.0", "30.0", "60.0", "120.0", "1500", "missed: 99 % 1.25, 99.9 % 1.25"])
        self.assertEqual([series.name for series in drawing.chart.series], ["Ashlar", "oneTBB", "TBB 2020"])
        self.assertEqual(drawing.chart.series[1].values, [30, 60, 120, 240, 3000])
        self.assertEqual((drawing.chart.series[1].low[0], drawing.chart.series[1].high[0]), (20, 40))
        self.assertEqual([series.values for series in used.chart.series], [[15], [30], [12]])
        self.assertEqual(beyond.chart.series[0].values, [7.5])

    def test_page_without_a_peer(self):
        part = page.parts_of([document({"ashlar": 10})])[0]
        self.assertEqual(part.items[0].rows, [])  # nothing to compare with: no line names the wait


if __name__ == "__main__":
    unittest.main()
