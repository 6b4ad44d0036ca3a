# SPDX-License-Identifier: Apache-2.0
"""The page of the history: per group a drawing of the rows that changed most, and a table of all."""
import charts
import points
from page import Figure, Part, Table

DRAWN = 8                          # rows in a drawing
COMMITS = 12                       # the last ones; more labels don't fit
LEAD = ("Instructions of the library's and the program's own code for one operation with one thread, g++ 12 -O2, counted by callgrind. A "
        "drawing shows each row relative to its first count; only rows that changed are drawn. `Risen`: more than 5 % above the least "
        "count that the row ever had, so an earlier gain has been lost, or was given up for something else.")


def table_rows(found):
    return [[c.row, f"{c.points[0][2]:.2f}", f"{c.least[2]:.2f}", c.least[0], f"{c.last:.2f}",
             f"{c.change(c.points[-2][2]):+.1%}" if len(c.points) > 1 else "–", f"{c.change(c.least[2]):+.1%}", "risen" if c.risen else ""]
            for c in found]


HEAD = ["row", "first", "least", "at", "last", "to the one before", "to the least", ""]


def drawing(document, found):
    """Relative to the first count, by commit; None if nothing changed."""
    changed = [c for c in found if len({count for _, _, count in c.points}) > 1]
    changed.sort(key=lambda c: max(p[2] for p in c.points) / (min(p[2] for p in c.points) or 1), reverse=True)
    commits = [point["commit"] for point in document["points"] if any(point["commit"] == p[0] for c in changed for p in c.points)][-COMMITS:]
    series = []
    for course in changed[:DRAWN]:
        by_commit = {commit: count / (course.points[0][2] or 1) for commit, _, count in course.points}
        series.append(charts.Series(course.row, [by_commit.get(commit) for commit in commits]))
    return charts.Chart("lines", [commit[:7] for commit in commits], series, "of the first count", x_title="commit") if series else None


def by_group(document):
    groups = {}
    for course in points.courses(document):
        groups.setdefault(points.group(course.row), []).append(course)
    return groups


def text(document):
    """What a terminal shows: the rows that rose, and how many did not."""
    found = points.courses(document)
    risen = [c for c in found if c.risen]
    lines = [f"{len(found)} rows over {len(document['points'])} commits, the last {document['points'][-1]['commit']} of "
             f"{document['points'][-1]['date'][:10]}; {len(risen)} more than 5 % above their least count"]
    rows = [HEAD, *table_rows(risen)] if risen else []
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD))] if rows else []
    lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join(lines)


def parts(documents):
    made = []
    for document in documents:
        items = []
        for number, (name, found) in enumerate(by_group(document).items(), 1):
            chart = drawing(document, found)
            if chart:
                items.append(Figure(str(number), f"{name[0].upper()}{name[1:]}, relative to the first count", chart))
            items.append(Table(f"{name[0].upper()}{name[1:]}: all rows", HEAD, table_rows(found)))
        made.append(Part("history", document["title"], LEAD, items))
    return made
