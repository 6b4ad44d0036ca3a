#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The check for memory that grows can say no: memory_test.py PROGRAM, whose cases leak, or look as if, on purpose."""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import memory  # noqa: E402

PROGRAM = sys.argv.pop(1)
SHAPES = ("one_to_one", "one_to_many", "many_to_one", "ring")

FAKE = """#!{python}
import os, sys, time
if sys.argv[1] == "--list":
    print("fake.ring 1")
    sys.exit()
{what}
"""


def curve(*kib):
    return [((i + 1) / len(kib), i, 0.0, k) for i, k in enumerate(kib)]


class Verdict(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, *options, program=PROGRAM, known=""):
        """The exit code, and what is said."""
        table = self.folder / "known_growth.toml"
        table.write_text(known)
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = memory.main([str(program), "--known", str(table), *options])
        return code, output.getvalue()

    def fake(self, what):
        path = self.folder / "fake"
        path.write_text(FAKE.format(python=sys.executable, what=what))
        path.chmod(0o700)
        return path

    def test_bound(self):
        """Above a tenth and 1 MiB, since a fifth of the run."""
        self.assertFalse(memory.grows(curve(10_000, 9_000, 20_000, 11_000 + 1024, 11_000 + 1024)))
        self.assertTrue(memory.grows(curve(10_000, 9_000, 10_000, 11_001 + 1024, 11_001 + 1024)))
        self.assertFalse(memory.grows(curve(1000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000)))

    def test_what_comes_and_goes_is_no_growth(self):
        """Live data that varies by a quarter, whatever the last sample is; a leak beside it is found."""
        waves = [40_000 + 10_000 * (i * 7 % 5 - 2) // 2 for i in range(50)]
        self.assertEqual({memory.grows(curve(*waves[i:], *waves[:i])) for i in range(50)}, {False})
        self.assertEqual({memory.grows(curve(*(kib + 700 * at for at, kib in enumerate(waves[i:] + waves[:i])))) for i in range(50)}, {True})

    def test_leaks_are_found(self):
        code, output = self.check("--only", "leaking")
        self.assertEqual(code, 1, output)
        for shape in SHAPES:
            self.assertIn(f"FAILED leaking.{shape}: memory grows", output)
        self.assertIn("4 FAILED", output)

    def test_leaks_are_found_by_time(self):
        code, output = self.check("--only", "leaking.one_to_one", "--seconds", "3")
        self.assertEqual(code, 1, output)

    def test_others_pass(self):
        code, output = self.check("--only", "steady")
        self.assertEqual(code, 0, output)
        self.assertIn("4 cases", output)

    def test_slow_beginnings_pass(self):
        """By the second run alone."""
        self.assertTrue(memory.grows(memory.run_case(PROGRAM, "warming_up.one_to_one", [], 100)))
        code, output = self.check("--only", "warming_up.one_to_one")
        self.assertEqual(code, 0, output)

    def test_known_growth(self):
        code, output = self.check("--only", "leaking.ring", known='"leaking.ring" = "on purpose"')
        self.assertEqual(code, 0, output)
        self.assertIn("leaking.ring grows, as is known (on purpose)", output)

    def test_list_becomes_shorter(self):
        code, output = self.check("--only", "steady.ring", known='"steady.ring" = "it grew once"')
        self.assertEqual(code, 1)
        self.assertIn("FAILED steady.ring: no longer grows", output)
        code, output = self.check("--only", "steady.ring", known='"gone.ring" = "there was such a case once"')
        self.assertEqual(code, 1)
        self.assertIn("FAILED gone.ring", output)

    def test_broken_cases(self):
        for what, words in (("os.kill(os.getpid(), 11)", "ended with -11"), ("pass", "ended with 0"), ("time.sleep(1000)", "no end after 1 s"),
                            ("print('0.5 1 1.0 1')", "ended with 0"), ("print('x y z')", "an answer that is no curve")):
            # Only what hangs is ended by its time, which on a busy machine a program takes to begin.
            code, output = self.check("--patience", "1" if "sleep" in what else "100", program=self.fake(what))
            self.assertEqual(code, 1)
            self.assertIn(f"FAILED fake.ring: {words}", output)

    def test_curves_are_stored(self):
        stored = self.folder / "stored"
        self.check("--only", "steady|leaking.ring", "--store", str(stored))
        document = json.loads((stored / "memory.json").read_text())
        self.assertEqual(set(document["curves"]), {"leaking.ring", *(f"steady.{shape}" for shape in SHAPES)})
        self.assertEqual(document["curves"]["steady.ring"][-1][0], 1)
        self.assertEqual(list(document["failures"]), ["leaking.ring"])
        drawing = (stored / "steady.svg").read_text()
        self.assertTrue(drawing.startswith("<svg"))
        self.assertEqual(drawing.count("<polyline"), 4)


if __name__ == "__main__":
    unittest.main()
