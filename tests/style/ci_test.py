#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""./dev ci: a host's jobs are those of tools/ci.py, asking installs and runs nothing, and a job ends with its first step that fails."""
import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import ci  # noqa: E402


class Jobs(unittest.TestCase):
    def test_the_host_runs_each(self):
        workflow = (ROOT / ".github/workflows/ci.yml").read_text()
        listed = re.search(r"^ *job: \[([^\]]*)\]$", workflow, re.M)[1].split(", ")
        self.assertEqual(listed, list(ci.JOBS))
        self.assertIn('./dev ci "${{ matrix.job }}"', workflow)

    def test_what_a_step_names_is_there(self):
        presets = re.findall(r'"configurePreset": "(\w+)"', (ROOT / "CMakePresets.json").read_text())
        for job in ci.JOBS.values():
            for step in job.steps:
                for word in step.command:
                    if re.search(r"\.py$|^\.ci/", word):
                        self.assertTrue((ROOT / word).exists(), word)
                if "--preset" in step.command:
                    self.assertIn(step.command[step.command.index("--preset") + 1], presets)

    def test_the_sanitizers_are_asked_as_by_dev_test(self):
        import dev  # pylint: disable=import-outside-toplevel
        asked = {key: value for name in ("asan", "tsan") for step in ci.JOBS[name].steps for key, value in step.environment}
        self.assertEqual(asked, dev.SANITIZER_ENVIRONMENT)

    def run_job(self, *commands):
        steps = tuple(ci.Step(f"step {number}", command) for number, command in enumerate(commands))
        ci.JOBS["own"] = ci.Job("", (), steps)
        self.addCleanup(ci.JOBS.pop, "own")
        with contextlib.redirect_stdout(io.StringIO()) as told:
            code = ci.main(["own"])
        return code, told.getvalue()

    def test_the_first_failure_ends_a_job(self):
        code, told = self.run_job(("true",), ("sh", "-c", "exit 3"), ("true",))
        self.assertEqual(code, 3)
        self.assertIn("own, step 1: failed (3)", told)
        self.assertNotIn("step 2", told)

    def test_a_step_that_skips_itself_is_no_failure(self):
        code, told = self.run_job(("sh", "-c", "exit 77"), ("true",))
        self.assertEqual(code, 0)
        self.assertIn("own, step 0: skipped", told)
        self.assertIn("own, step 1: ok", told)


class Asking(unittest.TestCase):
    """With programs instead of Debian's that leave a trace."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.trace = Path(folder.name) / "trace"
        for name in ("dpkg-query", "apt-get", "cmake", "sudo"):
            program = Path(folder.name) / name
            program.write_text(f'#!/bin/sh\necho "{name} $*" >> {self.trace}\n')
            program.chmod(0o755)
        (Path(folder.name) / "python3").symlink_to(sys.executable)
        self.environment = {**os.environ, "PATH": f"{folder.name}:{os.environ['PATH']}"}

    def ask(self, *arguments):
        asked = subprocess.run([shutil.which("bash"), ROOT / "dev", "ci", *arguments], env=self.environment, capture_output=True, text=True, check=False)
        self.assertFalse(self.trace.exists(), asked.stdout + asked.stderr)
        return asked

    def test_nothing_is_installed_or_run(self):
        self.assertEqual(self.ask().stdout.count("\n"), 2 * len(ci.JOBS))
        self.assertIn("aarch64", self.ask("--help").stdout)
        self.assertIn("ctest --preset aarch64", self.ask("aarch64", "--dry-run").stdout)
        self.assertIn("qemu-user", self.ask("aarch64", "--packages").stdout)
        self.assertEqual(self.ask("--dry-run", "gcc-12", "--steps", "headers").stdout.count("\n"), 1)

    def test_a_job_that_is_misspelt(self):
        asked = self.ask("clang-18")
        self.assertEqual(asked.returncode, 2)
        self.assertIn("there is no job clang-18. There are: tests, gcc-12", asked.stderr)


if __name__ == "__main__":
    unittest.main()
