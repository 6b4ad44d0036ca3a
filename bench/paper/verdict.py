# SPDX-License-Identifier: Apache-2.0
"""Judges what a paper says by measured values.

A quantity is a value, or a ratio of two, run by run; its interval is that of the median over the runs. A rule has a direction
(`above` or `below` a bound, or `within` two), and either the paper's size or none: with a size the effect must lie within a
factor of 2 of the paper's, without one only its sign counts. A comparison whose interval contains a limit decides nothing,
whichever side its median lies on; nor does one of fewer than five runs, nor an impossible speed-up, nor one that was not measured.
"""
import dataclasses
import itertools
import math
import statistics

import stats
from page import Claim

LEAST_RUNS = 5
POSSIBLE = 1.05        # times the processors: what two clock readings and the cores' clock rates may add to a speed-up
WHOLE = 0.9            # of the processors that a run could use; with less something was idle or taken by others
FACTOR = 2             # of the paper's size
MOST = 0.8             # of the comparisons must agree where a paper says "generally"


@dataclasses.dataclass
class Measured:
    """A quantity: its median, interval and number of runs, and why it can't be used, if so."""
    value: float
    low: float
    high: float
    runs: int
    void: str = ""
    drawn: bool = True             # what is void for want of processors is still drawn
    note: str = ""                 # what one should know of it, but decides nothing
    mean: float = math.nan         # for those papers that tell means; what is judged is the median


def place_of(key):
    """The figure or row that a key is of: what one run of a program measures together."""
    return tuple(key.split("/")[:2])


class Values:
    """What was measured: the runs' values by key, 'source/…/threads/library'; None stands for a run that has no value, so that runs keep
    their partners. Exact ones belong to no run; impossible ones are those of a speed-up that the processors don't allow, and nothing that
    uses them counts; quick ones are of smaller problems."""

    def __init__(self, cpus):
        self.cpus, self.runs, self.exact, self.quick = cpus, {}, set(), set()
        self.impossible, self.starved, self.idle = {}, {}, {}

    def add(self, key, runs, exact=False):
        if any(run is not None for run in runs):
            self.runs[key] = list(runs)
            if exact:
                self.exact.add(key)

    def add_speedups(self, key, runs, threads, cores):
        """`cores`: the CPU time over the time, of so many threads. A thread that computes alone never waits, so that others took what it
        lacks. Several threads also wait for each other: what they lack is not known from what others took, and they are judged."""
        self.add(key, runs)
        most = min(threads, self.cpus)
        if runs and cores < WHOLE * most:
            if threads == 1:
                self.starved[key] = f"void: had {cores:.2f} of a processor: other processes or the kernel took the rest"
            else:
                self.idle[key] = f"used {cores:.2f} of {most} processors"
        if runs and statistics.median(runs) > POSSIBLE * most:
            self.impossible[key] = f"void: a speed-up of {statistics.median(runs):.2f}, and the processors allow {most}"

    def update(self, others):
        """Of one key the others' runs count. Nothing quick stays of a figure or row that they have at full length: its problems are smaller."""
        full = {place_of(key) for key in others.runs.keys() - others.quick}
        for key in [key for key in self.quick if place_of(key) in full]:
            del self.runs[key]
            self.quick.remove(key)
        for mine, theirs in ((self.impossible, others.impossible), (self.starved, others.starved), (self.idle, others.idle)):
            for key in others.runs:
                mine.pop(key, None)
            mine.update(theirs)
        self.runs.update(others.runs)
        for mine, theirs in ((self.exact, others.exact), (self.quick, others.quick)):
            mine.difference_update(others.runs)
            mine.update(theirs)

    def product(self, keys):
        """Run by run; None if one of them was not measured."""
        found = [(self.runs.get(key), key in self.exact) for key in keys]
        if any(runs is None for runs, _ in found):
            return None
        length = min((len(runs) for runs, exact in found if not exact), default=1)
        chosen = [[runs[0] if exact else runs[i] for runs, exact in found] for i in range(length)]
        return [None if None in values else math.prod(values) for values in chosen], all(exact for _, exact in found)


def names_of(spec, values):
    """All combinations of the values in `each`, as dictionaries for the keys' placeholders."""
    each = {name: [str(value).format(cpus=values.cpus) for value in listed] for name, listed in spec.get("each", {}).items()}
    combinations = [dict(zip(each, chosen)) for chosen in itertools.product(*each.values())]
    unique = {tuple(names.items()): names for names in combinations}
    return [{**names, "cpus": str(values.cpus)} for names in unique.values()]


def keys_of(entry, names):
    entries = entry if isinstance(entry, list) else [entry] if entry else []
    return [text.format(**names) for text in entries]


def ceiling_of(values, spec, names):
    """The greatest possible speed-up, or None: not more than the processors that the threads can have. With `most_times` it is that
    many times more, where the parallel program also uses something faster than the serial one."""
    if "most" not in spec:
        return None
    ceiling = min(int(spec["most"].format(**names)), values.cpus)
    if "most_times" in spec:
        better = measure(values, spec["most_times"], names)
        ceiling *= max(1.0, better.value) if better else 1.0
    return ceiling * POSSIBLE / float(spec.get("per", "1").format(**names))


def share_of(values, spec, names):
    """What a quantity is divided by. With `span`, T∞ / T1, processors are worth what the bound T1 / P + T∞ leaves of them."""
    share, span = float(spec.get("per", "1").format(**names)), values.runs.get(spec.get("span", "").format(**names))
    return 1 / (1 / share + span[0]) if span else share


def ratio_of(of, to):
    """Something over nothing is beyond every limit, nothing over nothing no difference; a divisor below zero makes no ratio."""
    if to == 0 and of >= 0:
        return math.inf if of else 1.0
    return of / to if to > 0 else math.nan


def ratios(values, spec, names):
    """The quantity in each run that has all of its values, or None."""
    first = values.product(keys_of(spec["of"], names))
    second = values.product(keys_of(spec.get("to"), names))
    if first is None or second is None:
        return None
    (ofs, alone), (tos, constant) = first, second
    length = len(ofs) if constant else len(tos) if alone else min(len(ofs), len(tos))
    pairs = [(ofs[0 if alone else i], tos[0 if constant else i]) for i in range(length)]
    share = share_of(values, spec, names)
    return [ratio_of(of, to) / share for of, to in pairs if of is not None and to is not None]


def measure(values, spec, names):
    """The quantity of `spec` for these names; None if it was not measured."""
    runs = ratios(values, spec, names)
    if not runs:
        return None
    if any(map(math.isnan, runs)):
        return Measured(math.nan, math.nan, math.nan, len(runs), "void: the divisor is below zero in some run", False)
    if spec.get("spread"):
        return spread(runs)
    low, high = stats.median_interval(runs)
    found = Measured(statistics.median(runs), low, high, len(runs), drawn=math.isfinite(high), mean=statistics.fmean(runs))
    used = [*keys_of(spec["of"], names), *keys_of(spec.get("to"), names)]
    found.void = next((values.starved[key] for key in used if key in values.starved), "")
    found.note = "; ".join(dict.fromkeys(values.idle[key] for key in used if key in values.idle))
    impossible = next((values.impossible[key] for key in used if key in values.impossible), "")
    if impossible:
        found.void, found.drawn = impossible, False
    ceiling = ceiling_of(values, spec, names)
    if ceiling is not None and found.value > ceiling:
        found.drawn = False
        found.void = f"void: more than {ceiling / POSSIBLE:.2f}, which is what the processors allow"
    return found


def spread(runs):
    """Standard deviation over mean of the runs."""
    if len(runs) < 2:
        return None
    low, high = stats.spread_interval(runs)
    return Measured(statistics.stdev(runs) / abs(statistics.fmean(runs)), low, high, len(runs))


def sizes(paper):
    return paper if isinstance(paper, list) else [paper]


def side(measured, rule):
    """Whether the interval lies on the side that the rule asks for: True, False, or None if it contains a limit."""
    if "within" in rule:
        low, high = rule["within"]
        inside, outside = low <= measured.low and measured.high <= high, measured.high < low or measured.low > high
        return True if inside else False if outside else None
    bound = rule.get("above", rule.get("below"))
    beyond, short = measured.low > bound, measured.high < bound
    if "below" in rule:
        beyond, short = short, beyond
    return True if beyond else False if short or measured.low == measured.high == bound else None


def effect(value, bound):
    """How far a value lies from the bound; of ratios below 1 the inverse counts, so that a half is as far as a double."""
    return 1 / value - 1 if bound == 1 and 0 < value < 1 else abs(value - bound)


def sized(measured, rule, paper):
    """Whether the effect lies within a factor of 2 of the paper's."""
    bound = rule.get("above", rule.get("below"))
    effects = sorted((effect(measured.low, bound), effect(measured.high, bound)))
    wanted = [effect(size, bound) for size in sizes(paper)]
    least, most = min(wanted) / FACTOR, max(wanted) * FACTOR
    if least <= effects[0] and effects[1] <= most:
        return True
    return False if effects[1] < least or effects[0] > most else None


def usable(measured):
    return measured is not None and not measured.void and measured.runs >= LEAST_RUNS


def outcome(measured, rule, paper=None):
    if not usable(measured):
        return None
    right = side(measured, rule)
    return sized(measured, rule, paper) if right and paper is not None else right


def shown(value):
    """Three digits; more where a ratio hardly differs from 1."""
    size = abs(value)
    return "∞" if math.isinf(size) else f"{value:.0f}" if size >= 100 else f"{value:.4f}" if abs(size - 1) < 0.005 else f"{value:.3g}" if size < 1 else f"{value:.2f}"


def interval_text(measured):
    return "" if math.isnan(measured.value) else f"{shown(measured.value)} ({shown(measured.low)} to {shown(measured.high)}), "


def words(measured, said):
    """The end of a finding's line: what the comparison says."""
    if measured.void:
        return measured.void
    if measured.runs < LEAST_RUNS:
        return f"{measured.runs} of the {LEAST_RUNS} runs that a verdict needs"
    return {True: "so", False: "not so", None: "the interval contains a limit"}[said] + (f"; {measured.note}" if measured.note else "")


def label_of(names):
    return ", ".join(f"{value} threads" if name == "threads" else value for name, value in names.items() if name != "cpus")


def overall(outcomes, over):
    """The verdict over several comparisons: `all` of them, `most` or `any`. It is open where those that decide nothing could decide it."""
    if not outcomes:
        return "open"
    yes, could = outcomes.count(True) / len(outcomes), 1 - outcomes.count(False) / len(outcomes)
    if over == "any":
        return "holds" if yes else "open" if could else "gone"
    if over == "most":
        return "holds" if yes >= MOST else "open" if could >= MOST else "partly" if yes and could >= 0.5 else "gone"
    return "holds" if yes == 1 else "open" if could == 1 else "partly" if yes else "gone"


def paper_size(rule, names):
    """The paper's size for these names: one for all, or a table of them by the names' values."""
    given = rule.get("size")
    return given.get("/".join(value for name, value in names.items() if name != "cpus")) if isinstance(given, dict) else given


def compared(values, rule):
    """(names, measured, outcome) of each combination; what was not measured is None and decides nothing."""
    made = []
    for names in names_of(rule, values):
        measured = measure(values, rule, names)
        made.append((names, measured, outcome(measured, rule, paper_size(rule, names))))
    return made


def greatest(found, rule):
    """What "up to" is about: of the comparisons that lie on the paper's side the one with the greatest effect, and those that may have a
    greater one; all, if there is none."""
    bound = rule.get("above", rule.get("below"))
    right = [entry for entry in found if outcome(entry[1], rule)]
    if not right:
        return found
    best = max(right, key=lambda entry: effect(entry[1].value, bound))
    wanted = [effect(size, bound) for size in sizes(paper_size(rule, best[0]))]
    if best[2] is not False or effect(best[1].value, bound) > max(wanted):
        return [best]

    def may_be_greater(measured):
        return not usable(measured) or effect(measured.high if "above" in rule else measured.low, bound) >= min(wanted) / FACTOR
    return [best, *(entry for entry in found if outcome(entry[1], rule) is None and may_be_greater(entry[1]))]


def asked(rule):
    """The rule in words."""
    if "within" in rule:
        return f"Rule: within {rule['within'][0]:g} to {rule['within'][1]:g}."
    direction, bound = ("above", rule["above"]) if "above" in rule else ("below", rule["below"])
    quantifier = {"any": "where it is most, " if "size" in rule else "somewhere ", "most": "in four of five comparisons ", "all": ""}[rule.get("over", "all")]
    size = rule.get("size")
    if isinstance(size, dict):
        extent = "within a factor of 2 of the paper's effect in each place"
    elif size is not None:
        extent = f"the effect within a factor of 2 of the paper's, {' to '.join(f'{one:g}' for one in sizes(size))}"
    else:
        extent = "sign only"
    return f"Rule: {quantifier}{direction} {bound:g}, {extent}."


def processors_needed(rule):
    """Without a second processor all processors are one: a comparison with one thread says nothing."""
    return rule.get("cpus", 2 if "{cpus}" in str(rule) else 1)


def counted(outcomes):
    """In plain words, of several comparisons: 30 of 31 agree, 1 is undecided."""
    if len(outcomes) < 2:
        return ""
    yes, no, neither = (outcomes.count(one) for one in (True, False, None))
    return f" {yes} of {len(outcomes)} agree" + (f", {no} {'does' if no == 1 else 'do'} not" if no else "") \
        + (f", {neither} {'is' if neither == 1 else 'are'} undecided" if neither else "") + "."


def decided(claim, values):
    """(verdict, finding) of a claim. One without a rule says why it has none."""
    rule = claim.get("rule")
    if not rule:
        return "open", claim["why"]
    if values.cpus < processors_needed(rule):
        return "open", f"{asked(rule)} Needs {processors_needed(rule)} processors; here {'is' if values.cpus == 1 else 'are'} {values.cpus}."
    found = compared(values, rule)
    lines = [f"{label_of(names) or 'found'}: {interval_text(m)}{words(m, said)}" for names, m, said in found if m]
    if not lines:
        return "open", f"{asked(rule)} Not measured."
    deciding = greatest(found, rule) if rule.get("over") == "any" and "size" in rule else found
    part = f" Measured: {len(lines)} of {len(found)} comparisons; the others decide nothing." if len(lines) < len(found) else ""
    return overall([said for _, _, said in deciding], rule.get("over", "all")), "\n".join([asked(rule) + counted([said for _, _, said in found]) + part, *lines])


def judge(claim, values):
    """The claim with its verdict and what decides it."""
    return Claim(claim["text"], *decided(claim, values), claim.get("ours", False))
