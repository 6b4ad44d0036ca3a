# SPDX-License-Identifier: Apache-2.0
"""A paper's chapter of the page: each figure and table from our values, the paper's values beside them, and its claims."""
import dataclasses
import functools
import itertools
import re

import catalogue
import charts
import measured
import page
import verdict
from page import Figure, Part, Said, Table

TITLES = {"ashlar": "Ashlar", "onetbb": "oneTBB", "tbb2020": "TBB 2020", "default": "default malloc", "scalable": "scalable malloc"}
STATES = {"holds": "reproduced", "gone": "differs", "open": "cannot be told here"}
LETTERS = "abcdefghij"             # what page.family() takes for parts of one figure
SIMULATED = ("iiswc", "jsa")


def title_of(name, text):
    return f"{text} {name}" if name in ("threads", "cores") else f"{name} {text}" if name in ("cutoff", "test", "limit") else TITLES.get(text, text)


def drawn(values, spec, names):
    """A quantity in the unit of its drawing (median, interval, mean), and its number of runs, or None; what is void is not drawn."""
    found = verdict.measure(values, spec, names)
    if not found or not found.drawn:
        return None
    parts = (found.value, found.low, found.high, found.mean)
    return [100 * (part - 1) if spec.get("percent") else part * spec.get("scale", 1) for part in parts] + [found.runs]


def each_of(panel, values):
    return {name: list(dict.fromkeys(str(v).format(cpus=values.cpus) for v in listed)) for name, listed in panel["each"].items()}


def group_name(panel, group, values):
    """Thread counts above the processors are marked; simulated cores are always there."""
    over = panel["x"] == "threads" and int(group) > values.cpus and not panel["of"][0].startswith(SIMULATED)
    return f"{TITLES.get(group, group)}{'*' if over else ''}"


def chart_of(panel, values, fixed):
    each = each_of(panel, values)
    made = []
    for place, name in enumerate(each[panel["series"]] if "series" in panel else [""]):
        names = {**fixed, "cpus": str(values.cpus), **({panel["series"]: name} if name else {})}
        found = [drawn(values, panel, {**names, panel["x"]: group}) for group in each[panel["x"]]]
        if any(found):
            column = [[entry[i] if entry else None for entry in found] for i in range(3)]
            colour = name if name in charts.PALETTE["light"] else f"c{charts.BY_POSITION[place % len(charts.BY_POSITION)]}"
            made.append(charts.Series(TITLES.get(name, name) or panel["unit"], *column, colour))
    groups = [group_name(panel, group, values) for group in each[panel["x"]]]
    kept = [i for i in range(len(groups)) if any(series.values[i] is not None for series in made)]
    for series in made:
        series.values, series.low, series.high = ([listed[i] for i in kept] for listed in (series.values, series.low, series.high))
    return charts.Chart(panel.get("kind", "bars"), [groups[i] for i in kept], made, panel["unit"], x_title=panel.get("x_title", panel["x"]),
                        log=panel.get("log", False))


def drawings(item, values):
    """(title, chart) of each drawing that has something in it."""
    made = []
    for panel in item.get("panel", []):
        each = each_of(panel, values)
        for chosen in itertools.product(*(each[name] for name in panel.get("by", []))):
            fixed = dict(zip(panel.get("by", []), chosen))
            chart = chart_of(panel, values, fixed)
            if chart.series:
                parts = [panel["name"]] if "name" in panel else []
                made.append((", ".join([*parts, *(title_of(*pair) for pair in fixed.items())]), chart))
    return made


def voids(item, values):
    """How many quantities of the item's drawings can't be used."""
    found = [verdict.measure(values, panel, names) for panel in item.get("panel", []) for names in verdict.names_of(panel, values)]
    return sum(bool(entry and not entry.drawn) for entry in found)


def note_of(item, values, charts_made):
    void = voids(item, values)
    left_out = f"{void} value{'s' * (void > 1)} left out: impossible speed-ups, or divisors of zero and less. " if void else ""
    stars = "* more threads than processors: oversubscribed, without a verdict. " if any("*" in g for c in charts_made for g in c.groups) else ""
    small = "Quick: smaller problems than in a full run. " if used(item, values) & values.quick else ""
    return f"{left_out}{small}{stars}Medians; whiskers are 95 % intervals of the median (94 % with five runs). {item.get('note', '')}".strip()


def number_of(item):
    return item["number"] if item["kind"] != "table" else f"Table {item['number']}"


def figures_of(item, values, claims):
    made = drawings(item, values)
    note = note_of(item, values, [chart for _, chart in made])
    several = 1 < len(made) <= len(LETTERS)
    figures = []
    for index, (name, chart) in enumerate(made):
        number = number_of(item) + (LETTERS[index] if several else f".{index + 1}" if len(made) > 1 else "")
        title = f"{item['title']}: {name}" if name else item["title"]
        first = index == 0
        figures.append(Figure(number, title, chart, item.get("shows", "") if first else "", note, claims if first else []))
    return figures


@functools.lru_cache(maxsize=8)
def figures_of_suite(suite, names):
    """All figures that a suite's own sections.py draws of these result files; made once for all figures of a paper."""
    documents = [DRAWN[name] for name in names]
    return [figure for part in page.parts_of(documents) for figure in part.items if isinstance(figure, Figure)] if documents else []


DRAWN = {}                         # result files by (suite, date), for figures_of_suite()


def borrowed(item, documents, claims):
    """Figures that a suite's own sections.py draws, with the claims as they are judged here."""
    suite, _, number = item["borrow"].partition(":")
    mine = {(suite, document["date"]): document for document in documents if document["suite"] == suite}
    DRAWN.update(mine)
    figures = [dataclasses.replace(figure) for figure in figures_of_suite(suite, tuple(mine)) if re.fullmatch(number + "[a-j]?", figure.number)]
    for index, figure in enumerate(figures):
        figure.number = number_of(item) + (LETTERS[index] if len(figures) > 1 else "")
        figure.claims = claims if index == 0 else []
        figure.note = f"{figure.note} {item.get('note', '')}".strip()
        figure.title = f"{item['title']}: {figure.title.rpartition(': ')[2]}" if len(figures) > 1 else figure.title
    return figures


def beside(item, values):
    """The paper's printed values beside ours."""
    rows = []
    for printed in item.get("printed", []):
        for names in verdict.names_of(printed, values):
            found = drawn(values, printed, names)
            label = ", ".join(title_of(n, v) for n, v in names.items() if n != "cpus")
            if found:
                rows.append([printed["what"], printed["value"], label, verdict.shown(found[0]),
                             f"{verdict.shown(found[1])} to {verdict.shown(found[2])}", verdict.shown(found[3]), str(found[4])])
            else:
                rows.append([printed["what"], printed["value"], label, "–", "–", "–", "0"])
    head = ["what", "paper", "here", "ours, median", "interval", "mean", "runs"]
    return [Table("The paper's values beside ours", head, rows, unfolded=True)] if rows else []


def cell_text(found):
    return f"{verdict.shown(found[0])} ({verdict.shown(found[1])} to {verdict.shown(found[2])})" if found else "–"


def tables_of(item, values):
    """The item as a table of numbers: a line for each of `series`, a column for each of `x`; before each the paper's, where it has one."""
    made = []
    for panel in item.get("table", []):
        each, given = each_of(panel, values), panel.get("paper", {})
        head = [panel["series"], *(title_of(panel["x"], group) for group in each[panel["x"]])]
        rows = []
        for name in each[panel["series"]]:
            found = [drawn(values, panel, {"cpus": str(values.cpus), panel["series"]: name, panel["x"]: group}) for group in each[panel["x"]]]
            if any(found):
                papers = [f"{cell} | " for cell in given[name]] if name in given else [""] * len(found)
                rows.append([title_of(panel["series"], name), *(paper + cell_text(f) for paper, f in zip(papers, found))])
        if rows:
            made.append(Table(f"{panel['name']}, {panel['unit']}", head, rows, unfolded=bool(given)))
    return made


def mechanisms_of(item, values):
    """What became of a paper's mechanisms, and what was measured of each."""
    rows = []
    for mechanism in item.get("mechanism", []):
        found = drawn(values, mechanism, {"cpus": str(values.cpus)}) if "of" in mechanism else None
        number = f": {cell_text(found)}" if found else ": not measured yet" if "of" in mechanism else ""
        rows.append([mechanism["name"], mechanism["here"], mechanism["why"], mechanism.get("measured", "–") + number])
    return [Table("The paper's mechanisms", ["mechanism", "here", "why", "measured"], rows, unfolded=True, wrapped=True)] if rows else []


def items_of(paper, item, values, documents):
    """What the page shows of a figure or table."""
    claims = [verdict.judge(claim, values) for claim in paper.claims_of(item)]
    if item["kind"] == "drawing":
        return [Said(number_of(item), item["title"], item.get("shows", ""), item.get("here", ""), claims), *mechanisms_of(item, values)]
    figures = borrowed(item, documents, claims) if "borrow" in item else figures_of(item, values, claims)
    if not figures:
        figures = [Said(number_of(item), item["title"], item.get("shows", ""), f"Not measured yet: ./dev paper {item['id']}", claims)]
    return [*figures, *tables_of(item, values), *beside(item, values)]


def lead_of(paper, documents):
    facts = paper.facts
    measured_on = sorted({f"{d['machine']['cpu']}, {d['machine']['cpus']} CPUs, {d['date'][:10]}, commit {d['commit']}{', quick' * measured.is_quick(d)}"
                          for d in documents})
    there = f" Measured there on {facts['machine']}" if "machine" in facts else ""
    # What only files of the tree tell was not measured by a program of these.
    here = f" Here: {'; '.join(measured_on) or 'nothing measured yet'}." if measured_on or there else ""
    return f"{facts['authors']}: {facts['title']}. {facts['where']}.{there} {facts.get('lead', '')}{here}"


def part_of(paper, values, documents, wanted):
    """The chapter, of these figures and tables."""
    items = [made for item in paper.items if item["id"] in wanted for made in items_of(paper, item, values, documents)]
    left = [[sentence["at"], sentence["words"], sentence["why"]] for sentence in catalogue.sentences().get(paper.id, []) if "why" in sentence]
    if left and len(wanted) == len(paper.items):
        items.append(Table("Sentences of the paper that no claim judges", ["where", "sentence", "why"], left, wrapped=True))
    return Part(paper.id, f"{paper.facts['title']} ({paper.facts['year']})", lead_of(paper, documents), items)


def claims_about(name, document):
    """The claims of a figure, judged by one result file; for a suite's own page."""
    paper, item = catalogue.find(catalogue.load(), name)
    values = measured.values_of(document)
    return [verdict.judge(claim, values) for claim in paper.claims_of(item)]


def parts_of_source(paper_id, known, name, title, documents):
    """A chapter of those figures of a paper that come from some sources and were measured, for a suite's own page; of several results
    of one figure the newest counts."""
    paper = next(paper for paper in catalogue.load() if paper.id == paper_id)
    values = measured.together(documents, documents[-1]["machine"]["cpus"])
    items = [made for item in paper.items if item.get("source") in known and used(item, values)
             for made in items_of(paper, item, values, documents)]
    return [Part(name, title, lead_of(paper, documents), items)]


def used(item, values):
    """The keys that this figure or table shows, of those that were measured."""
    if "borrow" in item:
        return {key for key in values.runs if key.startswith(item["borrow"].partition(":")[0] + "/")}
    quantities = [*item.get("panel", []), *item.get("table", []), *item.get("printed", [])]
    wanted = [[*verdict.keys_of(q["of"], names), *verdict.keys_of(q.get("to"), names)] for q in quantities for names in verdict.names_of(q, values)]
    return {key for keys in wanted if all(key in values.runs for key in keys) for key in keys}


def state_of(paper, item, values):
    """reproduced, differs, cannot be told here, and whether by a quick run; of a drawing that it is described, of what was not measured
    that it is not."""
    if item["kind"] == "drawing":
        return "described"
    keys = used(item, values)
    if not keys:
        return "not measured yet"
    verdicts = [verdict.judge(claim, values).verdict for claim in paper.claims if item["id"] in claim["items"]]
    differs = "gone" in verdicts or "partly" in verdicts
    return STATES["gone" if differs else "holds" if "holds" in verdicts else "open"] + (", quick" if keys & values.quick else "")
