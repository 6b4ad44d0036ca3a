# SPDX-License-Identifier: Apache-2.0
"""Figures 1 to 8 of Marowka's TBBench from our results, each beside what the paper claims of it, judged as ./dev paper does it."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "paper"))

import chapters  # noqa: E402  pylint: disable=wrong-import-position
import charts  # noqa: E402  pylint: disable=wrong-import-position
import results  # noqa: E402  pylint: disable=wrong-import-position
from page import Figure, Part, Table  # noqa: E402  pylint: disable=wrong-import-position

TBBS = ["ashlar", "onetbb", "tbb2020"]
OPENMPS = ["libgomp", "libomp"]
CHUNKS = [1, 2, 4, 8, 16, 32, 64, 128]
BUILDS = ["", "@gcc-O0", "@clang-O2", "@clang-O0"]
BUILD_TITLES = {"": "g++ -O2", "@gcc-O0": "g++ -O0", "@clang-O2": "clang -O2", "@clang-O0": "clang -O0"}
BUILD_COLOURS = dict(zip(BUILDS, ("c0", "c1", "c2", "c3")))
SPREAD = ("Bars are means over the runs, whiskers their 95 % bootstrap intervals, as in the paper without values beyond three "
          "standard deviations.")


def series(run, name, keys, colour=None, low_high=True):
    """One colour: `keys` are (row, peer) or None, one per group."""
    found = [run.stat(*key) if key else None for key in keys]
    scaled = [(run.cycles(s["mean"]), [run.cycles(x) for x in s["mean_interval"]]) if s else (None, [None, None]) for s in found]
    return charts.Series(name, [v for v, _ in scaled], [i[0] for _, i in scaled] if low_high else None,
                         [i[1] for _, i in scaled] if low_high else None, colour)


def chart(runs, groups, made, kind="bars", **more):
    made = [s for s in made if any(v is not None for v in s.values)]
    return charts.Chart(kind, groups, made, "kilo clock cycles", ("ns", 1e6 / runs[0].mhz), **more)


def by_build(run, rows, titles, library):
    """Rows as groups, the builds of one library as colours."""
    made = [series(run, BUILD_TITLES[b], [(row, library + b) for row in rows], BUILD_COLOURS[b]) for b in BUILDS]
    return chart([run], titles, made)


def by_machine(runs, rows, titles, peers):
    """Rows on every machine as groups, libraries as colours; with one machine its name is left out."""
    keys = [(run, row, title if len(runs) == 1 else f"{title}, {run.machine}") for row, title in zip(rows, titles) for run in runs]
    made = []
    for peer in peers:
        parts = [series(run, peer, [(row, peer)]) for run, row, _ in keys]
        made.append(charts.Series(runs[0].title(peer), [p.values[0] for p in parts], [p.low[0] for p in parts],
                                  [p.high[0] for p in parts], peer))
    return chart(runs, [title for _, _, title in keys], made)


def by_chunk(run, columns, tail):
    """`columns`: (title, colour, prefix of the chunk rows, peer); `tail` the rows after the chunks."""
    groups = [str(c) for c in CHUNKS] + [title for _, title in tail]
    made = [series(run, title, [(f"{prefix}{c}", peer) for c in CHUNKS] + [(row, peer) if prefix == "chunk-" else None for row, _ in tail],
                   colour) for title, colour, prefix, peer in columns]
    return chart([run], groups, made, "lines", x_title="chunk size", detached=len(tail))


def said(number, runs):
    """The paper's claims of a figure; several machines are drawn, the first one is judged."""
    return chapters.claims_about(f"tbbench-{number}", runs[0].document)


def figure_1(runs):
    return Figure("1", "parallel_for and parallel_reduce, by compiler and optimisation",
                  by_build(runs[0], ["parallel_for", "parallel_reduce"], ["parallel_for", "parallel_reduce"], "ashlar"),
                  "The paper compares Intel's and Microsoft's compiler with /O2 and /Od on a Core 2 Duo, two threads. Here g++ and "
                  "clang with -O2 and -O0 build the user's side against one Ashlar library.", SPREAD, said(1, runs))


def figure_2(runs):
    return Figure("2", "Work-sharing: TBB against OpenMP",
                  by_machine(runs, ["parallel_for", "parallel_reduce"], ["parallel_for", "parallel_reduce"], TBBS + OPENMPS),
                  "The paper shows five machines from the Pentium D to the Phenom X4; every result file given is one machine here.",
                  SPREAD, said(2, runs))


def figure_3(runs):
    rows = ["mutex", "queuing_mutex", "spin_mutex", "atomic"]
    return Figure("3", "Mutual exclusion, by compiler and optimisation", by_build(runs[0], rows, rows, "ashlar"),
                  "Two threads take the lock in turn and hold it for one delay. T_s/P counts half of the delay, which no lock can "
                  "hide, so half a delay is part of every lock's figure.", SPREAD, said(3, runs))


def figure_4(runs):
    return Figure("4", "Lock and atomic: TBB's spin_mutex against OpenMP's lock",
                  by_machine(runs, ["spin_mutex", "atomic"], ["lock / spin_mutex", "atomic"], TBBS + OPENMPS),
                  "OpenMP's lock routines beside TBB's spin_mutex, which have the same meaning.", SPREAD, said(4, runs))


def figure_5(runs):
    return Figure("5", "mutex and queuing_mutex",
                  by_machine(runs, ["mutex", "queuing_mutex", "spin_mutex"], ["mutex", "queuing_mutex", "spin_mutex"], TBBS),
                  "The paper's figure has the first two; spin_mutex stands beside them because the claim compares with it.", SPREAD,
                  said(5, runs))


def figure_6(runs):
    run = runs[0]
    columns = [("Ashlar, g++", "ashlar", "chunk-", "ashlar"), ("Ashlar, clang", "c1", "chunk-", "ashlar@clang-O2"),
               ("oneTBB, g++", "onetbb", "chunk-", "onetbb"), ("oneTBB, clang", "c3", "chunk-", "onetbb@clang-O2"),
               ("TBB 2020, g++", "tbb2020", "chunk-", "tbb2020")]
    return Figure("6", "Scheduling: chunk sizes, simple and auto, by compiler",
                  by_chunk(run, columns, [("simple", "Simple"), ("auto", "Auto")]),
                  "A loop of 128 iterations per thread. Simple is simple_partitioner with a grain of one, Auto is auto_partitioner.",
                  "Whiskers are 95 % intervals. The chunk rows use the default partitioner as printed in the paper. A loop that no core "
                  "waits in costs less than the machine's noise, so a value may lie below zero.", said(6, runs))


def figure_7(runs):
    return Figure("7", "simple_partitioner and auto_partitioner", by_machine(runs, ["simple", "auto"], ["simple", "auto"], TBBS),
                  "The same two options on the paper's five machines; every result file given is one machine here.", SPREAD,
                  said(7, runs))


def figure_8(runs):
    run = runs[0]
    columns = [(run.title(peer), peer, "chunk-", peer) for peer in TBBS]
    columns += [(f"{run.title(peer)}, static", peer, "openmp-static-", peer) for peer in OPENMPS]
    return Figure("8", "Scheduling: TBB against OpenMP's static schedule",
                  by_chunk(run, columns, [("simple", "Simple"), ("auto", "Auto")]),
                  "The paper takes OpenMP's static schedule because it is usually its cheapest.",
                  "TBB balances load that a static schedule leaves as it falls; here all iterations are equal.",
                  said(8, runs))


def kilo(value):
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


def table(run):
    rows = []
    for s in run.statistics:
        a, b = s["mean_interval"]
        q1, q3 = s["quartiles"]
        variation = run.variation(s["row"], s["threads"], s["peer"])
        rows.append([run.row_title(s["row"]), str(s["threads"]), run.title(s["peer"]), kilo(run.cycles(s["mean"])),
                     f"{s['mean']:.1f}", f"{a:.1f} – {b:.1f}", f"{s['median']:.1f}", f"{q1:.1f} – {q3:.1f}",
                     "–" if variation is None else f"{100 * variation:.1f} %", str(s["samples"]), str(s["outliers"])])
    return Table(f"Everything measured on {run.machine}",
                 ["construct", "threads", "library", "kilo cycles", "mean ns", "95 % interval", "median ns", "middle half (IQR)",
                  "CV of T_p", "samples", "dropped"], rows,
                 f"Cycles at {run.mhz:.0f} MHz, {run.mhz_source}. CV of T_p is that of the runs' mean times in clock cycles, counted beside "
                 f"each sample.{sharing(run)} It is meaningful only where no cache line changes cores, that is with one thread; with "
                 "more, read the middle half.")


def sharing(run):
    """What no CPU time shows, least of all on a virtual machine."""
    if not run.shared:
        return ""
    return (f" {run.shared} of {run.watched} samples shared their core with another hardware thread (it took fewer instructions per "
            "cycle than alone); CV is that of the others, where they are at least a quarter of a row's samples.")


def text(document):
    """Means in kilo clock cycles with half the length of their 95 % intervals, a column per library, for the terminal."""
    run = results.Run(document)
    peers = [peer for peer in TBBS + OPENMPS if any(s["peer"] == peer for s in run.statistics)]
    body = [["kilo clock cycles", *map(run.title, peers)]]
    for row in dict.fromkeys(s["row"] for s in run.statistics):
        found = [run.stat(row, peer) for peer in peers]
        if any(found):
            body.append([run.row_title(row), *(f"{kilo(run.cycles(s['mean']))} ± {kilo(run.cycles(half_interval(s)))}" if s else "-" for s in found)])
    widths = [max(len(line[i]) for line in body) for i in range(len(body[0]))]
    lines = ["  ".join(c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(line, widths))).rstrip() for line in body]
    return "\n".join([*lines, f"{run.threads} thread{'s' if run.threads > 1 else ''}; cycles at {run.mhz:.0f} MHz, {run.mhz_source}.{sharing(run)}"])


def half_interval(described):
    low, high = described["mean_interval"]
    return (high - low) / 2


def part(documents, number):
    """One chapter: results of one or several machines."""
    runs = [results.Run(document) for document in documents]
    makers = [figure_1, figure_2, figure_3, figure_4, figure_5, figure_6, figure_7, figure_8]
    figures = [figure for figure in (maker(runs) for maker in makers) if figure.chart.series]
    settings = documents[0]["settings"]
    values = ", ".join(f"{name} {value}" for name, value in settings.get("values", {}).items())
    lead = (f"T_p − T_s/P of every construct with {runs[0].threads} threads: {settings['rounds']} runs of {settings['samples']} "
            f"measurements; {values}. After A. Marowka, TBBench, 2012.")
    name, title = ("tbbench", "") if number == 1 else (f"tbbench-{number}", f", {documents[0]['date'][:16].replace('T', ' ')}")
    return Part(name, f"What parallel constructs cost{title}", lead, figures + [table(run) for run in runs])


def parts(documents):
    """What the page shows of these result files: the machines beside each other, several results of one machine one after the other."""
    chapters = []
    for document in documents:
        machine = document["machine"]["name"]
        chapter = next((c for c in chapters if all(other["machine"]["name"] != machine for other in c)), None)
        if chapter is None:
            chapters.append([document])
        else:
            chapter.append(document)
    return [part(chapter, number) for number, chapter in enumerate(chapters, 1)]
