# SPDX-License-Identifier: Apache-2.0
"""The tables and charts of the characterisation for the page that bench/harness/page.py writes."""
import charts
import operations
from page import Claim, Figure, Part, Table

VERDICTS = {"holds": "holds", "no longer holds": "gone", "cannot be told here": "open", "tasks not slower": "gone",
            "tasks slower": "holds"}


def label(row, cpus):
    return f"{row['program']} {row['threads']}{'*' if row['threads'] > cpus else ''}"


def shares(found, cpus):
    """Where the threads' time goes, with more than one thread."""
    rows = [row for row in found if row["threads"] > 1]
    series = [charts.Series(name, [row["operations"][name]["share"] for row in rows]) for name in ("spawn", "wait_for_all", "steal")]
    return charts.Chart("bars", [label(row, cpus) for row in rows], series, "% of threads x time")


def static_against_tasks(found, cpus):
    rows = [row for row in found if row["static_ms"]]
    series = [charts.Series("pthreads, fixed shares", [row["serial_ms"] / row["static_ms"] for row in rows]),
              charts.Series("tasks", [row["serial_ms"] / row["ms"] for row in rows])]
    return charts.Chart("bars", [label(row, cpus) for row in rows], series, "speed-up")


def operations_table(found, cpus):
    head = ["program", "threads"] + [f"{name}, {what}" for name, _, _ in operations.OPERATIONS for what in ("cycles", "times", "%")]
    rows = []
    for row in found:
        cells = [operations.shown(row["operations"][name][key], digits) for name, _, _ in operations.OPERATIONS
                 for key, digits in (("cycles", 0), ("number", 0), ("share", 2))]
        rows.append([row["program"], str(row["threads"]) + ("*" if row["threads"] > cpus else ""), *cells])
    return Table("Operations: cycles of one, times in a run, share of the threads' time", head, rows,
                 "README.md of bench/characterisation says what is counted.")


def parts(documents):
    made = []
    for document in documents:
        found, cpus = document["operations"], document["machine"]["cpus"]
        said = [Claim(says, VERDICTS[verdict], finding) for says, verdict, finding in operations.claims(found, cpus)]
        figures = [Figure("1", "Share of the run time by operation", shares(found, cpus), "The paper: 'TBB Overheads: PARSEC'.",
                          "* more threads than CPUs. wait_for_all holds the steals of threads that wait.",
                          [c for c in said if "overheads" in c.text]),
                   Figure("2", "Static against dynamic management", static_against_tasks(found, cpus), "The paper shows pthreads and "
                          "TBB for fluidanimate, swaptions and blackscholes.", "Speed-up against the serial version.",
                          [c for c in said if "Static" in c.text])]
        made.append(Part("characterisation", document["title"], "",
                         [*(f for f in figures if f.chart.groups), operations_table(found, cpus)]))
    return made
