#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every memory order stronger than relaxed, and every fence, says which edge it makes.

    x.store(1, mo::release);  // [Q1]

A tag is described once in its layer, beside the class that it belongs to or in the layer's README.md, by lines that
begin with it and hold the two ends of the edge and an arrow, as in

    [Q1] push fills the cell: release -> [Q2] pop reads it: acquire
    [Q3] the last of several decrements: acq_rel -> [Q3] itself: sees what the others did

Each tag of a description is the tag of some line of code, and one of a description's ends lies in its own unit (a header
with the .cpp of its name). A tag belongs to one layer: it is unique in the repository. Atomics of the standard library or
the compiler are not used but by the files that tools/budget.toml names."""
import re
import sys
import tomllib

import source_tree as tree

ORDER = re.compile(r"\bmo::(acquire|release|acq_rel|seq_cst)\b|\border::(acquire|release|acq_rel|seq_cst)\b"
                   r"|\b(fence_seq_cst|fence_light|heavy_fence)\s*\(")
DECLARATION = re.compile(r"\b(void|bool|inline)\b[^;=]*\b(fence_seq_cst|fence_light|heavy_fence)\s*\(")
FOREIGN = re.compile(r"std::atomic|memory_order_|\b__atomic_|\b__sync_|#\s*include\s*<atomic>")
TAG = re.compile(r"\[([A-Z]+[0-9]+[a-z]?)\]")
COMMENT = re.compile(r"\s*(//|/\*|\*)\s*")
BEGINNING = re.compile(r"(?!\s*(<->|->|→|↔))\W*(Ordering:?\W*)?\[[A-Z]+[0-9]+[a-z]?\]")
ARROW = re.compile(r"->|→|↔")
# Where the orders themselves are defined.
PRIMITIVES = {"include/ashlar/base/atomic.h"}


def layer_key(path):
    parts = path.relative_to(tree.ROOT).parts
    return parts[2] if parts[0] == "include" else parts[1]


def paragraphs(path, text):
    """The comment text from each line that begins with a tag up to the next one or to the end of the comment."""
    current = []
    for line in text.split("\n"):
        comment = line if path.suffix == ".md" else COMMENT.sub("", line) if COMMENT.match(line) else None
        begins = comment is not None and BEGINNING.match(comment)
        if (begins or not comment) and current:
            yield " ".join(current)
            current = []
        if begins or (comment and current):
            current.append(comment)
    if current:
        yield " ".join(current)


def descriptions(path, text):
    """(first tag, all tags) of each description: a paragraph that begins with a tag and has an arrow."""
    for paragraph in paragraphs(path, text):
        if ARROW.search(paragraph):
            tags = TAG.findall(paragraph)
            yield tags[0], tags


def read_descriptions(paths):
    """{layer: {tag: file}} and the errors of tags that two files of a layer describe."""
    described, first_in, errors = {}, {}, []
    for path in paths:
        layer = layer_key(path)
        for first, tags in descriptions(path, path.read_text()):
            described.setdefault(layer, {}).update((tag, tree.relative(path)) for tag in tags)
            other = first_in.setdefault((layer, first), path)
            if other != path:
                errors.append(f"{tree.relative(path)}: [{first}] is described in {tree.relative(other)} too; "
                              "a tag means one edge in a layer")
    return described, errors


def unit(path):
    return tree.relative(path).removeprefix("include/ashlar/").removeprefix("src/").rpartition(".")[0]


def far_descriptions(paths, ends):
    """Errors of edges that are described in a unit in which none of their ends lies; `ends`: {(unit, tag)}."""
    return [f"{tree.relative(path)}: [{first}] is described here, but none of its ends lies in this unit"
            for path in paths for first, tags in descriptions(path, path.read_text())
            if not any((unit(path), tag) in ends for tag in tags)]


def clashes(described):
    """Errors of tags that more than one layer describes."""
    layers = {}
    for layer, tags in described.items():
        for tag in tags:
            layers.setdefault(tag, []).append(layer)
    return [f"[{tag}] is described in several layers: {', '.join(sorted(of))}" for tag, of in sorted(layers.items()) if len(of) > 1]


def tags_at_end(raw_lines, lines, number):
    """The tags at the end of the statement that line `number` begins, when it goes on for up to three more lines."""
    for i in range(number - 1, min(number + 3, len(lines))):
        tags = TAG.findall(raw_lines[i].partition("//")[2])
        if tags or lines[i].rstrip().endswith((";", "{", "}")):
            return tags
    return []


def main():
    files = [p for p in tree.files_below("include/ashlar", "src") if tree.relative(p) not in PRIMITIVES]
    readmes = [p for p in tree.files_below("include/ashlar", "src", suffixes={".md"}) if p.name == "README.md"]
    budget = tomllib.loads((tree.ROOT / "tools/budget.toml").read_text())
    exceptions = budget["atomics"]["exceptions"]
    described, errors = read_descriptions(files + readmes)
    count, used, ends = 0, set(), set()
    for path in files:
        text = path.read_text()
        known = described.get(layer_key(path), {})
        raw_lines, lines = text.split("\n"), tree.code_lines(text)
        for number, (raw, code) in enumerate(zip(raw_lines, lines), 1):
            where = f"{tree.relative(path)}:{number}"
            if FOREIGN.search(code) and tree.relative(path) not in exceptions:
                errors.append(f"{where}: atomics go through ashlar::atomic (base/atomic.h)")
            tags = TAG.findall(raw.partition("//")[2]) if code.strip() else []
            used.update((layer_key(path), tag) for tag in tags)
            ends.update((unit(path), tag) for tag in tags)
            if not ORDER.search(code) or DECLARATION.search(code):
                continue
            count += 1
            tags = tags or tags_at_end(raw_lines, lines, number)
            if not tags:
                errors.append(f"{where}: no tag names the edge of this order: {raw.strip()}")
            errors += [f"{where}: [{tag}] is described nowhere in layer {layer_key(path)}"
                       for tag in tags if tag not in known]
    errors += [f"{where}: [{tag}] is described, but no line of code of layer {layer} carries it"
               for layer, tags in sorted(described.items()) for tag, where in sorted(tags.items())
               if (layer, tag) not in used]
    errors += far_descriptions(files + readmes, ends) + clashes(described)
    return tree.finish("check_orders", errors, f"{count} orders in {len(files)} files")


if __name__ == "__main__":
    sys.exit(main())
