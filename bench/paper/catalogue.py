# SPDX-License-Identifier: Apache-2.0
"""The papers' figures, tables and claims as data: papers/*.toml, one file a paper. Loading checks every key, so that a misspelt
one is an error and not a claim that silently nobody judges.
"""
import dataclasses
import difflib
import functools
import pathlib
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent / "papers"
PAPER_KEYS = {"id", "title", "authors", "year", "where", "machine", "lead", "item", "claim"}
ITEM_KEYS = {"id", "kind", "number", "title", "shows", "note", "here", "source", "panel", "printed", "table", "borrow", "mechanism"}
QUANTITY_KEYS = {"of", "to", "per", "span", "most", "most_times", "spread"}
PANEL_KEYS = QUANTITY_KEYS | {"each", "x", "series", "by", "kind", "unit", "log", "x_title", "name", "percent", "scale", "paper"}
PRINTED_KEYS = QUANTITY_KEYS | {"what", "value", "each", "percent", "scale"}
MECHANISM_KEYS = QUANTITY_KEYS | {"name", "here", "why", "measured"}
CLAIM_KEYS = {"items", "text", "why", "rule", "ours"}
SENTENCES = FOLDER.parent / "sentences.toml"
SENTENCE_KEYS = {"at", "words", "claim", "why"}
RULE_KEYS = QUANTITY_KEYS | {"above", "below", "within", "size", "over", "each", "cpus"}
KINDS = ("figure", "table", "drawing")


class CatalogueError(Exception):
    """One line that names the file and what is wrong in it."""


@dataclasses.dataclass
class Paper:
    facts: dict
    items: list
    claims: list

    @property
    def id(self):
        return self.facts["id"]

    def claims_of(self, item):
        """A claim stands at the first of its figures that there is."""
        return [claim for claim in self.claims if claim["items"][0] == item["id"]]


def check_keys(entry, known, place):
    for key in entry:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            raise CatalogueError(f"{place}: unknown key '{key}'" + (f"; '{near[0]}' is near" if near else ""))


def check_quantity(entry, place):
    if "of" not in entry:
        raise CatalogueError(f"{place}: 'of' is missing")
    if "most_times" in entry:
        check_keys(entry["most_times"], QUANTITY_KEYS, place)


def check_item(item, place):
    check_keys(item, ITEM_KEYS, place)
    for key in ("id", "kind", "number", "title"):
        if key not in item:
            raise CatalogueError(f"{place}: '{key}' is missing")
    if item["kind"] not in KINDS:
        raise CatalogueError(f"{place}: a kind is one of {', '.join(KINDS)}, not '{item['kind']}'")
    if (item["kind"] == "drawing") == ("source" in item):
        raise CatalogueError(f"{place}: a figure or table has a source, a drawing has none")
    for panel in [*item.get("panel", []), *item.get("table", [])]:
        check_keys(panel, PANEL_KEYS, place)
        check_quantity(panel, place)
    for printed in item.get("printed", []):
        check_keys(printed, PRINTED_KEYS, place)
    for mechanism in item.get("mechanism", []):
        check_keys(mechanism, MECHANISM_KEYS, place)
        for key in ("name", "here", "why"):
            if key not in mechanism:
                raise CatalogueError(f"{place}: a mechanism has a '{key}'")


def check_claim(claim, ids, place):
    check_keys(claim, CLAIM_KEYS, place)
    if not claim.get("text") or not claim.get("items"):
        raise CatalogueError(f"{place}: a claim has a text and items")
    for name in claim["items"]:
        if name not in ids:
            raise CatalogueError(f"{place}: there is no figure or table '{name}'")
    if ("rule" in claim) == ("why" in claim):
        raise CatalogueError(f"{place}: '{claim['text'][:40]}…' has either a rule, or tells why it has none")
    rule = claim.get("rule")
    if rule is None:
        return
    check_keys(rule, RULE_KEYS, place)
    check_quantity(rule, place)
    if sum(key in rule for key in ("above", "below", "within")) != 1:
        raise CatalogueError(f"{place}: '{claim['text'][:40]}…': a rule has one of above, below, within")
    if rule.get("over", "all") not in ("all", "most", "any"):
        raise CatalogueError(f"{place}: over is all, most or any")


def load_one(path):
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise CatalogueError(f"{path.name}: {error}") from error
    check_keys(data, PAPER_KEYS, path.name)
    items, claims = data.pop("item", []), data.pop("claim", [])
    for item in items:
        check_item(item, f"{path.name}: item '{item.get('id')}'")
    ids = {item["id"] for item in items}
    for claim in claims:
        check_claim(claim, ids, path.name)
    return Paper(data, items, claims)


@functools.lru_cache(maxsize=4)
def load(folder=FOLDER):
    """All papers, the oldest first."""
    papers = sorted((load_one(path) for path in folder.glob("*.toml")), key=lambda paper: paper.facts["year"])
    seen = [item["id"] for paper in papers for item in paper.items]
    double = next((name for name in seen if seen.count(name) > 1), None)
    if double:
        raise CatalogueError(f"two figures are called '{double}'")
    return papers


@functools.lru_cache(maxsize=1)
def sentences():
    """The papers' sentences that state a result, by paper."""
    listed = tomllib.loads(SENTENCES.read_text(encoding="utf-8"))
    for paper, entries in listed.items():
        for entry in entries:
            check_keys(entry, SENTENCE_KEYS, f"{SENTENCES.name}: {paper}")
    return listed


def judged_by(sentence, claims):
    """The claims that judge a sentence of the list: those whose text has its words."""
    return [] if "why" in sentence else [claim for claim in claims if sentence.get("claim", sentence["words"]).lower() in claim["text"].lower()]


def missing(paper, listed):
    """The sentences of the list that have neither a claim nor a reason, and the paper's claims that no sentence has."""
    claims = [claim for claim in paper.claims if not claim.get("ours")]
    judges = {claim["text"] for sentence in listed for claim in judged_by(sentence, claims)}
    return ([sentence["words"] for sentence in listed if not sentence.get("why") and not judged_by(sentence, claims)],
            [claim["text"] for claim in claims if claim["text"] not in judges])


def find(papers, name):
    """(paper, item) of a figure's or table's name."""
    for paper in papers:
        for item in paper.items:
            if item["id"] == name:
                return paper, item
    names = [item["id"] for paper in papers for item in paper.items]
    near = difflib.get_close_matches(name, names, 1)
    raise CatalogueError(f"there is no figure or table '{name}'" + (f"; '{near[0]}' is near" if near else "; ./dev paper lists them"))
