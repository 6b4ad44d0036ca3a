# SPDX-License-Identifier: Apache-2.0
"""How claims are judged: each rule must fail on data that contradict the paper, hold on data that agree, and decide nothing where it can't."""
import sys
import unittest

import support

sys.path.insert(0, str(support.HARNESS.parent / "paper"))

import catalogue  # noqa: E402  pylint: disable=wrong-import-position
import chapters  # noqa: E402  pylint: disable=wrong-import-position
import measured  # noqa: E402  pylint: disable=wrong-import-position
import verdict  # noqa: E402  pylint: disable=wrong-import-position

CPUS = 8
JUDGED = [(paper.id, claim) for paper in catalogue.load() for claim in paper.claims if "rule" in claim]


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

    def test_comparisons_are_counted_in_plain_words(self):
        for outcomes, text in (([True], ""), ([True] * 3, " 3 of 3 agree."), ([True] * 30 + [None], " 30 of 31 agree, 1 is undecided."),
                               ([True, False, None, None], " 1 of 4 agree, 1 does not, 2 are undecided.")):
            self.assertEqual(verdict.counted(outcomes), text)

    def test_something_over_nothing_is_more_than_any_limit(self):
        rule = {"of": "occupancy", "to": "random", "below": 1}
        for theirs, ours, found in (([0, 1, 2, 1, 3, 2], [50] * 6, "gone"), ([0] * 6, [0] * 6, "gone"), ([0, 5, 5, 5, 5, 5], [1] * 6, "open")):
            values = verdict.Values(2)
            values.add("occupancy", ours)
            values.add("random", theirs)
            self.assertEqual(verdict.judge({"text": "", "rule": rule}, values).verdict, found, theirs)
        self.assertIsNone(chapters.drawn(values, rule, {}))
        self.assertIn("∞", verdict.judge({"text": "", "rule": rule}, values).finding)


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


if __name__ == "__main__":
    unittest.main()
