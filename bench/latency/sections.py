# SPDX-License-Identifier: Apache-2.0
"""The distribution of every wait: one drawing per row, percentiles from left to right, a colour per library."""
import dataclasses
import statistics

import charts
import report
from page import Figure, Part, Table

PERCENTILES = {"p50": "50 %", "p90": "90 %", "p99": "99 %", "p999": "99.9 %", "max": "max"}
LEAD = ("Every single wait is kept. A point is the median over the runs of that percentile of one run, a whisker goes from the best to the "
        "worst run; the vertical axis is logarithmic. Where few waits fit into a run (row `n` of the table), 99.9 % is close to the maximum.")
SERVER_NOTE = ("Cores beyond the requests' own: what dispatching, searching, waking and spinning take. A goal of 0.5 of oneTBB's whole CPU "
               "time can't be reached at a load of which the requests themselves need more than half of the processors.")


@dataclasses.dataclass(frozen=True)
class Wait:
    """One measurement: a row of the suite without the value's name, at one thread count."""
    row: str
    title: str
    threads: int
    unit: str


def waits(document):
    """In the order of the results."""
    found = [Wait(line["row"].rpartition("-")[0], line["title"].rpartition(": ")[0], line["threads"], line["unit"])
             for line in document["results"] if line["row"].endswith("-p50")]
    return list(dict.fromkeys(found))


def reports(document, wait, peer):
    """The values of each run that counts; all rows of a wait hold the same ones."""
    return [run["values"] for cell in document["cells"] if not cell["gap"]
            and (cell["row"], cell["threads"], cell["peer"]) == (f"{wait.row}-p50", wait.threads, peer) for run in cell["rounds"]]


def series(document, wait, peer):
    found = reports(document, wait, peer)
    columns = [[values[name] for values in found] for name in PERCENTILES]
    if not found:
        return None
    return charts.Series(document["peers"][peer]["title"], [statistics.median(c) for c in columns], [min(c) for c in columns],
                         [max(c) for c in columns], peer)


def figure(document, number, wait):
    made = [s for s in (series(document, wait, peer) for peer in document["peers"]) if s]
    if not made:
        return None
    chart = charts.Chart("lines", list(PERCENTILES.values()), made, wait.unit, x_title="share of the waits that are not longer", log=True)
    return Figure(str(number), f"{wait.title}, {wait.threads} threads", chart)


def verdict(document, wait):
    """Ours beside the better TBB: p99 and p99.9 not longer, the maximum not more than twice as long."""
    missed = []
    for value, limit in (("p99", 1.0), ("p999", 1.0), ("max", 2.0)):
        ratios = [line["ratio"] for line in document["results"] if line["row"] == f"{wait.row}-{value}"
                  and line["threads"] == wait.threads and line["ratio"] is not None]
        if not ratios:
            return "not measured"
        if max(ratios) > limit:
            missed.append(f"{PERCENTILES[value]} {max(ratios):.2f}")
    return "reached" if not missed else "missed: " + ", ".join(missed)


def summary(document):
    rows = []
    for wait in waits(document):
        for peer in document["peers"]:
            found = reports(document, wait, peer)
            if not found:
                continue
            middle = [report.number(statistics.median(values[name] for values in found)) for name in PERCENTILES]
            rows.append([wait.title, str(wait.threads), document["peers"][peer]["title"], wait.unit, f"{found[0]['n']:.0f}", *middle,
                         verdict(document, wait) if peer == "ashlar" else ""])
    head = ["wait", "threads", "library", "unit", "n", *PERCENTILES.values(), "ratio to the better TBB"]
    return Table("All waits", head, rows, "n: waits of one run. Reached: 99 % and 99.9 % at most 1.0, the maximum at most 2.0 of the better TBB's.")


def servers(document):
    wanted = [wait for wait in waits(document) if any("cpu" in values for values in reports(document, wait, "ashlar"))]
    made = []
    for name, title in (("cpu", "CPU used"), ("beyond", "CPU beyond the requests' own")):
        drawn = []
        for peer in document["peers"]:
            values = [[run[name] for run in reports(document, wait, peer)] for wait in wanted]
            if any(values):
                drawn.append(charts.Series(document["peers"][peer]["title"], [statistics.median(v) if v else None for v in values],
                                           [min(v) if v else None for v in values], [max(v) if v else None for v in values], peer))
        if drawn:
            made.append((title, charts.Chart("bars", [wait.row for wait in wanted], drawn, "cores")))
    return made


def parts(documents):
    made = []
    for document in documents:
        figures = [figure(document, number, wait) for number, wait in enumerate(waits(document), 1)]
        more = [Figure(f"S{number}", f"Request server: {title}", chart, note=SERVER_NOTE)
                for number, (title, chart) in enumerate(servers(document), 1)]
        items = [item for item in [*figures, *more] if item]
        lead = f"{document['machine']['cpu']}, {document['machine']['cpus']} CPUs. {LEAD}"
        made.append(Part("latency", document["title"], lead, [summary(document), *items]))
    return made
