# SPDX-License-Identifier: Apache-2.0
"""The public entities, as Doxygen's XML tells them: classes, functions, types, variables and enumerations of the public
namespaces, in both dialects."""
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

PUBLIC = ["tbb", "tbb::flow", "tbb::this_task_arena", "tbb::info", "tbb::profiling", "tbb::this_tbb_thread", "tbb::deprecated",
          "tbb::interface6", "rml"]
# Headers beyond TBB's: all that they declare for users is public.
OWN_HEADERS = ["ashlar/obs/trace_region.h", "ashlar/sched/core/statistics.h", "ashlar/sched/report/hang_report.h",
               "ashlar/sched/market/worker_hooks.h", "ashlar/alloc/malloc_stats.h", "ashlar/alloc/scalable_malloc.h"]
# The headers that TBB's documentation names, where another one that brings the name is shorter.
HOMES = {"task_group_context": "tbb/task_group.h", "priority_t": "tbb/task.h", "numa_node_id": "tbb/info.h", "core_type_id": "tbb/info.h",
         "feeder": "tbb/parallel_for_each.h", "parallel_do_feeder": "tbb/parallel_do.h", "speculative_spin_rw_mutex": "tbb/spin_rw_mutex.h"}
FLOW_HOMES = {"coroutine_node": "tbb/flow_coroutine.h"}
OWN_NAMESPACES = ["", "ashlar", "ashlar::sched"]
# Namespaces into which using-declarations of other places bring names.
INLINE = re.compile(r"\b(?:v1|ashlar_v1|interface6)::")
KNOWN_IN_FLOW = re.compile(r"ASHLAR_FLOW_KNOWN_IN\(\d+, (\w+)\)")
FLOW_HOME = re.compile(r"ASHLAR_FLOW_HOME\(\d+\).*?ASHLAR_FLOW_HOME_END", re.S)


@dataclass
class Entity:
    name: str                    # qualified, without inline namespaces
    kind: str                    # class, function, typedef, variable, enum
    dialect: str                 # "" in both, "classic" in the classic one only
    header: str = ""             # what a program includes
    members: list = field(default_factory=list)   # the XML elements: overloads, or the class's compound

    @property
    def simple(self):
        return self.name.rsplit("::", 1)[-1]

    @property
    def page(self):
        return re.sub(r"\W+", "_", self.name)


def location(element):
    found = element.find("location")
    return found.get("file") if found is not None else ""


class Headers:
    """Which public header brings a file of include/."""

    def __init__(self, include):
        self.include = include
        self.direct = {}
        for path in sorted(include.rglob("*.h")):
            self.direct[str(path.relative_to(include))] = re.findall(r"#include <((?:tbb|ashlar)/[^>]+)>", path.read_text())
        self.public = [name for name in self.direct if re.fullmatch(r"tbb/\w+\.h", name) and name != "tbb/tbb.h"]

    def depth(self, header, file):
        """The number of steps from a header to the file that it includes; None if it doesn't."""
        seen, front, steps = {header}, [header], 0
        while front:
            if file in front:
                return steps
            front = [n for h in front for n in self.direct.get(h, []) if n not in seen and "closure" not in n]
            seen.update(front)
            steps += 1
        return None

    def home(self, simple, file):
        if file in OWN_HEADERS and not file.startswith("ashlar/alloc/scalable"):
            return file
        known = FLOW_HOMES.get(simple, "tbb/flow_graph.h") if file.startswith("ashlar/flow/") else HOMES.get(simple, f"tbb/{simple}.h")
        if known in self.direct:
            return known
        if file in self.public:
            return file
        ways = [(d, len(self.direct[h]), h) for h in self.public if (d := self.depth(h, file)) is not None]
        return min(ways)[2] if ways else file


def flow_internals(include):
    """What lies beside the public names of the flow graph in their namespace."""
    known, inner = set(), set()
    for path in sorted((include / "ashlar/flow").rglob("*.h")):
        text = path.read_text()
        known.update(KNOWN_IN_FLOW.findall(text))
        for home in FLOW_HOME.findall(text):
            inner.update(re.findall(r"^(?:class|struct|using|inline constexpr \w+|enum(?: class)?) (\w+)", home, re.M))
            inner.update(re.findall(r"^(?:[\w:<>,&* ]+) (\w+)\(", home, re.M))
    return inner - known


class Reader:
    """Reads one dialect's XML."""

    def __init__(self, folder, headers, dialect):
        self.folder, self.headers, self.dialect = folder, headers, dialect
        self.compounds = {}      # name without inline namespaces -> compounddef, without specialisations
        self.specialised = {}
        self.namespaces = []
        for entry in ElementTree.parse(folder / "index.xml").getroot():
            if entry.get("kind") not in ("class", "struct", "namespace", "file"):
                continue
            compound = ElementTree.parse(folder / f"{entry.get('refid')}.xml").getroot().find("compounddef")
            name = INLINE.sub("", compound.findtext("compoundname"))
            if entry.get("kind") in ("namespace", "file"):
                self.namespaces.append((name if entry.get("kind") == "namespace" else "", compound))
            elif "<" in name:
                self.specialised.setdefault(name.split("<")[0].strip(), []).append(compound)
            else:
                self.compounds.setdefault(name, compound)
        self.hidden = flow_internals(headers.include)

    def is_public(self, namespace, name, file):
        if name.startswith("_") or (namespace == "tbb::flow" and name in self.hidden):
            return False
        if namespace in PUBLIC:
            return namespace != "tbb::interface6" or file == "tbb/runtime_loader.h"
        return file in OWN_HEADERS and namespace in OWN_NAMESPACES

    def share_comments(self, root):
        """A declaration that follows another one without a blank line between them has that one's comment, if it has none."""
        texts = {}
        for _, compound in self.namespaces:
            before = {}
            for member in compound.iter("memberdef"):
                file, line = location(member), int(member.find("location").get("line"))
                if file not in texts:
                    path = root / file
                    texts[file] = path.read_text().split("\n") if path.exists() else []
                told = [member.find(part) for part in ("briefdescription", "detaileddescription")]
                end, others = before.get(file, (0, None))
                if not any(len(part) for part in told) and others and end < line and all(x.strip() for x in texts[file][end - 1:line]):
                    for part, other in zip(told, others):
                        part.extend(list(other))
                before[file] = (line, [member.find(part) for part in ("briefdescription", "detaileddescription")])

    def entities(self):
        found = {}
        for name, compound in self.compounds.items():
            namespace, _, simple = name.rpartition("::")
            file = location(compound)
            if self.is_public(namespace, simple, file):
                found[name] = Entity(name, "class", self.dialect, self.headers.home(simple, file), [compound])
        for namespace, compound in self.namespaces:
            for member in compound.iter("memberdef"):
                self.add_member(found, namespace, member)
        return found

    def add_member(self, found, namespace, member):
        simple, file = member.findtext("name"), location(member)
        if member.get("kind") == "define" or not self.is_public(namespace, simple, file):
            return
        name = f"{namespace}::{simple}".removeprefix("::")
        if not simple.startswith("operator") and simple not in ("swap", "move"):
            entity = found.setdefault(name, Entity(name, member.get("kind"), self.dialect, self.headers.home(simple, file)))
            if all(m.get("id") != member.get("id") for m in entity.members):
                entity.members.append(member)
            return
        for candidate in found.values():  # an operator or swap belongs to the class that it takes
            takes = "".join("".join(p.itertext()) for p in member.findall("param/type"))
            if candidate.kind == "class" and re.search(rf"\b{candidate.simple}\b", takes):
                candidate.members.append(member)
                return
