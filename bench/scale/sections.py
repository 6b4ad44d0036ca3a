# SPDX-License-Identifier: Apache-2.0
"""The page to send: how each row's cost goes with the number of threads, and the machine it was measured on."""
import charts
import report
from page import Figure, Part, Table

LEAD = ("Each row was measured with every number of threads, interleaved: lower is better, and a row of fixed work should fall with 1/threads until "
        "memory or the critical path holds it. Bodies are busy, threads pinned after warming, except in the rows `quality`, whose bodies sleep (1 is "
        "ideal). * marks more threads than processors: such points tell of fairness, not of scaling. Two hardware threads of a core are two processors "
        "here, so the last doubling may bring little. On a virtual machine the host's neighbours and its topology are invisible; figures of "
        "one machine compare the libraries, figures of two machines don't compare the machines.")


class Results:
    def __init__(self, document):
        self.document = document
        self.processors = document["places"]["processors"] if "places" in document else document["machine"]["cpus"]
        self.titles = {line["row"]: (line["title"], line["unit"]) for line in document["results"]}
        self.values = {(s["row"], s["threads"], s["peer"]): s for s in document["statistics"]}
        self.threads = sorted({threads for _, threads, _ in self.values})

    def mark(self, threads):
        return f"{threads}{'*' if threads > self.processors else ''}"

    def median(self, row, threads, peer):
        found = self.values.get((row, threads, peer))
        return found["median"] if found else None

    def ratio(self, row, threads):
        """Ours to oneTBB's."""
        return next((line["ratio"] for line in self.document["results"]
                     if (line["row"], line["threads"], line["peer"]) == (row, threads, "onetbb")), None)


def figure(found, number, row):
    title, unit = found.titles[row]
    series = []
    for peer, described in found.document["peers"].items():
        there = [found.values.get((row, n, peer)) for n in found.threads]
        if any(there):
            series.append(charts.Series(described["title"], [s["median"] if s else None for s in there],
                                        [s["interval"][0] if s else None for s in there], [s["interval"][1] if s else None for s in there], peer))
    if not series:
        return None
    return Figure(str(number), title, charts.Chart("lines", [found.mark(n) for n in found.threads], series, unit, x_title="threads", log=True))


def rows_of(found):
    made = []
    for row, (title, unit) in found.titles.items():
        single = found.median(row, 1, "ashlar")
        for threads in found.threads:
            ours = found.median(row, threads, "ashlar")
            if ours is None:
                continue
            gain = "" if "quality" in row or not single else f"{single / ours:.2f}"
            made.append([title, found.mark(threads), unit, report.number(ours), report.number(found.median(row, threads, "onetbb")),
                         report.number(found.median(row, threads, "tbb2020")), report.number(found.ratio(row, threads)), gain])
    return made


def parts(documents):
    made = []
    for document in documents:
        found = Results(document)
        head = ["row", "threads", "unit", "Ashlar", "oneTBB", "TBB 2020", "ratio to oneTBB", "to one thread"]
        places = [[name, str(value)] for name, value in document.get("places", {}).items()]
        items = [Table("The machine", ["what", "value"], places, "The processors that this process may use."),
                 Table("Summary", head, rows_of(found), "Medians. To one thread: how many times as fast as with one thread. * more threads than processors."),
                 *(figure(found, number, row) for number, row in enumerate(found.titles, 1))]
        cut = " The time was over before all rounds were measured." if document.get("interrupted") else ""
        made.append(Part("scale", document["title"], f"{document['machine'].get('cpu', '')}, {found.processors} processors.{cut} {LEAD}",
                         [item for item in items if item]))
    return made
