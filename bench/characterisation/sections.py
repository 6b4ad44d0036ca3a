# SPDX-License-Identifier: Apache-2.0
"""The tables and charts of the characterisation for the page that bench/harness/page.py writes; what the paper claims is judged as
./dev paper does it."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "paper"))

import chapters  # noqa: E402  pylint: disable=wrong-import-position
import charts  # noqa: E402  pylint: disable=wrong-import-position
import operations  # noqa: E402  pylint: disable=wrong-import-position
import page  # noqa: E402  pylint: disable=wrong-import-position
from page import Figure, Part, Table  # noqa: E402  pylint: disable=wrong-import-position

SHORT = {"bitcounter": "bitcount", "matmult_loop": "mm loop", "matmult_recursive": "mm rec", "blackscholes": "blacksch",
         "bodytrack": "bodytr", "fluidanimate": "fluid", "streamcluster": "stream", "swaptions": "swapt"}


def short(row):
    return SHORT.get(row["program"], row["program"])


def thread_mark(threads, cpus):
    return f"{threads}{'*' if threads > cpus else ''}"


def costs(found, threads):
    """Cycles of one operation, by program; wait_for_all has no single one."""
    rows = [row for row in found if row["threads"] == threads]
    series = [charts.Series(name, [row["operations"][name]["cycles"] for row in rows])
              for name, _, counts in operations.OPERATIONS if counts]
    return charts.Chart("bars", [short(row) for row in rows], [s for s in series if any(v for v in s.values)], "cycles of one operation",
                        log=True)


def shares(found, threads):
    """Where the threads' time goes, by program."""
    rows = [row for row in found if row["threads"] == threads]
    series = [charts.Series(name, [row["operations"][name]["share"] for row in rows]) for name in ("spawn", "wait_for_all", "steal")]
    return charts.Chart("bars", [short(row) for row in rows], series, "% of threads x time")


def growth(found, cpus):
    """The library's share by the number of threads, a line per program."""
    counts = sorted({row["threads"] for row in found})
    by_key = {(row["program"], row["threads"]): row["share"] for row in found}
    series = [charts.Series(program, [by_key.get((program, n)) for n in counts]) for program in dict.fromkeys(r["program"] for r in found)]
    return charts.Chart("lines", [thread_mark(n, cpus) for n in counts], series, "% of threads x time, at least", x_title="threads")


def static_against_tasks(found, program, cpus):
    rows = [row for row in found if row["program"] == program]
    series = [charts.Series("pthreads, fixed shares", [row["serial_ms"] / row["static_ms"] for row in rows]),
              charts.Series("tasks", [row["serial_ms"] / row["ms"] for row in rows])]
    return charts.Chart("bars", [thread_mark(row["threads"], cpus) for row in rows], series, "speed-up", x_title="threads")


def static_figures(found, cpus, said):
    programs = list(dict.fromkeys(row["program"] for row in found if row["static_ms"]))
    return [Figure("3" + chr(ord("a") + i), f"Static against dynamic management: {program}", static_against_tasks(found, program, cpus),
                   "The paper shows pthreads and TBB for fluidanimate, swaptions and blackscholes." if i == 0 else "",
                   "Speed-up against the serial version. * more threads than CPUs.", said if i == 0 else [])
            for i, program in enumerate(programs)]


def times_table(found, peers, cpus):
    """Times and ratios; the columns of a library that ran nothing are left out."""
    others = [name for name in peers if name != "ashlar" and any(row.get(f"{name}_ms") for row in found)]
    head = ["program", "threads", "serial ms", "tasks ms", "speed-up", "pthreads ms", "tasks / pthreads"]
    head += [text for name in others for text in (f"{peers[name]['title']} ms", "ours / its")]
    rows = []
    for row in found:
        compared = [row["static_ms"], *(row.get(f"{name}_ms") for name in others)]
        rows.append([row["program"], thread_mark(row["threads"], cpus), operations.shown(row["serial_ms"], 2), operations.shown(row["ms"], 2),
                     operations.shown(row["serial_ms"] / row["ms"], 2),
                     *(operations.shown(value, 2) for ms in compared for value in (ms, ms and row["ms"] / ms))])
    return Table("Times beside pthreads and the other libraries", head, rows, "Medians. oneTBB has no class tbb::task: it runs what can do without.")


def operations_table(found, cpus):
    head = ["program", "threads"] + [f"{name}, {what}" for name, _, _ in operations.OPERATIONS for what in ("cycles", "times", "%")]
    rows = []
    for row in found:
        cells = [operations.shown(row["operations"][name][key], digits) for name, _, _ in operations.OPERATIONS
                 for key, digits in (("cycles", 0), ("number", 0), ("share", 2))]
        rows.append([row["program"], thread_mark(row["threads"], cpus), *cells])
    return Table("Operations: cycles of one, times in a run, share of the threads' time", head, rows,
                 "README.md of bench/characterisation says what is counted.")


def parts(documents):
    made = []
    for document in documents:
        found, cpus = operations.rows(document["cells"]), document["machine"]["cpus"]
        counts = [row["threads"] for row in found]
        most = max((n for n in counts if n <= cpus), default=min(counts, default=cpus))
        figures = [Figure("1", f"Cost of parallelism management, {thread_mark(most, cpus)} threads", costs(found, most), "The paper's bars have no numbers. "
                          "steal is all looking for work, per job stolen; acquire_queue is the part of it that takes the job.",
                          "Cycles of the time stamp counter; README.md of bench/characterisation says what is counted."),
                   Figure("2a", f"Share of the run time by operation, {thread_mark(most, cpus)} threads", shares(found, most), "The paper: 'TBB "
                          "Overheads: PARSEC'.", "wait_for_all holds the steals of threads that wait, not those of workers.",
                          chapters.claims_about("iiswc-2", document)),
                   Figure("2b", "Share of the run time by threads", growth(found, cpus), "spawn and the greater of wait_for_all and steal.",
                          "* more threads than CPUs: a thread without a CPU waits, too."),
                   *static_figures(found, cpus, chapters.claims_about("iiswc-5", document))]
        sizes = page.sizes_text(document["sizes"])
        made.append(Part("characterisation", "Operations and whole programs", f"{document['machine']['cpu']}, {cpus} CPUs. {sizes}.",
                         [*(f for f in figures if f.chart.groups), times_table(found, document["peers"], cpus), operations_table(found, cpus)]))
    return made
