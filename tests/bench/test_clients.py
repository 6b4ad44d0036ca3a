# SPDX-License-Identifier: Apache-2.0
"""`./dev bench clients` without fetching anything: the proof of the library, comparisons, goals, long tasks, and the list of programs."""
import contextlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

CLIENTS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "clients"
sys.path[:0] = [str(CLIENTS), str(CLIENTS / "programs")]

import clients  # noqa: E402
import client_outcomes as outcomes  # noqa: E402
import client_places as places  # noqa: E402
import client_runs as running  # noqa: E402
import client_task  # noqa: E402
import page  # noqa: E402  (of bench/harness, which places puts into the path)


def result(walls, cpus=((1, 1),), foreign=0.0, **more):
    """One of (ours, oneTBB) per round."""
    rounds = [{name: {"wall": wall[i], "cpu": cpu[i], "memory_kib": 1000, "foreign_cores": foreign} for i, name in enumerate(("ashlar", "onetbb"))}
              for wall, cpu in zip(walls, list(cpus) * len(walls))]
    return {"name": "a", "title": "A", "version": "1", "missing": None, "complaints": [], "pauses": False, "max_load": 0.3, "rounds": rounds, **more}


class Script:
    """Stands for a client: a script of the shell."""

    def __init__(self, text):
        self.text = text

    def command(self, _):
        return ["/bin/sh", "-c", self.text]

    def environment(self, _):
        return dict(os.environ)


class Outcomes(unittest.TestCase):
    def test_goals(self):
        self.assertNotIn("missed", outcomes.line(result([(1.0, 1.0)] * 5)))
        self.assertIn("missed: wall", outcomes.line(result([(1.1, 1.0)] * 5)))
        self.assertIn("missed: CPU <= 1.0", outcomes.line(result([(1, 1)] * 5, [(1.2, 1)])))
        self.assertIn("missed: CPU <= 0.5", outcomes.line(result([(1, 1)] * 5, [(0.7, 1)], pauses=True)))
        self.assertNotIn("missed", outcomes.line(result([(1, 1)] * 5, [(0.2, 1)], pauses=True)))

    def test_an_interval_that_contains_the_limit_misses_nothing(self):
        self.assertNotIn("missed", outcomes.line(result([(1.2, 1.0), (0.9, 1.0), (1.1, 1.0), (0.95, 1.0)])))

    def test_disturbed_rounds_do_not_count(self):
        mixed = result([(1.0, 1.0)] * 4)
        mixed["rounds"] += result([(9.0, 1.0)] * 3, foreign=1.0)["rounds"]
        self.assertEqual(outcomes.ratios(mixed)["wall"][0], 1.0)
        self.assertEqual(outcomes.quiet_rounds(mixed), 4)
        self.assertEqual(outcomes.quiet_rounds(result([(1.0, 1.0)], foreign=1.0)), 0)

    def test_library_in_memory(self):
        ours = places.Library("ashlar", "/a/compat", [pathlib.Path("/a/libtbb-ashlar.so.0")])
        theirs = places.Library("onetbb", "/b")
        both = [ours, theirs]

        def said(*libraries, status=0):
            return outcomes.complaints_about({"status": status, "error": "", "libraries": libraries}, ours, both)
        self.assertEqual(said("/a/compat/libtbb.so.12", "/a/libtbb-ashlar.so.0"), [])
        self.assertEqual(len(said("/b/libtbb.so.12")), 2)
        self.assertEqual(len(said("/a/compat/libtbb.so.12", "/c/libtbb-1234.so.12")), 1)
        self.assertEqual(len(said()), 1)
        self.assertEqual(len(said("/a/compat/libtbb.so.12", status=1)), 1)

    def test_memory_over_time(self):
        long = result([(1.0, 1.0)] * 3)
        self.assertIsNone(outcomes.over_time(long))
        for one in long["rounds"]:
            one["ashlar"]["resident_kib"], one["onetbb"]["resident_kib"] = [1024, 2048, 9216, 4096], [1024, 1024, 3072]
        self.assertIn("resident MiB half 9/1, end 4/3, most 9/3", outcomes.line(long))

    def test_text_and_page(self):
        document = {"title": "T", "machine": {"cpu": "c", "cpus": 2}, "commit": "x",
                    "results": [result([(0.5, 1.0)] * 3), {**result([]), "missing": "no network"}, {**result([]), "complaints": ["crashed"]}]}
        self.assertIn("0.500 of oneTBB's", outcomes.text(document))
        self.assertIn("Gaps: a", outcomes.text(document))
        self.assertTrue(outcomes.failed(document))
        table = page.sections_of("clients").parts([document])[0].items[0]
        self.assertEqual([len(row) for row in table.rows], [len(table.head)] * 3)


class Running(unittest.TestCase):
    def test_a_process(self):
        done = running.run(Script("echo one; echo measured 1.5 0.25; echo two"), None, watched=True)
        self.assertEqual((done["status"], done["output"], done["wall"], done["cpu"], done["libraries"]), (0, "one\ntwo\n", 1.5, 0.25, []))
        done = running.run(Script("echo oh >&2; exit 3"), None)
        self.assertEqual((done["status"], done["error"]), (3, "oh"))
        self.assertNotEqual(running.run(Script("sleep 60"), None, timeout=0.3)["status"], 0)

    def test_memory_of_a_process_and_its_children(self):
        done = running.run(Script("sleep 1.5"), None, sampled=True)
        self.assertGreater(min(done["resident_kib"]), 100)
        self.assertIsNone(running.run(Script("true"), None)["resident_kib"])

    def test_a_library_is_seen_in_a_child(self):
        with tempfile.TemporaryDirectory() as folder:
            library = places.empty_library(folder)
            stand_ins = library.stand_ins(["libtbb-77.so.12"], folder)
            # The child stays until the watch has looked at it.
            seen, look = pathlib.Path(folder) / "seen", running.mapped

            def mapped(pid):
                found = look(pid)
                if found:
                    seen.touch()
                return found
            script = Script(f"LD_PRELOAD={stand_ins}/libtbb-77.so.12 sh -c 'until [ -e {seen} ]; do sleep 0.1; done'")
            with unittest.mock.patch.object(running, "mapped", mapped):
                done = running.run(script, None, watched=True, timeout=200)
            self.assertEqual(done["libraries"], [str(library.folder / "libtbb.so.12")])
            exported = subprocess.run(["nm", "-D", "--defined-only", library.folder / "libtbb.so.12"], capture_output=True, text=True, check=True)
            self.assertNotIn("tbb", exported.stdout)


class Longer(unittest.TestCase):
    def test_a_longer_client_has_inputs_of_its_own(self):
        client = places.Client.__new__(places.Client)
        client.entry, client.inputs = {}, pathlib.Path("/inputs/a-1")
        client.python_folders = client.program_folders = client.library_folders = []
        client.tree = ""
        longer = client.longer(7)
        self.assertEqual((client.environment(None)["CLIENT_TIMES"], longer.environment(None)["CLIENT_TIMES"]), ("1", "7"))
        self.assertNotEqual(client.inputs, longer.inputs)

    def test_rounds_are_repeated_and_compared(self):
        made = []
        with unittest.mock.patch.dict(os.environ, {"CLIENT_TIMES": "5"}), contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(client_task.repeated(2, lambda: made.append(1)), None)
            self.assertEqual(len(made), 10)
            made.clear()
            with self.assertRaises(SystemExit):
                client_task.repeated(2, lambda: made.append(1) or len(made) // 4)
        self.assertEqual(len(made), 4)


class List(unittest.TestCase):
    def test_entries(self):
        entries = clients.load(CLIENTS / "clients.toml")
        self.assertGreaterEqual(len(entries), 10)
        for entry in entries.values():
            self.assertTrue((places.SCRIPTS / entry["script"]).exists(), entry)
            self.assertGreater(entry.get("long", 2), 1, entry)

    def test_misspelt_keys(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "clients.toml"
            for text in ('[a]\ntitle = "A"\nscript = "a.py"\ndebian = "a"\nnmaes = ["b"]\n', '[a]\ntitle = "A"\nscript = "a.py"\n'):
                path.write_text(text, encoding="utf-8")
                with self.assertRaises(ValueError):
                    clients.load(path)


if __name__ == "__main__":
    unittest.main()
