# SPDX-License-Identifier: Apache-2.0
"""The papers' claims: each rule must fail on data that contradict the paper, hold on data that agree, and decide nothing where it
can't; the catalogue refuses what is misspelt; the page and the list have every figure.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

import support

sys.path.insert(0, str(support.HARNESS.parent / "paper"))

import book  # noqa: E402  pylint: disable=wrong-import-position
import catalogue  # noqa: E402  pylint: disable=wrong-import-position
import chapters  # noqa: E402  pylint: disable=wrong-import-position
import measured  # noqa: E402  pylint: disable=wrong-import-position
import page  # noqa: E402  pylint: disable=wrong-import-position
import sourcing  # noqa: E402  pylint: disable=wrong-import-position
import stats  # noqa: E402  pylint: disable=wrong-import-position
import verdict  # noqa: E402  pylint: disable=wrong-import-position

CPUS = 8
PAPERS = catalogue.load()
JUDGED = [(paper.id, claim) for paper in PAPERS for claim in paper.claims if "rule" in claim]


def runs_around(value, count=7, scatter=1e-4):
    """So many runs whose median is `value`."""
    return [value * (1 + scatter * (i - count // 2)) for i in range(count)]


def target(rule, names, right):
    """A value of the rule's quantity that agrees with the paper in direction and size, or lies far on the other side."""
    if "within" in rule:
        low, high = rule["within"]
        return (low + high) / 2 if right else 2 * high
    bound, size = rule.get("above", rule.get("below")), verdict.paper_size(rule, names)
    size = sum(verdict.sizes(size)) / len(verdict.sizes(size)) if size is not None else None
    if right:
        return size if size is not None else bound * 1.3 if "above" in rule else bound * 0.7
    if "above" in rule:
        return bound * 0.7 if bound > 0 else 1e-9 * (size or 1)
    return bound * 1.4


def spread_runs(value, count=40):
    """Runs with this standard deviation over mean; many, because the interval of a deviation is wide."""
    return [1 + value * (1 if i % 2 else -1) for i in range(count)]


class Builder:
    """Sets values so that a rule's quantity is what is wanted, for all of its names; a key that two comparisons share is set once."""

    def __init__(self, rule):
        self.rule, self.values, self.level = rule, verdict.Values(CPUS), {}

    def fill(self, wanted, count=7, scatter=1e-4):
        pairs = []
        for names in verdict.names_of(self.rule, self.values):
            ofs, tos = (verdict.keys_of(self.rule.get(key), names) for key in ("of", "to"))
            share = float(self.rule.get("per", "1").format(**names))
            pairs.append((ofs, tos, wanted(names) * share))
        for ofs, tos, value in sorted(pairs, key=lambda pair: pair[2]):
            self.place(ofs, tos, value)
        for key, level in self.level.items():
            runs = spread_runs(level) if self.rule.get("spread") else runs_around(level, count, scatter if key in self.numerators else 0)
            self.values.add(key, runs)
        return self.values

    numerators = ()

    def place(self, ofs, tos, value):
        self.numerators = (*self.numerators, *ofs)
        for key in [*ofs[1:], *tos[1:]]:
            self.level.setdefault(key, 1.0)
        if ofs[0] in self.level:
            if tos:
                self.level.setdefault(tos[0], self.level[ofs[0]] / value)
            return
        self.level[ofs[0]] = value * (self.level.setdefault(tos[0], 1.0) if tos else 1)


class EveryRule(unittest.TestCase):
    def judged(self, claim, right, count=7, scatter=1e-4):
        rule = {key: value for key, value in claim["rule"].items() if key not in ("most", "most_times")}
        values = Builder(rule).fill(lambda names: target(rule, names, right), count, scatter)
        return verdict.judge({**claim, "rule": rule}, values)

    def test_fails_on_data_that_contradict(self):
        self.assertGreater(len(JUDGED), 50)
        for paper, claim in JUDGED:
            with self.subTest(paper=paper, claim=claim["text"][:60]):
                self.assertEqual(self.judged(claim, False).verdict, "gone", self.judged(claim, False).finding)

    def test_holds_on_data_that_agree(self):
        for paper, claim in JUDGED:
            with self.subTest(paper=paper, claim=claim["text"][:60]):
                self.assertEqual(self.judged(claim, True).verdict, "holds", self.judged(claim, True).finding)

    def test_fewer_than_five_runs_decide_nothing(self):
        for paper, claim in JUDGED:
            if claim["rule"].get("spread"):
                continue
            with self.subTest(paper=paper, claim=claim["text"][:60]):
                for right in (True, False):
                    self.assertEqual(self.judged(claim, right, count=4).verdict, "open")

    def test_intervals_that_contain_the_limit_decide_nothing(self):
        for paper, claim in JUDGED:
            if claim["rule"].get("spread"):
                continue
            with self.subTest(paper=paper, claim=claim["text"][:60]):
                # What contradicts 'above 0' lies so near to it that no scatter reaches the limit.
                for right in (True, False) if claim["rule"].get("above") != 0 else (True,):
                    self.assertEqual(self.judged(claim, right, scatter=0.33).verdict, "open", self.judged(claim, right, scatter=0.33).finding)


class Sizes(unittest.TestCase):
    """The paper says three times as fast."""
    claim = {"text": "x", "items": ["y"], "rule": {"of": "a", "to": "b", "above": 1, "size": 3}}

    def found(self, ratio):
        values = verdict.Values(2)
        values.add("a", runs_around(ratio))
        values.add("b", [1.0] * 7)
        return verdict.judge(self.claim, values).verdict

    def test_an_effect_within_a_factor_of_two_holds(self):
        self.assertEqual([self.found(ratio) for ratio in (2.1, 3, 4.9)], ["holds"] * 3)

    def test_another_effect_does_not(self):
        self.assertEqual([self.found(ratio) for ratio in (0.5, 1.5, 1.9, 5.2, 9)], ["gone"] * 5)

    def test_up_to_is_about_the_greatest_effect(self):
        rule = {"of": "{n}", "above": 1, "size": 1.1, "over": "any", "each": {"n": [1, 2]}}
        for first, second, found in ((1.1, 0.9, "holds"), (1.1, 1.5, "gone"), (0.9, 0.8, "gone"), (1.01, 1.0, "gone")):
            values = verdict.Values(2)
            values.add("1", runs_around(first))
            values.add("2", runs_around(second))
            self.assertEqual(verdict.judge({"text": "", "rule": rule}, values).verdict, found, (first, second))

    def test_what_decides_nothing_is_not_the_greatest_effect(self):
        rule = {"of": "{n}", "below": 1, "size": 0.8877, "over": "any", "each": {"n": [1, 2]}}
        wide = [0.3, 0.4, 0.45, 0.5, 0.6, 1.1, 1.2]
        for runs, found in ((runs_around(0.88), "holds"), (runs_around(0.99), "open"), (runs_around(0.5), "gone")):
            values = verdict.Values(2)
            values.add("1", wide)
            values.add("2", runs)
            self.assertEqual(verdict.judge({"text": "", "rule": rule}, values).verdict, found, runs)

    def test_each_place_may_have_a_size_of_its_own(self):
        rule = {"of": "{p}/{n}", "above": 1, "each": {"p": ["lu"], "n": [16, 32]}, "size": {"lu/16": 1.1, "lu/32": 2}}
        values = verdict.Values(2)
        values.add("lu/16", runs_around(1.1))
        values.add("lu/32", runs_around(1.1))
        self.assertEqual([said for _, _, said in verdict.compared(values, rule)], [True, False])


class Void(unittest.TestCase):
    def test_an_impossible_speedup_decides_nothing(self):
        document = {"machine": {"cpus": 2}, "figures": [{"figure": 8, "results": {"ashlar": [
            {"setting": "grain 100", "style": "TBB+CBR", "threads": 2, "cores": 2.0, "rounds": [{"speedup": s} for s in runs_around(2.57)]},
            {"setting": "grain 1", "style": "TBB+CBR", "threads": 1, "cores": 1.0, "rounds": [{"speedup": s} for s in runs_around(1.22)]},
            {"setting": "grain 1", "style": "TBB", "threads": 2, "cores": 1.7, "rounds": [{"speedup": s} for s in runs_around(1.5)]}]}}]}
        values = measured.from_kernels(document)
        found = verdict.judge({"text": "", "rule": {"of": "kernels/8/grain 100/TBB+CBR/2/ashlar", "above": 1}}, values)
        self.assertEqual(found.verdict, "open")
        self.assertIn("void: a speed-up of 2.57, and the processors allow 2", found.finding)
        # Nor does a ratio with it.
        found = verdict.judge({"text": "", "rule": {"of": "kernels/8/grain 100/TBB+CBR/2/ashlar", "to": "kernels/8/grain 1/TBB+CBR/1/ashlar",
                                                    "above": 1}}, values)
        self.assertEqual(found.verdict, "open")

    def test_processors_that_a_scheduler_leaves_idle_count_against_it(self):
        def row(threads, cores, speedup):
            return {"setting": "grain 1", "style": "TBB", "threads": threads, "cores": cores, "rounds": [{"speedup": s} for s in runs_around(speedup)]}
        document = {"suite": "kernels", "machine": {"cpus": 2}, "figures": [{"figure": 8, "results": {"ashlar": [row(2, 1.0, 1.0), row(1, 0.5, 0.5)]}}]}
        values = measured.values_of(document)
        close = verdict.judge({"text": "", "rule": {"of": "kernels/8/grain 1/TBB/{cpus}/ashlar", "per": "{cpus}", "above": 0.9}}, values)
        self.assertEqual((close.verdict, "not so; used 1.00 of 2 processors" in close.finding), ("gone", True))
        # One thread never waits for another, so that others took what it lacks.
        alone = verdict.judge({"text": "", "rule": {"of": "kernels/8/grain 1/TBB/1/ashlar", "within": [0.95, 1.05]}}, values)
        self.assertEqual((alone.verdict, "void: had 0.50 of a processor" in alone.finding), ("open", True))

    def test_a_speedup_over_another_allocator_has_another_ceiling(self):
        values = verdict.Values(2)
        for key, value in (("serial", 6.0), ("serial scalable", 3.0), ("parallel", 1.6)):
            values.add(key, runs_around(value))
        rule = {"of": "serial", "to": "parallel", "most": "2", "above": 1}
        self.assertEqual(verdict.judge({"text": "", "rule": rule}, values).verdict, "open")
        rule["most_times"] = {"of": "serial", "to": "serial scalable"}
        self.assertEqual(verdict.judge({"text": "", "rule": rule}, values).verdict, "holds")

    def test_a_divisor_of_zero_decides_nothing(self):
        values = verdict.Values(2)
        values.add("a", [1.0] * 6)
        values.add("b", [1.0] * 5 + [0.0])
        self.assertEqual(verdict.judge({"text": "", "rule": {"of": "a", "to": "b", "below": 2}}, values).verdict, "open")
        values.add("b", [1.0] * 5 + [-1.0])
        self.assertIn("void", verdict.judge({"text": "", "rule": {"of": "a", "to": "b", "below": 2}}, values).finding)

    def test_something_over_nothing_is_more_than_any_limit(self):
        rule = {"of": "occupancy", "to": "random", "below": 1}
        for theirs, ours, found in (([0, 1, 2, 1, 3, 2], [50] * 6, "gone"), ([0] * 6, [0] * 6, "gone"), ([0, 5, 5, 5, 5, 5], [1] * 6, "open")):
            values = verdict.Values(2)
            values.add("occupancy", ours)
            values.add("random", theirs)
            self.assertEqual(verdict.judge({"text": "", "rule": rule}, values).verdict, found, theirs)
        self.assertIsNone(chapters.drawn(values, rule, {}))
        self.assertIn("∞", verdict.judge({"text": "", "rule": rule}, values).finding)

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


class Results(unittest.TestCase):
    """What is read of result files."""

    def test_a_round_without_values_keeps_its_place(self):
        def cell(peer, series):
            return {"row": "r", "threads": 1, "peer": peer, "gap": None, "series": series}
        values = measured.values_of({"suite": "s", "machine": {"cpus": 2}, "cells": [cell("a", [[1], [], [3]]), cell("b", [[1], [2], [3]])]})
        found = verdict.measure(values, {"of": "s/r/1/a", "to": "s/r/1/b"}, {})
        self.assertEqual((found.value, found.low, found.high, found.runs), (1, 1, 1, 2))

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


class Quantifiers(unittest.TestCase):
    def test_all_most_and_any(self):
        yes, no, unknown = True, False, None
        for outcomes, found in (([yes, yes], ("holds", "holds", "holds")), ([yes, no], ("partly", "partly", "holds")),
                                ([no, no], ("gone", "gone", "gone")), ([unknown, unknown], ("open", "open", "open")),
                                ([yes, unknown], ("open", "open", "holds")), ([no, unknown], ("gone", "gone", "open")),
                                ([yes, unknown, unknown], ("open", "open", "holds")), ([yes, no, unknown], ("partly", "partly", "holds")),
                                ([yes] * 3 + [unknown] * 2, ("open", "open", "holds")), ([yes] * 4 + [no], ("partly", "holds", "holds"))):
            self.assertEqual(tuple(verdict.overall(outcomes, over) for over in ("all", "most", "any")), found, outcomes)

    def test_what_was_not_measured_decides_nothing_and_is_told(self):
        for over, there, found in (("all", 2, "open"), ("all", 3, "holds"), ("most", 2, "open"), ("most", 3, "holds"), ("any", 1, "holds")):
            values = verdict.Values(2)
            for name in ("ashlar", "onetbb", "tbb2020")[:there]:
                values.add(name, runs_around(2))
            claim = verdict.judge({"text": "", "rule": {"of": "{library}", "above": 1, "over": over, "each": {"library": ["ashlar", "onetbb", "tbb2020"]}}}, values)
            self.assertEqual(claim.verdict, found, (over, there))
            self.assertEqual(f"Measured: {there} of 3 comparisons" in claim.finding, there < 3)

    def test_one_processor_decides_nothing_about_all_of_them(self):
        values = verdict.Values(1)
        values.add("a/1", runs_around(1.0))
        for rule in ({"of": "a/{cpus}", "to": "a/1", "above": 1}, {"of": "a/1", "per": "{cpus}", "above": 0.75},
                     {"of": "a/{n}", "to": "a/1", "below": 2, "each": {"n": ["{cpus}"]}}):
            claim = verdict.judge({"text": "", "rule": rule}, values)
            self.assertEqual((claim.verdict, "Needs 2 processors; here is 1" in claim.finding), ("open", True), rule)

    def test_a_rule_that_asks_for_threads_needs_as_many_processors(self):
        """Simulated cores, and threads whose bodies sleep, are always there; the article's numbers are limits."""
        for paper, claim in JUDGED:
            of = claim["rule"]["of"]
            for key in [of] if isinstance(of, str) else of:
                source, _, *rest = key.split("/")
                if source in ("kernels", "tbbench", "foundations", "characterisation", "victims"):
                    fixed = max((int(part) for part in rest if part.isdigit()), default=1)
                    self.assertLessEqual(fixed, verdict.processors_needed(claim["rule"]), f"{paper}: {claim['text'][:60]}")

    def test_processors_that_are_not_there(self):
        claim = {"text": "", "rule": {"of": "a", "above": 1, "cpus": 8}}
        values = verdict.Values(2)
        values.add("a", runs_around(9.0))
        self.assertEqual(verdict.judge(claim, values).verdict, "open")
        self.assertIn("Needs 8 processors; here are 2", verdict.judge(claim, values).finding)


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


ITJ_FIGURES = 15


class Beside(unittest.TestCase):
    """The paper's values beside ours."""

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
        self.assertIn("2 of 3 claims could have failed", text)

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
