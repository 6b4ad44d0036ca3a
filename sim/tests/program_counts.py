#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""program_counts.py STUDY ASHLAR_SIM: the graphs have the tasks of the programs of bench/characterisation that they model.
A program's spawned jobs are counted by the scheduler on one thread. What a loop, a list or a classic task runs in place
instead of spawning it is known by the program's structure, and taken off the graph's tasks."""
import json
import re
import subprocess
import sys

study, simulator = sys.argv[1:]

# Program, size, graph with the size's parameters (bench/characterisation/README.md), what is counted, and of the graph's
# `tasks` and `waits` those that the count lacks.
CASES = [
    ("bitcounter", "test", "bitcounter:records=2048,grain=8", "spawned", lambda g: 1 + g["waits"]),
    ("bitcounter", "simsmall", "bitcounter:records=32768,grain=16", "spawned", lambda g: 1 + g["waits"]),
    ("lu", "test", "lu:n=64,grain=8", "spawned", lambda g: 1 + g["waits"]),
    ("lu", "simsmall", "lu:n=256,grain=8", "spawned", lambda g: 1 + g["waits"]),
    ("matmult_loop", "test", "matmult:items=16", "spawned", lambda g: 1 + g["waits"]),
    ("matmult_recursive", "test", "matmultrec:n=64,block=16", "executed", lambda g: 0),
    ("matmult_recursive", "simsmall", "matmultrec:n=256,block=16", "executed", lambda g: 0),
    ("treeadd", "test", "treeadd:depth=11,cutoff=9", "executed", lambda g: 0),
    ("treeadd", "simsmall", "treeadd:depth=15,cutoff=13", "executed", lambda g: 0),
    ("fluidanimate", "test", "fluidanimate:loops=20,items=16", "executed", lambda g: 1),
    # An outer loop whose tasks are swaptions, and in each an inner loop per batch.
    ("swaptions", "test", "swaptions:swaptions=8,batches=32", "spawned", lambda g: 1 + 8 + g["waits"]),
]


def counted(program, size, what):
    done = subprocess.run([study, program, "--size", size, "--threads", "1", "--runs", "1", "--observe"], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)["values"][what]


def tasks_of(graph):
    text = subprocess.run([simulator, "graphs", graph], check=True, capture_output=True, text=True).stdout
    return {what: int(re.search(rf"(\d+) {what}", text).group(1)) for what in ("tasks", "waits")}


failures = 0
for name, size, graph, what, in_place in CASES:
    shape = tasks_of(graph)
    expected, found = shape["tasks"] - in_place(shape), counted(name, size, what)
    if found != expected:
        print(f"{name} {size}: {found:.0f} {what}, the graph {graph} has {expected}")
        failures += 1
print(f"{len(CASES) - failures} of {len(CASES)} agree")
sys.exit(1 if failures else 0)
