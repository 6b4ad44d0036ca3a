# SPDX-License-Identifier: Apache-2.0
"""The runs' values in stored results, by key. What the first part of a key is:

    kernels/FIGURE/SETTING/STYLE/THREADS/LIBRARY      speed-ups of bench/kernels, one a round
    SUITE/ROW/THREADS/LIBRARY                         any suite of run.py: a round's median
    soft/TEST/LIMIT/ALLOCATOR/{peak,seconds}          the article's program
    characterisation/PROGRAM/WHAT/THREADS             real runs: ms, static_ms, and each operation's share and cycles
    victims/PROGRAM/POLICY/THREADS/WHAT               real runs
    PAPER/PROGRAM/POLICY/CORES/WHAT                   simulated cells, one value a seed (iiswc, jsa)
    product/ROW/THREADS/{predicted,measured}          runs whose bodies sleep, with the library on simulated processors
"""
import csv
import statistics

import verdict

MACHINES = {"cmp2008": "iiswc", "nehalem2015": "jsa"}
NAMES = {"bitcounter": "Bitcounter", "lu": "LU", "matmultrec": "Matmult", "treeadd": "Treeadd"}
CELL = ("ms", "joules", "overhead", "parked", "steals", "failed", "conflicts", "buried", "events")


def cpus_of(document):
    return document["machine"]["cpus"]


def from_kernels(document):
    found = verdict.Values(cpus_of(document))
    for figure in document["figures"]:
        for library, rows in figure["results"].items():
            for row in rows:
                key = f"kernels/{figure['figure']}/{row['setting']}/{row['style']}/{row['threads']}/{library}"
                found.add_speedups(key, [each["speedup"] for each in row["rounds"]], row["threads"], row["cores"])
    return found


def from_cells(document):
    found = verdict.Values(cpus_of(document))
    for cell in document["cells"]:
        rounds = [statistics.median(samples) for samples in cell["series"] if samples]
        if rounds and not cell["gap"]:
            found.add(f"{document['suite']}/{cell['row']}/{cell['threads']}/{cell['peer']}", rounds)
    return found


def from_soft(document):
    found = verdict.Values(cpus_of(document))
    for row in document["rows"]:
        for what in ("peak", "seconds"):
            found.add(f"soft/{row['test']}/{row['limit']}/{row['allocator']}/{what}", [run[what] for run in row["runs"]])
    return found


def sample_medians(cell):
    return [statistics.median(wall for wall, *_ in report["samples"]) for report in cell["rounds"] if report["samples"]]


def from_characterisation(document):
    found = verdict.Values(cpus_of(document))
    for cell in document["cells"]:
        if cell["gap"] or cell["row"] == "costs":
            continue
        program, version, *observed = cell["row"].split("/")
        if not observed:
            found.add(f"characterisation/{program}/{version}/{cell['threads']}/{cell['peer']}", sample_medians(cell))
            serial = [report["values"]["serial_ms"] for report in cell["rounds"] if "serial_ms" in report["values"]]
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


def from_study(path, cpus):
    """Simulated cells. Seeds that all gave the same count as one run: they say nothing of the scatter. A run on one core is exact.
    The bound of a cell is T1 / P + T_inf: no greedy schedule takes longer, if scheduling takes no time."""
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
        alone = len({(run["ms"], run["failed"]) for run in runs}) == 1
        for what in (*CELL, "attempts"):
            listed = [run["steals"] + run["failed"] if what == "attempts" else run[what] for run in runs]
            found.add(f"{paper}/{program}/{policy}/{cores}/{what}", listed[:1] if alone else listed, exact=cores == "1")
    return found


READERS = {"kernels": from_kernels, "soft": from_soft, "characterisation": from_characterisation, "victims": from_victims}


def values_of(document):
    return READERS.get(document["suite"], from_cells)(document)


def together(documents, cpus):
    """All of them; of two with the same key the later counts."""
    found = verdict.Values(cpus)
    for document in sorted(documents, key=lambda document: document["date"]):
        found.update(values_of(document))
    return found


def from_operations(path, cpus):
    """Simulated shares and costs of the first paper's operations, one value a seed."""
    found = verdict.Values(cpus)
    runs = {}
    for row in csv.DictReader(path.open(encoding="utf-8"), delimiter="\t"):
        place = f"operations/{row['program']}/{row['cores']}"
        for name in ("spawn", "get_task", "steal", "acquire_queue", "wait_for_all"):
            runs.setdefault(f"{place}/{name}/share", []).append(float(row[name]))
        for name in ("spawn", "get_task", "steal", "acquire_queue"):
            runs.setdefault(f"{place}/{name}/cycles", []).append(float(row[f"{name}_cycles"]))
        runs.setdefault(f"{place}/library/share", []).append(1 - float(row["work"]))
        runs.setdefault(f"{place}/success", []).append(float(row["steals"]) / float(row["attempts"]))
        serial = float(row["work"]) * float(row["ms"]) * int(row["cores"])
        if float(row["static_ms"]) > 0:
            runs.setdefault(f"{place}/tasks/speedup", []).append(serial / float(row["ms"]))
            runs.setdefault(f"{place}/static/speedup", []).append(serial / float(row["static_ms"]))
    for key, listed in runs.items():
        found.add(key, listed[:1] if len(set(listed)) == 1 else listed)
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
