#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The soak finds what goes wrong, and tells it with a small program: interpreters that fail on purpose."""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import time
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import generator  # noqa: E402
import soak  # noqa: E402

# Answers as the interpreter does; %s happens at each program that holds a sort with more than 5 elements.
FAKE = """#!{python}
import json, os, signal, sys, time
def bad(p): return p["kind"] == "sort" and p.get("n", 1) > 5 or any(map(bad, p.get("body", [])))
failures = []
memory = 1000
for line in sys.stdin:
    memory += {growth}
    if bad(json.loads(line)):
        {what}
    print(json.dumps({{"ran": 1, "cancelled": 0, "kib": memory, "failures": failures}}), flush=True)
"""


class Shrinking(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def soak(self, what="pass", growth=0, **more):
        fake = self.folder / "fake"
        fake.write_text(FAKE.format(python=sys.executable, what=what, growth=growth))
        fake.chmod(0o700)
        # A run ends with its first failure, and an interpreter begins when a busy machine lets it: time decides nothing here.
        options = ["--seconds", "100", "--tries", "1", "--failure", str(self.folder / "failure.json")]
        options += [x for name, value in more.items() for x in ("--" + name, str(value))]
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = soak.main([str(fake), *options])
        return code, output.getvalue()

    def test_stored_commit(self):
        """The tree may go on while the soak runs: its result is the commit's at which it began."""
        commits, stored = iter(["begun", "later"]), []
        with (mock.patch.object(soak.peers, "git_version", lambda: next(commits)),
              mock.patch.object(soak.Soak, "run", lambda _: soak.peers.git_version() and {"failure": None}),
              mock.patch.object(soak.Soak, "summary", lambda _: "done"),
              mock.patch.object(soak, "store", stored.append), contextlib.redirect_stdout(io.StringIO())):
            soak.main(["interpreter", "--store"])
        self.assertEqual([(document["commit"], document["soak"]) for document in stored], [("begun", {"failure": None})])

    def expect_small(self, what, words):
        code, output = self.soak(what)
        self.assertEqual(code, 1)
        self.assertIn(words, output)
        smallest = json.loads((self.folder / "failure.json").read_text())
        self.assertEqual(generator.size(smallest), 2)
        self.assertEqual((smallest["body"][0]["kind"], smallest["body"][0]["n"]), ("sort", 6))

    def test_death(self):
        self.expect_small("os.kill(os.getpid(), signal.SIGSEGV)", "died of SIGSEGV")

    def test_wrong_result(self):
        self.expect_small('failures = ["a task was lost"]', "a task was lost")

    def test_hang(self):
        code, output = self.soak("time.sleep(1000)", patience=1, **{"shrink-seconds": 3})
        self.assertEqual(code, 1)
        self.assertIn("hangs", output)

    def test_growth(self):
        with mock.patch.object(soak, "LEAST_PROGRAMS", 20):
            code, output = self.soak(growth=10_000, **{"process-seconds": 3})
        self.assertEqual(code, 1, output)
        self.assertIn("memory grows", output)

    def test_no_failure(self):
        code, output = self.soak(seconds=1)
        self.assertEqual(code, 0, output)
        self.assertIn("no failure", output)

    def test_programs_repeat(self):
        self.assertEqual(generator.program(5), generator.program(5))
        self.assertNotEqual(generator.program(5), generator.program(6))
        kinds = set()
        for seed in range(300):
            kinds |= {generator.at(generator.program(seed), path)["kind"] for path in generator.paths(generator.program(seed))}
        self.assertEqual(kinds, set(generator.KINDS))

    def test_shrinking_ends_in_time(self):
        tried = []
        soak.shrink(generator.program(1), lambda p: bool(tried.append(p)), time.monotonic() + 600)
        self.assertLess(len(tried), 3 * generator.size(generator.program(1)) + 100)


if __name__ == "__main__":
    unittest.main()
