# SPDX-License-Identifier: Apache-2.0
"""The tables and charts of the characterisation for the page that bench/harness/page.py writes."""
import charts
import operations
from page import Claim, Figure, Part, Table

# The paper's figure of static against dynamic management has no numbers to be compared with.
VERDICTS = {"holds": "holds", "no longer holds": "gone", "cannot be told here": "open", "tasks not slower": "open",
            "tasks slower": "open"}
SHORT = {"bitcounter": "bitcount", "matmult_loop": "mm loop", "matmult_recursive": "mm rec", "blackscholes": "blacksch",
         "bodytrack": "bodytr", "fluidanimate": "fluid", "streamcluster": "stream", "swaptions": "swapt"}


def shares(found, threads):
    """Where the threads' time goes, by program."""
    rows = [row for row in found if row["threads"] == threads]
    series = [charts.Series(name, [row["operations"][name]["share"] for row in rows]) for name in ("spawn", "wait_for_all", "steal")]
    return charts.Chart("bars", [SHORT.get(row["program"], row["program"]) for row in rows], series, "% of threads x time")


def static_against_tasks(found, program, cpus):
    rows = [row for row in found if row["program"] == program]
    series = [charts.Series("pthreads, fixed shares", [row["serial_ms"] / row["static_ms"] for row in rows]),
              charts.Series("tasks", [row["serial_ms"] / row["ms"] for row in rows])]
    return charts.Chart("bars", [f"{row['threads']}{'*' if row['threads'] > cpus else ''}" for row in rows], series, "speed-up",
                        x_title="threads")


def static_figures(found, cpus, said):
    programs = list(dict.fromkeys(row["program"] for row in found if row["static_ms"]))
    return [Figure("2" + chr(ord("a") + i), f"Static against dynamic management: {program}", static_against_tasks(found, program, cpus),
                   "The paper shows pthreads and TBB for fluidanimate, swaptions and blackscholes." if i == 0 else "",
                   "Speed-up against the serial version. * more threads than CPUs.", said if i == 0 else [])
            for i, program in enumerate(programs)]


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
        most = max((row["threads"] for row in found if row["threads"] <= cpus), default=cpus)
        figures = [Figure("1", f"Share of the run time by operation, {most} threads", shares(found, most), "The paper: 'TBB "
                          "Overheads: PARSEC'.", "wait_for_all holds the steals of threads that wait, not those of workers.",
                          [c for c in said if "overheads" in c.text]),
                   *static_figures(found, cpus, [c for c in said if "Static" in c.text])]
        made.append(Part("characterisation", document["title"], "",
                         [*(f for f in figures if f.chart.groups), operations_table(found, cpus)]))
    return made
