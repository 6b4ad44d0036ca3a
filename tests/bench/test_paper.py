# SPDX-License-Identifier: Apache-2.0
"""The papers' figures, tables, sentences and claims: what is read of results, what the catalogue refuses, and that the page and the list
have every figure. test_paper_judging.py tests the rules.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

import support
from test_paper_judging import runs_around

sys.path.insert(0, str(support.HARNESS.parent / "paper"))

import book  # noqa: E402  pylint: disable=wrong-import-position
import catalogue  # noqa: E402  pylint: disable=wrong-import-position
import chapters  # noqa: E402  pylint: disable=wrong-import-position
import measured  # noqa: E402  pylint: disable=wrong-import-position
import page  # noqa: E402  pylint: disable=wrong-import-position
import sourcing  # noqa: E402  pylint: disable=wrong-import-position
import stats  # noqa: E402  pylint: disable=wrong-import-position
import verdict  # noqa: E402  pylint: disable=wrong-import-position

PAPERS = catalogue.load()


class Results(unittest.TestCase):
    """What is read of result files."""

    def test_a_round_without_values_keeps_its_place(self):
        def cell(peer, series):
            return {"row": "r", "threads": 1, "peer": peer, "gap": None, "series": series}
        values = measured.values_of({"suite": "s", "machine": {"cpus": 2}, "cells": [cell("a", [[1], [], [3]]), cell("b", [[1], [2], [3]])]})
        found = verdict.measure(values, {"of": "s/r/1/a", "to": "s/r/1/b"}, {})
        self.assertEqual((found.value, found.low, found.high, found.runs), (1, 1, 1, 2))

    def test_seeds_that_are_one_run(self):
        line = "nehalem2015 swaptions:batches=512,seed={s} random any default P=32 seed={s}\t{ms}\t1\t0.1\t0\t5\t{failed}\t0\t0\t9\t1\t2\t.\n"
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "cells.tsv"
            path.write_text("".join(line.format(s=s, ms=2, failed=7) for s in range(5)), encoding="utf-8")
            self.assertEqual(measured.from_study(path, 2).runs["jsa/swaptions/random/32/ms"], [2.0, None, None, None, None])
            # Nine that are the same and one that differs are two runs.
            path.write_text("".join(line.format(s=s, ms=2 + (s == 4), failed=7) for s in range(10)), encoding="utf-8")
            values = measured.from_study(path, 2)
            self.assertEqual(verdict.measure(values, {"of": "jsa/swaptions/random/32/ms"}, {}).runs, 2)
            path.write_text("".join(line.format(s=s, ms=2 + s, failed=7) for s in range(5)), encoding="utf-8")
            self.assertEqual(measured.from_study(path, 2).runs["jsa/swaptions/random/32/ms"], [2.0, 3.0, 4.0, 5.0, 6.0])

    def test_the_bound_has_its_span(self):
        for setting, n, span in (("cutoff 12", "50", 144 / 20365011074), ("grain 10000000", "100000000", 1 / 16), ("grain 100", "100000000", 1 / 2 ** 20),
                                 ("grain 10", "10", 1), ("grain 10", "20", 0.5), ("auto", "100", None), ("grain 1", None, None)):
            self.assertEqual(measured.span_of(setting, n), span, setting)
        rows = [{"setting": "grain 10", "style": "TBB", "threads": threads, "cores": 2.0, "rounds": [{"speedup": 0.5 * threads}]} for threads in (1, 2)]
        values = measured.values_of({"suite": "kernels", "machine": {"cpus": 2}, "figures": [
            {"figure": 7, "parameters": {"ashlar": {"n": "80"}}, "results": {"ashlar": rows}}]})
        spec = {"of": "kernels/7/grain 10/TBB/2/ashlar", "to": "kernels/7/grain 10/TBB/1/ashlar", "per": "{cpus}"}
        self.assertEqual(verdict.measure(values, spec, {"cpus": "2"}).value, 1)
        # The time is a half of T1, the bound a half and an eighth.
        self.assertEqual(verdict.measure(values, {**spec, "span": "kernels/7/grain 10/TBB/span/ashlar"}, {"cpus": "2"}).value, 1.25)

    def test_joules_where_the_machine_counts_them(self):
        def values(*joules):
            rounds = [{"samples": [[1.0, 2.0]], "values": {"failed_steals": 1, "conflicts": 0}, "joules": j} for j in joules]
            return measured.values_of({"suite": "victims", "machine": {"cpus": 2}, "cells": [{"row": "lu", "threads": 2, "peer": "random", "gap": None, "rounds": rounds}]})
        self.assertEqual(values(5.0, 6.0).runs["victims/lu/random/2/joules"], [5.0, 6.0])
        self.assertNotIn("victims/lu/random/2/joules", values(None, None).runs)

    def test_a_full_result_stays_until_there_is_a_newer_full_one(self):
        def document(date, value, quick, rows=("7", "8")):
            figures = [{"figure": row, "results": {"ashlar": [{"setting": "s", "style": "TBB", "threads": threads, "cores": 1.0, "rounds": [{"speedup": value}]}
                                                              for threads in ((1, 2) if quick else (1,))]}} for row in rows]
            return {"suite": "kernels", "date": date, "machine": {"cpus": 2}, "quick": quick, "figures": figures}
        values = measured.together([document("2026-02", 0.5, True), document("2026-01", 0.9, False, ["7"]), document("2026-03", 0.6, True)], 2)
        # Of figure 7 nothing is from the quick runs, not even the threads that the full one lacks.
        self.assertEqual(values.runs, {"kernels/7/s/TBB/1/ashlar": [0.9], "kernels/8/s/TBB/1/ashlar": [0.6], "kernels/8/s/TBB/2/ashlar": [0.6]})
        self.assertEqual(values.quick, {"kernels/8/s/TBB/1/ashlar", "kernels/8/s/TBB/2/ashlar"})

    def test_quick_results_are_known(self):
        for document, quick in (({"quick": True}, True), ({"quick": False}, False), ({"settings": {"quick": True}}, True), ({"repeats": 20}, True),
                                ({"repeats": 100}, False), ({"settings": {"quick": False}}, False), ({}, False)):
            self.assertEqual(measured.is_quick(document), quick, document)
        documents = [{"suite": "soft", "date": date, "repeats": repeats} for date, repeats in (("1", 100), ("2", 100), ("3", 20))]
        self.assertEqual(sourcing.newest_of_each(sorted(documents, key=measured.rank)), [documents[1]])


class StoredStudy(unittest.TestCase):
    """Policies without random numbers once had one run for all seeds."""

    def test_no_two_seeds_of_a_cell_are_the_same_run(self):
        runs = {}
        for line in (sourcing.ROOT / "docs/study/cells.tsv").read_text(encoding="utf-8").splitlines():
            found = measured.cell_of(line)
            if found and found[0][3] != "1":  # a run on one core is the same for all seeds, but for those of the graph
                runs.setdefault(found[0], []).append(tuple(found[1].values()))
        self.assertGreater(len(runs), 100)
        self.assertEqual([cell for cell, listed in runs.items() if len(set(listed)) < len(listed)], [])
        self.assertEqual({len(listed) for listed in runs.values()}, {10})


class Prediction(unittest.TestCase):
    """The simulator's predictions beside what was measured."""

    def values(self, predicted):
        with tempfile.TemporaryDirectory() as scratch:
            for name, runs in (("predicted_runs.tsv", predicted), ("sleeping_runs.tsv", runs_around(1.2, 6))):
                (pathlib.Path(scratch) / name).write_text(f"# x\nsort\t64\t{' '.join(map(str, runs))}\n", encoding="utf-8")
            return measured.from_prediction(pathlib.Path(scratch) / "predicted_runs.tsv", 2)

    def test_near_far_and_scattered(self):
        rule = {"of": "product/sort/64/predicted", "to": "product/sort/64/measured", "within": [0.85, 1.15]}
        for predicted, found in ((runs_around(1.3, 15), "holds"), (runs_around(1.5, 15), "gone"), ([1.2, 1.9] * 8, "open")):
            self.assertEqual(verdict.judge({"text": "", "rule": rule}, self.values(predicted)).verdict, found)

    def test_every_row_of_the_prediction_is_shown(self):
        sys.path.insert(0, str(sourcing.ROOT / "sim/product"))
        import predict  # pylint: disable=import-outside-toplevel
        _, item = catalogue.find(PAPERS, "sim-t1")
        self.assertEqual(item["table"][0]["each"]["row"], predict.rows())


class Intervals(unittest.TestCase):
    def test_median_of_known_coverage(self):
        # Binomial: of 5 values both ends (94 %), of 10 the second and ninth (98 %), of 20 the sixth and fifteenth (96 %).
        for count, found in ((1, (0, 0)), (5, (0, 4)), (10, (1, 8)), (20, (5, 14))):
            self.assertEqual(stats.median_interval(list(reversed(range(count)))), found)

    def test_spread_of_known_values(self):
        values = [90.0, 110.0] * 50
        low, high = stats.spread_interval(values)
        self.assertLess(low, 0.1005)
        self.assertGreater(high, 0.1005)
        self.assertEqual(stats.spread_interval([5.0] * 6), (0.0, 0.0))


class Catalogue(unittest.TestCase):
    def refused(self, text):
        with tempfile.TemporaryDirectory() as scratch:
            (pathlib.Path(scratch) / "one.toml").write_text(text, encoding="utf-8")
            with self.assertRaises(catalogue.CatalogueError) as raised:
                catalogue.load(pathlib.Path(scratch))
            return str(raised.exception)

    HEAD = 'id = "p"\ntitle = "t"\nauthors = "a"\nyear = 2000\nwhere = "w"\nmachine = "m"\n'
    ITEM = '[[item]]\nid = "p-1"\nkind = "figure"\nnumber = "1"\ntitle = "t"\nsource = "s"\n'

    def test_what_is_misspelt(self):
        self.assertIn("'sorce'; 'source' is near", self.refused(self.HEAD + self.ITEM.replace("source", "sorce")))
        self.assertIn("unknown key 'titel'; 'title' is near", self.refused(self.HEAD + 'titel = "x"\n'))
        self.assertIn("no figure or table 'p-2'", self.refused(self.HEAD + self.ITEM + '[[claim]]\nitems = ["p-2"]\ntext = "x"\nwhy = "y"\n'))
        self.assertIn("either a rule, or tells why", self.refused(self.HEAD + self.ITEM + '[[claim]]\nitems = ["p-1"]\ntext = "x"\n'))
        self.assertIn("one of above, below, within", self.refused(self.HEAD + self.ITEM + '[[claim]]\nitems = ["p-1"]\ntext = "x"\nrule = { of = "a" }\n'))

    def test_every_figure_of_the_papers_is_there(self):
        """Counted in the papers: figures of each, and tables. jsa-real is none of the paper's, nor are itj's table, and iiswc-6 and -5 are one slide."""
        counted = {paper.id: (sum(item["kind"] == "figure" or item["kind"] == "drawing" and "able" not in item["number"] for item in paper.items),
                              sum(item["kind"] == "table" or "able" in item["number"] for item in paper.items)) for paper in PAPERS}
        self.assertEqual(counted, {"itj": (ITJ_FIGURES, 1), "iiswc": (6, 1), "tbbench": (8, 1), "soft": (0, 2), "jsa": (6 + 1, 1), "sim": (1, 1)})

    def test_sources_are_known(self):
        known = sourcing.load()
        for item in (item for paper in PAPERS for item in paper.items if "source" in item):
            self.assertIn(item["source"], known, item["id"])


class Sentences(unittest.TestCase):
    """The list of the papers' sentences."""

    def test_each_has_a_claim_or_a_reason_and_each_claim_a_sentence(self):
        for paper in PAPERS:
            with self.subTest(paper=paper.id):
                self.assertEqual(catalogue.missing(paper, catalogue.sentences().get(paper.id, [])), ([], []))
        self.assertEqual(catalogue.sentences().keys(), {"itj", "iiswc", "tbbench", "soft", "jsa"})

    def test_a_claim_that_vanishes_or_is_invented_is_found(self):
        paper = catalogue.Paper({"id": "p"}, [], [{"text": "“It is fast.”"}, {"text": "It is small."}, {"text": "Ours", "ours": True}])
        listed = [{"at": "1", "words": "is fast"}, {"at": "1", "words": "is cheap"}, {"at": "2", "words": "is new", "why": "no result"}, {"at": "2", "words": "is old", "why": ""}]
        self.assertEqual(catalogue.missing(paper, listed), (["is cheap", "is old"], ["It is small."]))

    def test_what_is_no_papers_claim_is_not_counted(self):
        values = verdict.Values(2)
        claims = [verdict.judge({"text": "t", "why": "w", **more}, values) for more in ({}, {"ours": True})]
        self.assertEqual(page.claims_of([page.Part("p", "P", "", [page.Said("1", "t", claims=claims)])]), claims[:1])
        self.assertIn("decide 0 of 1 claims", page.tally_html([page.Part("p", "P", "", [page.Said("1", "t", claims=claims)])]))
        self.assertEqual([paper.id for paper in PAPERS for claim in paper.claims if claim.get("ours")], ["soft", "sim", "sim"])

    def test_the_simulators_chapter_says_whose_runs_it_predicts(self):
        lead = chapters.lead_of(next(paper for paper in PAPERS if paper.id == "sim"), [])
        self.assertNotIn("Measured there", lead)
        self.assertNotIn("nothing measured", lead)
        for line in (sourcing.ROOT / "docs/study/sleeping_runs.tsv").read_text(encoding="utf-8").splitlines():
            if line.startswith("# ") and ".json" in line:
                self.assertIn(line.removeprefix("# ").partition("/")[0], lead)


ITJ_FIGURES = 15


class Beside(unittest.TestCase):
    """The paper's values beside ours."""

    def test_a_table_in_the_papers_shape(self):
        paper, item = catalogue.find(PAPERS, "soft-1")
        values = verdict.Values(2)
        for test, peak in ((1, 300.0), (2, 200.0)):
            values.add(f"soft/{test}/500/ashlar/peak", [peak] * 5)
        table, = chapters.tables_of(item, values)
        self.assertEqual(table.head, ["limit/allocator", "test 1", "test 2", "test 3"])
        self.assertEqual(table.rows, [["500/ashlar", "505; 754 | 300 (300 to 300)", "459; 957 | 200 (200 to 200)", "1131; 2092 | –"]])
        # All of the article's fifteen values of each quantity are there.
        for item in paper.items:
            given = item["table"][0]["paper"]
            self.assertEqual({name.partition("/")[0] for name in given if "tbbmalloc" in name}, {"none", "500", "400", "300"})
            self.assertEqual({len(cells) for cells in given.values()}, {3})

    def test_median_interval_and_mean(self):
        item = {"id": "p-1", "kind": "figure", "number": "1", "title": "t", "source": "s", "printed": [{"what": "w", "value": "1", "of": "a"}]}
        values = verdict.Values(2)
        self.assertEqual(chapters.beside(item, values)[0].rows, [["w", "1", "", "–", "–", "–", "0"]])
        values.add("a", [2.0, 2.0, 3.0, 4.0, 9.0])
        self.assertEqual(chapters.beside(item, values)[0].rows, [["w", "1", "", "3.00", "2.00 to 9.00", "4.00", "5"]])


class Mechanisms(unittest.TestCase):
    def test_each_tells_what_became_of_it_and_what_was_measured(self):
        item = {"id": "p-1", "kind": "drawing", "number": "1", "title": "t", "mechanism": [
            {"name": "bins", "here": "kept", "why": "cheap", "measured": "time", "of": "a/{cpus}", "to": "b"}, {"name": "lists", "here": "replaced", "why": "dear"}]}
        paper, values = catalogue.Paper({"id": "p"}, [item], []), verdict.Values(2)
        _, made = chapters.items_of(paper, item, values, [])
        self.assertEqual([row[-1] for row in made.rows], ["time: not measured yet", "–"])
        values.add("a/2", [4.0] * 5)
        values.add("b", [2.0] * 5)
        _, made = chapters.items_of(paper, item, values, [])
        self.assertEqual(made.rows[0], ["bins", "kept", "cheap", "time: 2.00 (2.00 to 2.00)"])

    def test_a_mechanism_without_a_reason_is_refused(self):
        with self.assertRaisesRegex(catalogue.CatalogueError, "a mechanism has a 'why'"):
            catalogue.check_item({"id": "p-1", "kind": "drawing", "number": "1", "title": "t", "mechanism": [{"name": "bins", "here": "kept"}]}, "p")


class Book(unittest.TestCase):
    def test_list_names_every_figure_and_its_command(self):
        lines = book.listing(PAPERS, verdict.Values(2), sourcing.load())
        for item in (item for paper in PAPERS for item in paper.items):
            mine = [line for line in lines if line.startswith(item["id"] + " ")]
            self.assertEqual(len(mine), 1, item["id"])
            self.assertEqual(f"./dev paper {item['id']}" in mine[0], "source" in item)

    def test_states(self):
        paper = catalogue.Paper({"id": "p", "title": "", "authors": "", "year": 1, "where": "", "machine": ""},
                                [{"id": "p-1", "kind": "figure", "number": "1", "title": "t", "source": "s", "panel": [
                                    {"of": "a/{threads}", "x": "threads", "unit": "s", "each": {"threads": [1, 2, 4]}}]}],
                                [{"items": ["p-1"], "text": "x", "rule": {"of": "a/1", "above": 1}}])
        values = verdict.Values(2)
        self.assertEqual(chapters.state_of(paper, paper.items[0], values), "not measured yet")
        for runs, state in (([2.0] * 5, "reproduced"), ([0.5] * 5, "differs"), ([2.0] * 4, "cannot be told here")):
            values.add("a/1", runs)
            values.add("a/4", runs)
            self.assertEqual(chapters.state_of(paper, paper.items[0], values), state)
        values.quick = {"a/4"}
        self.assertEqual(chapters.state_of(paper, paper.items[0], values), "cannot be told here, quick")
        figure = chapters.items_of(paper, paper.items[0], values, [])[0]
        self.assertEqual(figure.chart.groups, ["1", "4*"])
        self.assertIn("oversubscribed", figure.note)
        self.assertIn("Quick: smaller problems", figure.note)

    def test_every_program_takes_its_command(self):
        """The options of sources.toml, given to the parsers of the programs themselves."""
        for name, source in sourcing.load().items():
            for quick in (True, False) if "script" in source else ():
                command = sourcing.command_of(source, pathlib.Path("x.json"), quick, True, 2)
                more = ["--resume"] if pathlib.Path(command[1]).name in sourcing.RESUMES else []
                script = pathlib.Path(command[1])
                parse = ("import importlib, sys; sys.path[:0] = [%r, %r]; found = importlib.import_module(%r).arguments(sys.argv[1:]); "
                         "print(found.json)" % (str(script.parent), str(support.HARNESS), script.stem))
                done = subprocess.run([sys.executable, "-c", parse, *command[2:], *more], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stdout), (0, "x.json\n"), f"{name}: {done.stderr}")

    def test_what_another_commit_left_is_measured_anew(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            support.fake_program(folder / "run.py", """
                out = sys.argv[sys.argv.index('--json') + 1]
                if '--resume' in sys.argv: sys.exit(2)
                open(out, 'w').write(json.dumps({'suite': 's', 'date': str(os.getpid()), 'machine': {}, 'commit': 'c'}))
                """.replace("\n                ", "\n"))
            source = {"script": str(folder / "run.py"), "arguments": [], "quick": [], "full": []}
            options = types.SimpleNamespace(quick=True, anyway=False)
            path = sourcing.result_path("one", True, folder)
            path.parent.mkdir()
            path.with_name(path.name + ".partial").write_text("x", encoding="utf-8")
            sourcing.run_one("one", source, options, folder)
            self.assertEqual(sourcing.read(path)["commit"], "c")
            # A program that writes nothing new has failed, whatever lies there from before.
            (folder / "run.py").write_text("import sys; sys.exit(1)\n", encoding="utf-8")
            with self.assertRaisesRegex(sourcing.SourceError, "one: exit code"):
                sourcing.run_one("one", source, options, folder)

    def test_commands_ask_for_all_processors(self):
        source = {"script": "bench/kernels/figures.py", "arguments": ["--figures", "8"], "quick": ["--threads", "{few}"], "full": ["--threads", "{threads}"]}
        for quick, cpus, threads in ((True, 2, "1,2"), (False, 2, "1,2,4,8"), (False, 6, "1,2,4,6,8"), (True, 1, "1")):
            command = sourcing.command_of(source, pathlib.Path("x.json"), quick, False, cpus)
            self.assertEqual(command[command.index("--threads") + 1], threads)

    def test_page_tells_how_many_claims_could_have_failed(self):
        claims = [page.Claim("a", verdict_, "") for verdict_ in ("holds", "gone", "open")]
        text = page.tally_html([page.Part("p", "P", "", [page.Said("1", "t", claims=claims)])])
        self.assertIn("these results decide 2 of 3 claims", text)

    def test_a_killed_run_goes_on_behind_what_is_done(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            path = sourcing.result_path("kernels-8", True, folder)
            path.parent.mkdir()
            facts = {"suite": "kernels", "date": "2026", "machine": {}, "commit": "abc"}
            self.assertFalse(sourcing.is_done("kernels-8", True, "abc", folder))
            path.write_text(json.dumps(facts), encoding="utf-8")
            self.assertTrue(sourcing.is_done("kernels-8", True, "abc", folder))
            self.assertFalse(sourcing.is_done("kernels-8", True, "def", folder))
            path.write_text(json.dumps({**facts, "interrupted": True}), encoding="utf-8")
            self.assertFalse(sourcing.is_done("kernels-8", True, "abc", folder))
            path.write_text('{"suite": "ker', encoding="utf-8")
            self.assertFalse(sourcing.is_done("kernels-8", True, "abc", folder))


if __name__ == "__main__":
    unittest.main()
