#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""measure.py BUILD [ROUNDS]: how well a trace predicts its own program. BUILD is a build directory with the library and ashlar-sim.
Builds program.cpp, and in each round runs it on 1 and 2 threads without a recorder, then with one, and compares the report's times for 1
and 2 threads with the former. Rounds whose run on two threads has less than 1.8 processors don't count. Not a test: it needs a quiet machine."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
build, rounds = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 7
simulator = build / "sim" / "ashlar-sim"


def output(*command, **more):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, **more).stdout


def run(program, kind, turns, threads, depth, trace=None):
    env = {**os.environ, **({"ASHLAR_TRACE": str(trace)} if trace else {})}
    return tuple(map(float, output(program, kind, turns, threads, depth, env=env).split()))


def one_round(folder, program, kind, turns, depth):
    """Errors by (threads recorded, threads predicted), the median grain, and whether the round counts."""
    trace = folder / "run.trace"
    plain = {n: run(program, kind, turns, n, depth) for n in (1, 2)}
    errors, grain = {}, 0
    for recorded in (1, 2):
        run(program, kind, turns, recorded, depth, trace)
        report = json.loads(output(simulator, "report", trace, "--threads", 2, "--machine", folder / "m.json", "--format", "json"))
        grain = report["median_grain_ns"]
        for point in report["curve"]:
            errors[recorded, point["threads"]] = point["time_ns"] * 1e-6 / plain[point["threads"]][0] - 1
    return errors, grain, plain[2][1] >= 1.8


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = folder / "program"
        output("g++", "-O2", "-std=c++17", f"-I{build / 'forwarding'}", f"-I{HERE.parents[2] / 'include'}", HERE / "program.cpp",
               build / "libtbb.a", "-lpthread", "-ldl", "-o", program)
        output(simulator, "calibrate", "--out", folder / "m.json")
        for turns, depth in ((1360, 15), (2720, 14), (4080, 13)):
            for kind in ("forks", "groups", "loop"):
                found = [r for r in (one_round(folder, program, kind, turns, depth) for _ in range(rounds)) if r[2]]
                if not found:
                    print(f"{kind}: no round had 1.8 processors")
                    continue
                grain = statistics.median(r[1] for r in found)
                cells = [f"recorded on {a}: T{b} {100 * statistics.median(r[0][a, b] for r in found):+.1f} %"
                         for a in (1, 2) for b in (1, 2)]
                print(f"{kind}, {grain:.0f} ns a task, {len(found)} rounds: {', '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
