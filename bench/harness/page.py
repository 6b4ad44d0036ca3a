# SPDX-License-Identifier: Apache-2.0
"""Writes result files as one HTML file that needs no network, or the figures in it as SVG files.

What a suite shows is its own: bench/<suite>/sections.py has a function `parts(documents)` that makes Parts from the result
files of that suite (several when several machines were measured). A suite without one gets the table of its lines.
"""
import dataclasses
import gc
import html
import importlib.util
import itertools
import json
import pathlib
import re
import sys

import charts
import cli
import progress
import report
import store

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
LARGEST = 200_000_000              # bytes of a result file
MANY = 4                           # comparisons that a claim shows at once
TALLY = {"holds": "hold", "gone": "no longer hold", "partly": "hold in part", "open": "cannot be told here"}
VERDICTS = {"holds": "holds", "gone": "no longer holds", "partly": "holds in part", "open": "cannot be told here"}


@dataclasses.dataclass
class Claim:
    """What a paper says beside its figure, and whether that is so in these results."""
    text: str
    verdict: str                   # a key of VERDICTS
    finding: str                   # the figures that decide it, one comparison a line
    ours: bool = False             # no paper's, but what we ask of ourselves beside it


@dataclasses.dataclass
class Figure:
    number: str                    # as in the paper: "1"
    title: str
    chart: charts.Chart
    paper: str = ""                # what the paper's figure shows
    note: str = ""
    claims: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Table:
    title: str
    head: list
    rows: list                     # of lists of texts; the first column is left-aligned
    note: str = ""
    unfolded: bool = False
    wrapped: bool = False          # cells of words, which are broken into lines


@dataclasses.dataclass
class Said:
    """A figure of a paper that has no drawing here: what it shows, what the paper says of it."""
    number: str
    title: str
    paper: str = ""
    note: str = ""
    claims: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Part:
    """A chapter of the page. `name` starts the file names of its figures."""
    name: str
    title: str
    lead: str
    items: list                    # Figures, Tables and Saids


class PageError(Exception):
    """One line: what can't be shown."""


def load(path):
    path = pathlib.Path(path)
    try:
        document = json.loads(store.read_text(path, LARGEST))
        if isinstance(document, dict) and document.get("suite") == "kernels":  # older ones have no title
            document = {"title": "The four programs of the 2007 paper", "results": [], **document}
        if isinstance(document, dict) and document.get("suite") == "soak":
            document = {"title": "Random programs over the whole interface", "results": [], "facts": document["soak"], **document}
        missing = [key for key in ("suite", "title", "date", "machine", "results") if key not in document]
    except OSError as error:
        raise PageError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise PageError(f"{path} is not a result file: {error}") from error
    if missing:
        raise PageError(f"{path} is not a result file: it has no '{missing[0]}'")
    if not is_suite(document["suite"]):
        raise PageError(f"{path} is not a result file: no suite is called {document['suite']!r:.100}")
    return document


def is_suite(name):
    """The name becomes part of paths and of the page, and code is loaded from its folder."""
    return isinstance(name, str) and re.fullmatch("[a-z][a-z0-9_]{0,50}", name) is not None


def lines_table(document):
    """The lines of a result file, for suites that have nothing better."""
    titles = {name: peer["title"] for name, peer in document["peers"].items()}
    rows = [[line["title"], str(line["threads"]), titles.get(line["peer"], line["peer"]), line["unit"],
             report.number(line["theirs"]), report.number(line["ours"]), report.number(line["ratio"]),
             line["goal"] or "–", line["reached"] or "–"] for line in document["results"]]
    return Table("All rows", ["row", "threads", "peer", "unit", "peer's cost", "ours", "ratio", "goal", "reached"], rows)


def sections_of(suite):
    """The module bench/<suite>/sections.py, or None. It may import its neighbours; no other suite sees these."""
    script = ROOT / "bench" / suite / "sections.py"
    if not script.exists():
        return None
    spec = importlib.util.spec_from_file_location(f"sections_of_{suite}", script)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(script.parent))
    known = set(sys.modules)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(script.parent))
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", "") or "").startswith(str(script.parent)):
                del sys.modules[name]
    return module


def sizes_text(sizes):
    """Size by program, in few words."""
    by_size = {}
    for program, size in sizes.items():
        by_size.setdefault(size, []).append(program)
    if len(by_size) == 1:
        return f"All programs at size {next(iter(by_size))}"
    return "Sizes: " + "; ".join(f"{size}: {', '.join(programs)}" for size, programs in by_size.items())


def parts_of(documents):
    """The parts of all documents, suite by suite in the order given."""
    made = []
    for suite in dict.fromkeys(document["suite"] for document in documents):
        mine = [document for document in documents if document["suite"] == suite]
        module = sections_of(suite)
        if module:
            parts = module.parts(mine)
        else:
            parts = [Part(suite, document["title"], "", [facts_table(document) if "facts" in document else lines_table(document)])
                     for document in mine]
        made += told_apart(parts, mine)
    return made


def told_apart(parts, documents):
    """Parts of several runs of a suite get names of their own, and the time of their run."""
    names, titles = [part.name for part in parts], [part.title for part in parts]
    for index, part in enumerate(parts):
        earlier = names[:index].count(part.name)
        if len(parts) == len(documents) and titles.count(part.title) > 1:
            part.title += f", {documents[index]['date'][:16].replace('T', ' ')}"
        if earlier:
            part.name += f"-{earlier + 1}"
    return parts


def finding_html(finding):
    """The comparisons of a claim; many of them can be unfolded."""
    lines = finding.splitlines()
    shown = "".join(f"<p class=finding>{html.escape(line)}</p>" for line in lines)
    return shown if len(lines) <= MANY else f"<details class=findings><summary>{len(lines)} comparisons</summary>{shown}</details>"


def claim_html(claim):
    return (f'<li class="{claim.verdict}"><span class="chip">{VERDICTS[claim.verdict]}</span>'
            f"<p class=says>{html.escape(claim.text)}</p>{finding_html(claim.finding)}</li>")


def family(item):
    """What figures have in common that are one figure of the paper, "3a" and "3b", one for each of what their titles end with."""
    if not isinstance(item, Figure) or ": " not in item.title:
        return id(item)
    return item.number.rstrip("abcdefghij"), item.title.rpartition(": ")[0]


def drawing_html(figure, heading=""):
    label = f"{numbered(figure.number)}: {figure.title}"
    return (f"<div class=drawing>{heading}<div class=scroll>{charts.svg(figure.chart, label)}</div>"
            + (f"<p class=note>{html.escape(figure.note)}</p>" if figure.note else "") + "</div>")


def numbered(number):
    """Tables have numbers of their own: 'Table 1'."""
    return number if number.startswith("Table") else f"Figure {number}"


def caption_html(number, title):
    return f"<figcaption><span class=number>{html.escape(numbered(number))}</span><h3>{html.escape(title)}</h3></figcaption>"


def aside_html(figures):
    claims = "".join(claim_html(claim) for figure in figures for claim in figure.claims)
    paper = "".join(f"<p class=paper>{html.escape(figure.paper)}</p>" for figure in figures if figure.paper)
    return f"<aside>{paper}{f'<ul class=claims>{claims}</ul>' if claims else ''}</aside>" if paper or claims else ""


def figure_html(part, figure):
    aside = aside_html([figure])
    return (f'<figure id="{part.name}-{figure.number}">{caption_html(figure.number, figure.title)}'
            f"<div class={'body' if aside else 'plain'}>{drawing_html(figure)}{aside}</div></figure>")


def family_html(part, figures):
    """Small drawings beside each other, below what is said of all of them; a note that all have stands once."""
    number, title = family(figures[0])
    notes = {figure.note for figure in figures}
    shared = notes.pop() if len(notes) == 1 else ""
    drawings = ""
    for figure in figures:
        small = dataclasses.replace(figure, chart=dataclasses.replace(figure.chart, width=charts.NARROW), note="" if shared else figure.note)
        drawings += drawing_html(small, f"<h4>{figure.number[len(number):]} · {html.escape(figure.title.rpartition(': ')[2])}</h4>")
    return (f'<figure id="{part.name}-{number}">{caption_html(number, title)}{aside_html(figures)}<div class=family>{drawings}</div>'
            + (f"<p class=note>{html.escape(shared)}</p>" if shared else "") + "</figure>")


def said_html(part, said):
    note = f"<p class=note>{html.escape(said.note)}</p>" if said.note else ""
    return (f'<figure id="{part.name}-{said.number}">{caption_html(said.number, said.title)}'
            f"<div class=plain>{aside_html([said])}{note}</div></figure>")


def table_html(table):
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in table.head)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in table.rows)
    return (f"<details{' open' if table.unfolded else ''}><summary>{html.escape(table.title)} <span class=count>{len(table.rows)} rows</span></summary>"
            f"<div class=scroll><table{' class=words' if table.wrapped else ''}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
            + (f"<p class=note>{html.escape(table.note)}</p>" if table.note else "") + "</details>")


def goal_html(line, titles):
    """A bar as long as our share of the peer's cost, and a mark where it should end."""
    limit = float(line["goal"].split()[1])
    scale = max(1.2, line["ratio"] * 1.05, limit * 1.05)
    state = "yes" if line["reached"].startswith("yes") else "no"
    doubt = "?" if line["reached"].endswith("?") else ""
    low, high = line["interval"] or (line["ratio"], line["ratio"])
    left, right = (100 * min(max(value, 0), scale) / scale for value in (low, high))
    return (f'<li class="{state}"><span class=what>{html.escape(titles.get(line["peer"], line["peer"]))}</span>'
            f'<span class=track title="{html.escape(report.number(low))} to {html.escape(report.number(high))}"><i style="width:{100 * max(0.0, line["ratio"]) / scale:.1f}%"></i>'
            f'<u style="left:{left:.1f}%;width:{right - left:.1f}%"></u><b style="left:{100 * limit / scale:.1f}%"></b></span>'
            f'<span class=ratio>{line["ratio"]:.2f}</span><span class=goal>of {limit:.2f}</span>'
            f'<span class=mark>{"✓" if state == "yes" else "✗"}{doubt}</span></li>')


def goals_html(documents):
    """The goals row by row; how many threads only where they differ."""
    made = []
    for document in documents:
        titles = {name: peer["title"] for name, peer in document.get("peers", {}).items()}
        lines = [line for line in document["results"]
                 if line.get("ratio") is not None and line["goal"].startswith("<= ") and len(line["goal"].split()) == 2]
        differ = len({line["threads"] for line in lines}) > 1
        for (title, threads), group in itertools.groupby(lines, lambda line: (line["title"], line["threads"])):
            more = f" <em>{html.escape(str(threads))} threads</em>" if differ else ""
            made.append(f"<li><h3>{html.escape(title)}{more}</h3><ul>{''.join(goal_html(line, titles) for line in group)}</ul></li>")
    if not made:
        return ""
    return ("<section id=goals><h2>Goals</h2><p class=lead>Our cost as a share of each library's: shorter is better, the upright line is the "
            "goal, the thin one the 95 % interval. A question mark: the goal lies in the interval.</p>"
            f"<ul class=goals>{''.join(made)}</ul></section>")


def facts_html(documents, heading):
    made = []
    for document in documents:
        title = "" if document["title"] == heading else f"<b>{html.escape(document['title'])}</b><br>"
        machine = document["machine"]
        disturbed = f" <strong class=warn>{html.escape(document['disturbed'])}</strong>" if document.get("disturbed") else ""
        missing = [f"{p['title']}: {p['missing']}" for p in document.get("peers", {}).values() if p.get("missing")]
        made.append(f"<li>{title}{html.escape(machine.get('cpu', ''))}, {html.escape(str(machine.get('cpus')))} CPUs"
                    f"{', virtual' if machine.get('virtual') else ''}, Linux {html.escape(machine.get('kernel', ''))}<br>"
                    f"{html.escape(document['date'][:16].replace('T', ' '))} UTC, commit {html.escape(document.get('commit', ''))}{disturbed}"
                    + "".join(f"<br>Missing: {html.escape(line)}" for line in missing) + "</li>")
    return f"<ul class=facts>{''.join(made)}</ul>"


def part_html(part):
    items = ""
    for _, group in itertools.groupby(part.items, family):
        group = list(group)
        items += (family_html(part, group) if len(group) > 1 else figure_html(part, group[0]) if isinstance(group[0], Figure) else
                  said_html(part, group[0]) if isinstance(group[0], Said) else table_html(group[0]))
    lead = f"<p class=lead>{html.escape(part.lead)}</p>" if part.lead else ""
    return f'<section id="{part.name}"><h2>{html.escape(part.title)}</h2>{lead}{items}</section>'


def claims_of(parts):
    """The papers' claims."""
    return [claim for part in parts for item in part.items for claim in getattr(item, "claims", []) if not claim.ours]


def tally_html(parts):
    """How many claims of the papers hold, by verdict, and how many of them these results decide."""
    verdicts = [claim.verdict for claim in claims_of(parts)]
    counts = "".join(f'<li class={v}><span class=chip>{verdicts.count(v)} {TALLY[v]}</span></li>' for v in VERDICTS if v in verdicts)
    could = f"these results decide {len(verdicts) - verdicts.count('open')} of {len(verdicts)} claims"
    return f"<p class=tally>What the papers claim, and what is left of it here: {could}</p><ul class=verdicts>{counts}</ul>" if counts else ""


def facts_table(document):
    """What a result tells that compares with nobody."""
    facts = [[name.replace("_", " "), "none" if value is None else f"{value:,}" if isinstance(value, int) else str(value)]
             for name, value in document["facts"].items()]
    return Table(f"{document['date'][:16].replace('T', ' ')}, commit {document['commit']}", ["what", "value"], facts, unfolded=True)


def render(documents):
    """The page of these result files as text."""
    titles = {document["title"] for document in documents}
    heading = documents[0]["title"] if len(titles) == 1 else "What parallelism costs"
    return render_parts(heading, documents, parts_of(documents), goals_html(documents))


def render_parts(heading, documents, parts, goals=""):
    """The page of these chapters as text; `documents` tell the machines."""
    theme = f":root{{{charts.variables('light')}}}:root[data-theme=dark]{{{charts.variables('dark')}}}" \
            f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{charts.variables('dark')}}}}}"
    nav = "".join(f'<a href="#{p.name}">{html.escape(p.title)}</a>' for p in parts)
    return (f"<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content='width=device-width,initial-scale=1'>"
            f"<title>{html.escape(heading)}</title><style>{theme}{charts.CSS}{(HERE / 'page.css').read_text()}</style></head>"
            f"<body><header><h1>{html.escape(heading)}</h1>{facts_html(documents, heading)}"
            f"{tally_html(parts)}<nav>{'<a href=#goals>Goals</a>' if goals else ''}{nav}</nav>"
            f"<button id=theme type=button aria-label='light or dark'>◐</button></header>"
            f"<main>{goals}{''.join(map(part_html, parts))}</main>"
            f"<script>{(HERE / 'page.js').read_text()}</script></body></html>\n")


def write(path, documents):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(documents), encoding="utf-8")


def draw(directory, documents):
    """One SVG per figure and theme; returns their paths."""
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    made = []
    for part in parts_of(documents):
        for figure in (item for item in part.items if isinstance(item, Figure)):
            drawing = charts.svg(figure.chart, f"{numbered(figure.number)}: {figure.title}")
            for theme in charts.PALETTE:
                path = directory / f"{part.name}-{figure.number}-{theme}.svg"
                path.write_text(charts.themed(drawing, theme), encoding="utf-8")
                made.append(path)
    if not made:
        raise PageError("nothing to draw: these results have only a table")
    return made


def read_and(action, output, paths):
    """Does something with the result files, and shows how far it is; a few take no time that one has to know of."""
    show, documents = progress.Bar(), []
    show.total = len(paths) + 1 if len(paths) >= 10 else 0
    try:
        for path in paths:
            show(f"reading {path.name}", len(documents))
            documents.append(load(path))
        show("drawing", len(documents))
        action(output, documents)
    finally:
        show.end()


def command(argv, name, option, default, action):
    parser = cli.Parser(prog=f"run.py {name}", description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", type=pathlib.Path, help="result files (JSON)")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=default, help=option)
    options = parser.parse_args(argv)
    gc.disable()  # a quarter of the time: the results are millions of objects, and the process ends with the page
    try:
        read_and(action, options.output, options.results)
    except PageError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        print(f"run.py: these are no results of a measurement: {error!r:.300}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"run.py: cannot write {options.output}: {error.strerror}", file=sys.stderr)
        return 1
    print(f"{name.capitalize()}: {options.output}")
    return 0


def main(argv):
    return command(argv, "report", "the HTML file (default report.html)", pathlib.Path("report.html"), write)


def plot_main(argv):
    return command(argv, "plot", "the directory for the SVG files (default figures)", pathlib.Path("figures"), draw)
