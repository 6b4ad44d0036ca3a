# SPDX-License-Identifier: Apache-2.0
"""Predicted beside measured samples of a cell: how far the prediction is off, and what the samples allow to say."""
import math
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/harness"))

import stats  # noqa: E402  pylint: disable=wrong-import-position

LEAST = 5  # samples that an interval needs
APART = 0.05  # values are of two groups if they are so far from each other
# A prediction may be off by so much.
MEDIAN, WORST = 0.05, 0.15


def modes(values):
    """The middles of the groups of values that lie apart; a value alone is none."""
    ordered, groups = sorted(values), []
    for value in ordered:
        if groups and value <= groups[-1][-1] * (1 + APART):
            groups[-1].append(value)
        else:
            groups.append([value])
    return [statistics.median(group) for group in groups if len(group) > 1]


def several(predicted, real):
    """Whether both sides have several values again and again: then neither median is a property of the program."""
    return len(modes(predicted)) > 1 and len(modes(real)) > 1


def moved(predicted, real):
    """How far the predicted values have to be moved on average to be the measured ones, each by the shortest way, as a share of the
    measured mean: the area between both distributions. Modes at other places count, and so do other shares of the same modes."""
    a, b = sorted(predicted), sorted(real)
    area, at, i, j = 0.0, 0, 0, 0
    while i < len(a) and j < len(b):
        ends = (i + 1) * len(b), (j + 1) * len(a)
        area += (min(ends) - at) * abs(a[i] - b[j])
        at = min(ends)
        i, j = i + (ends[0] == at), j + (ends[1] == at)
    return area / (len(a) * len(b)) / statistics.fmean(real)


def error(predicted, real):
    """Of the medians; a count of which none was measured is predicted, or is not."""
    found, wanted = statistics.median(predicted), statistics.median(real)
    if wanted == 0:
        return 0.0 if found == 0 else math.inf
    return found / wanted - 1


def distance(predicted, real):
    """What counts as the error: of the medians, or of the whole distributions where both have several modes."""
    return moved(predicted, real) if several(predicted, real) else abs(error(predicted, real))


def limits(values):
    """Between which the median lies, as bench/harness tells it."""
    return stats.median_interval(values)


def errors_between(predicted, real):
    """The least and the greatest error that the samples allow."""
    (low, high), (least, most) = limits(predicted), limits(real)
    return low / most - 1, high / least - 1


def scatter(real):
    """How far the measured runs' own median may lie from itself; none if there are too few of them."""
    if len(real) < LEAST:
        return math.inf
    middle, (least, most) = statistics.median(real), limits(real)
    return max(most / middle, middle / least) - 1


def show(values):
    return f"{statistics.median(values):.3f} ({min(values):.2f} to {max(values):.2f})"


def show_plainly(values):
    """In a unit that is no share."""
    return f"{statistics.median(values):.4g} ({min(values):.4g} to {max(values):.4g})"


def lines_of(predicted, real):
    """A line for each cell."""
    lines = ["| row | T | predicted | measured | error of the medians | of the distributions |", "|---|---|---|---|---|---|"]
    for (row, threads), values in predicted.items():
        other = real[row, threads]
        whole = f"{100 * moved(values, other):.1f} %" if several(values, other) else ""
        lines.append(f"| {row} | {threads} | {show(values)} | {show(other)} | {100 * error(values, other):+.1f} % | {whole} |")
    return lines


def names(cells):
    return ", ".join(f"{row} {threads}" for row, threads in cells) or "none"


def percent(value):
    return f"{100 * value:.1f} %"


def told_with_modes(predicted, real):
    """Which cells are compared as distributions, and what their medians would have said."""
    medians = {key: abs(error(predicted[key], real[key])) for key in predicted}
    apart, worst = [key for key in predicted if several(predicted[key], real[key])], max(medians, key=medians.get)
    return (f"{len(apart)} cells have several modes on both sides ({names(apart)}): there the distributions are compared, by how far the runs would have to be "
            f"moved on average; elsewhere the medians. Of the medians alone the worst is {names([worst])} with {percent(medians[worst])}.")


def told_with_intervals(predicted, real):
    """What the samples allow to say for certain."""
    between = {key: errors_between(predicted[key], real[key]) for key in predicted if min(len(predicted[key]), len(real[key])) >= LEAST}
    inside = sum(-WORST <= low and high <= WORST for low, high in between.values())
    outside = [key for key, (low, high) in between.items() if low > WORST or high < -WORST]
    return (f"With 95 % intervals of both medians {inside} cells are within {100 * WORST:.0f} % for certain, {len(outside)} outside"
            f"{f' ({names(outside)})' if outside else ''}, and of {len(predicted) - inside - len(outside)} nothing can be said: several values "
            f"come again and again there, or there are fewer than {LEAST} samples.")


def told_beside_ideal(errors, real):
    """The same errors beside those of a prediction that every schedule is ideal."""
    ideal = {key: abs(error([1], real[key])) for key in errors}
    far = [key for key in errors if statistics.median(real[key]) > 1.05]
    if not far:
        return ""
    return (f" Who predicts 1 for each cell errs by {percent(statistics.median(ideal.values()))} in the median and {100 * max(ideal.values()):.0f} % at worst; of "
            f"the {len(far)} cells that take more than 1.05 of the ideal the median error is {percent(statistics.median(errors[key] for key in far))}, his "
            f"{percent(statistics.median(ideal[key] for key in far))}.")


def errors_of(predicted, real):
    return {key: distance(predicted[key], real[key]) for key in predicted}


def told_in_short(errors):
    """The median and the worst of these cells, beside what is asked."""
    above = [f"{row} {threads} ({100 * value:.0f} %)" for (row, threads), value in errors.items() if value > WORST]
    return (f"{len(errors)} cells: median error {percent(statistics.median(errors.values()))} (asked {100 * MEDIAN:.0f}), worst {percent(max(errors.values()))} "
            f"(asked {100 * WORST:.0f}). Above {100 * WORST:.0f} %: {', '.join(above) or 'none'}.")


def table(predicted, real):
    """Of makespans: (what the cells come to together, a line for each cell)."""
    errors = errors_of(predicted, real)
    told = {key: value for key, value in errors.items() if scatter(real[key]) <= WORST}
    far = {key: scatter(real[key]) for key in errors if key not in told}
    unsure = [f"{row} {threads} ({f'{100 * value:.0f} %' if value < math.inf else 'few runs'})" for (row, threads), value in far.items()]
    text = (f"{told_in_short(errors)} {told_with_modes(predicted, real)}\n\n"
            f"The worst of the {len(told)} cells whose measured runs tell their own median within {100 * WORST:.0f} % is {percent(max(told.values(), default=0))}; in the others "
            f"its interval reaches farther: {', '.join(unsure) or 'none'}. {told_with_intervals(predicted, real)}{told_beside_ideal(errors, real)}")
    return text, lines_of(predicted, real)


def table_of_others(predicted, real, unit_of):
    """The same of rows that are told in another unit: times, and counts, of which most are 0 or small."""
    times = {key: value for key, value in errors_of(predicted, real).items() if unit_of(key[0]) == "us"}
    counts = [key for key in predicted if key not in times]
    same = [key for key in counts if error(predicted[key], real[key]) == 0]
    others = [key for key in counts if key not in same]
    lines = ["| row | T | unit | predicted | measured | error of the medians |", "|---|---|---|---|---|---|"]
    for (row, threads), values in predicted.items():
        off = error(values, real[row, threads])
        told = "none was measured" if off == math.inf else f"{100 * off:+.1f} %"
        lines.append(f"| {row} | {threads} | {unit_of(row)} | {show_plainly(values)} | {show_plainly(real[row, threads])} | {told} |")
    text = [f"Times, {told_in_short(times)}"] if times else []
    if counts:
        text.append(f"Of the {len(counts)} cells of counts {len(same)} have the measured median{f'; the others are {names(others)}' if others else ''}.")
    return " ".join(text), lines
