# SPDX-License-Identifier: Apache-2.0
"""What the page shows of a sweep: for each of our libraries and numbers of threads a table of all cells."""
import cells
from page import Part, Table

LIMIT = 1.05


def cell_text(verdict):
    if verdict is None:
        return "–"
    missed = verdict.ratio > LIMIT and verdict.low > LIMIT
    return f"{verdict.ratio:.2f}" + (f" ({verdict.of_rival:.2f})" if verdict.of_rival is not None else "") + (" !" if missed else "")


def table(results, titles, ours, rival, threads):
    found = cells.verdicts(results, ours, rival, threads)
    sites, grains = cells.axes(found)
    rows = [[site, *(cell_text(found.get((site, grain))) for grain in grains)] for site in sites]
    missed = len(cells.above(found, LIMIT))
    return Table(f"{titles[ours]}, {threads} threads: {missed} of {len(found)} cells above {LIMIT}", ["construct", *map(cells.body, grains)], rows,
                 f"Time of a unit, of the better of 1 thread and {titles.get(rival, rival)} with {threads}; in brackets of {titles.get(rival, rival)}."
                 f" !: above {LIMIT}, the interval too.")


def part(document, number):
    results, titles = cells.from_list(document["cells"]), document["libraries"]
    tables = [table(results, titles, ours, rival, threads) for ours, rival in cells.RIVALS.items() if ours in results
              for threads in results[ours] if threads != 1]
    lead = "A second thread never hurts: every construct with bodies of many lengths."
    return Part("sweep" if number == 1 else f"sweep-{number}", f"{document['title']}, {document['machine']['name']}, {document['date'][:10]}", lead, tables)


def parts(documents):
    return [part(document, number) for number, document in enumerate(documents, 1)]
