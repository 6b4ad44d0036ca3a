# SPDX-License-Identifier: Apache-2.0
"""Medians, ratios and their bootstrap intervals.

A series is a list of rounds, a round the list of the samples that one process took. Machines have slow and fast
windows of seconds to minutes; a ratio is therefore formed within each round, where both peers ran next to each
other, and then the median over the rounds is taken.
"""
import functools
import math
import operator
import random
import statistics

REPLICATES = 1000
CONFIDENCE = 0.95


def value(series):
    """Median over the rounds of each round's median; None if no round has a sample."""
    medians = [statistics.median(samples) for samples in series if samples]
    return statistics.median(medians) if medians else None


def deviation(values, mean):
    """The standard deviation. statistics.stdev() adds fractions, which takes fifty times as long."""
    return math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (len(values) - 1))


def without_outliers(samples, sigma):
    """The samples within `sigma` standard deviations of their mean, and how many lie beyond, as Marowka's TBBench drops them.
    One pass; of n samples none can lie farther than (n - 1) / sqrt(n) deviations away, so 3 needs at least 11.
    """
    if len(samples) < 3:
        return list(samples), 0
    mean = statistics.fmean(samples)
    most = sigma * deviation(samples, mean)
    kept = [x for x in samples if abs(x - mean) <= most]
    return kept, len(samples) - len(kept)


def describe(series):
    """What a report says about a series: the mean of the rounds' means with its interval, the median with its interval, the
    coefficient of variation of the rounds' means (None below 2 rounds), and the quartiles of all samples.
    """
    rounds = [samples for samples in series if samples]
    if not rounds:
        return None
    means = [statistics.fmean(samples) for samples in rounds]
    pooled = [x for samples in rounds for x in samples]
    mean = statistics.fmean(means)
    quartiles = statistics.quantiles(pooled, n=4, method="inclusive") if len(pooled) > 1 else pooled * 3
    return {"mean": mean, "mean_interval": mean_interval(rounds), "median": value(rounds), "interval": value_interval(rounds),
            "cv": statistics.stdev(means) / abs(mean) if len(means) > 1 and mean else None,
            "quartiles": [quartiles[0], quartiles[2]], "rounds": len(rounds), "samples": len(pooled)}


def mean_interval(rounds, seed=1):
    """95 % bootstrap interval of the mean of the rounds' means."""
    return _interval(lambda g: statistics.fmean(statistics.fmean(_resample(g, s)) for s in _resample(g, rounds)), seed)


def unpaired_ratio(after, before):
    """Ratio of the medians of two series that were not measured side by side; None if it has no meaning."""
    a, b = value(after), value(before)
    return a / b if a is not None and b is not None and b > 0 else None


def unpaired_interval(after, before, seed=1):
    """95 % bootstrap interval of unpaired_ratio(); both sides are drawn independently."""
    a, b = ([samples for samples in series if samples] for series in (after, before))
    if not a or not b:
        return None

    def draw(g, rounds):
        return [_resample(g, samples) for samples in _resample(g, rounds)]
    return _interval(lambda g: unpaired_ratio(draw(g, a), draw(g, b)), seed)


def paired(ours, theirs):
    """Rounds in which both have samples."""
    return [(a, b) for a, b in zip(ours, theirs) if a and b]


def _ratio(pairs):
    ratios = []
    for a, b in pairs:
        divisor = statistics.median(b)
        if divisor <= 0:
            return None
        ratios.append(statistics.median(a) / divisor)
    return statistics.median(ratios) if ratios else None


def ratio(ours, theirs):
    """Median of the rounds' ratios; None if there is no common round or a divisor is not positive."""
    return _ratio(paired(ours, theirs))


def _interval(replicate, seed):
    generator = random.Random(seed)
    found = sorted(r for r in (replicate(generator) for _ in range(REPLICATES)) if r is not None)
    if not found:
        return None
    tail = (1 - CONFIDENCE) / 2
    return found[int(tail * (len(found) - 1))], found[int((1 - tail) * (len(found) - 1) + 0.5)]


def _resample(generator, samples):
    return generator.choices(samples, k=len(samples))


def value_interval(series, seed=1):
    """95 % bootstrap interval of value(): rounds are drawn with replacement, then samples within them."""
    rounds = [samples for samples in series if samples]
    if not rounds:
        return None
    return _interval(lambda g: value([_resample(g, s) for s in _resample(g, rounds)]), seed)


def _single_ratios(pairs):
    """The rounds' ratios if each round has one sample of both and no divisor is zero or less, else None."""
    if any(len(a) != 1 or len(b) != 1 or b[0] <= 0 for a, b in pairs):
        return None
    return [a[0] / b[0] for a, b in pairs]


@functools.lru_cache(maxsize=64)
def _draws_of_singles(count, seed):
    """The replicates' draws of so many rounds, as _drawn_interval() draws them; they are the same for all series of this length."""
    generator, draws = random.Random(seed), []
    for _ in range(REPLICATES):
        draws.append(operator.itemgetter(*(int(generator.random() * count) for _ in range(count))))
        generator.getrandbits(128 * count)  # the two numbers that each round's samples would have been drawn with
    return draws


def _interval_of_singles(ratios, seed):
    """What ratio_interval() says of rounds of one sample each, to the last digit, in a twentieth of the time."""
    count = len(ratios)
    if count == 1:
        return ratios[0], ratios[0]
    middle, even = count // 2, count % 2 == 0
    draws = iter(_draws_of_singles(count, seed))

    def replicate(_):
        drawn = sorted(next(draws)(ratios))
        return (drawn[middle - 1] + drawn[middle]) / 2 if even else drawn[middle]
    return _interval(replicate, seed)


def ratio_interval(ours, theirs, seed=1):
    """95 % bootstrap interval of ratio(); a round is drawn for both peers together, so the pairing stays."""
    pairs = paired(ours, theirs)
    if not pairs:
        return None
    singles = _single_ratios(pairs)
    if singles:
        return _interval_of_singles(singles, seed)
    return _drawn_interval(pairs, seed)


def _drawn_interval(pairs, seed):
    return _interval(lambda g: _ratio([(_resample(g, a), _resample(g, b)) for a, b in _resample(g, pairs)]), seed)


def median_interval(values):
    """An interval that contains the median of what the values were drawn from with 95 %, whatever their distribution: two of the
    values, so far from either end (of five the least and the greatest, which contain it with 94 %)."""
    ordered = sorted(values)
    count, tail, left_out = len(ordered), 0.0, 0
    while left_out < (count - 1) // 2:
        tail += math.comb(count, left_out) / 2 ** count
        if 1 - 2 * (tail + math.comb(count, left_out + 1) / 2 ** count) < CONFIDENCE:
            break
        left_out += 1
    return ordered[left_out], ordered[-1 - left_out]


def spread_interval(values, seed=1):
    """95 % bootstrap interval of standard deviation / mean."""
    def replicate(generator):
        drawn = _resample(generator, values)
        mean = statistics.fmean(drawn)
        return deviation(drawn, mean) / abs(mean) if mean else None
    return _interval(replicate, seed)
