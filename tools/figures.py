#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of measured figures in the documents, made of stored results.

tools/figures.toml says which rows a document shows. Each comes from the newest stored result of its suite (bench/results)
that measured all rows, and stands between the lines "figures: begin" and "figures: end" of the document. Without an option
the documents are rewritten; --check only compares, and exits with 1 where a document tells something else. A document's `picture`
shows the rows that have a `bar`, light and dark: our ratio to the first column with the last number of threads.
"""
import argparse
import functools
import pathlib
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench" / "harness"), str(ROOT / "bench" / "programs")]
import charts  # noqa: E402
import store  # noqa: E402
import verdicts  # noqa: E402

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
TITLES = {"onetbb": "oneTBB 2023.2", "tbb2020": "TBB 2020"}
NONE = "–"


class Missing(Exception):
    """A row of the specification that no stored result has."""


def newest(suite, results):
    """The newest stored result of a whole run of the suite."""
    found = []
    for path in results.glob(f"*/*-{suite}-*.json.gz"):
        document = store.read(path)
        if document["suite"] == suite and not document["settings"]["rows"] and not document["settings"]["threads"]:
            found.append(document)
    if not found:
        raise Missing(f"no stored result of a whole run of {suite}")
    return max(found, key=lambda d: d["date"])


def text(value):
    """Three digits; two below 10."""
    if value is None:
        return NONE
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2g}" if value < 0.1 else f"{value:.2f}"


def cells_of_row(document, row, columns):
    """Per column a list of values for the numbers of threads; ours; our ratio to the first column."""
    def value(threads, peer, key):
        for r in document["results"]:
            if (r["row"], r["threads"], r["peer"]) == (row["row"], threads, peer):
                return r[key]
        return None

    theirs = {peer: [value(t, peer, "theirs") for t in row["threads"]] for peer in columns}
    judged = [next((p for p in columns if value(t, p, "ours") is not None), None) for t in row["threads"]]
    if None in judged:
        raise Missing(f"{document['suite']}: no row {row['row']} with {row['threads']} threads")
    ours = [value(t, p, "ours") for t, p in zip(row["threads"], judged)]
    ratios = [value(t, columns[0], "ratio") for t in row["threads"]]
    return theirs, ours, ratios


def cells_of_mean(document, row, columns):
    """The geometric means over the programs stand in the last column; the peer is 1."""
    found = verdicts.of(document)
    ratios = [verdicts.mean(found, columns[0], t, row["mean"])[0] for t in row["threads"]]
    if None in ratios:
        raise Missing(f"{document['suite']}: no mean of {row['mean']}")
    return {peer: [None] for peer in columns}, [None], ratios


def picture(bars, peer):
    """The drawings of both themes: for each row the peer's bar of 1 and ours."""
    drawing = charts.svg(charts.Chart(
        "bars", list(bars), [charts.Series(peer, [1.0] * len(bars), colour="onetbb"), charts.Series("Ashlar", list(bars.values()), colour="ashlar")],
        f"relative to {peer}, less is better", width=840), f"Ashlar relative to {peer}")
    return {theme: charts.themed(drawing, theme) for theme in ("light", "dark")}


def table(specification, results):
    """The lines between the marks, and the picture's bars."""
    columns = specification["columns"]
    load = functools.cache(lambda suite: newest(suite, results))
    lines = ["| what | " + " | ".join(TITLES[c] for c in columns) + f" | Ashlar | Ashlar / {TITLES[columns[0]].split()[0]} |",
             "|---" + "|--:" * (len(columns) + 2) + "|"]
    used, bars = {}, {}
    for row in specification["row"]:
        document = used.setdefault(row["suite"], load(row["suite"]))
        theirs, ours, ratios = (cells_of_mean if "mean" in row else cells_of_row)(document, row, columns)
        shown = [*(theirs[c] for c in columns), ours, ratios]
        joined = [NONE if all(v is None for v in values) else " / ".join(map(text, values)) for values in shown]
        lines.append(f"| {row['label']} | " + " | ".join(joined) + " |")
        if "bar" in row:
            bars[row["bar"]] = ratios[-1]
    sources = [f"`./dev bench {suite}` ({d['settings']['rounds']} rounds; {d['machine']['cpu']}, {d['machine']['cpus']} processors"
               f"{', virtual' if d['machine']['virtual'] else ''}; {d['date'][:10]}, commit {d['commit'][:7]})" for suite, d in used.items()]
    return ["Medians of interleaved runs, from the newest stored results: " + "; ".join(sources) + ".", "", *lines], bars


def made(root, specification):
    """Each file of a document and its text made anew."""
    document = root / specification["file"]
    old = document.read_text(encoding="utf-8")
    before, mark, rest = old.partition(BEGIN)
    _, other, after = rest.partition(END)
    if not mark or not other:
        raise Missing(f"{document.name} has no lines {BEGIN!r} and {END!r}")
    lines, bars = table(specification, root / "bench" / "results")
    files = {document: before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after}
    if "picture" in specification:
        for theme, drawing in picture(bars, TITLES[specification["columns"][0]]).items():
            files[root / f"{specification['picture']}-{theme}.svg"] = drawing
    return files


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 where a document is out of date")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    wrong = 0
    specification = tomllib.loads((options.root / "tools" / "figures.toml").read_text(encoding="utf-8"))
    for part in specification["document"]:
        try:
            files = made(options.root, part)
        except Missing as error:
            print(f"figures.py: {error}", file=sys.stderr)
            wrong += 1
            continue
        for file, new in files.items():
            if file.exists() and file.read_text(encoding="utf-8") == new:
                continue
            if options.check:
                print(f"{file.relative_to(options.root)}: the figures are not those of the newest stored results; run tools/figures.py", file=sys.stderr)
                wrong += 1
            else:
                file.write_text(new, encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
