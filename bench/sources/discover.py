# SPDX-License-Identifier: Apache-2.0
"""Finds the files of a foreign source tree that use TBB: those that include one of its headers, themselves or through
other files of the tree. An include of the tree is matched by the end of its path, as the compiler's folders are unknown."""
import collections
import fnmatch
import re

UNITS = {".c", ".cc", ".cpp", ".cxx", ".C"}
HEADERS = {".h", ".hh", ".hpp", ".hxx", ".H", ".inl", ".ipp", ".tpp", ".txx"}
INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"]", re.M)
TBB = re.compile(r"(oneapi/)?tbb/|tbb\.h$|oneapi/tbb\.h$")
DEPTH = 12  # of includes between a unit and TBB


def read(root):
    """Each file with code below root -> what it includes."""
    return {path: [name.decode(errors="replace") for name in INCLUDE.findall(path.read_bytes())]
            for path in sorted(root.rglob("*")) if path.suffix in UNITS | HEADERS and path.is_file() and not path.is_symlink()}


def users(included):
    """The files that reach TBB -> how many includes away it is (0: the file includes it itself)."""
    by_name = collections.defaultdict(list)
    for path, names in included.items():
        for name in names:
            by_name[name.rsplit("/", 1)[-1]].append((path, name))
    found = {path: 0 for path, names in included.items() if any(TBB.match(name) for name in names)}
    edge = list(found)
    for away in range(1, DEPTH):
        reached = []
        for header in edge:
            for path, name in by_name.get(header.name, []):
                if path not in found and str(header).endswith("/" + re.sub(r"^(\.\.?/)+", "", name)):
                    found[path] = away
                    reached.append(path)
        edge = reached
    return found


def select(root, entry):
    """The units to compile, nearest to TBB first, and the headers that no unit includes itself (with `headers` all that include TBB
    themselves): (path, how far TBB is away)."""
    included = read(root)
    away = users(included)
    reached = {name.rsplit("/", 1)[-1] for path in away if path.suffix in UNITS for name in included[path]}

    def wanted(path):
        name = str(path.relative_to(root))
        return any(fnmatch.fnmatch(name, pattern) for pattern in entry.get("files", ["*"])) \
            and not any(fnmatch.fnmatch(name, pattern) for pattern in entry.get("without", []))

    chosen = [(path, distance) for path, distance in away.items() if wanted(path)
              and (path.suffix in UNITS or distance == 0 and path.suffix in HEADERS and (entry.get("headers") or path.name not in reached))]
    return sorted(chosen, key=lambda one: (one[1], str(one[0])))
