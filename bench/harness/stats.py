# SPDX-License-Identifier: Apache-2.0
"""Medians, ratios and their bootstrap intervals.

A series is a list of rounds, a round the list of the samples that one process took. Machines have slow and fast
windows of seconds to minutes; a ratio is therefore formed within each round, where both peers ran next to each
other, and then the median over the rounds is taken.
"""
import random
import statistics

REPLICATES = 1000
CONFIDENCE = 0.95


def value(series):
    """Median over the rounds of each round's median; None if no round has a sample."""
    medians = [statistics.median(samples) for samples in series if samples]
    return statistics.median(medians) if medians else None


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


def ratio_interval(ours, theirs, seed=1):
    """95 % bootstrap interval of ratio(); a round is drawn for both peers together, so the pairing stays."""
    pairs = paired(ours, theirs)
    if not pairs:
        return None
    return _interval(lambda g: _ratio([(_resample(g, a), _resample(g, b)) for a, b in _resample(g, pairs)]), seed)
