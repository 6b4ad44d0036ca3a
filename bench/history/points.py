# SPDX-License-Identifier: Apache-2.0
"""The counts of one commit, and what became of each row over many of them."""
import dataclasses
import json

RISEN = 1.05  # above the least that a row ever had: an earlier gain is being lost


@dataclasses.dataclass
class Point:
    commit: str
    date: str
    counts: dict                   # row -> [instructions, locked instructions]


@dataclasses.dataclass
class Course:
    """One row over the commits that have it."""
    row: str
    points: list                   # of (commit, date, instructions)

    @property
    def last(self):
        return self.points[-1][2]

    @property
    def least(self):
        return min(self.points, key=lambda p: p[2])

    @property
    def risen(self):
        """Beyond what rounding explains."""
        return self.last > RISEN * self.least[2] and self.last > self.least[2] + 0.5

    def change(self, since):
        return self.last / since - 1 if since else 0.0


def parse_golden(text):
    lines = (line.split() for line in text.splitlines() if line and line[0] != "#")
    return {row: [float(instructions), float(locked)] for row, instructions, locked in lines}


def stored(folder):
    found = []
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        found.append(Point(document["commit"], document["date"], document["counts"]))
    return found


def joined(found):
    """By date; of one commit the later point, which has more rows."""
    by_commit = {point.commit.rstrip("+")[:7]: point for point in sorted(found, key=lambda p: (p.date, len(p.counts)))}
    return sorted(by_commit.values(), key=lambda p: p.date)


def courses(document):
    by_row = {}
    for point in document["points"]:
        for row, (instructions, _) in point["counts"].items():
            by_row.setdefault(row, []).append((point["commit"], point["date"], instructions))
    return [Course(row, found) for row, found in by_row.items()]


def group(row):
    """The program that a row is counted by; those of the short form have no prefix."""
    name = row.partition(".")[0] if "." in row else "allocator" if row.startswith("malloc") else "scheduler"
    return {"allocator_paths": "allocator: other paths"}.get(name, name)
