#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs random programs whose tasks come to wait for each other (random_cycles.cpp). The hang report has to come within
3 s of the cycle, and has to tell of it: of the task that blocks and what it waits for."""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import threading
import time

LIMIT = 60  # seconds without a report
SOON = 3.0
BLOCKS = r"is inside of a task, which blocks: waits for {}"
# What the report says of each kind, in one thread's block, and the task's or the function's name beside it.
TOLD = {
    "lock": BLOCKS.format("a lock"),
    "spin_lock": r"spins: it waits for a flag|waits for a lock",
    "pop": BLOCKS.format("a bounded queue"),
    "push": BLOCKS.format("a bounded queue"),
    "accessor": r"waits for an element of a concurrent_hash_map",
    "condition": BLOCKS.format("a condition"),
    "pipe": BLOCKS.format(r"a system call \(read\)"),
    "suspended": r"nobody has called tbb::task::resume",
    "barrier": BLOCKS.format("a condition"),
    "isolated": r"hint: it waits in an isolated region",
    "slot": r"waits for a slot in a full arena",
    "groups": r"waits for a task group",
}


def run(program, seed):
    """(kind, seconds from the cycle to the end of the report or None, lines)"""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ASHLAR_")} | {"ASHLAR_HANG_REPORT": "1"}
    process = subprocess.Popen([program, str(seed)], env=environment, stderr=subprocess.PIPE, text=True)
    killer = threading.Timer(LIMIT, process.kill)
    killer.start()
    kind, begun, seconds, lines = "", 0.0, None, []
    for line in process.stderr:
        lines.append(line.rstrip())
        if found := re.match(r"cycle: (\w+)", line):
            kind, begun = found.group(1), time.monotonic()
        if lines[-1] == "ashlar: end of the report":
            seconds = time.monotonic() - begun
            break
    killer.cancel()
    process.kill()
    process.wait()
    return kind, seconds, lines


def is_told(kind, lines):
    text = "\n".join(lines)
    return re.search(TOLD[kind], text) and f"cycle_{kind}()" in text


def look(program, seed):
    """(kind, seconds, what is wrong with this program's report, or nothing)"""
    kind, seconds, lines = run(program, seed)
    if seconds is None:
        wrong = "no report"
    elif seconds > SOON:
        wrong = f"the report came after {seconds:.1f} s"
    elif not is_told(kind, lines):
        wrong = "the report does not tell of the cycle"
    else:
        return kind, seconds, None
    return kind, seconds, f"program {seed}, {kind}: {wrong}\n" + "\n".join(lines)


def look_alone(program, seed):
    """No report is made while a thread that could go on has no processor: a task that spins waits for one beside other programs."""
    for _ in range(3):
        found = look(program, seed)
        if not found[2]:
            break
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--programs", type=int, default=24)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--also", type=int, nargs="*", default=[], help="programs beside those from --first on")
    parser.add_argument("--at-once", type=int, default=8)
    given = parser.parse_args()
    seeds = [*range(given.first, given.first + given.programs), *given.also]
    with concurrent.futures.ThreadPoolExecutor(given.at_once) as pool:
        found = dict(zip(seeds, pool.map(lambda seed: look(given.program, seed), seeds)))
    late = [seed for seed, (*_, text) in found.items() if text]
    found = list((found | {seed: look_alone(given.program, seed) for seed in late}).values())
    wrong = [text for *_, text in found if text]
    print(*wrong, sep="\n\n")
    slowest = max((seconds for _, seconds, text in found if not text), default=0)
    kinds = collections.Counter(kind for kind, *_ in found)
    print(f"{len(found)} programs with a cycle ({', '.join(f'{n} {k}' for k, n in sorted(kinds.items()))}), {len(wrong)} wrong, "
          f"{len(late)} repeated alone, the slowest report after {slowest:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
