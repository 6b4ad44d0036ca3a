# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of a kernels result file: plot_figures.py RESULTS.json DIRECTORY writes kernels-figure-N.svg,
one panel per setting and library, bars as in the paper. Needs matplotlib.
"""
import json
import pathlib
import sys

COLOURS = {"TBB": "#b6c6d8", "TBB+C": "#7fa3cc", "TBB+CB": "#3f7bbf", "TBB+CBR": "#12468a", "parallel_for": "#d9822b",
           "parallel_invoke": "#d9822b", "task_group": "#8c5fbf"}
LOW_CORES = 0.9  # bars of rows that used less of the CPUs than this carry a question mark
TEXT, GRID = "#1f2328", "#d8dee4"


def pale(colour):
    """Mixed with white: a transparent bar would show the grid behind it."""
    return "#" + "".join(f"{(int(colour[i:i + 2], 16) + 255) // 2:02x}" for i in (1, 3, 5))


def panel(axes, rows, styles, threads, cpus):
    """Bars grouped by thread count; rows maps (style, threads) to a result."""
    width = 0.84 / len(styles)
    for k, style in enumerate(styles):
        for group, n in enumerate(threads):
            row = rows.get((style, n))
            if row:
                x = group + (k - (len(styles) - 1) / 2) * width
                colour = COLOURS.get(style, "#888888")
                axes.bar(x, row["speedup"], width * 0.92, color=pale(colour) if n > cpus else colour)
                if row["cores"] < LOW_CORES * min(n, cpus):
                    axes.annotate("?", (x, row["speedup"]), ha="center", va="bottom", fontsize=6, color=TEXT)
    for group, n in enumerate(threads):
        axes.plot([group - 0.45, group + 0.45], [min(n, cpus)] * 2, color="#cf222e", linewidth=1, linestyle=(0, (4, 2)))
    axes.set_xticks(range(len(threads)), [f"{n}{'*' if n > cpus else ''}" for n in threads])
    axes.grid(axis="y", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(colors=TEXT, labelsize=8, length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(GRID)


def draw(document, figure, path, plt):
    libraries = list(figure["results"])
    rows = figure["results"]
    settings = list(dict.fromkeys(r["setting"] for name in libraries for r in rows[name]))
    known = {r["style"] for name in libraries for r in rows[name]}
    styles = [s for s in COLOURS if s in known]
    threads, cpus = document["threads"], document["machine"]["cpus"]
    sheet, grid = plt.subplots(len(settings), len(libraries), squeeze=False, sharey=True,
                               figsize=(3.4 * len(libraries) + 0.6, 2.1 * len(settings) + 1.3))
    for i, setting in enumerate(settings):
        for j, name in enumerate(libraries):
            axes = grid[i][j]
            here = {(r["style"], r["threads"]): r for r in rows[name] if r["setting"] == setting}
            panel(axes, here, [s for s in styles if any(k[0] == s for k in here)] or styles, threads, cpus)
            if i == 0:
                axes.set_title(document["peers"][name]["title"], fontsize=10, color=TEXT, fontweight="bold")
            if j == 0:
                axes.set_ylabel(f"{setting}\nspeed-up", fontsize=8.5, color=TEXT)
            if i == len(settings) - 1:
                axes.set_xlabel("threads", fontsize=8.5, color=TEXT)
    handles = [plt.Rectangle((0, 0), 1, 1, color=COLOURS[s]) for s in styles]
    handles.append(plt.Line2D([], [], color="#cf222e", linewidth=1, linestyle=(0, (4, 2))))
    inch = 1 / sheet.get_figheight()
    sheet.legend(handles, [*styles, "ideal"], loc="lower center", bbox_to_anchor=(0.5, 0.25 * inch),
                 ncols=len(styles) + 1, fontsize=8, frameon=False, labelcolor=TEXT)
    sheet.suptitle(f"Figure {figure['figure']}: {figure['title']}", fontsize=11, color=TEXT)
    note = f"{document['machine']['cpu']}, {cpus} CPUs, {document['date'][:10]}, commit {document['commit']}"
    if max(threads) > cpus:
        note += "; * more threads than CPUs (pale)"
    if any(r["cores"] < LOW_CORES * min(r["threads"], cpus) for name in libraries for r in rows[name]):
        note += f"; ? had less than {LOW_CORES:.0%} of the CPUs"
    sheet.text(0.5, 0.08 * inch, note, ha="center", fontsize=7, color="#57606a")
    sheet.tight_layout(rect=(0, 0.5 * inch, 1, 1))
    sheet.savefig(path, metadata={"Date": None})
    plt.close(sheet)


def main(argv):
    if len(argv) != 3:
        print("usage: plot_figures.py RESULTS.json DIRECTORY", file=sys.stderr)
        return 2
    try:
        import matplotlib  # pylint: disable=import-outside-toplevel
        matplotlib.use("svg")
        matplotlib.rcParams["svg.hashsalt"] = "ashlar"
        import matplotlib.pyplot as plt  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("plot_figures.py: no SVG: matplotlib is missing (python3 -m venv .venv && .venv/bin/pip install matplotlib)",
              file=sys.stderr)
        return 0
    try:
        document = json.loads(pathlib.Path(argv[1]).read_text(encoding="utf-8"))
        directory = pathlib.Path(argv[2])
        directory.mkdir(parents=True, exist_ok=True)
        for figure in document["figures"]:
            if figure["results"]:
                path = directory / f"kernels-figure-{figure['figure']}.svg"
                draw(document, figure, path, plt)
                print(f"Plot: {path}")
    except (OSError, ValueError, KeyError) as error:
        print(f"plot_figures.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
