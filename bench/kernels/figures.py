#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures 6 to 9 of the 2007 paper: the four programs on our library, oneTBB and TBB 2020, as tables, JSON and SVG.

    ./dev bench kernels --quick
    bench/kernels/figures.py --figures 6,9 --threads 1,2 --svg build/bench

Speed-ups are against the serial version that ran in the same process; where rounds are repeated, the libraries take
turns, and the median of the rounds is shown.
"""
import argparse
import datetime
import functools
import json
import os
import pathlib
import statistics
import sys
import time

import kernel_build
import paper
import resume

from kernel_build import ROOT, execute, harness_build, peers_module  # paths are set by kernel_build
import machine  # pylint: disable=wrong-import-order
import page  # pylint: disable=wrong-import-order
import progress  # pylint: disable=wrong-import-order

SCENE = kernel_build.KERNELS_DIR / "ray_tracer" / "scenes" / "spiral.scene"
LOW_CORES = 0.9  # a row that used less of the CPUs than this is marked


def numbers(text):
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or min(found) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of positive numbers such as 1,2")
    return list(dict.fromkeys(found))


def figure_numbers(text):
    found = numbers(text)
    unknown = [n for n in found if n not in paper.FIGURES]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no figure {unknown[0]}; there are 6, 7, 8 and 9")
    return found


def one_number(text):
    return numbers(text)[0]


def library_names(text):
    found = [part for part in text.split(",") if part]
    unknown = [name for name in found if name not in kernel_build.LIBRARIES]
    if unknown:
        raise argparse.ArgumentTypeError(f"unknown library '{unknown[0]}'; known: {', '.join(kernel_build.LIBRARIES)}")
    return found


def arguments(argv):
    parser = argparse.ArgumentParser(prog="./dev bench kernels", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="smaller problems, one round: a few minutes")
    parser.add_argument("--figures", type=figure_numbers, default=list(paper.FIGURES), help="e.g. 6,9 (default: all)")
    parser.add_argument("--peers", type=library_names, default=list(kernel_build.LIBRARIES),
                        help="libraries (default ashlar,onetbb,tbb2020)")
    parser.add_argument("--threads", type=numbers, default=[1, 2, 4, 8], help="thread counts (default 1,2,4,8)")
    parser.add_argument("--rounds", type=one_number, help="rounds in which the libraries take turns (default 2, quick 1)")
    parser.add_argument("--repeat", type=one_number, help="runs per row and round (default 3; fib(50) 1)")
    parser.add_argument("--pin", action="store_true", help="pin threads to CPUs once they are warm")
    parser.add_argument("--json", type=pathlib.Path, help="result file (default build/bench/kernels.json)")
    parser.add_argument("--svg", type=pathlib.Path, help="folder for the plots (default: that of the result file)")
    parser.add_argument("--ashlar-prefix", type=pathlib.Path, help="an installed Ashlar; default: build the tree's")
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build" / "bench")
    parser.add_argument("--launcher", default=os.environ.get("ASHLAR_BENCH_LAUNCHER", ""),
                        help="command put before every timed process")
    return parser.parse_args(argv)


def kernel_arguments(figure, options):
    repeat = options.repeat or (1 if figure.number == 6 and not options.quick else 3)
    result = ["--threads", ",".join(map(str, options.threads)), "--repeat", str(repeat), "--cores-min", str(LOW_CORES)]
    if options.quick:
        result += ["--quick", "--warm-ms", "100"]
    if options.pin:
        result.append("--pin")
    if figure.kernel == "ray_tracer":
        result += [str(SCENE), "--measure"]
    return result


def measure(options, builder, finished, show):
    """reports[figure][library] = list of the rounds' reports; gaps[figure, library] = why there are none."""
    rounds = options.rounds or (1 if options.quick else 2)
    figures = [paper.FIGURES[n] for n in options.figures]
    reports = {f.number: {name: [] for name in builder.peers} for f in figures}
    gaps = {(f.number, name): builder.missing[f.kernel, name] for f in figures for name in builder.peers
            if (f.kernel, name) in builder.missing}
    show.total, done = rounds * (len(figures) * len(builder.peers) - len(gaps)), 0
    for number in range(rounds):
        for figure in figures:
            for name, peer in builder.peers.items():
                if (figure.number, name) in gaps:
                    continue
                show(f"round {number + 1}: {figure.kernel} on {peer.title}", done)
                program, arguments = builder.programs[figure.kernel, name], kernel_arguments(figure, options)
                try:
                    reports[figure.number][name].append(finished.report(
                        number + 1, figure.number, name, arguments,
                        functools.partial(kernel_build.run_kernel, program, arguments, peer, options.launcher)))
                except execute.RunError as error:
                    gaps[figure.number, name] = str(error)
                done += 1
    show.end()
    return reports, gaps


def merge(reports):
    """Rows of several rounds as one: the median of each figure."""
    found = {}
    for report in reports:
        for row in report["results"]:
            found.setdefault((row["setting"], row["style"], row["threads"]), []).append(row)
    merged = []
    for rows in found.values():
        row = {key: rows[0][key] for key in ("style", "setting", "threads", "oversubscribed")}
        for key in ("speedup", "wall_s", "cpu_s", "cores", "serial_s"):
            row[key] = statistics.median(r[key] for r in rows)
        row["rounds"] = [{"speedup": r["speedup"], "runs": r["runs"], "discarded": r["discarded"]} for r in rows]
        merged.append(row)
    return merged


def settings_of(rows):
    return list(dict.fromkeys(row["setting"] for row in rows))


def low(row, cpus):
    return row["cores"] < LOW_CORES * min(row["threads"], cpus)


def heading(threads, cpus):
    return f"{threads} thr{'*' if threads > cpus else ''}"


def paper_words(figure, setting, style):
    return ", ".join(f"{value} on {threads}" for (s, st, threads), value in figure.values.items()
                     if (s, st) == (setting, style))


def figure_table(figure, merged, gaps, titles, threads, cpus):
    lines = [f"Figure {figure.number}. {figure.title}", ""]
    head = f"  {'':14} {'':16}" + "".join(f"{heading(n, cpus):>9}" for n in threads) + "   the paper's"
    for name, title in titles.items():
        rows = merged.get(name, [])
        if not rows:
            lines += [f"  {title}: missing: {gaps.get((figure.number, name), 'not measured')}", ""]
            continue
        lines += [f"  {title}", head]
        by_key = {(r["setting"], r["style"], r["threads"]): r for r in rows}
        for setting in settings_of(rows):
            for style in dict.fromkeys(r["style"] for r in rows):
                cells = ""
                for n in threads:
                    row = by_key.get((setting, style, n))
                    cells += f"{row['speedup']:8.2f}{'?' if low(row, cpus) else ' '}" if row else f"{'-':>8} "
                lines.append(f"  {setting:14} {style:16}{cells}   {paper_words(figure, setting, style)}".rstrip())
        lines.append("")
    return lines


def claims_lines(part):
    """What the paper says of the figures, as the page has it."""
    lines = []
    for claim in page.claims_of([part]):
        lines += [f"  {claim.text}", f"    {page.VERDICTS[claim.verdict]}", *(f"      {line}" for line in claim.finding.splitlines())]
    return lines


def result_path(options):
    return options.json or options.build_dir / "kernels.json"


def write_results(document, options):
    path = result_path(options)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"Results: {os.path.relpath(path)}")
    for drawing in page.draw(options.svg or path.parent, [document]):
        print(f"Plot: {os.path.relpath(drawing)}")


def publish(options, peers, reports, gaps, seconds):
    titles = {name: peer.title for name, peer in peers.items()}
    facts = machine.facts()
    cpus = facts["cpus"]
    document = {
        "suite": "kernels", "title": "The four programs of the 2007 paper: speed-up against the serial version", "results": [],
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": peers_module.git_version(), "machine": facts, "compiler": peers_module.compiler_version("g++"),
        "peers": {name: peer.describe() for name, peer in peers.items()}, "quick": options.quick, "seconds": seconds,
        "threads": options.threads, "figures": [],
        "gaps": [{"figure": f, "library": name, "reason": why} for (f, name), why in gaps.items()]}
    print(f"{document['title']}\n{facts['cpu']}, {cpus} CPUs, "
          f"Linux {facts['kernel']}, {document['compiler']}; commit {document['commit']}, {document['date']}\n")
    for number in options.figures:
        figure = paper.FIGURES[number]
        merged = {name: merge(rounds) for name, rounds in reports[number].items() if rounds}
        print("\n".join(figure_table(figure, merged, gaps, titles, options.threads, cpus)))
        parameters = {name: rounds[0]["parameters"] for name, rounds in reports[number].items() if rounds}
        document["figures"].append({"figure": number, "title": figure.title, "kernel": figure.kernel,
                                    "parameters": parameters, "results": merged})
    for part in page.parts_of([document]):
        print("\n".join(["What the paper says:", *claims_lines(part), ""]))
    if max(options.threads) > cpus:
        print(f"* more threads than the {cpus} CPUs: no further speed-up is possible")
    print(f"? used less than {LOW_CORES:.0%} of the CPUs that it could have used: scheduling by the kernel, other "
          f"processes, or too little parallelism\nThe paper's figures: two quad-core Xeon X5355, 2007\n{seconds} s")
    write_results(document, options)


def main(argv=None):
    options = arguments(argv)
    started = time.monotonic()
    if not options.quick and 6 in options.figures:
        print("The full sizes take more than an hour (fib(50) most of it); --quick takes a few minutes.", file=sys.stderr)
    try:
        show = progress.Bar()
        peers = peers_module.resolve(options.peers, options.ashlar_prefix, options.build_dir)
        kernels = tuple(dict.fromkeys(paper.FIGURES[n].kernel for n in options.figures))
        builder = kernel_build.Builder(options.build_dir / "kernels", peers, kernels).build(show)
        show.end()
        finished = resume.Finished(result_path(options).with_suffix(".partial"), peers_module.git_version())
        if finished.reports:
            print(f"Going on with {len(finished.reports)} programs done ({finished.path}).", file=sys.stderr)
        reports, gaps = measure(options, builder, finished, show)
        publish(options, peers, reports, gaps, round(time.monotonic() - started))
        finished.discard()
    except harness_build.BuildError as error:
        print(f"kernels: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nkernels: interrupted; the same command goes on", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"kernels: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
        return 1
    return 1 if "ashlar" in {name for _, name in gaps} else 0


if __name__ == "__main__":
    sys.exit(main())
