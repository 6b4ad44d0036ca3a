#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records a long trace and makes its report: no task may be missing, and time, memory and the page's size have bounds.

usage: check.py PROGRAM ASHLAR_SIM [--millions N] [--keep TRACE]    N million events (default 1; 100 are a trace of 0.8 GB)
The time is checked from 100 million events on: it is what the issue of the report asks for, and a short trace says little of it.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

EVENTS_OF_A_ROUND = 450_400
TASKS_OF_A_ROUND = {"tiny_loop": 99_999, "groups_inside": 50_000}
MOST_SECONDS = 30.0  # for 100 million events
MOST_PAGE = 5 << 20
MOST_MEMORY_KIB = 1 << 20


def run(command, environment=None):
    """What it printed, its elapsed and its CPU seconds."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    made = subprocess.run(command, check=True, capture_output=True, env={**os.environ, **(environment or {})})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return made.stdout, time.monotonic() - begun, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def tasks_missing(report, rounds):
    """Complaints about regions whose numbers of tasks are not those that the program made."""
    found = []
    for function, tasks in TASKS_OF_A_ROUND.items():
        region = [r for r in report["regions"] if re.search(function + r"\(\)::", r["name"])]
        # The groups' tasks are a region of their own inside of the loop's.
        made = max((r["tasks"] for r in region), default=0)
        if made != tasks * rounds:
            found.append(f"{function} has {made} tasks, not {tasks * rounds}")
    if not report["recorded"]["complete"]:
        found.append("the trace is not complete")
    return found


def answers_apart(report):
    """Complaints about answers that are no simulations of the same parts as the speed-up's: "as it is" has to be its time."""
    curve = {p["threads"]: report["work_ns"] / p["speedup"] for p in report["curve"]}
    plain = report["what_if"][0]["times_ns"]
    return [f"as it is, {n} threads take {time} ns, but {curve[n]} ns by the speed-up"
            for n, time in zip(report["what_if_threads"], plain) if n in curve and abs(time / curve[n] - 1) > 1e-3]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("sim")
    parser.add_argument("--millions", type=float, default=1)
    parser.add_argument("--keep", type=pathlib.Path, metavar="TRACE", help="the trace stays here")
    options = parser.parse_args()
    rounds = max(1, round(options.millions * 1e6 / EVENTS_OF_A_ROUND))
    with tempfile.TemporaryDirectory() as folder:
        trace = str(options.keep or pathlib.Path(folder, "long.trace"))
        run([options.program, str(rounds)], {"ASHLAR_TRACE": trace, "ASHLAR_TRACE_LIMIT": "4000"})
        numbers, _, _ = run([options.sim, "report", trace, "--format", "json", "--threads", "64", "--what-if", "grain x 4"])
        page, seconds, cpu = run([options.sim, "report", trace, "--format", "html"])
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        size = os.path.getsize(trace)
        report = json.loads(numbers)
        found = tasks_missing(report, rounds) + answers_apart(report)
    print(f"{rounds * EVENTS_OF_A_ROUND / 1e6:.1f} million events, a trace of {size / 1e6:.0f} MB: the page has {len(page) / 1e6:.2f} MB and took "
          f"{seconds:.1f} s ({cpu:.1f} s of CPU), at most {memory // 1024} MB of memory; an event took the recorder "
          f"{report['recorded']['recorder_ns'] / rounds / EVENTS_OF_A_ROUND:.1f} ns")
    if len(page) > MOST_PAGE:
        found.append("the page is too large")
    if memory > MOST_MEMORY_KIB:
        found.append("the report takes too much memory")
    if options.millions >= 100 and seconds > MOST_SECONDS * options.millions / 100:
        found.append("the report takes too long")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
