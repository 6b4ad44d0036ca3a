# SPDX-License-Identifier: Apache-2.0
"""From the cells of a result file to verdicts: per program, number of threads and peer faster, level or slower, with the
ratios of time, CPU time and peak memory; and their geometric means over the programs.
"""
import dataclasses
import math
import statistics

import quiet
import stats

OURS = "ashlar"
TBBS = ("onetbb", "tbb2020")
# Key of a measure: what it is called, and the goal of its geometric mean against oneTBB with two threads.
MEASURES = {"time": ("time", 0.90), "cpu": ("CPU time", 0.90), "peak_mb": ("peak memory", 0.95)}
MEAN_THREADS = 2
LEAST_ROUNDS = 3                   # with fewer there is no interval worth the name


@dataclasses.dataclass
class Verdict:
    program: str
    threads: int
    peer: str
    ours: float                    # median wall seconds
    theirs: float
    ratio: float
    interval: tuple
    verdict: str                   # faster, level, slower; open: too few rounds
    better_tbb: bool               # the peer is the TBB whose median is smaller
    ratios: dict                   # of the measures' medians within rounds
    switches: tuple                # context switches of ours and theirs, voluntary and not


def judge(interval, rounds):
    """The whole interval of the ratio decides."""
    low, high = interval
    if rounds < LEAST_ROUNDS:
        return "open"
    return "faster" if high < 1 else "slower" if low > 1 else "level"


def counted(cell, max_load):
    """The report of each round, None where the round was void; reports of disturbed tries do not count."""
    good = iter([r for r in cell["rounds"] if not quiet.disturbs(r, max_load)])
    return [next(good, None) if samples else None for samples in cell["series"]]


def ratio_of(name, ours, theirs):
    ratios = [a["values"][name] / b["values"][name] for a, b in zip(ours, theirs) if a and b and b["values"][name] > 0]
    return statistics.median(ratios) if ratios else None


def switches_of(reports):
    found = [r["values"]["voluntary"] + r["values"]["involuntary"] for r in reports if r]
    return statistics.median(found) if found else None


def unshared(ours_alone, theirs, max_load):
    """What no library could go below with these bodies: the ratios of our run with one thread, its time divided by the peer's threads, to
    the peer's run. None for what has no common round."""
    a, b = counted(ours_alone, max_load), counted(theirs, max_load)
    times = [[t / theirs["threads"] for t in samples] for samples in ours_alone["series"]]
    return {"time": stats.ratio(times, theirs["series"]), "cpu": ratio_of("cpu", a, b)}


def compare(ours, theirs, max_load):
    """The verdict on one cell beside a peer's; None if they have no common round."""
    interval = stats.ratio_interval(ours["series"], theirs["series"])
    if interval is None:
        return None
    ratio = stats.ratio(ours["series"], theirs["series"])
    a, b = counted(ours, max_load), counted(theirs, max_load)
    ratios = {"time": ratio, "cpu": ratio_of("cpu", a, b), "peak_mb": ratio_of("peak_mb", a, b)}
    return Verdict(ours["row"], ours["threads"], theirs["peer"], stats.value(ours["series"]), stats.value(theirs["series"]), ratio,
                   interval, judge(interval, len(stats.paired(ours["series"], theirs["series"]))), False, ratios, (switches_of(a), switches_of(b)))


def cells_of(document):
    return {(cell["row"], cell["threads"], cell["peer"]): cell for cell in document["cells"] if not cell["gap"] and any(cell["series"])}


def of(document):
    """All verdicts of a result file, in its order."""
    max_load = document["settings"]["max_load"]
    cells = cells_of(document)
    found = []
    for (row, threads, peer), cell in cells.items():
        ours = cells.get((row, threads, OURS))
        if peer != OURS and ours:
            verdict = compare(ours, cell, max_load)
            found += [verdict] if verdict else []
    for verdict in found:
        rivals = [v.theirs for v in found if (v.program, v.threads) == (verdict.program, verdict.threads) and v.peer in TBBS]
        verdict.better_tbb = verdict.peer in TBBS and verdict.theirs == min(rivals)
    return found


def geometric_mean(ratios):
    """(geometric mean of the ratios that there are, their number); (None, 0) without any."""
    ratios = [r for r in ratios if r]
    return (math.exp(statistics.fmean(map(math.log, ratios))), len(ratios)) if ratios else (None, 0)


def mean(verdicts, peer, threads, measure):
    return geometric_mean([v.ratios[measure] for v in verdicts if v.peer == peer and v.threads == threads])


def mean_unshared(document, peer, threads, measure):
    """The mean that a perfect speed-up of our runs with one thread would have."""
    found = cells_of(document)
    ratios = [unshared(found[row, 1, OURS], cell, document["settings"]["max_load"])[measure]
              for (row, count, name), cell in found.items() if (count, name) == (threads, peer) and (row, 1, OURS) in found]
    return geometric_mean(ratios)


def tally(verdicts, threads, peer=None):
    """How many programs are faster, level, slower than a peer; without one, than the better TBB."""
    chosen = [v for v in verdicts if v.threads == threads and (v.peer == peer if peer else v.better_tbb)]
    return {name: sum(v.verdict == name for v in chosen) for name in ("faster", "level", "slower", "open")}
