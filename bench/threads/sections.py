# SPDX-License-Identifier: Apache-2.0
"""Makespan / ideal over the number of threads, scenario by scenario, and the counts of an episode, for the page that
bench/harness/page.py writes."""
import charts
import page
from page import Figure, Part

FAMILIES = [
    ("parallel_for with the default partitioner", ["loop", "loop-50", "loop-1.5", "loop-long", "loop-rising", "loop-skewed", "loop-random"]),
    ("Other ranges and partitioners, loops in loops", ["loop-2d", "loop-simple", "loop-static", "loop-affinity", "nested", "group-of-loops"]),
    ("Other algorithms", ["reduce", "reduce-8", "deterministic", "each-vector", "each-list", "each-feeder", "scan", "pipeline", "sort"]),
    ("Tasks", ["group", "invoke", "enqueue", "enqueue-8", "suspend"]),
    ("Arenas and application threads", ["arenas-in-turn", "arenas-beside", "applications-2", "applications-4", "priorities-loop"]),
    ("What an episode of work and sleep calls", ["membarriers", "membarriers-long", "futexes", "yields", "mutex-locks", "failed_steals"]),
]
NOTE = "Medians with 95 % intervals; 1 is a schedule that nobody can undercut."
COUNTS = "Medians with 95 % intervals, per episode."


class Results:
    def __init__(self, document):
        self.document = document
        self.titles = {line["row"]: line["title"] for line in document["results"]}
        self.by_key = {(s["row"], s["threads"], s["peer"]): s for s in document["statistics"]}
        self.peers = [name for name in document["peers"] if any(s["peer"] == name for s in document["statistics"])]

    def series(self, row, counts, peer):
        found = [self.by_key.get((row, n, peer)) for n in counts]
        if not any(found):
            return None
        intervals = [s["interval"] if s else (None, None) for s in found]
        return charts.Series(self.document["peers"][peer]["title"], [s["median"] if s else None for s in found],
                             [low for low, _ in intervals], [high for _, high in intervals], peer)

    def chart(self, row, unit):
        counts = sorted({n for r, n, _ in self.by_key if r == row})
        series = [made for made in (self.series(row, counts, peer) for peer in self.peers) if made]
        largest = max((v for s in series for v in s.values if v is not None), default=0)
        logarithmic = unit == "makespan / ideal" and largest > 4
        return charts.Chart("lines", [str(n) for n in counts], series, unit, x_title="threads", log=logarithmic)


def figures(found):
    made = []
    for number, (title, rows) in enumerate(FAMILIES, 1):
        there = [row for row in rows if any(row == r for r, _, _ in found.by_key)]
        counted = title.startswith("What an episode")
        for index, row in enumerate(there):
            chart = found.chart(row, "an episode" if counted else "makespan / ideal")
            made.append(Figure(f"{number}{chr(ord('a') + index)}", f"{title}: {found.titles[row]}", chart,
                               note=COUNTS if counted else NOTE))
    return made


def parts(documents):
    made = []
    for document in documents:
        machine = document["machine"]
        lead = (f"{machine['cpu']}, {machine['cpus']} CPUs. The bodies sleep, so that few processors show what happens with many threads; "
                "bench/threads/README.md tells each scenario.")
        made.append(Part("threads", "Many threads", lead, [*figures(Results(document)), page.lines_table(document)]))
    return made
