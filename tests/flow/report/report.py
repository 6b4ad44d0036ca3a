#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the program of frames.cpp and looks whether the scalability report tells what its graph is limited by: the serial
node `decode` makes up the critical path, and to make that node twice as fast helps where threads are plenty, which no other
node's speed does.

    report.py FRAMES ASHLAR_SIM"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

QUESTIONS = ("decode x 2", "filter x 2", "encode x 2")


def main():
    frames, simulator = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "frames.trace"
        subprocess.run([frames], check=True, env={**os.environ, "ASHLAR_TRACE": str(trace)})
        asked = [word for question in QUESTIONS for word in ("--what-if", question)]
        done = subprocess.run([simulator, "report", str(trace), "--format", "json", *asked], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    path = sorted(report["regions"], key=lambda region: -region["path_ns"])
    decode = path[0]["path_ns"] / report["span_ns"]
    print("critical path: " + ", ".join(f"{region['name']} {100 * region['path_ns'] / report['span_ns']:.0f} %" for region in path[:4]))
    failures = [] if path[0]["name"] == "decode" and decode > 0.5 else ["decode does not make up the critical path"]
    at = report["what_if_threads"].index(16)
    times = {answer["question"]: answer["times_ns"][at] for answer in report["what_if"]}
    for question in QUESTIONS:
        faster = times["as it is"] / times[question]
        print(f"{question}: {faster:.2f} times as fast with 16 threads")
        if (faster > 1.2) != question.startswith("decode"):
            failures.append(f"{question} is predicted to be {faster:.2f} times as fast")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
