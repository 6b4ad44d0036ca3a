# SPDX-License-Identifier: Apache-2.0
"""Draws a result file: plot.py RESULTS.json DIRECTORY writes <suite>-ratio-{light,dark}.svg, our cost divided by each
peer's with its interval, and the goals. Needs matplotlib.
"""
import pathlib
import sys

import page

THEMES = {
    "light": {"face": "#ffffff", "text": "#1f2328", "grid": "#d0d7de", "goal": "#cf222e",
              "peers": ["#0969da", "#8250df", "#1a7f37", "#9a6700"]},
    "dark": {"face": "#0d1117", "text": "#e6edf3", "grid": "#30363d", "goal": "#ff7b72",
             "peers": ["#58a6ff", "#d2a8ff", "#56d364", "#e3b341"]},
}


def ratio_lines(document):
    """Lines that have a ratio, grouped by row and thread count in the table's order."""
    groups = {}
    for line in document["results"]:
        if line["ratio"]:
            groups.setdefault((line["title"], line["threads"]), []).append(line)
    return groups


def goal_ratio(line):
    """The goal as a ratio, or None for an absolute one."""
    parts = line["goal"].split()
    return float(parts[1]) if len(parts) == 2 or "own" in parts else None


def draw(document, theme, path, plt):
    colours = THEMES[theme]
    groups = ratio_lines(document)
    titles = {name: peer["title"] for name, peer in document["peers"].items()}
    names = list(dict.fromkeys(line["peer"] for lines in groups.values() for line in lines))
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.32 * max(1, len(groups))), facecolor=colours["face"])
    axes.set_facecolor(colours["face"])
    for y, lines in enumerate(groups.values()):
        for line in lines:
            colour = colours["peers"][names.index(line["peer"]) % len(colours["peers"])]
            goal = goal_ratio(line)
            if line["interval"] and (goal is not None or not line["goal"]):
                axes.plot(line["interval"], [y, y], color=colour, linewidth=2, alpha=0.6, solid_capstyle="butt")
            axes.plot([line["ratio"]], [y], "o", color=colour, markersize=5)
            if goal is not None:
                axes.plot([goal], [y], "|", color=colours["goal"], markersize=13, markeredgewidth=2)
    handles = [plt.Line2D([], [], marker="o", linestyle="", label=titles.get(name, name),
                          color=colours["peers"][i % len(colours["peers"])]) for i, name in enumerate(names)]
    handles.append(plt.Line2D([], [], marker="|", linestyle="", label="goal", color=colours["goal"], markersize=11,
                              markeredgewidth=2))
    axes.axvline(1, color=colours["text"], linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(groups)), [f"{title}, {n} thr" for title, n in groups], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel(f"our cost / the peer's (left of 1: we are faster); {document['date'][:10]}, "
                    f"{document['machine']['cpus']} CPUs, commit {document['commit']}", color=colours["text"], fontsize=8)
    axes.tick_params(colors=colours["text"])
    axes.grid(axis="x", color=colours["grid"], linewidth=0.6)
    axes.set_axisbelow(True)
    for spine in axes.spines.values():
        spine.set_color(colours["grid"])
    legend = axes.legend(handles=handles, fontsize=8, facecolor=colours["face"], edgecolor=colours["grid"], loc="best")
    for text in legend.get_texts():
        text.set_color(colours["text"])
    axes.set_title(document["title"], color=colours["text"], fontsize=10)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main(argv):
    if len(argv) != 3:
        print("usage: plot.py RESULTS.json DIRECTORY", file=sys.stderr)
        return 2
    try:
        import matplotlib  # pylint: disable=import-outside-toplevel
        matplotlib.use("svg")
        matplotlib.rcParams["svg.hashsalt"] = "ashlar"
        import matplotlib.pyplot as plt  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("plot.py: no SVG: matplotlib is missing (python3 -m venv .venv && .venv/bin/pip install matplotlib)",
              file=sys.stderr)
        return 1
    try:
        document = page.load(argv[1])
        directory = pathlib.Path(argv[2])
        directory.mkdir(parents=True, exist_ok=True)
        if not ratio_lines(document):
            print("plot.py: no SVG: the results hold no ratio", file=sys.stderr)
            return 1
        for theme in THEMES:
            path = directory / f"{document['suite']}-ratio-{theme}.svg"
            draw(document, theme, path, plt)
            print(f"Plot: {path}")
    except (OSError, ValueError, KeyError, page.PageError) as error:
        print(f"plot.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
