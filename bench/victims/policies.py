# SPDX-License-Identifier: Apache-2.0
"""The tables of the victim selection study; bench/paper judges what the papers claim of the policies."""
import math
import statistics

import energy

POLICIES = ("distance", "random", "pseudo_random", "occupancy", "tbb41", "hybrid")
COUNTERS = ("stolen", "failed_steals", "conflicts", "parks")


def spread(values):
    """(mean, standard deviation / mean) of the runs; no deviation of a single one."""
    mean = statistics.fmean(values)
    return mean, statistics.stdev(values) / mean if len(values) > 1 and mean > 0 else None


def row_of(cell):
    samples = [sample for report in cell["rounds"] for sample in report["samples"]]
    ms, deviation = spread([wall for wall, _ in samples])
    cpu_ms, cpu_deviation = spread([wall * cores for wall, cores in samples])
    serial = statistics.median(report["values"]["serial_ms"] for report in cell["rounds"])
    made = {"program": cell["row"], "threads": cell["threads"], "policy": cell["peer"], "runs": len(samples), "ms": ms,
            "sigma_over_mu": deviation, "cpu_ms": cpu_ms, "cpu_sigma_over_mu": cpu_deviation, "serial_ms": serial,
            "speedup": serial / ms, "disturbed": cell["disturbed"]}
    joules = [report.get("joules") for report in cell["rounds"]]  # of whole processes, which all run as many times
    made["joules"], made["joules_sigma_over_mu"] = (None, None) if None in joules else spread(joules)
    for name in COUNTERS:  # of one run; the reports hold means over as many runs each
        made[name] = statistics.fmean(report["values"][name] for report in cell["rounds"])
    return made


def base_of(found):
    """What the paper compares with: random selection as TBB 4.1 has it, pauses and back-off included; our own `random` where that was
    not measured."""
    return "tbb41" if any(row["policy"] == "tbb41" for row in found) else "random"


def rows(cells):
    """One per program, thread count and policy, with time and CPU time relative to base_of() them."""
    made = [row_of(cell) for cell in cells if cell["rounds"] and not cell["gap"]]
    base = {(row["program"], row["threads"]): row for row in made if row["policy"] == base_of(made)}
    for row in made:
        against = base.get((row["program"], row["threads"]))
        row["time_ratio"] = row["ms"] / against["ms"] if against else None
        row["cpu_ratio"] = row["cpu_ms"] / against["cpu_ms"] if against and against["cpu_ms"] else None
        row["joules_ratio"] = row["joules"] / against["joules"] if against and row["joules"] is not None and against["joules"] else None
    return made


def joules_table(found):
    """Energy of the packages in a whole process, or why there is none."""
    counted = [row for row in found if row.get("joules") is not None]
    if not counted:
        return f"Energy: {energy.NONE}; CPU time stands for it."
    lines = [f"{row['program']:18} {row['threads']:>3} {row['policy']:14} {shown(row['joules'], 2):>9} J {percent(row['joules_sigma_over_mu']):>7}  "
             f"{shown(row['joules_ratio'], 3)}" for row in counted]
    return "\n".join([f"Energy of the processors' packages in a whole process, sigma/mu, and relative to {base_of(found)}", *lines])


def shown(value, digits=1):
    if value is None:
        return "-"
    return f"{value:.{digits}f}" if abs(value) < 1e6 else f"{value:.2g}"


def percent(value, digits=1):
    return "-" if value is None else f"{100 * value:.{digits}f} %"


def table(found, cpus):
    head = ["program", "thr", "policy", "ms", "sigma/mu", "CPU ms", "sigma/mu", f"time/{base_of(found)}", f"CPU/{base_of(found)}", "speed-up", "stolen",
            "failed steals", "conflicts", "parks"]
    body = []
    for row in found:
        marks = ("*" if row["threads"] > cpus else "") + ("!" if row["disturbed"] else "")
        body.append([row["program"], f"{row['threads']}{marks}", row["policy"], shown(row["ms"], 2), percent(row["sigma_over_mu"]),
                     shown(row["cpu_ms"], 2), percent(row["cpu_sigma_over_mu"]), shown(row["time_ratio"], 3),
                     shown(row["cpu_ratio"], 3), shown(row["speedup"], 2), *(shown(row[name]) for name in COUNTERS)])
    widths = [max(len(line[i]) for line in [head, *body]) for i in range(len(head))]
    lines = [head, ["-" * w for w in widths], *body]
    return "\n".join("  ".join(c.ljust(w) if i in (0, 2) else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))).rstrip()
                     for line in lines)


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values))) if values else None


def summary(found):
    """(policy, threads, mean time ratio, mean CPU ratio) over the programs."""
    made = []
    for policy in dict.fromkeys(row["policy"] for row in found):
        for threads in dict.fromkeys(row["threads"] for row in found):
            mine = [row for row in found if (row["policy"], row["threads"]) == (policy, threads)]
            made.append((policy, threads, geometric_mean([r["time_ratio"] for r in mine if r["time_ratio"]]),
                         geometric_mean([r["cpu_ratio"] for r in mine if r["cpu_ratio"]])))
    return made


def summary_table(found, cpus):
    threads = list(dict.fromkeys(row["threads"] for row in found))
    values = {(policy, n): (time, cpu) for policy, n, time, cpu in summary(found)}
    lines = [f"{'':16}" + "".join(f"{str(n) + ('*' if n > cpus else '') + ' thr':>16}" for n in threads)]
    for policy in dict.fromkeys(row["policy"] for row in found):
        cells = (values[policy, n] for n in threads)
        lines.append(f"{policy:16}" + "".join(f"{shown(time, 3) + ' / ' + shown(cpu, 3):>16}" for time, cpu in cells))
    return "\n".join(lines)


def text(document):
    """Everything that is printed."""
    found, cpus = rows(document["cells"]), document["machine"]["cpus"]
    sizes = ", ".join(f"{name} {size}" for name, size in document["sizes"].items())
    parts = [f"{document['title']}\n{document['machine']['cpu']}, {cpus} CPUs; commit {document['commit']}, {document['date']}",
             f"Sizes: {sizes}. Means of {max((row['runs'] for row in found), default=0)} runs.", table(found, cpus),
             f"Time / CPU time relative to {base_of(found)}, geometric means over the programs\n" + summary_table(found, cpus),
             joules_table(found), "What the papers claim: ./dev paper jsa-real"]
    notes = [f"* more threads than the {cpus} CPUs: what the policy saves or costs is mixed with the kernel's scheduling"]
    if any(row["disturbed"] for row in found):
        notes.append("! other processes disturbed some of these runs")
    if document["disturbed"]:
        notes.append(f"Reported in spite of this: {document['disturbed']}")
    notes += [f"No figure: {c['row']}, {c['threads']} threads, {c['peer']}: {c['gap']}" for c in document["cells"] if c["gap"]]
    return "\n\n".join(parts + ["\n".join([*notes, f"{document['seconds']} s"])])
