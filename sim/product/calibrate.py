# SPDX-License-Identifier: Apache-2.0
"""Finds the costs with which simulated processors take as long as this machine for system_costs.cpp. Prints them, as
ASHLAR_SIMULATED takes them, then each measurement beside its simulation; the machine should be quiet.

With --wakes, compares what one wake takes, and how much it differs from run to run, with results of `./dev bench threads`:
bench/threads/waking.cpp measures that with a condition variable, without a scheduler. The costs to try are those of
ASHLAR_SIMULATED."""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/harness"))
import store  # noqa: E402  pylint: disable=wrong-import-position

# What is searched, in which order, with the values of which the search starts.
START = {"idle_exit": 20000, "timer": 3000, "sleep_call": 10000, "change": 1000, "wake_call": 3500, "timer_hit": 2000, "create": 20000, "yield": 600, "spread": 300}
MOST = {"spread": 1000}
STEPS = (1.5, 1.15, 1.05)


def read(text):
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


def run(program, rounds, costs=None):
    told = {} if costs is None else {"ASHLAR_SIMULATED": as_text(costs)}
    done = subprocess.run([program, str(rounds)], env={**os.environ, **told}, capture_output=True, text=True, check=True)
    return read(done.stdout)


def as_text(costs):
    return ",".join(f"{name}={round(value)}" for name, value in costs.items())


def error(found, measured):
    """The mean of the squared logarithms of the ratios: all measurements count alike."""
    return statistics.mean(math.log(max(found[name], 0.01) / value) ** 2 for name, value in measured.items() if name != "fence")


def fit(simulated, measured):
    costs = dict(START)
    best = error(run(simulated, 3, costs), measured)
    for step in STEPS:
        better = True
        while better:
            better = False
            for name in costs:
                for factor in (step, 1 / step):
                    tried = {**costs, name: min(costs[name] * factor, MOST.get(name, math.inf))}
                    now = error(run(simulated, 3, tried), measured)
                    if now < best * 0.999:
                        costs, best, better = tried, now, True
                        break
    return costs


def wakes_of(result):
    """What one wake took in each run, of whichever library."""
    cells = store.read(pathlib.Path(result))["cells"]
    return [value for cell in cells if cell["row"] == "waking-one_wake" and not cell["gap"] for samples in cell["series"] for value in samples]


def simulated_wake(program, seed):
    told = ",".join(filter(None, [f"seed={seed}", os.environ.get("ASHLAR_SIMULATED")]))
    done = subprocess.run([program, "waking", "--threads", "2", "--samples", "1", "--size", "1"], env={**os.environ, "ASHLAR_SIMULATED": told},
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["values"]["one_wake"]


def compare_wakes(folder, results):
    measured = [value for result in results for value in wakes_of(result)]
    for name, values in (("measured", measured), ("simulated", [simulated_wake(folder / "simulated_waking", seed) for seed in range(1, 51)])):
        print(f"{name:9} {len(values)} runs, median {statistics.median(values):.1f} us, {min(values):.1f} to {max(values):.1f}, "
              f"deviation / mean {statistics.stdev(values) / statistics.fmean(values):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="holds system_costs and simulated_system_costs")
    parser.add_argument("files", nargs="*", help="what system_costs has written; without them it is run, five times")
    parser.add_argument("--wakes", action="store_true", help="the files are results of `./dev bench threads`")
    options = parser.parse_args()
    folder, files = options.folder.resolve(), options.files
    if options.wakes:
        if not files:
            parser.error("--wakes needs a result")
        compare_wakes(folder, files)
        return
    runs = [read(pathlib.Path(file).read_text()) for file in files] or [run(folder / "system_costs", 15) for _ in range(5)]
    measured = {name: statistics.median(one[name] for one in runs) for name in runs[0]}
    # In a virtual machine half of the runs find the other thread's processor taken away: the fence then interrupts nobody.
    measured["fence"] = max(one["fence"] for one in runs)
    costs = fit(folder / "simulated_system_costs", measured)
    costs["fence"] = 1000 * measured["fence"]
    print(as_text(costs))
    found = run(folder / "simulated_system_costs", 9, costs)
    for name, value in measured.items():
        print(f"{name:9} {value:9.2f} {found[name]:9.2f}  {100 * (found[name] / value - 1):+4.0f} %")


if __name__ == "__main__":
    main()
