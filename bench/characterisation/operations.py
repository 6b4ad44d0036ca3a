# SPDX-License-Identifier: Apache-2.0
"""The tables of the characterisation: what the scheduler's operations cost and which share of the run time they take.

A time of an operation is taken with two readings of the clock, so it holds one reading itself; `ticks_per_reading`, which
every run measures, is taken off. Counters that have no count of their own are told per event that comes nearest.
"""
import statistics

# Name, counter of its time, and the counters whose sum says how often it happened.
OPERATIONS = (("spawn", "spawn_ticks", ("spawned",)),
              ("get_task", "get_task_ticks", ("executed",)),
              ("acquire_queue", "acquire_queue_ticks", ("stolen", "conflicts")),
              ("steal", "steal_ticks", ("stolen",)),
              ("wait_for_all", "wait_ticks", ()))


def find(cells, row, threads, peer="ashlar"):
    return next((c for c in cells if (c["row"], c["threads"], c["peer"]) == (row, threads, peer) and not c["gap"]), None)


def median_ms(cell):
    return statistics.median(ms for series in cell["series"] for ms in series) if cell else None


def mean_ms(cell):
    return statistics.fmean(ms for series in cell["series"] for ms in series)


def values_of(cell):
    """The values of the reports, as means over the rounds."""
    return {name: statistics.fmean(report["values"][name] for report in cell["rounds"]) for name in cell["rounds"][0]["values"]}


def operation(cell, ticks, counts):
    """(times it happened in a run, cycles of one, share of the threads' time in per cent)."""
    values = values_of(cell)
    number = sum(values[name] for name in counts)
    own = number * values["ticks_per_reading"]
    spent = max(0.0, values[ticks] - own)
    whole = cell["threads"] * mean_ms(cell) * values["ticks_per_ms"]
    return number if counts else None, spent / number if number >= 1 else None, 100 * spent / whole


def row_of(cells, program, threads):
    """One program at one thread count; None where it was not measured."""
    plain, seen = (find(cells, f"{program}/tasks{suffix}", threads) for suffix in ("", "/observed"))
    if not plain or not seen:
        return None
    serial = statistics.median(report["values"]["serial_ms"] for c in (plain, seen) for report in c["rounds"])
    made = {"program": program, "threads": threads, "serial_ms": serial, "ms": median_ms(plain),
            "observed_ms": median_ms(seen), "static_ms": median_ms(find(cells, f"{program}/static", threads)),
            "disturbed": bool(plain["disturbed"] or seen["disturbed"]), "operations": {}}
    for peer in dict.fromkeys(c["peer"] for c in cells if c["peer"] != "ashlar"):
        made[f"{peer}_ms"] = median_ms(find(cells, f"{program}/tasks", threads, peer))
    for name, ticks, counts in OPERATIONS:
        number, cycles, share = operation(seen, ticks, counts)
        made["operations"][name] = {"number": number, "cycles": cycles, "share": share}
    made["failed_steals"] = values_of(seen)["failed_steals"]
    # A waiting thread's steal is part of its wait, a worker's is not; both are in `steal`. So this is a lower bound.
    shares = {name: entry["share"] for name, entry in made["operations"].items()}
    made["share"] = shares["spawn"] + max(shares["wait_for_all"], shares["steal"])
    return made


def rows(cells):
    keys = dict.fromkeys((c["row"].split("/")[0], c["threads"]) for c in cells if c["row"] != "costs")
    return [made for key in keys if (made := row_of(cells, *key))]


def shown(value, digits=1):
    if value is None:
        return "-"
    return f"{value:.{digits}f}" if abs(value) < 1e5 else f"{value:.2g}"


def grid(head, body):
    """Aligned columns; the first is text."""
    widths = [max(len(line[i]) for line in [head, *body]) for i in range(len(head))]
    lines = [head, ["-" * w for w in widths], *body]
    return "\n".join("  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths))).rstrip()
                     for line in lines)


def thread_text(row, cpus):
    return f"{row['threads']}{'*' if row['threads'] > cpus else ''}{'!' if row['disturbed'] else ''}"


def cycles_table(found, cpus):
    head = ["program", "thr"] + [text for name, _, counts in OPERATIONS[:-1] for text in (name, "times")] + ["failed steals"]
    body = []
    for row in found:
        cells = [shown(row["operations"][name][key], 0) for name, _, _ in OPERATIONS[:-1] for key in ("cycles", "number")]
        body.append([row["program"], thread_text(row, cpus), *cells, shown(row["failed_steals"], 0)])
    return grid(head, body)


def share_table(found, cpus):
    head = ["program", "thr", *(name for name, _, _ in OPERATIONS), "at least", "observing"]
    body = [[row["program"], thread_text(row, cpus), *(shown(row["operations"][name]["share"], 2) for name, _, _ in OPERATIONS),
             shown(row["share"], 2), f"{100 * (row['observed_ms'] / row['ms'] - 1):+.1f}"] for row in found]
    return grid(head, body)


def time_table(found, peers, cpus):
    others = [name for name in peers if name != "ashlar" and any(row.get(f"{name}_ms") for row in found)]
    head = ["program", "thr", "serial ms", "tasks ms", "speed-up", "static ms", "tasks/static",
            *(text for name in others for text in (f"{name} ms", "ours/its"))]
    body = []
    for row in found:
        line = [row["program"], thread_text(row, cpus), shown(row["serial_ms"], 2), shown(row["ms"], 2),
                shown(row["serial_ms"] / row["ms"], 2), shown(row["static_ms"], 2),
                shown(row["static_ms"] and row["ms"] / row["static_ms"], 2)]
        for name in others:
            theirs = row.get(f"{name}_ms")
            line += [shown(theirs, 2), shown(theirs and row["ms"] / theirs, 2)]
        body.append(line)
    return grid(head, body)


def costs_table(cells, titles):
    """What the operations cost on one thread as the user sees them."""
    names = ("allocate", "spawn", "get_task", "wait_for_all")
    body = [[titles[c["peer"]], *(shown(statistics.median(r["values"][name] for r in c["rounds"])) for name in names)]
            for c in cells if c["row"] == "costs" and not c["gap"]]
    return grid(["library", "allocate", "spawn", "get_task and run", "wait_for_all, nothing left"], body)


def text(document):
    """Everything that is printed."""
    found, cpus = rows(document["cells"]), document["machine"]["cpus"]
    sizes = ", ".join(f"{program} {size}" for program, size in document["sizes"].items())
    parts = [f"{document['title']}\n{document['machine']['cpu']}, {cpus} CPUs; commit {document['commit']}, {document['date']}",
             f"Sizes: {sizes}",
             "Cost of one operation in clock cycles (of the time stamp counter), and how often it happens in a run. get_task: per "
             "job\nthat the dispatcher ran, because jobs that a loop takes back from its own deque never get there. "
             "acquire_queue: per job claimed or\nlost to another thread. steal: all looking for work, per job stolen. "
             f"Reading the clock ({document['clock_reading']:.0f} cycles) is taken off.\n\n" + cycles_table(found, cpus),
             "Share of the threads' time in per cent. wait_for_all holds the get_task and steal of the threads that wait, and their "
             "sleep,\nbut not the steal of workers, so 'at least' is spawn and the greater of wait_for_all and steal.\n'observing': by how much the run was longer because of the measurement.\n\n" + share_table(found, cpus),
             "The operations as the user sees them, in cycles: 1000 empty tasks of class tbb::task spawned and waited for on one "
             "thread\n\n" + costs_table(document["cells"], {name: peer["title"] for name, peer in document["peers"].items()}),
             "Time, medians. static: pthreads with fixed shares.\n\n" + time_table(found, document["peers"], cpus),
             "What the paper claims: ./dev paper iiswc-1"]
    notes = ["* more threads than CPUs; their time holds that without a CPU"]
    if any(row["disturbed"] for row in found):
        notes.append("! other processes disturbed these runs")
    notes += [f"Missing: {peer['title']}: {peer['missing']}" for peer in document["peers"].values() if peer["missing"]]
    if document["disturbed"]:
        notes.append(f"Reported in spite of this: {document['disturbed']}")
    notes += [f"No figure: {c['row']}, {c['threads']} threads, {c['peer']}: {c['gap']}" for c in document["cells"] if c["gap"]]
    return "\n\n".join(parts + ["\n".join([*notes, f"{document['seconds']} s"])])
