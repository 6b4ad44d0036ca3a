#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the flow graph's code lines (not blank, no comment) by layer, and tells which of them belong to what oneTBB's
flow graph can't do. A feature is a list of files, of functions by name, and of parts that only one dialect has. Frames
are the lines that a file needs because it is a file: includes, namespaces, #pragma once.

usage: tools/flow_lines.py [HEADERS]    (HEADERS: the include/oneapi/tbb of a oneTBB, which is counted in the same way)
"""
import re
import sys
from fnmatch import fnmatch
from pathlib import Path

import sched_lines
import source_tree as tree

FOLDERS = ("src/flow", "include/ashlar/flow")
FEATURES = {
    "what a graph tells of itself: explain, check, dot, svg, counted messages": (
        ("*/report/*", "*/engine/picture.*", "*/engine/mistakes.cpp"),
        ("describe", "describe_\\w+", "tell_output", "dot", "svg", "check", "explain", "count", "count_pulled", "count_message", "count_messages",
         "tally_edge", "drop_tallies", "tell_of_early_end")),
    "frozen graphs": (("*/frozen/*",), ("get_lone_call", "call_alone")),
    "coroutine_node, switch_node, fallible_node": (
        ("*/nodes/coroutine_node.h", "*/nodes/switch_node.h", "*/nodes/fallible_node.h"), ()),
    "classic TBB's async_msg, continue_receiver, graph::run, extraction": (
        ("*/nodes/async_msg.h", "*/edges/continue_receiver.h", "*/engine/graph_call.h", "*/edges/extract.cpp"), ()),
    "a graph goes on after a cancelled wait": ((), ("settle", "settle_\\w+", "clear_rest")),
    "names of nodes in traces; bodies without RTTI": (("*/engine/type_identity.*", "*/engine/body.cpp"), ("call_traced",)),
}
CLASSIC = "other parts that only the classic dialect has"


def classic_parts(code):
    """The lines that only the classic dialect compiles, without those of the preprocessor."""
    inside, lines = [], 0
    for line in code:
        word = line.strip()
        if word.startswith("#if"):
            inside.append("CLASSIC_DIALECT" in word)
        elif word.startswith("#else"):
            inside[-1] = False
        elif word.startswith("#endif"):
            inside.pop()
        else:
            lines += any(inside)
    return lines


def files():
    return {tree.relative(p): sched_lines.code_of(p.read_text(encoding="utf-8")) for p in tree.files_below(*FOLDERS)}


def layer_of(name):
    return Path(name).parent.name


def count_peer(folder):
    found = [sched_lines.code_of(p.read_text(encoding="utf-8"))
             for p in [*folder.glob("flow_graph*.h"), *folder.glob("detail/_flow_graph*.h")]]
    if not found:
        sys.exit(f"flow_lines: no flow_graph.h in {folder}")
    return sum(map(len, found)), sum(map(sched_lines.frames, found)), len(found)


def main():
    code = files()
    for layer in sorted({layer_of(name) for name in code}):
        print(f"{layer:<84} {sum(len(c) for name, c in code.items() if layer_of(name) == layer):>6}")
    everything = sum(map(len, code.values()))
    print(f"{'all':<84} {everything:>6}\n")
    rest, later = dict(code), 0
    for feature, (patterns, functions) in FEATURES.items():
        whole = [name for name in rest if any(fnmatch(name, p) for p in patterns)]
        lines = sum(len(rest.pop(name)) for name in whole)
        lines += sum(sched_lines.function_lines(c, function) for c in rest.values() for function in functions)
        print(f"{feature:<84} {lines:>6}")
        later += lines
    lines = sum(map(classic_parts, rest.values()))
    later += lines
    frames = sum(map(sched_lines.frames, rest.values()))
    print(f"{CLASSIC:<84} {lines:>6}\n{'all that oneTBB has not':<84} {later:>6}\n")
    print(f"what oneTBB has, too: {everything - later:,} lines in {len(rest)} files, {frames:,} of them frames")
    if len(sys.argv) > 1:
        lines, frames, number = count_peer(Path(sys.argv[1]))
        print(f"oneTBB: {lines:,} lines in {number} files, {frames:,} of them frames")
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 2 or any(word.startswith("-") for word in sys.argv[1:]):
        print(__doc__)
        sys.exit(0 if sys.argv[1:] in (["--help"], ["-h"]) else 2)
    sys.exit(main())
