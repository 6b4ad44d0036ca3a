#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include against layers.toml, and that neither files nor units nor sibling folders include each other
in a circle; see units.py. In bench only the circles are looked for.

A file of include/ is checked for two more things: it includes by <ashlar/...> or <tbb/...> only, and never a file of
src/ (an installed header would miss it)."""
import re
import sys
import tomllib

import source_tree as tree
import units

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


CLOSURE = "include/tbb/detail/closure/"
LEAN = re.compile(r"\s*#\s*if !ASHLAR_LEAN_HEADERS\b")
CONDITION = re.compile(r"\s*#\s*(if|endif)")


def lines_of_closure(lines):
    """The numbers of the lines that ASHLAR_LEAN_HEADERS leaves out. What they include is not needed by the file, and
    comes after all that the file declares, so that two files may name each other there."""
    found, depth = set(), 0
    for number, line in enumerate(lines, 1):
        condition = CONDITION.match(line)
        if LEAN.match(line) or (depth and condition and condition[1] == "if"):
            depth += 1
        elif depth and condition:
            depth -= 1
        if depth:
            found.add(number)
    return found


def expand(layers, families):
    """The table with each family's folders in the family's place, and in the lists that name it."""
    result = {}
    for layer, below in layers.items():
        below = [name for entry in below for name in ([f"{entry}/{f}" for f in families.get(entry, ())] or [entry])]
        for folder in families.get(layer, [None]):
            name = f"{layer}/{folder}" if folder else layer
            result[name] = list(below)
            below.append(name)
    return result


def family(layer):
    """sched/core belongs to sched; a layer that is not of a family, to itself."""
    return layer.partition("/")[0]


def layer_of(layers, path):
    """The layer whose folder holds the file, or None."""
    parts = path.relative_to(tree.ROOT).parts
    if parts[:2] in (("include", "tbb"), ("include", "oneapi")):
        return "tbb"
    if parts[0] == "sim":
        return "sim"
    if parts[:2] == ("include", "ashlar") and len(parts) == 3:
        return path.stem if path.stem in layers else None  # the header of a whole layer
    folders = parts[2:-1] if parts[:2] == ("include", "ashlar") else parts[1:-1]
    return next((name for name in ("/".join(folders[:2]), *folders[:1]) if name in layers), None)


def resolve(path, kind, name):
    """The file of this project that an include names, or None for a file from elsewhere."""
    places = [tree.ROOT / "include", tree.ROOT / "src", tree.ROOT / "sim"]
    if (tree.ROOT / "bench") in path.parents:
        # Benchmarks include by the folder of a suite, which is one of those above.
        places = list(path.parents)[:-len(tree.ROOT.parents) - 1] + places
    if kind == '"':
        places.insert(0, path.parent)
    for place in places:
        if (place / name).is_file():
            return (place / name).resolve()
    return None


def check_include(config, path, target, where):
    layers, private = config["layers"], config["private"]
    source_layer, target_layer = layer_of(layers, path), layer_of(layers, target)
    if target_layer is None:
        return [f"{where}: {tree.relative(target)} belongs to no layer"]
    if target_layer != source_layer and target_layer not in layers[source_layer]:
        return [f"{where}: layer {source_layer} may not include {tree.relative(target)} of layer {target_layer}"]
    if (tree.ROOT / "src") not in target.parents:
        return []
    if (tree.ROOT / "include") in path.parents:
        return [f"{where}: an installed header includes {tree.relative(target)}, which is not installed"]
    allowed = private["shared"] + (private["sim"] if source_layer == "sim" else [])
    if family(target_layer) not in (family(source_layer), *allowed):
        return [f"{where}: {tree.relative(target)} is private to layer {target_layer}"]
    return []


def check_order(layers):
    """The table itself points downwards only."""
    seen, errors = [], []
    for layer, below in layers.items():
        errors += [f"layers.toml: {layer} names {name}, which is not below it" for name in below if name not in seen]
        seen.append(layer)
    return errors


def includes_of(path):
    """The includes of a file: line number, < or ", name, and whether others see it (not the closure's lines)."""
    lines = tree.code_lines(path.read_text())
    closure = lines_of_closure(lines)
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match:
            yield number, *match.groups(), number not in closure


def check_file(config, path, graph):
    """Errors of a file's includes; the files that it includes go into the graph."""
    errors = []
    for number, kind, name, seen in includes_of(path):
        where = f"{tree.relative(path)}:{number}"
        if kind == '"' and (tree.ROOT / "include") in path.parents:
            errors.append(f"{where}: installed headers include with <...>")
        target = resolve(path, kind, name)
        if target:
            if seen and not tree.relative(target).startswith(CLOSURE):
                graph.setdefault(tree.relative(path), []).append(tree.relative(target))
            errors += check_include(config, path, target, where)
        elif kind == '"' or name.startswith(("ashlar/", "tbb/", "oneapi/")):
            if name != "engine/atomic.h" and not name.startswith("oneapi/"):
                errors.append(f"{where}: there is no {name}")
    return errors


def main():
    config = tomllib.loads((tree.ROOT / "layers.toml").read_text())
    config["layers"] = expand(config["layers"], config["families"])
    errors = check_order(config["layers"])
    graph, count = {}, 0
    for path in tree.files_below("include", "src", "sim"):
        if layer_of(config["layers"], path) is None:
            errors.append(f"{tree.relative(path)}: belongs to no layer")
            continue
        count += 1
        graph.setdefault(tree.relative(path), [])
        errors += check_file(config, path, graph)
    for path in tree.files_below("bench"):
        count += 1
        targets = [resolve(path, kind, name) for _, kind, name, _ in includes_of(path)]
        graph[tree.relative(path)] = [tree.relative(t) for t in targets if t]
    errors += units.check(graph, config.get("knots", {}))
    for layer, rooms in config.get("rooms", {}).items():
        errors += units.check_rooms(layer, rooms, graph)
    return tree.finish("check_layers", errors, f"{count} files")


if __name__ == "__main__":
    sys.exit(main())
