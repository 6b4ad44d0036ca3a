# SPDX-License-Identifier: Apache-2.0
"""The entry ./dev, as far as the measuring commands need it."""
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import unittest

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
        return subprocess.run([entry, *arguments], capture_output=True, text=True, timeout=60, check=False)

    def test_version(self):
        asked = self.ask("--version")
        self.assertEqual(asked.returncode, 0)
        self.assertRegex(asked.stdout, r"^Ashlar [0-9]+\.[0-9]+\.[0-9]+( \(commit [^)]+\))?\n$")

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


if __name__ == "__main__":
    unittest.main()
