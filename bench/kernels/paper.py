# SPDX-License-Identifier: Apache-2.0
"""What Kukanov and Voss, 'The Foundations for Scalable Multi-Core Software in Intel Threading Building Blocks' (2007),
say in figures 6 to 9 and the text beside them. The figures are bar charts without printed values: only the numbers in
the text are exact, and only they are used. Measured there on two quad-core Xeon X5355.
"""
import dataclasses

STYLES = ("TBB", "TBB+C", "TBB+CB", "TBB+CBR")


@dataclasses.dataclass
class Figure:
    number: int
    kernel: str
    title: str
    # (setting, style, threads) -> the paper's words for the speed-up
    values: dict
    claims: list


@dataclasses.dataclass
class Claim:
    """`holds` gets speedup(style, setting, threads) -> float or None, the program's settings and the number of CPUs;
    it returns (verdict, evidence), with a verdict of None if a needed figure is missing."""
    text: str
    holds: object


def verdict(condition, evidence):
    return condition, evidence


def unknown():
    return None, "not measured"


def plain(speedup, setting, threads):
    """The unoptimised classic style; the library's own algorithm where there are no classic tasks."""
    for style in ("TBB", "parallel_for", "parallel_invoke"):
        found = speedup(style, setting, threads)
        if found is not None:
            words = f"{found:.2f} on {threads} thread{'s' * (threads > 1)}"
            return found, words if style == "TBB" else f"{words} ({style})"
    return None, ""


def at_least_serial(setting_index, limit):
    """One thread loses at most 1 - limit against the serial version."""
    def check(speedup, settings, _cpus):
        found, words = plain(speedup, settings[setting_index], 1)
        return unknown() if found is None else verdict(found >= limit, words)
    return check


def below_serial(setting_index, limit):
    def check(speedup, settings, _cpus):
        found, words = plain(speedup, settings[setting_index], 1)
        return unknown() if found is None else verdict(found < limit, words)
    return check


def nearly_linear(setting_index, efficiency):
    def check(speedup, settings, cpus):
        found, words = plain(speedup, settings[setting_index], cpus)
        return unknown() if found is None else verdict(found >= efficiency * cpus, words)
    return check


def faster(setting_index, style, than, least=1.0, one_thread=True):
    """style beats than by the factor, on one thread (where nothing but the overhead differs) or on all CPUs."""
    def check(speedup, settings, cpus):
        threads = 1 if one_thread else cpus
        a, b = (speedup(s, settings[setting_index], threads) for s in (style, than))
        if a is None or b is None:
            return unknown()
        return verdict(a > least * b, f"{a:.2f} against {b:.2f} on {threads} thread{'s' * (threads > 1)}")
    return check


FIGURES = {
    6: Figure(
        6, "fibonacci", "Fibonacci, by style and serial cutoff",
        {("cutoff 12", "TBB", 1): "0.93", ("cutoff 12", "TBB", 8): "7.2", ("cutoff 12", "TBB+CBR", 8): "7.4",
         ("cutoff 20", "TBB", 1): "1", ("cutoff 20", "TBB", 8): "nearly 8"},
        [Claim("cutoff 20: the overhead of tasks is small", at_least_serial(1, 0.95)),
         Claim("cutoff 20: scales nearly linearly", nearly_linear(1, 0.9)),
         Claim("cutoff 12: the overhead shows", below_serial(0, 0.95)),
         Claim("cutoff 12: continuation passing alone slows down", faster(0, "TBB", "TBB+C")),
         Claim("cutoff 12: all three optimisations together are faster than none", faster(0, "TBB+CBR", "TBB"))]),
    7: Figure(
        7, "parallel_for", "parallel_for with an empty body, by style and grain",
        {("grain 100", "TBB", 1): "0.15", ("grain 100", "TBB", 8): "1.19", ("grain 100", "TBB+CBR", 8): "1.34",
         ("grain 10000000", "TBB", 1): "about 1", ("grain 10000000", "TBB+CBR", 8): "close to 8"},
        [Claim("large grain: the overhead is negligible", at_least_serial(1, 0.95)),
         Claim("large grain: continuation passing scales better than blocking",
               faster(1, "TBB+C", "TBB", one_thread=False)),
         Claim("grain 100: the overhead is high", below_serial(0, 0.5)),
         Claim("grain 100: all three optimisations gain 10 % and more",
               faster(0, "TBB+CBR", "TBB", least=1.1, one_thread=False))]),
    8: Figure(
        8, "sub_string_finder", "sub_string_finder, by style and grain",
        {("grain 100", "TBB+CBR", 8): "close to 8", ("grain 1", "TBB+CBR", 8): "close to 8"},
        [Claim("grain 1: the overhead on one thread is small", at_least_serial(1, 0.95)),
         Claim("grain 100: scales nearly linearly", nearly_linear(0, 0.9)),
         Claim("grain 1: scales nearly linearly", nearly_linear(1, 0.9))]),
    9: Figure(
        9, "ray_tracer", "ray tracer (the paper: tacheon), by style and grain",
        {("grain 50", "TBB+CBR", 8): "7.7"},
        [Claim("grain 1: the overhead on one thread is small", at_least_serial(1, 0.95)),
         Claim("grain 50: scales nearly linearly (7.7 of 8)", nearly_linear(0, 0.9)),
         Claim("grain 1: scales nearly linearly", nearly_linear(1, 0.9))]),
}
