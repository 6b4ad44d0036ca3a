# SPDX-License-Identifier: Apache-2.0
"""The runs' values in stored results, by key. What the first part of a key is:

    kernels/FIGURE/SETTING/STYLE/THREADS/LIBRARY      speed-ups of bench/kernels, one a round; …/span/LIBRARY is T∞ / T1, where it is known
    SUITE/ROW/THREADS/LIBRARY                         any suite of run.py: a round's median
    soft/TEST/LIMIT/ALLOCATOR/{peak,seconds}          the article's program
    characterisation/PROGRAM/WHAT/THREADS             real runs: ms, static_ms, and each operation's share and cycles
    victims/PROGRAM/POLICY/THREADS/WHAT               real runs: ms, joules where the machine counts them, counts of thefts
    PAPER/PROGRAM/POLICY/CORES/WHAT                   simulated cells, one value a seed (iiswc, jsa)
    product/ROW/THREADS/{predicted,measured}          runs whose bodies sleep, with the library on simulated processors
"""
import csv
import math
import statistics

import verdict

MACHINES = {"cmp2008": "iiswc", "nehalem2015": "jsa"}
NAMES = {"bitcounter": "Bitcounter", "lu": "LU", "matmultrec": "Matmult", "treeadd": "Treeadd"}
CELL = ("ms", "joules", "overhead", "parked", "steals", "failed", "conflicts", "buried", "events")
ARTICLE_REPEATS = 100              # of the article's test 1


def cpus_of(document):
    return document["machine"]["cpus"]


def is_quick(document):
    """Whether its problems are smaller than those of a full run."""
    return bool(document.get("quick") or (document.get("settings") or {}).get("quick") or document.get("repeats", ARTICLE_REPEATS) < ARTICLE_REPEATS)


def rank(document):
    """Sorts results: a full one counts more than a quick one, then a newer one more than an older."""
    return not is_quick(document), document["date"]


def fibonacci(n):
    here, then = 0, 1
    for _ in range(n):
        here, then = then, here + then
    return here


def span_of(setting, n):
    """T∞ / T1 of the longest chain of calls or of one leaf of a halved range, without scheduling; None where items differ or a partitioner
    decides. A serial fib(n) takes 2 F(n + 1) - 1 calls."""
    kind, _, number = setting.partition(" ")
    if n is None or not number:
        return None
    if kind == "cutoff":
        return fibonacci(int(number)) / fibonacci(int(n) + 1)
    return 0.5 ** max(0, math.ceil(math.log2(int(n) / int(number))))


def from_kernels(document):
    found = verdict.Values(cpus_of(document))
    for figure in document["figures"]:
        for library, rows in figure["results"].items():
            for row in rows:
                place = f"kernels/{figure['figure']}/{row['setting']}/{row['style']}"
                found.add_speedups(f"{place}/{row['threads']}/{library}", [each["speedup"] for each in row["rounds"]], row["threads"], row["cores"])
                span = span_of(row["setting"], figure.get("parameters", {}).get(library, {}).get("n"))
                found.add(f"{place}/span/{library}", [span], exact=True)
    return found


def median(values):
    """None of a round that has no values: it keeps its place, because the same round of another peer is its partner."""
    return statistics.median(values) if values else None


def from_cells(document):
    found = verdict.Values(cpus_of(document))
    for cell in document["cells"]:
        if not cell["gap"]:
            found.add(f"{document['suite']}/{cell['row']}/{cell['threads']}/{cell['peer']}", [median(samples) for samples in cell["series"]])
    return found


def from_soft(document):
    found = verdict.Values(cpus_of(document))
    for row in document["rows"]:
        for what in ("peak", "seconds"):
            found.add(f"soft/{row['test']}/{row['limit']}/{row['allocator']}/{what}", [run[what] for run in row["runs"]])
    return found


def sample_medians(cell):
    return [median([wall for wall, *_ in report["samples"]]) for report in cell["rounds"]]


def from_characterisation(document):
    found = verdict.Values(cpus_of(document))
    for cell in document["cells"]:
        if cell["gap"] or cell["row"] == "costs":
            continue
        program, version, *observed = cell["row"].split("/")
        if not observed:
            found.add(f"characterisation/{program}/{version}/{cell['threads']}/{cell['peer']}", sample_medians(cell))
            serial = [report["values"].get("serial_ms") for report in cell["rounds"]]
            found.add(f"characterisation/{program}/{version}-serial/{cell['threads']}/{cell['peer']}", serial)
    return found


def from_victims(document):
    found = verdict.Values(cpus_of(document))
    for cell in document["cells"]:
        if not cell["gap"]:
            key = f"victims/{cell['row']}/{cell['peer']}/{cell['threads']}"
            found.add(f"{key}/ms", sample_medians(cell))
            for what in ("failed_steals", "conflicts"):
                found.add(f"{key}/{what}", [report["values"][what] for report in cell["rounds"]])
            found.add(f"{key}/joules", [report.get("joules") for report in cell["rounds"]])
    return found


def cell_of(line):
    """(key without seed, values by name) of a line of the study's results; None for machines of no paper."""
    text, *fields = line.rstrip("\n").split("\t")
    machine, graph, policy, _, _, cores, _ = text.split(" ")
    if machine not in MACHINES:
        return None
    program = graph.split(":")[0]
    if machine == "cmp2008":
        program = NAMES[program]
    policy = "occupancy" if policy == "logged" else policy
    return (MACHINES[machine], program, policy, cores.removeprefix("P=")), dict(zip(CELL, map(float, fields)))


def spans_of(path):
    """The span in ms of each program, of the lines of `ashlar-sim study --spans`."""
    if not path.is_file():
        return {}
    rows = csv.DictReader(path.open(encoding="utf-8"), delimiter="\t")
    return {NAMES.get(name, name): float(row["span_ms"]) for row in rows for name in [row["graph"].split(":")[0]]}


def once_each(runs):
    """The runs with None for each that repeats an earlier one: seeds that gave the same are one run and say nothing of the scatter."""
    return [None if run in runs[:index] else run for index, run in enumerate(runs)]


def from_study(path, cpus):
    """Simulated cells, of seeds that differ. A run on one core is exact. The bound of a cell is T1 / P + T_inf: no greedy schedule takes
    longer, if scheduling takes no time."""
    cells, spans = {}, spans_of(path.with_name("spans.tsv"))
    for line in path.read_text(encoding="utf-8").splitlines():
        read = cell_of(line)
        if read:
            cells.setdefault(read[0], []).append(read[1])
    found = verdict.Values(cpus)
    for (paper, program, policy, cores), runs in cells.items():
        serial = cells.get((paper, program, "random", "1"))
        if serial and program in spans:
            found.add(f"{paper}/{program}/{policy}/{cores}/bound", [serial[0]["ms"] / int(cores) + spans[program]], exact=True)
    for (paper, program, policy, cores), runs in cells.items():
        different = once_each([{**run, "attempts": run["steals"] + run["failed"]} for run in runs])
        for what in (*CELL, "attempts"):
            found.add(f"{paper}/{program}/{policy}/{cores}/{what}", [run and run[what] for run in different], exact=cores == "1")
    return found


READERS = {"kernels": from_kernels, "soft": from_soft, "characterisation": from_characterisation, "victims": from_victims}


def values_of(document):
    found = READERS.get(document["suite"], from_cells)(document)
    found.quick = set(found.runs) if is_quick(document) else set()
    return found


def together(documents, cpus):
    """All of them; of two with the same key the one of higher rank counts."""
    found = verdict.Values(cpus)
    for document in sorted(documents, key=rank):
        found.update(values_of(document))
    return found


def operations_of(row):
    """The values of one seed, by name: shares of the cores' time, cycles, and speed-ups over the work where there is a static schedule."""
    made = {f"{name}/share": float(row[name]) for name in ("spawn", "get_task", "steal", "acquire_queue", "wait_for_all")}
    made.update({f"{name}/cycles": float(row[f"{name}_cycles"]) for name in ("spawn", "get_task", "steal", "acquire_queue")})
    made.update({"library/share": 1 - float(row["work"]), "success": float(row["steals"]) / float(row["attempts"])})
    serial = float(row["work"]) * float(row["ms"]) * int(row["cores"])
    if float(row["static_ms"]) > 0:
        made.update({"tasks/speedup": serial / float(row["ms"]), "static/speedup": serial / float(row["static_ms"])})
    return made


def from_operations(path, cpus):
    """Simulated shares and costs of the first paper's operations, of seeds that differ."""
    found, seeds = verdict.Values(cpus), {}
    for row in csv.DictReader(path.open(encoding="utf-8"), delimiter="\t"):
        seeds.setdefault(f"operations/{row['program']}/{row['cores']}", []).append(operations_of(row))
    for place, runs in seeds.items():
        different = once_each(runs)
        for name in runs[0]:
            found.add(f"{place}/{name}", [run and run[name] for run in different])
    return found


def from_prediction(path, cpus):
    """Makespan / ideal of the simulated seeds, and of the measured runs that stand in the file beside."""
    found = verdict.Values(cpus)
    for name, what in ((path, "predicted"), (path.with_name("sleeping_runs.tsv"), "measured")):
        for line in name.read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                row, threads, runs = line.split("\t")
                found.add(f"product/{row}/{threads}/{what}", [float(run) for run in runs.split()])
    return found


READERS_OF_FILES = {"cells.tsv": from_study, "operations.tsv": from_operations, "predicted_runs.tsv": from_prediction}
