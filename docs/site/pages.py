# SPDX-License-Identifier: Apache-2.0
"""Writes one reStructuredText page for each public entity, one for each header, and the index, from Doxygen's XML."""
import re

import comments
import examples
from entities import INLINE, location

ESCAPED = re.compile(r"([\\*_|])")
# What is code in a text without marks: an option, a header, a qualified name, a name with an underscore, a call.
CODE = r"((?<![\w:`])(?:-D\w+(?:=\w+)?|<[\w/]+(?:_\w+|\.h)>|(?:\w+::)+\w+(?:\(\))?|[A-Za-z]+(?:_\w*|\(\))(?:\(\))?)(?![\w`]))"
HIDDEN_PARAMETER = re.compile(r"^(?:typename|class|bool|std::enable_if_t<.*)$")
DIRECTIVES = {"class": "cpp:class", "function": "cpp:function", "typedef": "cpp:type", "variable": "cpp:var",
              "enum": "cpp:enum", "friend": "cpp:function"}
# Bases, and types of members, that serve the library only: what has them is public for its own code.
NOT_FOR_USERS = {"ashlar::flow::node_base", "ashlar::sched::job"}
FOR_OWN_CODE = ("for the library", "for the join", "for graph_core", "for nodes")  # headings
OWN_CODE = re.compile(r"ashlar::(?:sched::(?:job|slot)|flow::passage)\b")
# The protocol of edges and nodes: public for the library, final or of its own types for everybody else.
PROTOCOL = {"receive", "send", "put_into_port", "take_back", "ask_predecessors", "list_predecessor", "lists_predecessors", "counts_predecessors", "may_pull",
            "only_pulls", "core", "its_graph", "announces", "consume_and_look", "handle_of", "keep_name", "token"}
PROTOCOL_TYPES = re.compile(r"\b(?:job|slot) \*|\bpassage \w")
# What a node's constructor takes for its graph: the graph itself, or follows(...) and precedes(...).
POSITION = re.compile(r"(?:ashlar::flow::position<[^>]*>|\bposition) where")
PEERS = {"onetbb": "oneTBB 2023.2", "tbb2020": "TBB 2020"}


def squeeze(text):
    text = INLINE.sub("", " ".join(text.split()))
    text = re.sub(r"< ", "<", re.sub(r" >", ">", text))
    return re.sub(r"::(tbb|ashlar|std)::", r"\1::", re.sub(r"(?<=[<(, ])::(?=tbb|ashlar|std)", "", text))


def plain(text):
    """A comment's running text as reStructuredText: `code` and names of code become literal, all else is escaped."""
    parts = re.split(r"`([^`]+)`|" + CODE, text)
    made = []
    for i, part in enumerate(parts):
        if part:
            made.append(f"\\ ``{part}``\\ " if i % 3 else ESCAPED.sub(r"\\\1", part).replace("`", "'"))
    return "".join(made).removeprefix("\\ ")


def paragraphs(lines):
    """Plain comment lines (of a block that stands alone) as reStructuredText."""
    for verbatim, block in comments.grouped(lines):
        if verbatim:
            yield [".. code-block:: none", "", *(f"   {line}" for line in block)]
        else:
            # An item of a list begins with "* ", and ends where the next one begins.
            text = re.sub(r"(?m)^\* ", "\0", "\n".join(block))
            first, *items = (" ".join(part.split()) for part in text.split("\0"))
            if first:
                yield [plain(first)]
            if items:
                yield [f"* {plain(item)}" for item in items]


def described(element):
    """The comment of an XML element as lines."""
    made = []
    for part in ("briefdescription", "detaileddescription"):
        found = element.find(part)
        for para in found if found is not None else ():
            made += describe_para(para)
    return made


def describe_para(para):
    text, made = para.text or "", []

    def flush():
        nonlocal text
        if text.strip():
            made.extend([plain(" ".join(text.split())), ""])
        text = ""

    for child in para:
        if child.tag in ("verbatim", "programlisting", "preformatted"):
            flush()
            made.extend([".. code-block:: none", "", *(f"   {line}" for line in "".join(child.itertext()).strip("\n").split("\n")), ""])
        elif child.tag in ("itemizedlist", "orderedlist"):
            flush()
            for item in child.findall("listitem"):
                made.extend([f"* {plain(' '.join(''.join(item.itertext()).split()))}"])
            made.append("")
        else:
            text += "".join(child.itertext())
        text += child.tail or ""
    flush()
    return made


def without_arguments(name):
    """A class's name without template arguments, of it and of what it lies in."""
    while (shorter := re.sub(r"<[^<>]*>", "", name)) != name:
        name = shorter
    return name


def template(element):
    """template <...> of a declaration, without the parameters that only restrict it."""
    found = element.find("templateparamlist")
    if found is None:
        return ""
    made = []
    for param in found.findall("param"):
        kind = squeeze("".join(param.find("type").itertext()))
        name = param.findtext("declname") or ""
        default = param.find("defval")
        value = squeeze("".join(default.itertext())) if default is not None else ""
        if HIDDEN_PARAMETER.match(kind) and not name and value:
            continue
        kind = kind if name == "" else f"{kind} {name}"
        made.append(f"{kind} = {value}" if value else kind)
    return f"template <{', '.join(made)}> " if made else ""


def arguments(member):
    text = squeeze(member.findtext("argsstring") or "()")
    return re.sub(r"=\s*(default|delete)$", r" = \1", text)


def declaration(member, name):
    """The declaration of a member or a function, as Sphinx's C++ domain takes it."""
    kind = member.get("kind")
    returned = squeeze("".join(member.find("type").itertext())) if member.find("type") is not None else ""
    returned = re.sub(r"\(\)$", "", returned)  # of a name in brackets
    returned = re.sub(r"\b(constexpr|inline|explicit|static|virtual|friend)\b ?", "", returned).replace("auto ->", "").strip()
    if kind in ("function", "friend"):
        if returned.startswith(("class ", "struct ")):
            return None
        text = arguments(member)
        prefix = "".join(f"{word} " for word in ("explicit", "static") if member.get(word) == "yes" and kind != "friend")
        return f"{template(member)}{prefix}{returned} {name}{text}".replace("  ", " ")
    if kind == "typedef":
        if "(*" in returned:
            return f"{name} = {returned}{member.findtext('argsstring') or ''}"
        return f"{template(member)}{name}{' = ' + returned if returned else ''}"
    if kind == "variable":
        value = squeeze("".join(member.find("initializer").itertext())) if member.find("initializer") is not None else ""
        return f"{returned} {name}{member.findtext('argsstring') or ''}{' ' + value if value and len(value) < 60 and '{' not in value else ''}"
    if kind == "enum":
        return name
    return None


def within_flow(member):
    return location(member).startswith("ashlar/flow/")


def indented(lines, by="   "):
    return [f"{by}{line}".rstrip() for line in lines]


def directive(kind, declarations, body):
    option = f".. {kind}:: "
    made = [option + declarations[0], *(" " * len(option) + other for other in declarations[1:]), ""]
    return [*made, *indented(body), ""]


def enumerators(member):
    made = []
    for value in member.findall("enumvalue"):
        number = value.findtext("initializer") or ""
        shown = f" {squeeze(number)}" if number and "(" not in number else ""
        made += directive("cpp:enumerator", [value.findtext("name") + shown], described(value))
    return made


def functions(members, names, headings=()):
    """Members in their order; overloads that follow a documented one without a comment of their own share its text. Above a member
    stands the heading that it has in the header, (line, text) of headings, if the one before has another."""
    made, open_group, under = [], None, ""

    def flush():
        nonlocal open_group
        if open_group:
            kind, _, declarations, body = open_group
            made.extend(directive(kind, list(dict.fromkeys(declarations)), body))
        open_group = None

    for member in members:
        name = names(member)
        text = declaration(member, name)
        if text is None or name.split("::")[-1].startswith("_") or OWN_CODE.search(text):
            continue
        if within_flow(member) and (name.split("::")[-1] in PROTOCOL or PROTOCOL_TYPES.search(text)):
            continue
        text = POSITION.sub("graph &g", text)
        line = int(member.find("location").get("line"))
        heading = next((text for at, text in reversed(headings) if at < line), "") if member.get("kind") in ("function", "variable") else under
        if heading.startswith(FOR_OWN_CODE):
            continue
        if heading != under:
            flush()
            made.extend([f".. rubric:: {plain(heading)}", ""])
            under = heading
        # Sphinx puts the enumerators of a plain cpp:enum beside the enumeration, too, as C++ does.
        kind, body = "cpp:enum-class" if member.get("strong") == "yes" else DIRECTIVES[member.get("kind")], described(member)
        alike = open_group and open_group[0] == kind == "cpp:function" and open_group[1] == name
        if alike and (body == open_group[3] or not body and (member.find("type").text or len(member.find("type")))):
            open_group[2].append(text)
            continue
        flush()
        open_group = [kind, name, [text], body + enumerators(member)]
    flush()
    return made


class Classes:
    """Writes classes, with what they inherit publicly and their nested classes."""

    def __init__(self, compounds, specialised, staged):
        self.compounds, self.specialised, self.staged = compounds, specialised, staged
        self.by_simple = {}
        for name, compound in compounds.items():
            self.by_simple.setdefault(name.rsplit("::", 1)[-1], []).append((name, compound))

    def specialisations(self, name):
        """The partial specialisations of a class whose primary template has no members: (name, compound)."""
        primary = self.compounds.get(name)
        if primary is None or primary.find(".//memberdef") is not None:
            return []
        named = [(squeeze(c.findtext("compoundname")), c) for c in self.specialised.get(name, [])]
        return [(full, c) for full, c in named if full.endswith(">") and without_arguments(full) == name]

    def bases(self, compound, seen):
        """Compounds of the public bases whose members are the class's, too."""
        for base in compound.findall("basecompoundref"):
            simple = without_arguments(base.text).split("::")[-1].strip()
            known = [(n, c) for n, c in self.by_simple.get(simple, []) if n not in seen]
            if base.get("prot") == "public" and known and not base.text.startswith("std::"):
                name, found = known[0]
                seen.add(name)
                found = next((c for _, c in self.specialisations(name)), found)
                if name not in NOT_FOR_USERS:
                    yield name, found
                yield from self.bases(found, seen)

    def public_members(self, compound):
        for section in compound.findall("sectiondef"):
            if section.get("kind").startswith("public") or section.get("kind") == "user-defined":
                for member in section.findall("memberdef"):
                    if member.get("prot") == "public":
                        yield member

    def ordered(self, compound):
        rank = {"typedef": 0, "enum": 1, "variable": 2, "function": 3}
        members = [m for m in self.public_members(compound) if m.get("kind") in rank]
        return sorted(members, key=lambda m: (rank[m.get("kind")], int(m.find("location").get("line"))))

    def headings(self, compound):
        """The headings between a class's members: (line, text)."""
        where = compound.find("location")
        lines = (self.staged / where.get("file")).read_text().split("\n") if where.get("bodystart") else []
        return [heading for heading in comments.headings(lines) if int(where.get("bodystart")) < heading[0] < int(where.get("bodyend"))]

    def write(self, compound, name, depth=0):
        simple = without_arguments(name).rsplit("::", 1)[-1]
        own = self.ordered(compound)

        def named(member):
            """Its name; a base's constructor that the class takes over has the class's."""
            name = member.findtext("name")
            taken_over = member.get("kind") == "function" and not "".join(member.find("type").itertext()) and not name.startswith(("~", "operator"))
            return simple if taken_over else name

        body = described(compound) + functions(own, named, self.headings(compound))
        taken = {m.findtext("name") for m in own} | {simple, f"~{simple}"}
        for base, found in self.bases(compound, {name}):
            more = [m for m in self.ordered(found) if m.findtext("name") not in taken | {base.rsplit("::", 1)[-1]}
                    and not m.findtext("name").startswith(("~", "operator="))]
            taken |= {m.findtext("name") for m in more}
            if more:
                body += [f"*Inherited from* ``{base}``", "", *described(found)] if depth == 0 else []
                body += functions(more, lambda m: m.findtext("name"), self.headings(found))
        for inner in compound.findall("innerclass"):
            nested = INLINE.sub("", inner.text)
            if inner.get("prot") == "public" and nested in self.compounds and depth < 2 and "<" not in nested:
                body += self.write(self.compounds[nested], nested.rsplit("::", 1)[-1], depth + 1)
        return directive(DIRECTIVES["class"], [template(compound) + name], body)


def title(text):
    return [text, "=" * len(text), ""]


class Pages:
    def __init__(self, classes, peers, include, target):
        self.classes, self.peers, self.include, self.target = classes, peers, include, target
        self.examples = examples.collect()
        target.mkdir(parents=True, exist_ok=True)

    def availability(self, entity):
        where = [label for peer, label in PEERS.items() if any(entity.simple in h["names"] for h in self.peers[peer].values())]
        if entity.name.startswith(("tbb::flow::", "tbb::info::", "tbb::this_task_arena::", "tbb::profiling::")) or "::" not in entity.name:
            return ""
        return f"The name is also in {' and '.join(where)}." if where else "No TBB has this name." if not entity.name.startswith("rml") else ""

    def write(self, entity):
        lines = [":orphan:", "", ".. meta::", f"   :keywords: {entity.name}, oneapi::{entity.name}, {entity.simple}, {entity.header}", "", *title(entity.name)]
        facts = [f"``#include <{entity.header}>`` (:doc:`header <header_{re.sub(r'[^a-z0-9A-Z]+', '_', entity.header)}>`, :doc:`conventions </docs/guide/conventions>`)"]
        if entity.dialect:
            facts.append("Only with ``-DASHLAR_CLASSIC_DIALECT=1``.")
        facts.append(self.availability(entity))
        lines += [" ".join(f for f in facts if f), ""]
        shown = examples.rendered(self.examples.get(entity.name, []))
        body = self.body(entity)
        # What has no comment of its own is described by its header's text.
        if entity.kind == "class" and not described(entity.members[0]):
            lines += self.notes(entity.header) + body
        else:
            silent = not any(line.strip() and not line.lstrip().startswith((".. cpp", "Deduction", "-")) and not line.startswith(" " * 10)
                             for line in body)
            lines += body
            if silent or entity.header == f"tbb/{entity.simple}.h":
                lines += self.notes(entity.header, "Notes")
        (self.target / f"{entity.page}.rst").write_text("\n".join([*lines, "", *shown]) + "\n")

    def body(self, entity):
        first = entity.members[0]
        if entity.kind != "class":
            made = functions(entity.members, lambda _: entity.name)
            if entity.kind == "typedef":
                made += self.aliased(first)
            return made
        made = self.classes.write(first, entity.name)
        for name, compound in self.classes.specialisations(entity.name):
            made += self.classes.write(compound, name)
        guides = [m for m in entity.members[1:] if m.findtext("name") == entity.simple]
        if guides:
            made += ["Deduction guides", "----------------", "", ".. code-block:: cpp", "",
                     *(f"   {template(m)}{entity.simple}{arguments(m)};" for m in guides), ""]
        others = [m for m in entity.members[1:] if m not in guides]
        if others:
            namespace = entity.name.rpartition("::")[0]
            made += ["Functions beside the class", "--------------------------", ""]
            made += functions(others, lambda m: f"{namespace}::{m.findtext('name')}")
        return made

    def aliased(self, member):
        """What a name for another class stands for."""
        target = squeeze("".join(member.find("type").itertext())).split("<")[0].replace("::ashlar", "ashlar")
        simple = target.split("::")[-1]
        found = [(n, c) for n, c in self.classes.by_simple.get(simple, []) if n.endswith(target.removeprefix("ashlar::"))]
        if not found or found[0][0].startswith("tbb::"):
            return []
        return ["It names this class:", "", *self.classes.write(found[0][1], found[0][0])]

    def notes(self, header, heading=""):
        """The text of a header that belongs to no single entity."""
        blocks = comments.standing_alone((self.include / header).read_text())
        lines = [line for block in blocks for para in paragraphs(block) for line in (*para, "")]
        return [heading, "-" * len(heading), "", *lines] if lines and heading else lines

    def write_header(self, header, entities):
        name = re.sub(r"[^a-z0-9A-Z]+", "_", header)
        lines = [":orphan:", "", *title(f"<{header}>")]
        if header.startswith("tbb/"):
            lines += [f"The same as ``<oneapi/{header}>``.", ""]
        lines += self.notes(header, "Notes")
        if entities:
            lines += ["Declares", "--------", "", *(f"* :doc:`{e.name} <{e.page}>`" for e in sorted(entities, key=lambda e: e.name)), ""]
        (self.target / f"header_{name}.rst").write_text("\n".join(lines) + "\n")
