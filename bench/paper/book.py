#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The five papers, figure by figure, on the machine at hand.

    ./dev paper                        lists every figure and table: its command, how long it takes, what became of it
    ./dev paper itj-8 [--quick]        measures one and opens its page
    ./dev paper --all [--quick]        the book: a chapter for each paper, its claims, its values beside ours; one HTML file

A run that was interrupted goes on with the same command. --quick has smaller problems, and still the five runs that a verdict needs.
"""
import argparse
import datetime
import os
import pathlib
import sys
import webbrowser

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "harness")]

import catalogue  # noqa: E402  pylint: disable=wrong-import-position
import chapters  # noqa: E402  pylint: disable=wrong-import-position
import cli  # noqa: E402  pylint: disable=wrong-import-position
import machine  # noqa: E402  pylint: disable=wrong-import-position
import page  # noqa: E402  pylint: disable=wrong-import-position
import peers  # noqa: E402  pylint: disable=wrong-import-position
import progress  # noqa: E402  pylint: disable=wrong-import-position
import sourcing  # noqa: E402  pylint: disable=wrong-import-position

HEADING = "Five papers on TBB, figure by figure"


def arguments(argv):
    parser = cli.Parser(prog="./dev paper", description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n", 1)[1],
                        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("items", nargs="*", metavar="FIGURE", help="figures and tables by name, e.g. itj-14; without any: the list")
    parser.add_argument("--all", action="store_true", help="all of them, as one book")
    parser.add_argument("--quick", action="store_true", help="smaller problems; half an hour for the book")
    parser.add_argument("--again", action="store_true", help="measure anew what has results of this commit")
    parser.add_argument("--anyway", action="store_true", help="measure although other processes disturb")
    parser.add_argument("--drawn", action="store_true", help="measure nothing: make the page of the results at hand")
    parser.add_argument("--no-open", action="store_true", help="don't open the page in a browser")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="the HTML file (default build/paper/book.html or FIGURE.html)")
    return parser.parse_args(argv)


def time_text(source, quick):
    total = sourcing.minutes(source, quick)
    return "–" if "file" in source else progress.duration(60 * total)


def listing(papers, values, known):
    """Lines of the table of all figures and tables."""
    rows = [["name", "", "title", "quick", "full", "state", "command"]]
    for paper in papers:
        for item in paper.items:
            source = known.get(item.get("source"), {"file": ""})
            command = f"./dev paper {item['id']}" if "source" in item else ""
            rows.append([item["id"], chapters.number_of(item) if item["kind"] == "table" or "able" in item["number"] else f"Figure {item['number']}",
                         item["title"][:58], time_text(source, True), time_text(source, False), chapters.state_of(paper, item, values), command])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    body, at = [lines[0]], 1
    for paper in papers:
        body += ["", f"{paper.facts['authors']}: {paper.facts['title']} ({paper.facts['year']})", *lines[at:at + len(paper.items)]]
        at += len(paper.items)
    return body


def facts_of(documents):
    """A line for each machine and commit that results come from; this machine's if there are none."""
    now = {"title": HEADING, "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
           "machine": machine.facts(), "commit": peers.git_version()}
    disturbed = {(d["machine"]["name"], d["commit"]): d.get("disturbed") or "" for d in documents}
    unique = {(d["machine"]["name"], d["commit"]): {**now, "date": d["date"], "machine": d["machine"], "commit": d["commit"],
                                                    "disturbed": disturbed[d["machine"]["name"], d["commit"]]} for d in documents}
    return list(unique.values()) or [now]


def used_by(paper, documents, known):
    """The documents that the paper's figures draw from."""
    suites = {known[item["source"]].get("suite") for item in paper.items if item.get("source") in known}
    return [document for document in documents if document["suite"] in suites]


def make_page(papers, wanted, values, documents, path):
    known = sourcing.load()
    parts, used = [], []
    for paper in papers:
        items = [item["id"] for item in paper.items if item["id"] in wanted]
        mine = used_by(paper, documents, known)
        if items:
            parts.append(chapters.part_of(paper, values, mine, items))
        used += mine if items else []
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page.render_parts(HEADING, facts_of(used), parts), encoding="utf-8")
    return page.claims_of(parts)


def show(path, options):
    """Opens the page where there is a screen; its path is told in any case."""
    print(f"Page: {os.path.relpath(path)}")
    if not options.no_open and sys.stdout.isatty() and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        webbrowser.open(path.resolve().as_uri())


def run(options):
    papers = catalogue.load()
    for name in options.items:
        catalogue.find(papers, name)
    wanted = options.items if not options.all else [item["id"] for paper in papers for item in paper.items]
    if not wanted:
        values, _ = sourcing.values_and_documents()
        print("\n".join(listing(papers, values, sourcing.load())))
        return 0
    needed = dict.fromkeys(item["source"] for paper in papers for item in paper.items if item["id"] in wanted and "source" in item)
    failures = [] if options.drawn else sourcing.measure_all(needed, options)
    values, documents = sourcing.values_and_documents()
    path = options.output or sourcing.FOLDER / ("book.html" if options.all else f"{'-'.join(options.items[:3])}.html")
    claims = make_page(papers, wanted, values, documents, path)
    verdicts = [claim.verdict for claim in claims]
    print(", ".join(f"{verdicts.count(v)} {page.TALLY[v]}" for v in page.VERDICTS)
          + f"; these results decide {len(verdicts) - verdicts.count('open')} of {len(verdicts)} claims")
    for failure in failures:
        print(f"Missing: {failure}")
    show(path, options)
    return 1 if failures else 0


def main(argv=None):
    options = arguments(argv)
    try:
        return run(options)
    except (catalogue.CatalogueError, page.PageError) as error:
        print(f"paper: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"paper: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\npaper: interrupted; the same command goes on", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
