# SPDX-License-Identifier: Apache-2.0
"""The comparison by foreign code: which files count as what, and that its list of code bases can be read."""
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "bench" / "sources"
sys.path.insert(0, str(SOURCES))

import discover  # noqa: E402
import foreign_tests  # noqa: E402
import sources  # noqa: E402
import outcomes  # noqa: E402


def result(*errors, tests=None):
    files = [{"file": f"{number}.cpp", "errors": error} for number, error in enumerate(errors)]
    return {"title": "a", "version": "1", "missing": None, "files": files, "tests": tests or {}}


class Verdicts(unittest.TestCase):
    def test_what_a_peer_compiles_and_we_do_not_is_lost(self):
        one = result({"ashlar": None}, {"ashlar": "x", "onetbb": None, "tbb2020": "y"}, {"ashlar": "x", "onetbb": "y", "tbb2020": "z"},
                     {"ashlar": "tbb/flow_graph.h: 'x' is no member", "onetbb": None, "tbb2020": None})
        self.assertEqual(outcomes.counts(one), {"ours": 1, "lost": 2, "gap": 1})
        self.assertTrue(outcomes.failed({"results": [one]}))

    def test_what_nobody_compiles_is_named_and_no_pass(self):
        one = result({"ashlar": "no such header", "onetbb": "no such header"})
        self.assertFalse(outcomes.failed({"results": [one]}))
        text = outcomes.table({"results": [one], "peers": {}})
        self.assertIn("Nobody compiles a: 0.cpp: no such header", text)

    def test_a_test_that_only_we_fail_is_a_failure(self):
        self.assertTrue(outcomes.failed({"results": [result({"ashlar": None}, tests={"ashlar": "exit code 1", "onetbb": None})]}))
        self.assertFalse(outcomes.failed({"results": [result({"ashlar": None}, tests={"ashlar": "x", "onetbb": "x"})]}))


class Resuming(unittest.TestCase):
    def test_a_run_that_was_broken_off_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.json"
            options = sources.arguments(["--cache", folder, "--resume"])
            asked = []

            def examine(name, *_):
                asked.append(name)
                return {**result({"ashlar": None}), "name": name}

            entries = {"a": {}, "b": {}}
            with mock.patch.object(sources, "examine", examine), mock.patch("builtins.print"):
                sources.examine_all({"a": {}}, [], {}, options, path)
                document = sources.examine_all(entries, [], {}, options, path)
                options.resume = False
                sources.examine_all(entries, [], {}, options, path)
            self.assertEqual(asked, ["a", "b", "a", "b"])
            self.assertEqual([one["name"] for one in document["results"]], ["a", "b"])
            self.assertTrue(document["results"][0]["commit"])


class ForeignTests(unittest.TestCase):
    def answer(self, script):
        with mock.patch.object(foreign_tests, "environment", lambda *_: None):
            return foreign_tests.run_with("a", {"test": script}, None, None, None, None)

    def test_the_exit_code_tells(self):
        self.assertIsNone(self.answer("true"))
        self.assertEqual(self.answer("echo this is an error; false; true"), "exit code 1: this is an error")

    @mock.patch.object(foreign_tests, "PROCESSOR_SECONDS", 1)
    def test_a_program_that_computes_for_ever_meets_its_limit(self):
        self.assertEqual(self.answer("bash -c 'while :; do :; done'"), "took more than 1 s of processor time")

    @mock.patch.object(foreign_tests, "SECONDS", 1)
    def test_a_program_that_waits_for_ever_meets_its_limit(self):
        self.assertEqual(self.answer("sleep 100"), "took more than 1 s")


class Discovery(unittest.TestCase):
    def test_units_reach_tbb_through_headers_of_the_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {"lib/loop.h": "#include <tbb/parallel_for.h>\n", "lib/far.h": '#include "loop.h"\n', "other/loop.h": "",
                               "near.cpp": "#  include <oneapi/tbb/task_group.h>\n", "user.cpp": "#include <lib/far.h>\n", "direct.cpp": '#include "far.h"\n#include "loop.h"\n',
                               "alone.h": "#include <tbb/tbb.h>\n", "not.cpp": '#include "other/loop.h"\n'}.items():
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            chosen = [(str(path.relative_to(root)), away) for path, away in discover.select(root, {})]
            self.assertEqual(chosen, [("alone.h", 0), ("near.cpp", 0), ("direct.cpp", 1), ("user.cpp", 2)])
            self.assertEqual(discover.select(root, {"files": ["lib/*"], "headers": True})[0][0].name, "loop.h")


class Registry(unittest.TestCase):
    def test_the_list_is_well_formed_and_long_enough(self):
        self.assertGreaterEqual(len(sources.load(SOURCES / "sources.toml")), 20)

    def test_an_entry_with_an_unknown_key_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "sources.toml"
            path.write_text('[common]\nmost = 1\n[a]\ntitle = "a"\ndebian = "a"\nflag = []\n', encoding="utf-8")
            with self.assertRaises(ValueError):
                sources.load(path)


if __name__ == "__main__":
    unittest.main()
