# SPDX-License-Identifier: Apache-2.0
"""What is refused when others disturb, how far a measurement says it is, and going on after an interruption."""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import unittest.mock

import support
import checkpoint
import measure
import peers
import progress
import quiet
import run


def stat_line(pid, name, parent, ticks):
    return f"{pid} ({name}) R {parent} 0 0 0 0 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0\n"


class Quiet(unittest.TestCase):
    def test_sees_a_stranger_and_not_its_own_child(self):
        with tempfile.TemporaryDirectory() as scratch:
            proc = pathlib.Path(scratch)
            for pid, name, parent in ((1, "init", 0), (7, "other (x) y", 1), (os.getpid(), "me", 1), (9, "child", os.getpid())):
                (proc / str(pid)).mkdir()
                (proc / str(pid) / "stat").write_text(stat_line(pid, name, parent, 0))
            original, quiet.time.sleep = quiet.time.sleep, lambda _: [
                (proc / pid / "stat").write_text(stat_line(pid, name, parent, 100 * quiet.TICK))
                for pid, name, parent in (("7", "other (x) y", 1), ("9", "child", os.getpid()))]
            try:
                found = quiet.others(0, scratch)
            finally:
                quiet.time.sleep = original
        self.assertEqual([name for _, name in found], ["other (x) y"])

    def test_a_real_stranger(self):
        # Started through a shell that ends, so that it is nobody's child any more. It computes until the pipe is closed.
        reading, writing = os.pipe()
        spin = textwrap.dedent(f"""
            import os
            os.set_blocking({reading}, False)
            while True:
                try:
                    if not os.read({reading}, 1):
                        break
                except BlockingIOError:
                    pass
            """)
        with open(writing, "wb"):
            subprocess.run(["sh", "-c", '"$0" -c "$1" & ', sys.executable, spin], check=True, pass_fds=[reading])
            os.close(reading)
            seen, deadline = False, time.monotonic() + 100  # it gets what a loaded machine has left
            while not seen and time.monotonic() < deadline:
                found = quiet.others(0.5)
                seen = any(name.startswith("python") and cores > 0.05 for cores, name in found)
        self.assertTrue(seen, found)

    def test_objection_names_the_busiest(self):
        self.assertIsNone(quiet.objection([(0.1, "a"), (0.1, "b")], 0.3))
        self.assertEqual(quiet.objection([(0.9, "make"), (0.2, "cc")], 0.3),
                         "other processes use 1.10 cores, more than 0.3: make (0.90), cc (0.20)")

    def test_waits_and_then_refuses(self):
        looks, now = [[(1.0, "x")], [(1.0, "x")], []], iter(range(100))
        self.assertIsNone(quiet.wait_for_quiet(0.3, 10, lambda: looks.pop(0), lambda: next(now)))
        self.assertEqual(looks, [])
        now = iter(range(100))
        self.assertIn("1.00 cores", quiet.wait_for_quiet(0.3, 3, lambda: [(1.0, "x")], lambda: next(now)))
        self.assertEqual(next(now), 4)

    def test_refusal_after_the_measurement(self):
        self.assertIsNone(quiet.refusal(2, 8))
        self.assertEqual(quiet.refusal(3, 8), "other processes disturbed 3 of 8 runs, more than 25 %")
        self.assertIsNone(quiet.refusal(0, 0))


    def test_a_disturbed_run(self):
        self.assertTrue(quiet.disturbs({"watched_s": 0.5, "foreign_cores": 0.5}, 0.3))
        self.assertFalse(quiet.disturbs({"watched_s": 0.5, "foreign_cores": 0.2}, 0.3))
        self.assertFalse(quiet.disturbs({"watched_s": 0.02, "foreign_cores": 1.0}, 0.3))  # two ticks of the kernel's
        self.assertFalse(quiet.disturbs({}, 0.3))


class Progress(unittest.TestCase):
    def test_time_left(self):
        now = [0.0]
        bar = progress.Bar(io.StringIO(), lambda: now[0])
        bar.total = 10
        bar("a", 0)
        now[0] = 20.0
        self.assertEqual(bar.left(4), 30)
        self.assertIn("40 %, 30 s left  row", bar.line("row", 4))

    def test_without_a_terminal_a_line_per_tenth(self):
        stream = io.StringIO()
        bar = progress.Bar(stream, lambda: 0.0)
        bar.total = 100
        for done in range(100):
            bar("x", done)
        self.assertEqual(len(stream.getvalue().splitlines()), 9)

    def test_durations(self):
        self.assertEqual([progress.duration(s) for s in (0.4, 59, 61, 3600 + 125)], ["0 s", "59 s", "1 min 01 s", "1 h 02 min"])


class Resume(unittest.TestCase):
    FACTS = {"suite": "s", "commit": "c", "machine": {"name": "m"}, "settings": {"rounds": 2, "samples": 5}, "peers": {"p": {"version": "1"}}}

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.results = pathlib.Path(scratch.name) / "sub" / "r.json"

    def test_round_trip_and_what_must_agree(self):
        saved = checkpoint.Checkpoint(self.results, self.FACTS)
        saved.save([measure.Cell("r", 2, "p", series=[[1.0]])])
        self.assertEqual(saved.load()[0].series, [[1.0]])
        for key, value in (("commit", "d"), ("settings", {"rounds": 2, "samples": 3}), ("machine", {"name": "n"})):
            with self.assertRaisesRegex(checkpoint.ResumeError, f"another {key}"):
                checkpoint.Checkpoint(self.results, {**self.FACTS, key: value}).load()
        fewer = checkpoint.Checkpoint(self.results, {**self.FACTS, "settings": {"rounds": 1, "samples": 5}})
        self.assertEqual(fewer.load()[0].series, [[1.0]])
        saved.remove()
        with self.assertRaisesRegex(checkpoint.ResumeError, "nothing to resume"):
            saved.load()
        saved.path.write_text("{")
        with self.assertRaisesRegex(checkpoint.ResumeError, "can't be resumed"):
            saved.load()

    def test_saves_now_and_then(self):
        now = [0.0]
        saved = checkpoint.Checkpoint(self.results, self.FACTS, lambda: now[0])
        saved.save([measure.Cell("r", 2, "p")])
        saved.save([])
        self.assertEqual(len(saved.load()), 1)
        now[0] = checkpoint.EVERY_S
        saved.save([])
        self.assertEqual(saved.load(), [])


SUITE = """
[runs]
rounds = 4
samples = 3
sigma = 3
[parameter.work]
default = 5
least = 1
most = 9
[program.p]
source = "program.cpp"
[[row]]
id = "a"
title = "A"
program = "p"
row = "a"
unit = "ns"
[[row]]
id = "b"
title = "B"
program = "p"
row = "b"
unit = "ns"
"""


class Command(unittest.TestCase):
    """The whole command, with a program that is only pretended."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        support.write_suite(self.scratch / "bench" / "fake", SUITE)
        self.calls, self.interrupt_at, self.busy = [], None, []
        ours = peers.Peer("ashlar", "Ashlar", interface="both")
        for target, name, value in (
                (run, "ROOT", self.scratch), (run.peers_module, "resolve", lambda *a, **k: {"ashlar": ours}),
                (measure.Measurement, "program", lambda *a: self.scratch / "p"), (quiet, "others", lambda: self.busy),
                (measure.execute, "run_program", self.run_program)):
            patch = unittest.mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        # wait_for_quiet has others() as its default; the patch above comes too late for that.
        patch = unittest.mock.patch.object(quiet.wait_for_quiet, "__defaults__", (lambda: self.busy, time.monotonic))
        patch.start()
        self.addCleanup(patch.stop)

    def run_program(self, _program, arguments, *_, **__):
        self.calls.append(arguments)
        if self.interrupt_at == len(self.calls):
            raise KeyboardInterrupt
        return {"samples": [[1.0, 1], [2.0, 1], [3.0, 1]], "values": {}}

    def command(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run.main(["fake", "--json", str(self.scratch / "r.json"), "--patience", "0", *arguments])
        return code, out.getvalue(), err.getvalue()

    def test_refuses_when_others_disturb(self):
        self.busy = [(0.8, "compiler")]
        code, out, err = self.command()
        self.assertEqual(code, 3)
        self.assertIn("run.py: refused: other processes use 0.80 cores, more than 0.3: compiler (0.80)", err)
        self.assertEqual((out, self.calls), ("", []))
        self.assertFalse((self.scratch / "r.json").exists())
        self.assertEqual(self.command("--anyway")[0], 0)
        self.assertEqual(len(self.calls), 8)

    def test_refuses_to_report_what_was_disturbed(self):
        self.run_program = None
        with unittest.mock.patch.object(measure.execute, "run_program",
                                        lambda *a, **k: {"samples": [[1.0, 1]], "values": {}, "foreign_cores": 0.9}):
            code, _, err = self.command()
            self.assertEqual(code, 3)
            self.assertIn("other processes disturbed 24 of 24 runs", err)
            code, out, _ = self.command("--anyway")
        self.assertEqual(code, 0)
        self.assertIn("Reported because of --anyway", out)

    def test_a_row_that_no_load_falsifies_is_measured_beside_others(self):
        support.write_suite(self.scratch / "bench" / "fake", SUITE.replace('unit = "ns"', 'unit = "ns"\nany_load = true'))
        self.busy = [(0.8, "compiler")]
        with unittest.mock.patch.object(measure.execute, "run_program",
                                        lambda *a, **k: {"samples": [[1.0, 1]], "values": {}, "foreign_cores": 0.9}):
            code, out, err = self.command()
        self.assertEqual(code, 0, err)
        self.assertNotIn("thrown away", out)

    def test_goes_on_after_an_interruption(self):
        self.interrupt_at = 4
        code, out, _ = self.command()
        self.assertEqual(code, 0)
        self.assertIn("Interrupted", out)
        self.interrupt_at = None
        code, _, err = self.command("--resume", "--set", "work=6")
        self.assertEqual(code, 2)
        self.assertIn("another settings", err)
        self.calls.clear()
        code, _, err = self.command("--resume")
        self.assertEqual(code, 0)
        self.assertIn("2 rows, 5 runs of 3 samples", err)  # what is left
        self.assertIn(" 20 %, 0 s left", err)
        self.assertEqual(len(self.calls), 8 - 3)
        document = json.loads((self.scratch / "r.json").read_text())
        self.assertEqual([len(cell["series"]) for cell in document["cells"]], [4, 4])
        code, _, err = self.command("--resume")
        self.assertEqual(code, 2)
        self.assertIn("nothing to resume", err)

    def test_parameters_reach_the_program(self):
        self.command()
        self.assertEqual(self.calls[0][-2:], ["--set", "work=5"])
        self.command("--set", "work=7")
        self.assertEqual(self.calls[-1][-2:], ["--set", "work=7"])
        for given, message in (("work=0", "work is a number from 1 to 9, not '0'"), ("work=x", "not 'x'"), ("work", "not ''"),
                               ("wrok=1", "'fake' has no parameter 'wrok'; it has: work")):
            code, _, err = self.command("--set", given)
            self.assertEqual(code, 2)
            self.assertIn(message, err)
            self.assertEqual(len(err.strip().splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
