# SPDX-License-Identifier: Apache-2.0
"""The TBBench programs by themselves: the OpenMP twins, which need no library, with good and bad arguments."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import support
import build
import measure
import peers
import suite

SUITE = support.HARNESS.parent / "tbbench"
GPP = shutil.which("g++")


@unittest.skipUnless(GPP, "g++ is not installed")
class Twins(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        peer = peers.Peer("libgomp", "libgomp", "openmp", flags=["-fopenmp"])
        cls.program = build.build(pathlib.Path(cls.scratch.name), peer, SUITE / "openmp.cpp", "twins")

    def run_program(self, *arguments):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False, timeout=600)

    def test_every_row_checks_its_result(self):
        for row in ("parallel_for", "parallel_reduce", "spin_mutex", "atomic", "chunk", "static", "static-chunk", "guided-chunk"):
            done = self.run_program(row, "--threads", "2", "--samples", "2", "--sample-ms", "0.2", "--warm-ms", "1", "--set", "innerreps=7",
                                    "--set", "itersperthr=3", "--set", "delaylength=50", "--set", "mhz=2000")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(done.stdout)
            self.assertEqual((found["ok"], len(found["samples"])), (True, 2))
            # 7 repetitions become 8, because two threads share them evenly; the given rate is believed.
            self.assertEqual((found["values"]["innerreps"], found["values"]["mhz"]), (8, 2000))
            self.assertGreater(found["values"]["tp_ns"], 0)
            for _, _, cycles, _ in found["samples"]:
                self.assertGreater(cycles, 0)
            # The best of cores take 8 instructions a cycle, none takes half of one. Of a sample that was interrupted both are possible.
            widths = [width for _, _, _, width in found["samples"]]
            self.assertGreater(max(widths), 0.5)
            self.assertLess(min(widths), 20)

    def test_clock_rate_is_measured(self):
        found = 0
        for _ in range(10):  # of which one is not interrupted
            if found <= 100:
                found = json.loads(self.run_program("atomic", "--samples", "1", "--sample-ms", "0.2", "--warm-ms", "1").stdout)["values"]["mhz"]
        self.assertGreater(found, 100)

    def test_bad_arguments_give_one_line(self):
        for arguments, message in ((["nothing"], "no row: nothing"), (["atomic", "--set", "delay=3"], "unknown parameter: delay"),
                                   (["atomic", "--set", "cksz"], "--set wants NAME=VALUE: cksz"),
                                   (["atomic", "--set", "cksz=x"], "bad or missing value of option: cksz")):
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.strip(), message)
            self.assertEqual(done.stdout, "")


class SuiteFile(unittest.TestCase):
    def test_rows_of_the_paper(self):
        loaded = suite.load(SUITE)
        ids = {row.id for row in loaded.rows}
        self.assertLessEqual({f"chunk-{c}" for c in (1, 2, 4, 8, 16, 32, 64, 128)}, ids)
        self.assertLessEqual({"printed-chunk", "printed-simple", "printed-auto"}, ids)
        self.assertEqual((loaded.runs["rounds"], loaded.runs["samples"], loaded.runs["sigma"]), (20, 50, 3))
        self.assertEqual({name: spec.get("default") for name, spec in loaded.parameters.items()},
                         {"delaylength": 500, "innerreps": None, "itersperthr": 128, "cksz": None, "mhz": None})
        self.assertEqual(next(row for row in loaded.rows if row.id == "chunk-64").set, {"cksz": 64})

    def test_length_is_foretold(self):
        loaded = suite.load(SUITE)

        def seconds(row, *given):
            settings = measure.Settings(samples=50, values=loaded.values(given))
            return measure.Measurement(loaded, {}, settings, SUITE).run_seconds(next(r for r in loaded.rows if r.id == row))
        self.assertAlmostEqual(seconds("parallel_for"), 0.15 + 2 * 50 * 0.010)
        # 10000 loops of 50 us, each twice; of 100 and 200 us with more or longer delays.
        self.assertAlmostEqual(seconds("auto", "innerreps=10000"), 0.15 + 2 * 50 * 0.5)
        self.assertAlmostEqual(seconds("auto", "innerreps=10000", "itersperthr=256"), 0.15 + 2 * 50 * 1.0)
        self.assertAlmostEqual(seconds("auto", "innerreps=10000", "itersperthr=256", "delaylength=1000"), 0.15 + 2 * 50 * 2.0)
        self.assertAlmostEqual(seconds("atomic", "innerreps=10000", "delaylength=1000"), 0.15 + 2 * 50 * 1e-4)

    def test_other_thread_counts(self):
        loaded = suite.load(SUITE)
        loaded.use_threads([1, 4])
        self.assertEqual({tuple(row.threads) for row in loaded.rows}, {(1, 4)})
        self.assertEqual([goal for row in loaded.rows for goal in row.goals], [])

    def test_wrong_keys_are_errors(self):
        with tempfile.TemporaryDirectory() as scratch:
            base = '[program.p]\nsource = "program.cpp"\n'
            row = '[[row]]\nid = "a"\ntitle = "A"\nprogram = "p"\nrow = "a"\nunit = "ns"\n'
            for text, message in ((base + "[runs]\nround = 1\n" + row, "unknown key 'round'"),
                                  (base + "[parameter.x]\nleast = 1\nmax = 2\n" + row, "unknown key 'max'"),
                                  (base + row + 'variants = ["fast"]\n', "no variant 'fast'"),
                                  (base + row + "set = { x = 1 }\n", "no parameter 'x'")):
                with self.assertRaisesRegex(suite.SuiteError, message):
                    suite.load(support.write_suite(pathlib.Path(scratch) / "s", text))


if __name__ == "__main__":
    unittest.main()
