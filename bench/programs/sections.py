# SPDX-License-Identifier: Apache-2.0
"""What the page and the terminal show of the programs: verdicts, geometric means, and what each run used."""
import charts
import verdicts
from page import Figure, Part, Table


def form(value, digits=2):
    return "–" if value is None else f"{value:.{digits}f}"


def peers_of(document, found):
    return [name for name in document["peers"] if any(v.peer == name for v in found)]


def thread_counts(found):
    return sorted({v.threads for v in found})


def said(verdict):
    """ratio [interval] verdict, the word in capitals where it must not be."""
    word = verdict.verdict.upper() if verdict.verdict == "slower" and verdict.better_tbb else verdict.verdict
    low, high = verdict.interval
    return f"{verdict.ratio:.2f} [{low:.2f}, {high:.2f}] {word}"


def verdict_rows(document, found):
    """A row per program and number of threads: our time, then what is said of each peer."""
    peers = peers_of(document, found)
    by_key = {(v.program, v.threads, v.peer): v for v in found}
    titles = [document["peers"][name]["title"] for name in peers]
    rows = []
    for program, threads in dict.fromkeys((v.program, v.threads) for v in found):
        those = [by_key.get((program, threads, peer)) for peer in peers]
        ours = next(v.ours for v in those if v)
        rows.append([program, str(threads), f"{1e3 * ours:.0f}", *(said(v) if v else "–" for v in those)])
    return ["program", "threads", "ours, ms", *titles], rows


def use_rows(document, found):
    """What was used beside time, against each TBB."""
    rows = []
    for v in found:
        if v.peer in verdicts.TBBS:
            rows.append([v.program, str(v.threads), document["peers"][v.peer]["title"], form(v.ratios["cpu"]), form(v.ratios["peak_mb"]),
                         form(v.switches[0], 0), form(v.switches[1], 0)])
    return ["program", "threads", "peer", "CPU time, ratio", "peak memory, ratio", "context switches, ours", "theirs"], rows


def mean_rows(document, found):
    rows = []
    for peer in peers_of(document, found):
        for threads in thread_counts(found):
            means = {key: verdicts.mean(found, peer, threads, key) for key in verdicts.MEASURES}
            if not means["time"][1]:
                continue
            counts = verdicts.tally(found, threads, peer)
            rows.append([document["peers"][peer]["title"], str(threads), str(means["time"][1]), *(form(means[key][0], 3) for key in verdicts.MEASURES),
                         *(str(count) for count in counts.values())])
    return ["peer", "threads", "programs", *(name for name, _ in verdicts.MEASURES.values()), "faster", "level", "slower", "open"], rows


def goals(document, found):
    """One line per goal of the suite: what it asks, what was measured, whether it is reached."""
    lines = []
    for threads in thread_counts(found):
        counts = verdicts.tally(found, threads)
        slower = [v.program for v in found if v.better_tbb and v.threads == threads and v.verdict == "slower"]
        state = "reached" if not slower else "NOT reached: " + ", ".join(slower)
        lines.append(f"slower than the better TBB, {threads} threads: {counts['slower']} of {sum(counts.values())} (goal 0), {state}")
    for key, (name, goal) in verdicts.MEASURES.items():
        value, number = verdicts.mean(found, "onetbb", verdicts.MEAN_THREADS, key)
        if number:
            state = "reached" if value <= goal else "NOT reached"
            lines.append(f"geometric mean of {name} against oneTBB, {verdicts.MEAN_THREADS} threads, {number} programs: {value:.3f} (goal {goal:.2f}), {state}")
    for key, what in (("time", "time of our runs with one thread, halved"), ("cpu", "CPU time of our runs with one thread")):
        value, number = verdicts.mean_unshared(document, "onetbb", verdicts.MEAN_THREADS, key)
        if number:
            lines.append(f"floor: {what}, against oneTBB with {verdicts.MEAN_THREADS} threads, {number} programs: {value:.3f}")
    return lines


def text_table(head, rows):
    widths = [max(len(line[i]) for line in [head, *rows]) for i in range(len(head))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip() for line in [head, *rows])


def text(document):
    found = verdicts.of(document)
    if not found:
        return "No program was measured beside a peer."
    tables = [text_table(*verdict_rows(document, found)), text_table(*use_rows(document, found)), text_table(*mean_rows(document, found)),
              "\n".join(goals(document, found))]
    return "\n\n".join(tables)


def figure(document, found, threads, number):
    """Ratios of wall time to the TBBs with their intervals, the programs as groups."""
    those = [v for v in found if v.threads == threads and v.peer in verdicts.TBBS]
    programs = list(dict.fromkeys(v.program for v in those))
    series = []
    for peer in verdicts.TBBS:
        by_program = {v.program: v for v in those if v.peer == peer}
        chosen = [by_program.get(program) for program in programs]
        if any(chosen):
            series.append(charts.Series(f"Ashlar / {document['peers'][peer]['title']}", [v and v.ratio for v in chosen],
                                        [v and v.interval[0] for v in chosen], [v and v.interval[1] for v in chosen], peer))
    return Figure(number, f"Time of whole programs against TBB: {threads} thread{'s' if threads > 1 else ''}",
                  charts.Chart("bars", programs, series, "ratio of wall times"), "",
                  "Below 1 Ashlar is faster. Whiskers are 95 % intervals of the median over interleaved rounds.")


def part(document, number, found):
    settings, machine = document["settings"], document["machine"]
    lead = (f"{machine['cpu']}, {machine['cpus']} CPUs; {settings['rounds']} interleaved rounds, each run a process of its own, cold. "
            "A verdict is faster or slower if the whole 95 % interval of the ratio of wall times lies on that side of 1, else level. "
            + ". ".join(goals(document, found)) + ".")
    note = "bench/programs/README.md says what each program does, with what input, and how its result is checked."
    items = [figure(document, found, threads, f"{number}{chr(ord('a') + i)}") for i, threads in enumerate(thread_counts(found))]
    tables = [Table("Verdicts: our wall time, and its ratio to each peer's", *verdict_rows(document, found), note),
              Table("Geometric means of the ratios", *mean_rows(document, found)),
              Table("CPU time, peak memory and context switches", *use_rows(document, found),
                    "Peak memory is the whole process's, its input included.")]
    return Part("programs" if number == 1 else f"programs-{number}", "Whole programs", lead, [*items, *tables])


def parts(documents):
    found = [verdicts.of(document) for document in documents]
    return [part(document, number, those) for number, (document, those) in enumerate(zip(documents, found), 1) if those]
