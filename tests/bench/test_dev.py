# SPDX-License-Identifier: Apache-2.0
"""The entry ./dev, as far as the measuring commands need it."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

TESTS = {"unit.unit_algo": ["BUILD/tests/unit_algo"], "unit.unit_algo_traced": ["BUILD/tests/unit_algo", "--some"],
         "sandbox.slow_algo": ["BUILD/tests/sandbox", "preload=BUILD/tests/libdelays.so", "BUILD/tests/unit_algo"],
         "bench.harness": ["/usr/bin/python3", "-m", "unittest"]}
# Programs that say what they are called with, and do what ./dev needs of them: two tests, one of which is a program of its own.
FAKES = {
    "cmake": 'echo "cmake $*"\ncase "$*" in *--build*) exit ${BUILD_CODE:-0} ;; esac',
    "ninja": 'echo "unit_algo: phony"; echo "sandbox: phony"; echo "delays: phony"',
    "ctest": """case "$*" in
  *--show-only*) sed "s|BUILD|$PWD/build/dev|g" "$0.json" ;;
  *) echo "ctest $*"
     while [ "$1" != --output-junit ]; do shift; done
     echo '<testsuite><testcase name="one" status="run" time="3.5"/></testsuite>' > "$2" ;;
esac""",
    "clang++": "",
}
TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"


class Interrupt(unittest.TestCase):
    def test_the_command_may_save_what_it_has(self):
        # A terminal sends the signal to the whole group.
        command = textwrap.dedent("""
            import time
            try:
                print("measuring", flush=True)
                time.sleep(250)
            except KeyboardInterrupt:
                time.sleep(0.5)
                print("saved", flush=True)
            """)
        entry = f"import dev; dev.run({sys.executable!r}, '-c', {command!r}); print('went on')"
        with subprocess.Popen([sys.executable, "-c", entry], cwd=TOOLS, start_new_session=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), "measuring\n")
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=200)
        self.assertEqual((process.returncode, out, err), (130, "saved\n", ""))


class Asking(unittest.TestCase):
    """./dev tells its version, what each command takes, and what was probably meant; asking installs and builds nothing."""

    def ask(self, *arguments, entry=TOOLS.parent / "dev"):
        return subprocess.run([entry, *arguments], capture_output=True, text=True, timeout=600, check=False)

    def test_version(self):
        asked = self.ask("--version")
        self.assertEqual(asked.returncode, 0)
        self.assertRegex(asked.stdout, r"^Ashlar [0-9]+\.[0-9]+\.[0-9]+(-dev)?( \(commit [^)]+\))?\n$")

    def test_help_of_every_command(self):
        commands = [line.split()[0] for line in self.ask("--help").stdout.splitlines() if line.startswith("  ") and line[2] != " "]
        self.assertIn("soak", commands)
        for command in commands:
            asked = self.ask(command, "--help")
            self.assertEqual(asked.returncode, 0, asked.stderr)
            self.assertIn(f"./dev {command}", asked.stdout)

    def test_a_command_that_is_misspelt(self):
        asked = self.ask("tset")
        self.assertEqual(asked.returncode, 2)
        self.assertIn("no command 'tset'; 'test' is near. There are: test, ", asked.stderr)

    def test_arguments_that_are_not_known(self):
        for command in ("test", "lint", "format"):
            asked = self.ask(TOOLS / "dev.py", command, "--nonsense", entry=sys.executable)  # which installs no packages
            self.assertNotEqual(asked.returncode, 0)
            self.assertIn("--nonsense", asked.stderr)


class Tree(unittest.TestCase):
    """A copy of the entry in a tree of its own, with programs that only say what they are called with."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.bin = pathlib.Path(folder.name), pathlib.Path(folder.name) / "bin"
        for name in ("bin", "tools", "build/dev", ".venv/bin", "docs/site"):
            (self.root / name).mkdir(parents=True)
        shutil.copy(TOOLS.parent / "dev", self.root)
        for name in ("dev.py", "installed.py", "requirements.txt"):
            shutil.copy(TOOLS / name, self.root / "tools")
        shutil.copy(TOOLS / "requirements.txt", self.root / ".venv/installed")
        (self.root / ".venv/bin/python").symlink_to(sys.executable)
        (self.root / "bench").symlink_to(TOOLS.parent / "bench")
        (self.root / "build/dev/build.ninja").touch()
        for name, text in FAKES.items():
            self.fake(name, text)
        (self.bin / "ctest.json").write_text(json.dumps({"tests": [{"name": name, "command": command} for name, command in TESTS.items()]}))

    def fake(self, name, text):
        (self.bin / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.bin / name).chmod(0o755)

    def ask(self, *arguments, entry=None, path=os.environ["PATH"], **environment):
        environment = {"PATH": f"{self.bin}:{path}" if path else str(self.bin), **environment}
        return subprocess.run([*(entry or [sys.executable, self.root / "tools/dev.py"]), *arguments], capture_output=True, text=True, timeout=600,
                              check=False, env=environment)

    def test_a_suite_that_is_misspelt(self):
        asked = self.ask("bench", "nosuch")
        self.assertEqual(asked.returncode, 2)
        self.assertIn("no suite 'nosuch'. There are: ", asked.stderr)

    def test_a_list_makes_no_environment(self):
        shutil.rmtree(self.root / ".venv")
        for command in ("bench", "paper"):
            asked = self.ask(command)
            self.assertEqual(asked.returncode, 0, asked.stderr)
            self.assertNotIn(".venv", asked.stdout)
            self.assertFalse((self.root / ".venv").exists())

    def test_a_test_by_its_name(self):
        asked = self.ask("test", "unit_algo")
        self.assertEqual(asked.returncode, 0, asked.stdout + asked.stderr)
        self.assertRegex(asked.stdout, r"cmake --build --preset dev -j \d+ --target unit_algo -- ")
        self.assertIn(r"-R ^(unit\.unit_algo|unit\.unit_algo_traced)$ ", asked.stdout)
        self.assertIn("1 passed, 0 failed", asked.stdout)

    def test_a_test_of_several_programs(self):
        asked = self.ask("test", "slow_algo")
        self.assertRegex(asked.stdout, r"cmake --build --preset dev -j \d+ --target sandbox --target delays --target unit_algo -- ")

    def test_a_test_that_may_need_any_program(self):
        asked = self.ask("test", "harness")
        self.assertRegex(asked.stdout, r"cmake --build --preset dev -j \d+ -- ")
        self.assertIn(r"-R ^(bench\.harness)$ ", asked.stdout)

    def test_no_test_of_the_name(self):
        asked = self.ask("test", "unit_alga")
        self.assertEqual(asked.returncode, 1)
        self.assertIn("no test's name holds 'unit_alga'; near: unit_algo, unit_algo_traced, slow_algo. There are: bench.…, sandbox.…, unit.…", asked.stderr)
        self.assertEqual(asked.stdout, "")

    def test_nothing_runs_after_a_failed_build(self):
        for arguments in (["unit_algo"], [], ["--quick"]):
            asked = self.ask("test", *arguments, BUILD_CODE="3")
            self.assertEqual(asked.returncode, 1)
            self.assertIn("cmake --build", asked.stdout)
            self.assertNotIn("ctest", asked.stdout)
        self.assertIn("FAILED  dev: build", asked.stdout)

    def test_what_was_skipped_is_told(self):
        (self.root / "docs/site/build.py").write_text("raise SystemExit(77)")
        self.assertIn("SKIPPED documentation site", self.ask("test", "--long").stdout)

    def test_the_slowest_tests_are_told(self):
        told = self.ask("test", "--quick").stdout
        self.assertIn("-L ^(unit|flow|example|sample|style)$ -E ^(style", told)
        self.assertIn("the slowest of 1 tests, which took 4 s together:\n     3.5 s 100.0%  dev: one\n", told)

    def test_clang_alone_installs(self):
        (self.bin / "dirname").symlink_to(shutil.which("dirname"))
        self.fake("python3", 'echo "$*"')
        entry = [shutil.which("bash"), self.root / "dev"]
        asked = self.ask("install", "/opt/ashlar", entry=entry, path="")
        self.assertEqual((asked.returncode, asked.stdout), (0, "tools/dev.py install /opt/ashlar\n"), asked.stderr)
        (self.bin / "clang++").unlink()
        asked = self.ask("install", "/opt/ashlar", entry=entry, path="")
        self.assertEqual((asked.returncode, asked.stderr), (1, "dev: g++ is missing; install it with your system's package manager\n"))


if __name__ == "__main__":
    unittest.main()
