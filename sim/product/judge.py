# SPDX-License-Identifier: Apache-2.0
"""Compares victim policies by the library's own code on simulated processors: eight share a cache, 64 are a socket.

    judge.py PROGRAM [--processors 8,32,128,512] [--policies NAME,…] [--seeds N] [--costs NAME=VALUE,…] [--data LINES]     prints a table
    judge.py PROGRAM --out [--processors …]                            stores these runs and those of --flocks in docs/study, and their page
    judge.py PROGRAM --page                                            writes the page of the stored runs
    judge.py PROGRAM --flocks [--processors …] …  how many thefts were lost to another thief, for each policy
    judge.py PROGRAM --check           fails if 128 threads share a tree badly, if what the processors share makes no difference, if
                                       thieves flock, or if a worker is called for each lone job

Thieves that go to the same victim take each other's jobs away: of a thousand thefts so many were lost. PROGRAM is simulated_victims. For each program and number of processors: the median of makespan / ideal over the seeds, and for
each policy the geometric mean over the programs of its ratio to `random`, seed by seed, with the interval of its median."""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/harness"))

import stats  # noqa: E402  pylint: disable=wrong-import-position

SKIPPED = 77  # the system lacks what the world needs
ROWS = ["tree", "uneven-tree", "loops", "short-loops", "nested"]
POLICIES = ["random", "distance", "pseudo_random", "occupancy", "tbb41", "hybrid"]
# The distances of sim/machines/epyc.json.
MACHINE = "cluster=8,socket=64,line=25,line_far=90,line_remote=200"
FLOCK = 1.5  # times as many lost thefts as by random choice are a flock
CHECKED_SEEDS = range(1, 10)
MOST_WAKES = 30
FLOCKING, FLOCK_SEEDS = ["random", "distance", "occupancy"], 3
STORED = ROOT / "docs/study/victim_runs.tsv"
HEAD = "# What judge.py found: makespan (/ ideal) or lost (thefts, of a thousand), program, processors, policy, seed, value.\n"
WRITTEN = ROOT / "docs/study/product_victims.md"
PAGE = """# Victim policies, judged by the library's own code

Written by `sim/product/judge.py build/dev/sim/product/simulated_victims --processors {processors} --out` from the runs in [victim_runs.tsv](victim_runs.tsv);
[how it works](../../sim/product/README.md). The programs are those of bench/threads/simulated_victims.cpp, with bodies of 2 to 20 us; a cell is the median of makespan /
ideal over {seeds} seeds. *All*: the geometric mean over the programs of the ratio to `random` of the same seed, with the interval of the seeds'
median. Data have no place here: what a task finds in its cache counts for no policy. No such machine was measured.

{table}

`occupancy` beside `distance`, over all programs, seed by seed; the default is `distance` in arenas of up to 15 slots and `occupancy` in larger ones:

{beside}

## Thefts that are lost

Of a thousand thefts so many were lost to another thief, the median of {flock_seeds} seeds. The fullest deque is the same one for all thieves, so under `occupancy` they tell each other where they are.

{flocks}
"""


def run(program, row, processors, policy, seed, costs, data=0, **environment):
    told = ",".join(filter(None, [f"processors={processors},seed={seed}", MACHINE, costs]))
    done = subprocess.run([program, row, "--threads", str(processors), "--samples", "1", *(["--size", str(data)] if data else [])], capture_output=True, text=True, check=False,
                          env={**os.environ, "ASHLAR_SIMULATED": told, "ASHLAR_VICTIM_POLICY": policy, **environment})
    if done.returncode == SKIPPED:
        print(done.stderr.strip())
        sys.exit(SKIPPED)
    if done.returncode != 0:
        sys.exit(f"{row}, {processors} processors, {policy}, seed {seed}: {done.stderr.strip()}")
    return done


def simulate(program, row, processors, policy, seed, costs, data=0):
    return json.loads(run(program, row, processors, policy, seed, costs, data).stdout)["samples"][0][0]


def count(names, *cell):
    told = run(*cell, ASHLAR_STATS="json").stderr
    threads = told.partition('"all":')[0]  # the sums come last, and are cut off where a counter has grown while the text was made
    return [sum(map(int, re.findall(f'"{name}":(\\d+)', threads))) for name in names]


def lost(*cell):
    """Thefts that another thief was faster at, of a thousand that succeeded or were lost."""
    missed, stolen = count(["steals_lost", "stolen"], *cell)
    return 1000 * missed / max(1, missed + stolen)


def flocks(found, processors, policies, seeds):
    lines = [f"| processors | policy | {' | '.join(ROWS)} |", "|---" * (len(ROWS) + 2) + "|"]
    for count in processors:
        for policy in policies:
            lines.append(f"| {count} | {policy} | {' | '.join(told([found[row, count, policy, seed] for seed in seeds], 0) for row in ROWS)} |")
    return "\n".join(lines)


def check(program):
    """A tree took 11.8 when all readers of a line had to queue for it. A line costs the same from everywhere, so that only the
    library, which reads what the processors share, can make the difference."""
    near, alike = (simulate(program, "tree", 128, "distance", 1, costs) for costs in ("line_far=25,line_remote=25", "cluster=0,socket=0"))
    good = 1 < near < 5 and 1 < alike < 5 and near != alike
    print(f"tree, 128 processors: {near:.2f} in clusters, {alike:.2f} if all are alike{'' if good else '  WRONG'}")
    # Thieves that all go to the same deque, as they did under `occupancy` (868 of 1000 in the tree), lose more thefts than random ones. One seed
    # says little: in the loops the default policy loses 35 to 190.
    flock = False
    for row in ("uneven-tree", "loops"):
        random, *others = (statistics.median(lost(program, row, 32, policy, seed, "") for seed in CHECKED_SEEDS)
                           for policy in ("random", "distance", "occupancy", "by_size"))
        apart = all(value < FLOCK * random for value in others) and sum(others) > 0
        flock |= not apart
        print(f"{row}, 32 processors: of 1000 thefts random ones lose {random:.0f}, those by distance, by occupancy and the default's "
              f"{', '.join(f'{value:.0f}' for value in others)}{'' if apart else '  WRONG'}")
    # A worker that is called again and again for jobs that are gone stays awake; else 51 to 70 calls.
    [wakes] = count(["wakes"], program, "lone-jobs", 32, "by_size", 1, "")
    print(f"1000 jobs that their owner takes back, 32 processors: {wakes} wakes{'' if wakes < MOST_WAKES else '  WRONG'}")
    return not good or flock or wakes >= MOST_WAKES


def mean_ratios(found, processors, policy, seeds, other="random"):
    """For each seed, over the programs."""
    return [math.exp(statistics.mean(math.log(found[row, processors, policy, seed] / found[row, processors, other, seed]) for row in ROWS)) for seed in seeds]


def told(values, digits=3):
    if len(values) < 5:
        return f"{statistics.median(values):.{digits}f}"
    low, high = stats.median_interval(values)
    return f"{statistics.median(values):.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def table(found, processors, policies, seeds):
    lines = [f"| processors | policy | {' | '.join(ROWS)} | all, against random |", "|---" * (len(ROWS) + 3) + "|"]
    for count in processors:
        for policy in policies:
            cells = [f"{statistics.median(found[row, count, policy, seed] for seed in seeds):.2f}" for row in ROWS]
            lines.append(f"| {count} | {policy} | {' | '.join(cells)} | {told(mean_ratios(found, count, policy, seeds))} |")
    return "\n".join(lines)


def each(found, which):
    """The values of the cells' part that tells processors, policies or seeds, in the order of the runs."""
    return list(dict.fromkeys(cell[which] for cell in found))


def page(makespans, lost_thefts):
    processors, policies, seeds = (each(makespans, which) for which in (1, 2, 3))
    beside = ["| processors | occupancy / distance |", "|---|---|"]
    beside += [f"| {count} | {told(mean_ratios(makespans, count, 'occupancy', seeds, 'distance'))} |" for count in processors]
    return PAGE.format(processors=",".join(map(str, processors)), seeds=len(seeds), table=table(makespans, processors, policies, seeds), beside="\n".join(beside),
                       flock_seeds=FLOCK_SEEDS, flocks=flocks(lost_thefts, *(each(lost_thefts, which) for which in (1, 2, 3))))


def read(path=STORED):
    """(makespans, lost thefts) of the stored runs."""
    found = {"makespan": {}, "lost": {}}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            what, row, processors, policy, seed, value = line.split("\t")
            found[what][row, int(processors), policy, int(seed)] = float(value)
    return found["makespan"], found["lost"]


def simulate_all(how, program, cells, costs, data):
    found = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as several:
        for cell, value in zip(cells, several.map(lambda cell: how(program, *cell, costs, data), cells)):
            found[cell] = value
            print(f"{len(found)} of {len(cells)}: {cell[0]}, {cell[1]} processors, {cell[2]}", file=sys.stderr)
    return found


def cells_of(processors, policies, seeds):
    return [(row, count, policy, seed) for count in processors for row in ROWS for policy in policies for seed in seeds]


def store(program, processors, policies, seeds):
    text = HEAD
    for what, how, cells in (("makespan", simulate, cells_of(processors, policies, seeds)),
                             ("lost", lost, cells_of(processors, FLOCKING, range(1, FLOCK_SEEDS + 1)))):
        for cell, value in simulate_all(how, program, cells, "", 0).items():
            text += "\t".join([what, *map(str, cell), f"{value:.4f}"]) + "\n"
    STORED.write_text(text, encoding="utf-8")


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("program")
    ask.add_argument("--processors", default="8,32,128,512")
    ask.add_argument("--policies", default=",".join(POLICIES))
    ask.add_argument("--seeds", type=int, default=5)
    ask.add_argument("--costs", default="")
    ask.add_argument("--data", type=int, default=0, help="cache lines that each body writes, at most 64")
    ask.add_argument("--out", action="store_true")
    ask.add_argument("--page", action="store_true")
    ask.add_argument("--flocks", action="store_true")
    ask.add_argument("--check", action="store_true")
    asked = ask.parse_args()
    program = str(pathlib.Path(asked.program).resolve())
    if asked.check:
        sys.exit(check(program))
    processors, seeds = [int(count) for count in asked.processors.split(",")], range(1, asked.seeds + 1)
    policies = asked.policies.split(",")
    if asked.out and (asked.flocks or asked.costs or asked.data or asked.policies != ask.get_default("policies")):
        ask.error("the page has all policies, with the costs as they are and without data")
    if "random" not in policies:
        ask.error("random is what the others are compared with")
    if asked.out:
        store(program, processors, policies, seeds)
    if asked.out or asked.page:
        WRITTEN.write_text(page(*read()), encoding="utf-8")
    else:
        found = simulate_all(lost if asked.flocks else simulate, program, cells_of(processors, policies, seeds), asked.costs, asked.data)
        print((flocks if asked.flocks else table)(found, processors, policies, seeds))


if __name__ == "__main__":
    main()
