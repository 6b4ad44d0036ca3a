# SPDX-License-Identifier: Apache-2.0
"""The suite flow: its rows are what its programs have, its goals are those that were asked for, and its quick form runs."""
import re
import unittest

import support
import suite

FLOW = support.HARNESS.parent / "flow"
PROGRAMS = {name: f"{name}.cpp" for name in ("nodes", "floors", "messages", "video", "build_system")} | {"waiting": "messages.cpp"}


def rows_of(source):
    """The rows that a program knows: its table, or the names it compares with."""
    text = (FLOW / source).read_text(encoding="utf-8")
    return set(re.findall(r'^ +\{"(\w+)", [\w:<>]+\},$', text, re.M)) | set(re.findall(r'is_row\(o, "(\w+)"\)', text))


class Rows(unittest.TestCase):
    def setUp(self):
        self.rows = suite.load(FLOW).rows

    def test_every_row_of_a_program_is_measured_and_exists(self):
        for source in set(PROGRAMS.values()):
            used = {row.row for row in self.rows if PROGRAMS[row.program] == source}
            self.assertEqual(used, rows_of(source), source)

    def test_taskflow_has_the_rows_that_are_compared_with_it(self):
        compared = {row.row for row in self.rows for goal in row.goals if goal.peer == "taskflow"}
        self.assertEqual(compared, rows_of("taskflow.cpp"))

    def test_goals(self):
        goals = {row.id: {(goal.threads, goal.peer): goal.absolute or goal.ratio for goal in row.goals} for row in self.rows}
        self.assertEqual(goals["chain-continue"][1, "onetbb"], 0.35)
        self.assertEqual(goals["wavefront"][2, "taskflow"], 1.0)
        self.assertEqual(goals["chain-continue-instructions"][1, "onetbb"], 90)
        self.assertEqual(goals["memory-join"][1, "onetbb"], 48)
        self.assertEqual({goals["sleeping"][threads, "onetbb"] for threads in (8, 32, 64)}, {1.05})

    def test_counted_rows_are_the_measured_ones(self):
        floors = rows_of("floors.cpp") | {"build_system_loop"}
        counted = {row.row for row in self.rows if row.kind == "count"}
        measured = {row.row for row in self.rows if row.kind == "samples" and row.unit.startswith("ns/")}
        self.assertEqual(measured - counted, {"sleeping", "build_system", "build_system_whole"} | floors)


if __name__ == "__main__":
    unittest.main()
