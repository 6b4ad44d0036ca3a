# SPDX-License-Identifier: Apache-2.0
"""Predicts the rows of `./dev bench threads` whose bodies sleep, on simulated processors that run the library, and compares
the predictions with what was measured:

    predict.py PROGRAM [--rows ROW,…] [--threads 4,16,64] [--runs N] [--costs NAME=VALUE,…]     prints the tables
    predict.py PROGRAM --out PAGE                                                        all rows, as a page; `./dev paper sim-t1` shows them
    predict.py PROGRAM --page PAGE                                                       the page of the stored predictions
    predict.py PROGRAM --check                                                           some cells; fails if one is off
    predict.py PROGRAM --measured RESULT…         takes the samples of these results of `./dev bench threads`, all cells, for what was measured

PROGRAM is simulated_quality; simulated_waking lies beside it. The rows are all of bench/threads/suite.toml for whose absence not_predicted.toml
has no reason. A prediction is the median of runs with different seeds, the measured value that of the samples in MEASURED."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys

import calibrate
import compared
import many_processors
from compared import ROOT
import store
from comparison import MEDIAN, WORST, error, errors_of, percent, show, show_plainly, table, table_of_others, told_in_short

RUNS = 25
SKIPPED = 77  # the system lacks what the world needs
# What was measured, a line for each row and count of threads, and the results that it is taken from.
MEASURED = ROOT / "docs/study/sleeping_runs.tsv"
RESULTS = ROOT / "bench/results"
# What --out predicts, in the same form.
PREDICTED = ROOT / "docs/study/predicted_runs.tsv"
# The machine of MEASURED: bench/threads/waking.cpp, which has no scheduler for that, found there what told_of_wakes says; with these costs one wake takes
# 91 us (deviation / mean 0.15), with those of costs.h 47 (0.07). `calibrate.py --wakes` compares.
SYSTEM = "idle_exit=80000,spread=600"
USUAL = 60, 130  # us; what takes longer was interrupted
# The world gives no time to what a body computes. The comparisons of `sort` compute: 3000 of them (bench/threads/algorithms.h) from one sleep of a
# thread to the next, of COMPARISON ns each, which comparison_cost.cpp, a serial sort by the standard library, found on the machine of costs.h (3.3 to 4.0
# in 20 runs).
COMPARED, COMPARISON = 3000, 3.5
COMPUTES = {"sort": f"computing={COMPARED * COMPARISON:.0f}"}
# What --check looks at: cells far from the ideal whose values hardly vary in the run CHOSEN, and how far a prediction may be from that run, and
# from what is stored as predicted: as a change of the library that hardly matters moves a median by 1 %, no nearer than is asked of the median.
# From MEASURED, of another machine, a cell may be as far as is asked of the worst one.
CHOSEN = RESULTS / "amd-epyc-f25-2cpu-vm/20261127T130547Z-threads-74019a4ece.json.gz"
CHECKED = [("loop", 16), ("nested", 16), ("loop-50", 4), ("loop-1.5", 16), ("loop-random", 16), ("scan", 4), ("sort", 4), ("applications-2", 4),
           ("applications-4", 4), ("priorities", 4), ("priorities-low", 8)]
CLOSE = MEDIAN


def rows():
    """The names of the rows that are told as a share of the ideal, from the suite itself."""
    return compared.makespans(compared.rows())


def simulate(program, row, threads, costs="", runs=RUNS, name=""):
    """The values of so many runs, each a process of its own with a seed of its own."""
    values, asked = [], compared.rows()[row]
    program = str(pathlib.Path(program).with_name(f"simulated_{asked.program}"))
    for seed in range(1, runs + 1):
        told = ",".join(filter(None, [f"seed={seed}", SYSTEM, COMPUTES.get(row), costs]))
        done = subprocess.run([name or program, asked.row, "--threads", str(threads), "--samples", str(asked.samples or 1)], executable=program,
                              capture_output=True, text=True, env={**os.environ, "ASHLAR_SIMULATED": told, "UNUSED": name}, check=False)
        if done.returncode == SKIPPED:
            print(done.stderr.strip())
            sys.exit(SKIPPED)
        found = json.loads(done.stdout) if done.returncode == 0 else {"ok": False}
        if not found["ok"]:
            sys.exit(f"{row}, {threads} threads, seed {seed}: {done.stderr.strip() or found.get('error') or 'wrong result'}")
        values += [found["values"][asked.value]] if asked.value else [sample[0] for sample in found["samples"]]
    return values


def read(path):
    """All samples of our library by row and threads."""
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {(row, int(threads)): [float(value) for value in values.split()] for row, threads, values in lines}


def text_of(head, cells):
    return head + "".join(f"{row}\t{threads}\t{' '.join(f'{value:.4f}' for value in values)}\n" for (row, threads), values in cells.items())


def all_samples_of(results):
    """(the head of MEASURED, all samples of these results, by row and threads)."""
    taken, head = {}, "# Makespan / ideal of this library's runs, or the unit of the row, which predict.py compares with: row, threads, samples. They are of\n"
    for result in results:
        told = store.read(result)
        counts = sorted({cell["threads"] for cell in told["cells"]})
        head += f"# {result.parent.name}/{result.name}, T = {', '.join(map(str, counts))}\n"
        for cell in told["cells"]:
            if cell["peer"] == "ashlar" and not cell["gap"]:
                taken.setdefault((cell["row"], cell["threads"]), []).extend(value for samples in cell["series"] for value in samples)
    return head, taken


def samples_of(results):
    """The same of the cells that are compared."""
    head, taken = all_samples_of(results)
    cells = compared.cells(compared.rows())
    missing = [f"{row} T {threads}" for row, threads in cells if (row, threads) not in taken]
    if missing:
        sys.exit(f"no result has {', '.join(missing)}")
    return head, {cell: taken[cell] for cell in cells}


def measured_text(results):
    """What MEASURED holds of these results."""
    return text_of(*samples_of(results))


def results_of_measured():
    """The results that MEASURED names."""
    heads = [line.removeprefix("# ").partition(",")[0] for line in MEASURED.read_text(encoding="utf-8").splitlines() if line.startswith("# ") and ".json" in line]
    return [RESULTS / name for name in heads]


def parts(predicted, real):
    """[(heading, summary, lines)] of the makespans and of the rows that are told otherwise, as far as they are predicted."""
    among = compared.rows()
    ours = {key: values for key, values in predicted.items() if key[0] in compared.makespans(among)}
    others = {key: values for key, values in predicted.items() if key not in ours}
    made = [("Makespan / ideal", *table(ours, real))] if ours else []
    return made + ([("Rows with other units", *table_of_others(others, real, lambda row: compared.unit(among[row])))] if others else [])


def times(predicted):
    """Of all that is predicted what is a time."""
    among = compared.rows()
    return {key: values for key, values in predicted.items() if compared.unit(among[key[0]]) in ("x ideal", "us")}


def told_together(predicted, real):
    return f"All times together, {told_in_short(errors_of(times(predicted), real))}"


def told_by_results(predicted):
    *before, last = results_of_measured()
    if not before:
        return "All measured samples are of one run of the suite."
    errors = [errors_of(times(predicted), samples_of(results)[1]).values() for results in ([last], before)]
    alone, others = [f"{percent(statistics.median(found))} and {percent(max(found))}" for found in errors]
    return f"Median and worst are {alone} against the last of the measured results alone, {others} against the others."


def told_of_wakes():
    """What SYSTEM is for: one wake on the machine of the measured rows, of whichever library's run, as there is no scheduler in it."""
    found = [wake for result in results_of_measured() for wake in calibrate.wakes_of(result)]
    usual = [wake for wake in found if USUAL[0] <= wake <= USUAL[1]]
    return (f"one wake takes {statistics.median(found):.0f} us (median of {len(found)} runs; {len(usual)} of them take {USUAL[0]} to {USUAL[1]} us, and their "
            f"deviation / mean is {statistics.stdev(usual) / statistics.fmean(usual):.2f})")


def told_of_128():
    return f"With 128 threads on two processors, the only ones of these that were measured, `loop` took {statistics.median(all_samples_of(results_of_measured())[1]['loop', 128]):.3f}."


def told_in_readme():
    """Sentences that the README has."""
    predicted, real = read(PREDICTED), read(MEASURED)
    return told_together(predicted, real), told_by_results(predicted), told_of_wakes(), told_of_128()


def check(program):
    real, newest, stored = samples_of([CHOSEN])[1], read(MEASURED), read(PREDICTED)
    cell = ("sort", 4)
    wrong = simulate(program, *cell, runs=1) == simulate(program, *cell, runs=1, costs="computing=0")
    if wrong:
        print("sort computes nothing  WRONG")
    for cell in CHECKED:
        # The same seed gives the same result, whatever the program's path and the environment are.
        first, again = simulate(program, *cell, runs=5), simulate(program, *cell, runs=1, name="p" * 99)
        off, new, old = (error(first, samples[cell]) for samples in (real, newest, stored))
        good = abs(off) <= CLOSE and abs(new) <= WORST and abs(old) <= CLOSE and again == first[:1]
        wrong += not good
        print(f"{cell[0]:16} T {cell[1]:3} predicted {show(first)}, measured {show(real[cell])}, {100 * off:+.1f} %, {100 * new:+.1f} % beside the page's run, "
              f"{100 * old:+.1f} % beside the stored prediction"
              f"{'' if good else '  WRONG'}{'' if again == first[:1] else ' (the same seed gave another result)'}")
    return wrong != 0 or not many_processors.check(program)


PAGE = """# The library's own scheduler on simulated processors

Written by `sim/product/predict.py build/dev/sim/product/simulated_quality --out docs/study/product.md`; [how it works](../../sim/product/README.md).
The list of what is compared is bench/threads/suite.toml, which is older than the simulator: all rows but those of the last table, which has the
reasons. No cost was fitted to them: `calibrate.py` has programs of its own, what one wake takes on that machine is `waking-one_wake`, which has no scheduler and
is not compared, and what the comparisons of `sort` compute comes from a serial sort without a scheduler (`comparison_cost.cpp`). Medians (least to most) of {runs} seeds and of the measured samples in [sleeping_runs.tsv](sleeping_runs.tsv); the predicted
ones are in [predicted_runs.tsv](predicted_runs.tsv).

{together} {by_results}

{parts}## Rows that are not predicted

| rows | why |
|---|---|
{reasons}

## More processors than were measured

{many}
"""


def page(predicted, real):
    """The page of these samples and of what is stored of more processors."""
    told = "".join(f"## {heading}\n\n{summary}\n\n{chr(10).join(lines)}\n\n" for heading, summary, lines in parts(predicted, real))
    reasons = "\n".join(f"| {', '.join(f'`{row}`' for row in group)} | {why} |" for group, why in compared.reasons())
    return PAGE.format(runs=min(map(len, predicted.values())), together=told_together(predicted, real), by_results=told_by_results(predicted), parts=told, reasons=reasons,
                       many=many_processors.told(many_processors.read()))


def simulate_all(program, cells, costs, runs):
    predicted = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as several:
        started = {cell: several.submit(simulate, program, *cell, costs, runs) for cell in cells}
        for number, cell in enumerate(cells, 1):
            predicted[cell] = started[cell].result()
            print(f"{number} of {len(cells)}: {cell[0]}, {cell[1]} threads", file=sys.stderr)
    return predicted


def asked():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("program")
    ask.add_argument("--check", action="store_true")
    ask.add_argument("--rows")
    ask.add_argument("--threads", default=",".join(map(str, compared.COUNTS)))
    ask.add_argument("--costs", default="")
    ask.add_argument("--runs", type=int, default=RUNS)
    ask.add_argument("--out", type=pathlib.Path)
    ask.add_argument("--page", type=pathlib.Path)
    ask.add_argument("--measured", type=pathlib.Path, nargs="+")
    told = ask.parse_args()
    if told.out and (told.rows or told.costs or told.threads != ask.get_default("threads")):
        ask.error("a page has all cells, with the costs as they are")
    return told


def main():
    told = asked()
    program = str(pathlib.Path(told.program).resolve())
    if told.measured:
        return MEASURED.write_text(measured_text([path.resolve() for path in told.measured]), encoding="utf-8")
    if told.check:
        sys.exit(check(program))
    real = read(MEASURED)
    if told.page:
        return told.page.write_text(page(read(PREDICTED), real), encoding="utf-8")
    among = compared.rows()
    cells = compared.cells({row: among[row] for row in told.rows.split(",")} if told.rows else among, list(map(int, told.threads.split(","))))
    predicted = simulate_all(program, cells, told.costs, told.runs)
    if told.out:
        PREDICTED.write_text(text_of(f"# Makespan / ideal on simulated processors, or the unit of the row, {told.runs} seeds each, as predict.py found them: row, threads, samples.\n",
                                     predicted), encoding="utf-8")
        return told.out.write_text(page(read(PREDICTED), real), encoding="utf-8")
    for row, threads in set(cells) - set(real):
        print(f"{row}, {threads} threads, not measured: {show_plainly(predicted.pop((row, threads)))}")
    for _, summary, lines in parts(predicted, real):
        print("\n".join([*lines, summary]))
    return None


if __name__ == "__main__":
    main()
