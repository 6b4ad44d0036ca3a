# SPDX-License-Identifier: Apache-2.0
"""The command: bad input gives one line, results are written, plots are drawn or their absence is said."""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import support
import machine

RUN = [sys.executable, str(support.HARNESS / "run.py")]
DOCUMENT = {
    "suite": "demo", "title": "Demo", "date": "2026-01-01T00:00:00Z", "commit": "abc", "machine": {"cpus": 2},
    "peers": {"onetbb": {"title": "oneTBB"}},
    "results": [{"title": "Work & more", "threads": 1, "peer": "onetbb", "ratio": 0.09, "interval": [0.08, 0.11],
                 "goal": "<= 0.10", "reached": "yes?"}],
}


def run(*arguments):
    return subprocess.run([*RUN, *map(str, arguments)], capture_output=True, text=True, check=False)


class BadInput(unittest.TestCase):
    def assert_one_line(self, arguments, message):
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(message, done.stderr)

    def test_messages(self):
        self.assert_one_line(["no-such-suite"], "no suite 'no-such-suite'. There are: algorithms, ")
        self.assert_one_line(["micr"], "no suite 'micr'; 'micro' is near. There are: ")
        self.assert_one_line(["micro", "--peers", "nope"], "unknown peer 'nope'")
        self.assert_one_line(["micro", "--threads", "0"], "not a list of positive numbers")
        self.assert_one_line(["micro", "--threads", "two"], "not a list of positive numbers")
        self.assert_one_line(["micro", "--rows", "nothing-like-it"], "no row of 'micro' matches")
        self.assert_one_line(["micro", "--round", "3", "--sample"], "--help explains")
        self.assert_one_line(["tbbench", "--set", "delaylenght=5"], "has no parameter 'delaylenght'; it has: delaylength, innerreps,")
        self.assert_one_line(["compare", "one.json"], "arguments are required: after")
        self.assert_one_line(["plot"], "arguments are required: results")

    def test_without_a_name_the_suites_are_listed(self):
        done = run()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        names = [line.split()[0] for line in done.stdout.splitlines()]
        folders = {path.parent.name for path in (support.HARNESS.parent).glob("*/suite.toml")}
        self.assertLessEqual(folders | {"kernels", "characterisation", "victims"}, set(names))
        self.assertNotIn("harness", names)


class Results(unittest.TestCase):
    """Without any peer and with an empty prefix nothing is built; the command still has to say what is missing."""

    def test_gaps_are_written_and_fail_the_check(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "out" / "r.json"
            done = run("micro", "--peers", "", "--ashlar-prefix", scratch, "--build-dir", scratch, "--json", path,
                       "--rows", "invoke", "--check")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("Missing: Ashlar: no include/tbb", done.stdout)
            document = json.loads(path.read_text())
        self.assertTrue(document["results"])
        self.assertEqual({line["reached"] for line in document["results"] if line["goal"]}, {"gap"})
        for key in ("date", "commit", "machine", "compiler", "peers", "settings", "cells", "summary"):
            self.assertIn(key, document)

    def test_update_keeps_the_other_rows(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "r.json"
            common = ("micro", "--peers", "", "--ashlar-prefix", scratch, "--build-dir", scratch, "--json", path)
            run(*common, "--rows", "queens")
            first = json.loads(path.read_text())
            done = run(*common, "--rows", "coarse", "--update")
            self.assertEqual(done.returncode, 0, done.stderr)
            second = json.loads(path.read_text())
            self.assertEqual({line["row"] for line in second["results"]}, {"queens", "coarse"})
            self.assertEqual(second["measured"]["queens"], first["measured"]["queens"])
            self.assertIn("11 queens", done.stdout)
            path.write_text(json.dumps({**second, "suite": "other"}))
            done = run(*common, "--rows", "coarse", "--update")
            self.assertEqual(done.returncode, 2)
            self.assertIn("another suite or machine", done.stderr)

    def test_unwritable_path(self):
        with tempfile.TemporaryDirectory() as scratch:
            (pathlib.Path(scratch) / "file").write_text("")
            done = run("micro", "--peers", "", "--ashlar-prefix", scratch, "--build-dir", scratch, "--rows", "invoke",
                       "--json", pathlib.Path(scratch) / "file" / "r.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


class Plot(unittest.TestCase):
    def plot(self, document):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        path = pathlib.Path(scratch.name) / "r.json"
        path.write_text(json.dumps(document))
        done = subprocess.run([sys.executable, str(support.HARNESS / "plot.py"), str(path), str(path.parent / "svg")],
                              capture_output=True, text=True, check=False)
        return done, path.parent / "svg"

    @unittest.skipIf(importlib.util.find_spec("matplotlib"), "matplotlib is installed")
    def test_missing_matplotlib_is_said(self):
        done, _ = self.plot(DOCUMENT)
        self.assertEqual(done.returncode, 1)
        self.assertIn("matplotlib is missing", done.stderr)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_both_themes(self):
        done, directory = self.plot(DOCUMENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        for theme in ("light", "dark"):
            text = (directory / f"demo-ratio-{theme}.svg").read_text()
            self.assertIn("<svg", text)
        done, _ = self.plot({**DOCUMENT, "results": []})
        self.assertEqual(done.returncode, 1)
        self.assertIn("no ratio", done.stderr)


class Machine(unittest.TestCase):
    def test_facts(self):
        cpuinfo = "model name\t: AMD EPYC 9000 (x)\ncpu family\t: 26\nmodel\t\t: 2\nflags\t\t: fpu hypervisor sse\n"
        found = machine.facts(cpuinfo, "console=ttyS0 sched_vcpu_pack=15 panic=1")
        self.assertTrue(found["packs_threads"])
        self.assertTrue(found["virtual"])
        self.assertEqual(found["name"], f"amd-epyc-9000-x-f26-{found['cpus']}cpu-vm")
        self.assertFalse(machine.facts(cpuinfo, "quiet")["packs_threads"])


if __name__ == "__main__":
    unittest.main()
