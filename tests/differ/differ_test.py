#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tester of differences can say no: differ_test.py INTERPRETER plants faults between the programs and the library, each of which the
short run must find."""
import contextlib
import io
import os
import pathlib
import re
import sys
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import differ  # noqa: E402

INTERPRETER = sys.argv.pop(1)
ALL = sorted({name for source in sorted(HERE.glob("*.[ch]*")) for name in re.findall(r'planted\("([^"]+)"\)', source.read_text(encoding="utf-8"))})
# By the first word of its name: the kinds of programs in which a fault shows.
KINDS = {"group": "group", "loop": "loops", "reduction": "loops", "pipeline": "pipeline", "flow": "flow", "buffer": "buffers", "vector": "vector",
         "queue": "queue", "multiset": "multiset", "hash": "hash_map", "arena": "arena", "local": "local", "memory": "memory",
         "split": "splits", "put": "put_wait", "suspension": "suspend", "priority": "priority", "task": "task", "filter": "filters",
         "cache": "cache", "observer": "observer", "nest": "nest", "edges": "edges", "crowd": "crowd", "merge": "map", "copied": "priority_queue",
         **{name: name for name in ("order", "mutex", "items", "sort", "ports", "entry", "pool", "once")}, "form": "forms"}


class Verdict(unittest.TestCase):
    def check(self, fault):
        output = io.StringIO()
        with mock.patch.dict(os.environ, {"DIFFER_PLANT": fault}), contextlib.redirect_stdout(output):
            kind = KINDS[fault.split()[0]]
            classic = ["--classic"] if kind in differ.programs.CLASSIC_ALONE else []
            code = differ.main([INTERPRETER, "--check", *classic, "--most", "1", "--patience", "5", "--only", kind])
        return code, output.getvalue()

    def test_planted_faults_are_found(self):
        self.assertGreaterEqual(len(ALL), 12)
        for fault in ALL:
            with self.subTest(fault):
                self.assertEqual(self.check(fault)[0], 1)

    def test_rules_are_documented(self):
        """Each rule names a row of docs/compatibility.md, and tagged lines name rules."""
        page = (HERE.parents[1] / "docs/compatibility.md").read_text(encoding="utf-8")
        rules = differ.Rules().all
        for name, rule in rules.items():
            self.assertTrue(rule["row"] in page, name)
        tags = {tag for source in HERE.glob("*.cpp") for tag in re.findall(r'known\("([^"]+)"', source.read_text(encoding="utf-8"))}
        self.assertEqual(tags, {name for name, rule in rules.items() if "kinds" not in rule})

    def test_lines(self):
        rules = differ.Rules()
        program = {"kind": "group", "n": 1, "body": []}

        def runs(*lines):
            return [{"threads": n, "told": list(lines), "open": []} for n in (1, 2)]

        self.assertIsNone(differ.difference(program, runs("a: 1"), runs("a: 1"), rules))
        self.assertIn("'a: 1'", differ.difference(program, runs("a: 1"), runs("a: 2"), rules))
        self.assertIn("'b: 1'", differ.difference(program, runs("a: 1", "b: 1"), runs("a: 1"), rules))
        self.assertIn("hangs", differ.difference(program, "hangs: no end", runs("a: 1"), rules))
        self.assertIsNone(differ.difference(program, runs("~early cancel~ a: 1"), runs("~early cancel~ a: 2"), rules))
        self.assertEqual(rules.used["early cancel"], 2)
        waiting = {**program, "kind": "put_wait"}
        self.assertIsNone(differ.difference(waiting, runs("a: 1"), "hangs: no end", rules))
        self.assertIn("hangs", differ.difference(waiting, "hangs: no end", runs("a: 1"), rules))
        self.assertIn("hangs", differ.difference(program, runs("a: 1"), "hangs: no end", rules))
        other = runs("a: 1")
        other[1]["told"] = ["a: 3"]
        self.assertIn("with 1 thread", differ.difference(program, other, other, rules))


if __name__ == "__main__":
    unittest.main()
