# SPDX-License-Identifier: Apache-2.0
"""The cells of a sweep: read, compared, printed and drawn. A cell is a construct, a body's length and a number of threads.

A second thread never hurts: ours with T threads takes no longer than ours with one, nor than the rival with as many.
"""
import dataclasses
import statistics

import stats

# Which peer's time with as many threads a library of ours must not exceed.
RIVALS = {"ashlar": "onetbb", "ashlar-classic": "tbb2020", "ashlar-binary": "onetbb"}


@dataclasses.dataclass
class Cell:
    """CPU time of a unit in each round, and the wall times of each round's samples; nanoseconds."""
    cpu: list = dataclasses.field(default_factory=list)
    wall: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Verdict:
    ratio: float      # ours / the better one
    low: float        # where its interval begins
    of_rival: float | None
    better: str       # what ours is compared with: "1 thread", or the rival


def parse(text):
    """What a program of this folder prints: {(site, grain): (CPU time, [wall times])}, and the cores that others used."""
    found, foreign = {}, 0.0
    for line in text.splitlines():
        words = line.split()
        if words[0] == "foreign_cores":
            foreign = float(words[1])
        else:
            found[words[0], int(words[1])] = float(words[2]), [float(word) for word in words[3:]]
    return found, foreign


def listed(results):
    """The results as a file holds them."""
    return [{"library": library, "threads": threads, "site": site, "grain": grain, "cpu": cell.cpu, "wall": cell.wall}
            for library, by_threads in results.items() for threads, taken in by_threads.items()
            for (site, grain), cell in taken.items()]


def from_list(entries):
    """The results that a file holds."""
    results = {}
    for entry in entries:
        taken = results.setdefault(entry["library"], {}).setdefault(entry["threads"], {})
        taken[entry["site"], entry["grain"]] = Cell(entry["cpu"], entry["wall"])
    return results


def judge(results, ours, rival, threads, key):
    """The verdict on one cell, from the rounds' medians; None if there is nothing to compare with."""
    def medians(library, with_threads):
        cell = results.get(library, {}).get(with_threads, {}).get(key)
        return cell and [[statistics.median(samples)] for samples in cell.wall]

    mine = medians(ours, threads)
    others = {name: series for name, series in (("1 thread", medians(ours, 1)), (rival, medians(rival, threads))) if series}
    if not mine or not others:
        return None
    better = min(others, key=lambda name: stats.value(others[name]))
    return Verdict(stats.ratio(mine, others[better]), stats.ratio_interval(mine, others[better])[0],
                   stats.ratio(mine, others[rival]) if rival in others else None, better)


def verdicts(results, ours, rival, threads):
    """{(site, grain): Verdict} of all cells with so many threads."""
    found = {key: judge(results, ours, rival, threads, key) for key in results[ours].get(threads, {})}
    return {key: verdict for key, verdict in found.items() if verdict is not None}


def axes(keys):
    """The sites in their order, and the bodies, ascending."""
    return list(dict.fromkeys(site for site, _ in keys)), sorted({grain for _, grain in keys})


def body(grain):
    return f"{grain} ns" if grain < 1000 else f"{grain / 1000:g} us" if grain < 1_000_000 else f"{grain / 1_000_000:g} ms"


def above(found, limit):
    """The cells that miss the limit: their ratio is above, and the interval too."""
    return sorted((key for key, verdict in found.items() if verdict.ratio > limit and verdict.low > limit),
                  key=lambda key: -found[key].ratio)


def table(found, limit):
    sites, grains = axes(found)
    lines = [f"{'':18}" + "".join(f"{body(grain):>13}" for grain in grains)]
    for site in sites:
        line = f"{site:18}"
        for grain in grains:
            verdict = found.get((site, grain))
            if verdict is None:
                line += f"{'':13}"
                continue
            rival = "" if verdict.of_rival is None else f"({verdict.of_rival:.2f})"
            line += f"{verdict.ratio:5.2f}{rival:>6}{'!' if verdict.ratio > limit and verdict.low > limit else ' '} "
        lines.append(line.rstrip())
    return lines


def report(results, rivals, limit, say=print):
    """Prints a table for each library of ours and number of threads; returns how many cells are above the limit."""
    total = 0
    for ours, rival in rivals.items():
        if ours not in results:
            continue
        for threads in results[ours]:
            found = verdicts(results, ours, rival, threads)
            if threads == 1 or not found:
                continue
            say(f"\n{ours} with {threads} threads, of the better of itself with 1 and {rival} with {threads}; in brackets of {rival}."
                f" !: above {limit:g}, the interval too")
            for line in table(found, limit):
                say(line)
            missed = above(found, limit)
            beaten = [key for key, verdict in found.items() if verdict.of_rival is not None and verdict.of_rival > limit]
            say(f"{len(missed)} of {len(found)} cells above {limit:g}; {len(beaten)} above {limit:g} of {rival}")
            total += len(missed)
    return total


def draw(results, rivals, titles, directory):
    """A heat map of each library's cost of a unit beside its body, and of ours by the better."""
    import matplotlib  # pylint: disable=import-outside-toplevel
    matplotlib.use("svg")
    from matplotlib import colors, pyplot  # pylint: disable=import-outside-toplevel
    directory.mkdir(parents=True, exist_ok=True)

    def plot(name, title, values, scale, ticks):
        sites, grains = axes(values)
        rows = [[values.get((site, grain), float("nan")) for grain in grains] for site in sites]
        figure, axis = pyplot.subplots(figsize=(1.5 + 0.8 * len(grains), 1.5 + 0.24 * len(sites)))
        picture = axis.pcolormesh(rows, cmap="RdYlGn_r", norm=scale)
        axis.set_xticks([i + 0.5 for i in range(len(grains))], [body(grain) for grain in grains], rotation=45)
        axis.set_yticks([i + 0.5 for i in range(len(sites))], sites, fontsize=7)
        axis.invert_yaxis()
        for y, row in enumerate(rows):
            for x, value in enumerate(row):
                if value == value:  # no NaN
                    axis.text(x + 0.5, y + 0.5, f"{value:.3g}", ha="center", va="center", fontsize=5)
        figure.colorbar(picture, ticks=ticks, format="%g")
        axis.set_title(title, fontsize=9)
        figure.tight_layout()
        figure.savefig(directory / f"sweep-{name}.svg")
        pyplot.close(figure)

    for library, by_threads in results.items():
        for threads, taken in by_threads.items():
            lost = {key: max(stats.value(cell.wall) * (threads if key[1] else 1) / max(key[1], 1), 1e-3) for key, cell in taken.items() if key[1]}
            if lost:
                plot(f"{library}-{threads}", f"{titles[library]}, {threads} threads: time x threads / body of a unit", lost,
                     colors.LogNorm(0.9, 10), [1, 2, 5, 10])
            if library not in rivals or threads == 1:
                continue
            found = verdicts(results, library, rivals[library], threads)
            plot(f"{library}-{threads}-of-better", f"{titles[library]}, {threads} threads, of the better of 1 thread and {rivals[library]}",
                 {key: verdict.ratio for key, verdict in found.items()}, colors.TwoSlopeNorm(1, 0.5, 2), [0.5, 1, 1.5, 2])
