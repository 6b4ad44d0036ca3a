# SPDX-License-Identifier: Apache-2.0
"""Figures 10 to 15 of the 2007 paper from a result file: figures.py RESULTS.json DIRECTORY writes
malloc-figure-NN.svg for every figure whose rows were measured. Needs matplotlib.
"""
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "harness"))
from plot import THEMES  # noqa: E402

COLOURS = THEMES["light"]
STYLES = ("blocking", "continuation", "bypass", "recycling")


def medians(document):
    """(row, threads, peer) -> median over all samples."""
    found = {}
    for cell in document["cells"]:
        samples = [value for series in cell["series"] for value in series]
        if samples:
            found[cell["row"], cell["threads"], cell["peer"]] = statistics.median(samples)
    return found


def by_threads(found, peers, row, value):
    """One curve per peer; value(cost, threads, cost of one thread) is drawn."""
    curves = {}
    for peer in peers:
        one = found.get((row, 1, peer))
        points = [(t, value(found[row, t, peer], t, one)) for t in (1, 2, 4, 8) if one and (row, t, peer) in found]
        if points:
            curves[peer] = points
    return curves


def tree_curves(found, phase):
    """How many times faster the scalable allocator is than the default one, per style and cutoff."""
    curves = {}
    for peer in ("ashlar", "tbb2020"):
        for cutoff in (10, 10000):
            points = []
            for index, style in enumerate(STYLES):
                keys = [(f"tree-{phase}-{kind}-{style}-{cutoff}", 2, peer) for kind in ("default", "scalable")]
                if all(key in found for key in keys):
                    points.append((index, found[keys[0]] / found[keys[1]]))
            if points:
                curves[f"{peer}, cutoff {cutoff}"] = points
    return curves


def figures(document):
    """(number, title, axis, curves, names of the x values or None)."""
    found = medians(document)
    peers = list(dict.fromkeys(key[2] for key in found))

    def curve(row, value):
        return by_threads(found, peers, row, value)
    return [
        (10, "False sharing", "CPU time per thread against one thread, %",
         curve("false-sharing", lambda cost, t, one: 100 * (cost / t / one - 1)), None),
        (11, "Speed-cross: malloc", "ns per 1000 objects", curve("speed-cross-malloc", lambda cost, t, one: cost), None),
        (12, "Speed-cross: free", "ns per 1000 objects", curve("speed-cross-free", lambda cost, t, one: cost), None),
        (13, "Larson, 8 to 100 bytes", "CPU time per thread against one thread",
         curve("larson", lambda cost, t, one: cost / t / one), None),
        (14, "tree_sum, allocation, 2 threads", "default allocator's time / scalable allocator's",
         tree_curves(found, "allocation"), STYLES),
        (15, "tree_sum, summation, 2 threads", "default allocator's time / scalable allocator's",
         tree_curves(found, "summation"), STYLES),
    ]


def draw(figure, directory, plt):
    number, title, label, curves, names = figure
    canvas, axes = plt.subplots(figsize=(6, 4))
    for index, (name, points) in enumerate(curves.items()):
        axes.plot(*zip(*points), marker="o", label=name, linestyle="" if names else "-",
                  color=(COLOURS["peers"] + [COLOURS["goal"], COLOURS["text"]])[index % 6])
    if names:
        axes.set_xticks(range(len(names)), names)
    else:
        axes.set_xticks([1, 2, 4, 8])
        axes.set_xlabel("threads")
    axes.set_ylabel(label)
    axes.set_title(title)
    axes.grid(color=COLOURS["grid"], linewidth=0.6)
    axes.legend(fontsize=8)
    path = directory / f"malloc-figure-{number}.svg"
    canvas.tight_layout()
    canvas.savefig(path, metadata={"Date": None})
    plt.close(canvas)
    print(f"Plot: {path}")


def main(argv):
    if len(argv) != 3:
        print("usage: figures.py RESULTS.json DIRECTORY", file=sys.stderr)
        return 2
    try:
        import matplotlib  # pylint: disable=import-outside-toplevel
        matplotlib.use("svg")
        matplotlib.rcParams["svg.hashsalt"] = "ashlar"
        import matplotlib.pyplot as plt  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("figures.py: no SVG: matplotlib is missing", file=sys.stderr)
        return 1
    directory = pathlib.Path(argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    for figure in figures(json.loads(pathlib.Path(argv[1]).read_text(encoding="utf-8"))):
        if figure[3]:
            draw(figure, directory, plt)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
