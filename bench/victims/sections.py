# SPDX-License-Identifier: Apache-2.0
"""Figures 2 to 6 of the victim selection paper from our results, for the page that bench/harness/page.py writes; what the paper claims
is judged as ./dev paper does it."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "paper"))

import chapters  # noqa: E402  pylint: disable=wrong-import-position
import charts  # noqa: E402  pylint: disable=wrong-import-position
import policies  # noqa: E402  pylint: disable=wrong-import-position
import page  # noqa: E402  pylint: disable=wrong-import-position
from energy import NONE as NO_ENERGY  # noqa: E402  pylint: disable=wrong-import-position
from page import Figure, Part, Table  # noqa: E402  pylint: disable=wrong-import-position

FEW_TASKS = ["blackscholes", "bodytrack", "fluidanimate"]  # figures 3 and 5 of the paper
MANY_TASKS = ["streamcluster", "swaptions"]                # figures 4 and 6
PLAIN_NOTE = "* more threads than CPUs. Means of ten runs."
NOTE = "* more threads than CPUs. Means of ten runs; whiskers are one standard deviation."


class Results:
    def __init__(self, document):
        self.document, self.rows = document, policies.rows(document["cells"])
        self.cpus = document["machine"]["cpus"]
        self.base = policies.base_of(self.rows)
        self.by_key = {(r["program"], r["threads"], r["policy"]): r for r in self.rows}
        self.policies = list(dict.fromkeys(r["policy"] for r in self.rows))
        self.threads = sorted({r["threads"] for r in self.rows})
        self.programs = list(dict.fromkeys(r["program"] for r in self.rows))

    def mark(self, threads):
        return f"{threads}{'*' if threads > self.cpus else ''}"

    def value(self, program, threads, policy, key):
        row = self.by_key.get((program, threads, policy))
        return row[key] if row else None


def speedups(found):
    series = [charts.Series(program, [found.value(program, n, found.base, "speedup") for n in found.threads])
              for program in found.programs]
    return charts.Chart("lines", [found.mark(n) for n in found.threads], series, "speed-up", x_title="threads")


def overheads(found):
    def overhead(program, threads):
        row = found.by_key.get((program, threads, found.base))
        return 100 * (row["cpu_ms"] / row["serial_ms"] - 1) if row else None
    series = [charts.Series(program, [overhead(program, n) for n in found.threads]) for program in found.programs]
    return charts.Chart("lines", [found.mark(n) for n in found.threads], series, "% more CPU time than serial", x_title="threads")


def relative(found, program, ratio, deviation, unit):
    """Bars per thread count, a colour per policy, relative to the base."""
    counts = [n for n in found.threads if n > 1 and (program, n, found.base) in found.by_key]
    series = []
    for policy in found.policies:
        values = [found.value(program, n, policy, ratio) for n in counts]
        spreads = [found.value(program, n, policy, deviation) for n in counts]
        low = [v * (1 - s) if v is not None and s is not None else None for v, s in zip(values, spreads)]
        high = [v * (1 + s) if v is not None and s is not None else None for v, s in zip(values, spreads)]
        series.append(charts.Series(policy, values, low, high))
    return charts.Chart("bars", [found.mark(n) for n in counts], series, unit, x_title="threads")


def relative_figures(found, number, what, programs, columns, paper, said):
    """One figure per program of the paper's figure; what the paper says of it stands beside the first."""
    there = [program for program in programs if program in found.programs]
    return [Figure(number + chr(ord("a") + i), f"{what} by policy: {program}", relative(found, program, *columns),
                   paper if i == 0 else "", NOTE, said if i == 0 else []) for i, program in enumerate(there)]


def rows_table(found):
    head = ["program", "threads", "policy", "ms", "sigma/mu", "CPU ms", "sigma/mu", f"time/{found.base}", f"CPU/{found.base}", "stolen",
            "failed steals", "conflicts", "parks"]
    rows = [[r["program"], found.mark(r["threads"]), r["policy"], policies.shown(r["ms"], 2), policies.percent(r["sigma_over_mu"]),
             policies.shown(r["cpu_ms"], 2), policies.percent(r["cpu_sigma_over_mu"]), policies.shown(r["time_ratio"], 3),
             policies.shown(r["cpu_ratio"], 3), *(policies.shown(r[name]) for name in policies.COUNTERS)] for r in found.rows]
    return Table("All measurements", head, rows, "Counts are means of one run.")


def figures(found):
    said = chapters.claims_about("jsa-real", found.document)
    time = ("time_ratio", "sigma_over_mu", f"time relative to {found.base}")
    counted = any(row.get("joules_ratio") for row in found.rows)
    energy = (("joules_ratio", "joules_sigma_over_mu", f"energy relative to {found.base}") if counted else
              ("cpu_ratio", "cpu_sigma_over_mu", f"CPU time relative to {found.base}"))
    here = "here it is that of the processors' packages (RAPL)." if counted else f"here CPU time stands for it: {NO_ENERGY}."
    return [
        Figure("2a", "Speed-up with random selection", speedups(found), "The paper shows overheads and speed-ups on 1 to 32 simulated "
               "cores; there a core for each thread, here not.", PLAIN_NOTE),
        Figure("2b", "Overhead with random selection", overheads(found), "The paper counts instructions: +38.18 % for swaptions on 32 "
               "cores. Here it is CPU time beyond that of the serial version.", PLAIN_NOTE),
        *relative_figures(found, "3", "Execution time", FEW_TASKS, time, "The paper: nearly nothing is gained where there are few "
                          "tasks.", said),
        *relative_figures(found, "4", "Execution time", MANY_TASKS, time, "The paper: occupancy-aware gains up to 11.23 %.",
                          []),
        *relative_figures(found, "5", "Energy", FEW_TASKS, energy, f"The paper estimates energy with McPAT; {here}",
                          []),
        *relative_figures(found, "6", "Energy", MANY_TASKS, energy, "The paper: pseudo-random saves up to 14.72 %, occupancy-aware "
                          "up to 7.83 %.", [])]


def parts(documents):
    made = []
    for document in documents:
        found = Results(document)
        items = [figure for figure in figures(found) if figure.chart.groups and figure.chart.series]
        sizes = page.sizes_text(document["sizes"])
        made.append(Part("victims", "Victim selection by policy", f"{document['machine']['cpu']}, {found.cpus} CPUs. {sizes}.",
                         [*items, rows_table(found)]))
    return made
