# SPDX-License-Identifier: Apache-2.0
"""From cells to results: one line per row, thread count and peer, with the goal and whether it was reached."""
import dataclasses
import fnmatch
import math
import statistics

import stats

OURS = "ashlar"


@dataclasses.dataclass
class Line:
    row: str
    title: str
    threads: int
    unit: str
    peer: str
    theirs: float | None
    ours: float | None
    ratio: float | None
    interval: tuple | None         # of the ratio; of our value if the goal is absolute
    goal: str
    reached: str                   # "yes", "no", "" without a goal; "?" is added if the interval holds the goal
    note: str = ""


def judge(value, goal, interval):
    if value is None:
        return "gap"
    doubt = "?" if interval and interval[0] <= goal <= interval[1] and interval[0] != interval[1] else ""
    return ("yes" if value <= goal else "no") + doubt


def judge_above(goal, own, other):
    """For a goal with `least`: the limit is the larger of it and the peer's cost times the ratio. It is missed only if the
    intervals of both costs are apart; what can't be told apart counts as reached, with a question mark.
    """
    value, peers = stats.value(own), stats.value(other)
    if value is None or peers is None:
        return "gap"
    if value <= max(goal.least, goal.ratio * peers):
        return "yes"
    apart = stats.value_interval(own)[0] > max(goal.least, goal.ratio * stats.value_interval(other)[1])
    return "no" if apart else "yes?"


def note_of(cells):
    """What a reader of the line must know; missing peers are named once below the table instead."""
    parts = [cell.gap for cell in cells if cell and cell.gap and not cell.missing]
    for cell in cells:
        if not cell or cell.gap:
            continue
        lost = []
        if cell.discarded:
            lost.append(f"{cell.discarded} samples thrown away that did not use the cores")
        if cell.disturbed:
            lost.append(f"{cell.disturbed} runs thrown away because other processes disturbed")
        if lost:
            void = "void, " if cell.rounds and not any(cell.series) else ""
            parts.append(f"{cell.peer}: {void}{', '.join(lost)}")
    return "; ".join(dict.fromkeys(parts))


def series_of(cell):
    return cell.series if cell and not cell.gap else []


def peer_line(row, threads, peer, cells, goal):
    """Our cost beside one peer's."""
    ours, theirs = cells.get((row.id, threads, OURS)), cells.get((row.id, threads, peer))
    own, other = series_of(ours), series_of(theirs)
    ratio, interval = stats.ratio(own, other), stats.ratio_interval(own, other)
    value, reached = stats.value(own), ""
    if goal and goal.least is not None:
        reached = judge_above(goal, own, other)
    elif goal and goal.ratio is not None:
        reached = judge(ratio, goal.ratio, interval)
    elif goal:
        interval = stats.value_interval(own)
        reached = judge(value, goal.absolute, interval)
    return Line(row.id, row.title, threads, row.unit, peer, stats.value(other), value, ratio, interval,
                goal.text(row.unit) if goal else "", reached, note_of([ours, theirs]))


def self_line(row, goal, cells):
    """Our cost beside our own with fewer threads."""
    many, few = cells.get((row.id, goal.threads, OURS)), cells.get((row.id, goal.self_threads, OURS))
    a, b = series_of(many), series_of(few)
    ratio, interval = stats.ratio(a, b), stats.ratio_interval(a, b)
    return Line(row.id, row.title, goal.threads, row.unit, f"own {goal.self_threads} threads", stats.value(b),
                stats.value(a), ratio, interval, goal.text(row.unit), judge(ratio, goal.ratio, interval),
                note_of([many, few]))


def goal_for(row, threads, peer, first):
    """An absolute goal without a peer stands in the line of the row's first peer."""
    for goal in row.goals:
        if goal.threads == threads and goal.self_threads is None and (goal.peer or first) == peer:
            return goal
    return None


def lines(rows, cells, peers):
    found = []
    for row in rows:
        for threads in row.threads:
            there = [p for p in peers if p != OURS and (row.id, threads, p) in cells]
            if (row.id, threads, OURS) not in cells and not there:
                continue
            named = [g.peer for g in row.goals if g.threads == threads and g.peer]
            for peer in there + [p for p in dict.fromkeys(named) if p not in there]:
                line = peer_line(row, threads, peer, cells, goal_for(row, threads, peer, there[0] if there else peer))
                if peer not in there and not line.note:
                    line.note = f"{peer} was not measured"
                found.append(line)
            if not there and not named:
                found.append(peer_line(row, threads, "", cells, goal_for(row, threads, None, None)))
            found += [self_line(row, g, cells) for g in row.goals if g.threads == threads and g.self_threads]
    return found


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def mean_lines(means, found):
    """One line per mean and peer; rows without a positive ratio to the peer are left out and the title counts the rest."""
    made = []
    for mean in means:
        for peer in dict.fromkeys(line.peer for line in found):
            groups = []
            count = 0
            for patterns in mean.groups:
                ratios = [line.ratio for line in found if line.peer == peer and line.ratio and line.ratio > 0
                          and any(fnmatch.fnmatchcase(line.row, pattern) for pattern in patterns)]
                count += len(ratios)
                groups += [geometric_mean(ratios)] if ratios else []
            if groups:
                value, goal = geometric_mean(groups), mean.goals.get(peer)
                made.append(Line(mean.id, f"{mean.title}, {len(groups)} groups, {count} rows", 0, "ratio", peer, None, None,
                                 value, None, f"<= {goal:.2f}" if goal else "", judge(value, goal, None) if goal else ""))
    return made


def number(value):
    if value is None:
        return "-"
    if value == 0:
        return "0"
    digits = 3 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
    return f"{value:.{digits}f}"


def table(found, titles):
    """The printed table."""
    head = ["row", "thr", "unit", "peer", "peer's cost", "ours", "ratio", "95 % interval", "goal", "reached?"]
    body = []
    for line in found:
        interval = f"{number(line.interval[0])} .. {number(line.interval[1])}" if line.interval else "-"
        body.append([line.title, str(line.threads), line.unit, titles.get(line.peer, line.peer), number(line.theirs),
                     number(line.ours), number(line.ratio), interval, line.goal or "-", line.reached or "-"])
    widths = [max(len(r[i]) for r in [head, *body]) for i in range(len(head))]
    right = {1, 4, 5, 6}

    def form(cells):
        return "  ".join(c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(cells, widths))).rstrip()
    rows = [form(head), "  ".join("-" * w for w in widths), *(form(b) for b in body)]
    notes = {}
    for line in found:
        for part in filter(None, line.note.split("; ")):
            notes.setdefault(f"  {line.title}, {line.threads} thr: ", {})[part] = True
    return "\n".join(rows + (["", "Notes:", *(head + "; ".join(parts) for head, parts in notes.items())] if notes else []))


def summary(found):
    goals = [line for line in found if line.goal]
    reached = sum(line.reached.startswith("yes") for line in goals)
    gaps = sum(line.reached == "gap" for line in goals)
    missed = len(goals) - reached - gaps
    return f"{len(goals)} goals: {reached} reached, {missed} missed, {gaps} gaps"


def statistics_of(cells):
    """What the samples of each cell say by themselves, for pages and figures. `mhz` is the clock rate that the runs
    measured or were given."""
    made = []
    for cell in cells:
        described = stats.describe(series_of(cell))
        if described:
            rates = [r["values"]["mhz"] for r in cell.rounds if r.get("values", {}).get("mhz")]
            made.append({"row": cell.row, "threads": cell.threads, "peer": cell.peer, **described, "outliers": cell.outliers,
                         "mhz": statistics.median(rates) if rates else None})
    return made


def document(suite, found, cells, about):
    """What is written as JSON: everything measured, unfiltered, and the lines drawn from it."""
    return {"disturbed": None, **about, "suite": suite.name, "title": suite.title, "summary": summary(found),
            "results": [dataclasses.asdict(line) for line in found],
            "statistics": statistics_of(cells.values()),
            "cells": [dataclasses.asdict(cell) for cell in cells.values()]}
