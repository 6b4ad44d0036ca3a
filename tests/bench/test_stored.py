# SPDX-License-Identifier: Apache-2.0
"""Which stored results are of today's suites: a suite that changed after its result, one that changed before, one without."""
import contextlib
import io
import json
import pathlib
import subprocess
import tempfile
import unittest

import support
import store
import stored

SUITE = """
title = "Fake"
peers = ["onetbb"]
[program.p]
source = "../shared/p.cpp"
[[row]]
id = "r"
title = "r"
unit = "ns"
program = "p"
row = "r"
threads = [1]
"""


class History(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name).resolve()
        self.git("init", "-q")
        self.more = 0
        (self.root / "bench/shared").mkdir(parents=True)
        (self.root / "bench/shared/p.cpp").write_text("int main() {}\n", encoding="utf-8")
        support.write_suite(self.root / "bench/one", SUITE, ["README.md"])

    def git(self, *arguments):
        return subprocess.run(["git", "-C", self.root, "-c", "user.name=n", "-c", "user.email=e@e", *arguments], check=True, capture_output=True,
                              text=True).stdout.strip()

    def commit(self, file=None, text=None):
        if file:
            (self.root / file).parent.mkdir(parents=True, exist_ok=True)
            with (self.root / file).open("a", encoding="utf-8") as out:
                out.write(text or f"int more{self.more};\n")
            self.more += 1
        self.git("add", "-A")
        self.git("commit", "-qm", "x")
        return self.git("rev-parse", "--short", "HEAD")

    def store(self, commit, date="2026-01-01T00:00:00Z", **more):
        path = self.root / f"bench/results/m/{date[:10]}-one-{commit}.json.gz"
        store.write(path, {"suite": "one", "date": date, "commit": commit, "machine": {"cpu": "c"}, "seconds": 60, "settings": {}, **more})

    def state(self):
        return stored.state_of(self.root, "one").state

    def test_a_result_before_and_after_a_change_of_the_suite(self):
        self.store(self.commit())
        self.assertEqual(self.state(), "current")
        self.commit("bench/one/README.md")
        self.commit("bench/one/sections.py")
        self.assertEqual(self.state(), "current")
        self.commit("bench/one/of_no_row.cpp")
        self.assertEqual(self.state(), "current")
        changed = self.commit("bench/one/part/program.h")
        self.assertEqual(self.state(), "changed")
        self.store(changed, "2026-01-02T00:00:00Z")
        self.assertEqual(self.state(), "current")

    def test_the_newest_and_the_newest_whole_stay(self):
        for day, more in (("01", {}), ("02", {}), ("03", {"settings": {"rows": ["a"]}}), ("04", {"settings": {"rows": ["b"]}})):
            self.store("c", f"2026-01-{day}T00:00:00Z", **more)
        self.assertEqual([path.name[:10] for path in stored.replaced(self.root)], ["2026-01-01", "2026-01-03"])
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(stored.main(["--prune"], self.root), 0)
        self.assertEqual(said.getvalue().count("deleted bench/results/m/"), 2)
        self.assertEqual([path.name[:10] for path in store.paths(self.root)], ["2026-01-02", "2026-01-04"])

    def test_no_result_is_stored_that_a_newer_one_replaces(self):
        self.assertEqual(stored.replaced(stored.ROOT), [])
        self.assertEqual(list((stored.ROOT / "bench/results").glob("*/*.json")), [], "results are stored packed")

    def test_a_program_of_another_folder(self):
        self.store(self.commit())
        self.commit("bench/shared/p.cpp")
        self.assertEqual(self.state(), "changed")

    def test_comments_and_blank_space_are_no_change(self):
        self.store(self.commit("bench/shared/p.cpp", 'void f(int i) { if (i) g("a//b"); }\n'))
        path = self.root / "bench/shared/p.cpp"
        for said, text in (("current", 'void f(int i) {  // now\n  if (i)\n    g( "a//b" );  /* and */\n}\n'),
                           ("changed", 'void f(int i) { if (i) g("a//c"); }\n'), ("changed", 'void f(int i) { if (i) { g("a//b"); g(""); } }\n'),
                           ("changed", 'void f(inti) { if (i) g("a//b"); }\n')):
            path.write_text(f"int main() {{}}\n{text}", encoding="utf-8")
            self.commit()
            self.assertEqual(self.state(), said, text)

    def test_a_list_counts_by_its_entries(self):
        self.store(self.commit())
        self.commit("bench/one/suite.toml", "# more\n")
        self.assertEqual(self.state(), "current")
        self.commit("bench/one/suite.toml", "cores_min = 1\n")
        self.assertEqual(self.state(), "changed")

    def test_the_library_is_counted_beside(self):
        self.store(self.commit())
        self.commit("src/a.cpp")
        self.commit("include/a.h")
        self.assertEqual((self.state(), stored.state_of(self.root, "one").behind), ("current", 2))

    def test_runs_of_some_rows_quick_and_interrupted_ones_do_not_count(self):
        commit = self.commit()
        left_out = ({"settings": {"rows": ["r"]}}, {"settings": {"threads": [1]}}, {"settings": {"quick": True}}, {"quick": True}, {"interrupted": True})
        for index, more in enumerate(left_out):
            self.store(commit, f"2026-01-0{index + 1}T00:00:00Z", **more)
        self.assertEqual(self.state(), "not stored")

    def test_runs_of_some_of_the_kernels_do_not_count(self):
        rows = {"ashlar": [{"rounds": [{}] * 5}]}
        run = {"suite": "kernels", "figures": [{"figure": n, "results": rows} for n in (7, 8, 9)], "threads": [1, 2, 4, 8], "quick": False}
        self.assertTrue(stored.is_whole(run))
        few = {"figure": 9, "results": {"ashlar": [{"rounds": [{}] * 4}]}}
        for change in ({"figures": run["figures"][1:]}, {"figures": [*run["figures"][:2], few]}, {"threads": [1, 2]}, {"quick": True}):
            self.assertFalse(stored.is_whole({**run, **change}), change)

    def test_runs_of_a_part_of_a_study_do_not_count(self):
        for suite, plan in stored.PLANS.items():
            cells = [dict(zip(("row", "threads", "peer"), key)) for key in sorted(plan())]
            self.assertTrue(stored.is_whole({"suite": suite, "cells": cells}))
            for place in (0, -1):
                few = [cell for cell in cells if cell is not cells[place]]
                self.assertFalse(stored.is_whole({"suite": suite, "cells": few}), (suite, cells[place]))

    def test_a_suite_in_the_folder_of_another_one(self):
        self.commit("bench/paper/soft_limit.py", "a = 1\n")
        self.assertIn("soft", stored.suites(self.root))
        self.assertEqual(stored.state_of(self.root, "soft").state, "not stored")

    def test_a_commit_that_is_not_known(self):
        self.commit()
        self.store("1234567890")
        self.assertEqual(self.state(), "of another history")

    def test_check_fails_where_one_has_changed(self):
        for wrong, file in ((0, None), (1, "bench/shared/p.cpp")):
            commit = self.commit(file)
            if not wrong:
                self.store(commit)
            told = io.StringIO()
            with contextlib.redirect_stdout(told):
                self.assertEqual(stored.main(["--check"], self.root), wrong)
            self.assertIn(f"{1 - wrong} of 1 suites", told.getvalue())


if __name__ == "__main__":
    unittest.main()
