# SPDX-License-Identifier: Apache-2.0
"""Loops, nested loops and groups with as many threads as processors, up to 1024, on simulated processors that run the library:

    many_processors.py PROGRAM [--cells 128:128,…] [--seeds N] [--out]     prints what is found; with --out stores it in docs/study

PROGRAM is simulated_quality. One seed of all cells takes 200 to 300 s of processor time, of which `loop` with 1024 threads takes 65 to 90; three are stored."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
STORED = ROOT / "docs/study/many_processors.tsv"
HEAD = "# Makespan / ideal on simulated processors, as many_processors.py found it: processors, threads, row, seed, value, accesses, changes of thread, seconds of processor time.\n"
ROWS = ["loop", "nested", "group", "group-of-loops"]
CELLS = ["2:128", "128:128", "512:512", "1024:1024"]
COSTS = "readers_slack=1000"
SKIPPED = 77  # the system lacks what the world needs
# --check: how far a cell may be from the stored one, and the processor time that 128 threads on 128 processors may take: 1 s is needed, 30 if a
# change of threads takes the system's help.
CLOSE, PATIENCE = 0.04, 10
COUNTED = re.compile(r"(\d+) accesses, (\d+) handovers")


def run(program, processors, threads, row, seed):
    """(makespan / ideal, accesses, changes of thread, seconds of processor time)."""
    told = f"processors={processors},seed={seed},{COSTS}"
    with subprocess.Popen([program, row, "--threads", str(threads), "--samples", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "ASHLAR_SIMULATED": told, "ASHLAR_SIMULATED_COUNTS": "1"}) as child:
        out, errors = child.stdout.read(), child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode == SKIPPED:
        print(errors.strip())
        sys.exit(SKIPPED)
    if child.returncode != 0:
        sys.exit(f"{row}, {threads} threads on {processors} processors, seed {seed}: {errors.strip()}")
    accesses, changes = map(int, COUNTED.search(errors).groups())
    return json.loads(out)["samples"][0][0], accesses, changes, used.ru_utime + used.ru_stime


def read(path=STORED):
    """{(processors, threads, row): [(value, accesses, changes of thread, seconds)] of its seeds}."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            processors, threads, row, _, value, accesses, changes, seconds = line.split("\t")
            found.setdefault((int(processors), int(threads), row), []).append((float(value), int(accesses), int(changes), float(seconds)))
    return found


def told(found):
    """As a table."""
    lines = [f"With `{COSTS}`, medians of the seeds in [many_processors.tsv](many_processors.tsv); nothing of this was measured on such a machine. What a simulation",
             "takes is that of the row that takes longest.", "",
             f"| processors, threads | {' | '.join(ROWS)} | processor time | accesses | changes of thread |", "|---" * (len(ROWS) + 4) + "|"]
    for processors, threads in dict.fromkeys(key[:2] for key in found):
        runs = [found[processors, threads, row] for row in ROWS]
        cells = [f"{statistics.median(one[0] for one in seeds):.3f}" + (f" ({min(one[0] for one in seeds):.3f} to {max(one[0] for one in seeds):.3f})" if len(seeds) > 1 else "")
                 for seeds in runs]
        accesses, changes, seconds = (max(statistics.median(one[what] for one in seeds) for seeds in runs) for what in (1, 2, 3))
        lines.append(f"| {processors}, {threads} | {' | '.join(cells)} | {seconds:.1f} s | {accesses / 1e6:.0f} million | {changes / 1e6:.2f} million |")
    return "\n".join(lines)


def check(program):
    """A loop of 128 threads on as many processors is as stored, and is simulated without the system's help."""
    value, _, _, seconds = run(program, 128, 128, "loop", 1)
    stored = read()[128, 128, "loop"][0][0]
    good = abs(value / stored - 1) <= CLOSE and value >= 1 and seconds < PATIENCE
    print(f"loop, 128 threads on as many processors: {value:.3f}, stored {stored:.3f}, with {seconds:.1f} s of processor time{'' if good else '  WRONG'}")
    return good


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("program")
    ask.add_argument("--cells", default=",".join(CELLS))
    ask.add_argument("--seeds", type=int, default=1)
    ask.add_argument("--out", action="store_true")
    asked = ask.parse_args()
    program = str(pathlib.Path(asked.program).resolve())
    cells = [(*map(int, cell.split(":")), row, seed) for cell in asked.cells.split(",") for row in ROWS for seed in range(1, asked.seeds + 1)]
    text = HEAD
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as several:
        for cell, (value, accesses, changes, seconds) in zip(cells, several.map(lambda cell: run(program, *cell), cells)):
            text += "\t".join(map(str, cell)) + f"\t{value:.4f}\t{accesses}\t{changes}\t{seconds:.1f}\n"
            print(text.splitlines()[-1])
    if asked.out:
        STORED.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
