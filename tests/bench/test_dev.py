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


if __name__ == "__main__":
    unittest.main()
