# SPDX-License-Identifier: Apache-2.0
"""study_options.py STUDY: the command line of the study's programs. A wrong one ends with one line on stderr and exit
status 2; a right one prints a report.
"""
import json
import os
import subprocess
import sys
import time
import unittest

WRONG = {
    (): "no program named; --list names them, --help explains",
    ("nonsense",): "no program 'nonsense' in this build; --list names them",
    ("lu", "treeadd"): "more than one program named: lu and treeadd",
    ("lu", "--threads", "0"): "option --threads takes 1 to 1024, not '0'",
    ("lu", "--threads", "1.5"): "option --threads takes a whole number, not '1.5'",
    ("lu", "--threads", "two"): "option --threads takes 1 to 1024, not 'two'",
    ("lu", "--runs", ""): "option --runs takes 1 to 10000, not ''",
    ("lu", "--size", "huge"): "option --size takes one of test, simsmall, simmedium, simlarge, native, not 'huge'",
    ("lu", "--version", "openmp"): "option --version takes one of serial, tasks, static, not 'openmp'",
    ("lu", "--version", "static"): "lu has no static version",
    ("lu", "--warm-ms", "-1"): "option --warm-ms takes 0 to 60000, not '-1'",
    ("lu", "--nice", "1"): "unknown option --nice",
    ("lu", "--pin", "treeadd"): "more than one program named: lu and treeadd",
    ("lu", "--size"): "no value for, or unknown: option --size",
}


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=600)


class Options(unittest.TestCase):
    def test_wrong_options(self):
        for arguments, message in WRONG.items():
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"study: {message}\n"))

    def test_report(self):
        done = run("lu", "--size", "test", "--threads", "2", "--runs", "3", "--warm-ms", "0", "--observe")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = json.loads(done.stdout)
        self.assertEqual((report["row"], report["threads"], report["unit"], report["ok"]), ("lu/test/tasks", 2, "ms", True))
        self.assertEqual(len(report["samples"]), 3)
        # 63 loops over n rows in chunks of at most 8: splitting makes at least n/8 - 1 of them available to others.
        least = sum((rows + 7) // 8 - 1 for rows in range(1, 64))
        self.assertGreaterEqual(report["values"]["spawned"], least)
        self.assertGreater(report["values"]["spawn_ticks"], 0)

    def test_unobserved_runs_are_not_timed(self):
        values = json.loads(run("treeadd", "--threads", "2", "--runs", "1", "--warm-ms", "0").stdout)["values"]
        self.assertEqual((values["spawned"], values["spawn_ticks"], values["wait_ticks"]), (0, 0, 0))

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one CPU: every thread is on it anyway")
    def test_pinned_threads_have_a_cpu_each(self):
        first = sorted(os.sched_getaffinity(0))[:2]
        for how in ("tasks", "static"):
            command = [PROGRAM, "blackscholes", "--size", "simsmall", "--version", how, "--threads", "2", "--runs", "10000",
                       "--warm-ms", "0", "--pin"]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL) as running:
                found, deadline = [], time.monotonic() + 60
                while found != [[cpu] for cpu in first] and running.poll() is None and time.monotonic() < deadline:
                    time.sleep(0.002)
                    found = self.cpus_of_threads(running.pid)
                running.kill()
            self.assertEqual(found, [[cpu] for cpu in first], how)

    @staticmethod
    def cpus_of_threads(pid):
        try:
            return sorted(sorted(os.sched_getaffinity(int(task))) for task in os.listdir(f"/proc/{pid}/task"))
        except OSError:
            return []  # a thread ended meanwhile

    def test_costs(self):
        for _ in range(10):  # of which one is not interrupted
            report = json.loads(run("--costs").stdout)
            if all(report["values"][name] < 30000 for name in ("allocate", "spawn", "get_task")):
                break
        self.assertEqual((report["row"], report["unit"], report["ok"]), ("costs", "cycles", True))
        for name in ("allocate", "spawn", "get_task"):  # between an instruction and ten microseconds
            self.assertGreater(report["values"][name], 0.2)
            self.assertLess(report["values"][name], 30000)

    def test_versions(self):
        for how in ("serial", "static"):
            report = json.loads(run("blackscholes", "--version", how, "--threads", "2", "--runs", "1", "--warm-ms", "0").stdout)
            self.assertEqual(report["row"], f"blackscholes/test/{how}")
            self.assertTrue(report["ok"])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
