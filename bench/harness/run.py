#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a benchmark suite against our library and the peers, prints the table, writes JSON and SVG.

    bench/harness/run.py micro --quick
    bench/harness/run.py micro --peers onetbb --rows fork-join --threads 1,2
    bench/harness/run.py compare before.json after.json
    bench/harness/run.py report tbbench.json -o report.html
"""
import argparse
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import checkpoint
import cli
import compare
import machine
import measure
import page
import peers as peers_module
import progress
import quiet
import report
import store
import stored
import suite as suite_module

ROOT = pathlib.Path(__file__).resolve().parents[2]


def numbers(text):
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or min(found) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of positive numbers such as 1,2")
    return found


def names(text):
    return [part for part in text.split(",") if part]


def positive(text):
    return numbers(text)[0]


def arguments(argv):
    parser = cli.Parser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", help="directory below bench/ with a suite.toml, e.g. micro")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller sizes, no slow rows")
    parser.add_argument("--peers", type=names, help="peers by name, comma separated (ours is always measured)")
    parser.add_argument("--threads", type=numbers, help="only these thread counts, e.g. 1,2")
    parser.add_argument("--rows", type=names, help="only rows whose id contains one of these, or is it (=ID)")
    parser.add_argument("--rounds", type=positive, help="rounds of the interleaved measurement (default 7, quick 3)")
    parser.add_argument("--samples", type=positive, help="samples of one process (default 5, quick 3)")
    parser.add_argument("--count", action="store_true", help="only instruction counts (callgrind)")
    parser.add_argument("--pin", action="store_true", help="pin thread k to CPU k after warming")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                        help="value of a parameter of the suite, e.g. delaylength=500; may be repeated")
    parser.add_argument("--max-load", type=float, default=0.3, metavar="CORES",
                        help="throw away runs beside which other processes used more (default 0.3)")
    parser.add_argument("--patience", type=float, default=20, metavar="SECONDS",
                        help="how long to wait for other processes before refusing to measure (default 20)")
    parser.add_argument("--anyway", action="store_true", help="measure and report although other processes disturb")
    parser.add_argument("--resume", action="store_true", help="go on with a measurement that was interrupted")
    parser.add_argument("--html", type=pathlib.Path, help="also write the report as one HTML file")
    parser.add_argument("--json", type=pathlib.Path, help="where the results go (default build/bench/<suite>.json)")
    parser.add_argument("--update", action="store_true",
                        help="keep the rows of the JSON file that are not measured now; the table shows all")
    parser.add_argument("--store", action="store_true",
                        help="also store the results under bench/results/<machine>/<date>-<suite>-<commit>.json.gz")
    parser.add_argument("--svg", type=pathlib.Path, help="directory for the plots (needs matplotlib)")
    parser.add_argument("--check", action="store_true", help="exit code 1 if a goal is missed or a gap")
    parser.add_argument("--ashlar-prefix", type=pathlib.Path,
                        help="an installed Ashlar (include/, lib/); default: build the tree's")
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build" / "bench")
    parser.add_argument("--launcher", default=os.environ.get("ASHLAR_BENCH_LAUNCHER", ""),
                        help="command put before every timed process, e.g. 'nice -n -5'")
    return parser.parse_args(argv)


def settings_of(options, suite):
    quick = options.quick
    return measure.Settings(rounds=options.rounds or suite.run_setting("rounds", quick, 3 if quick else 7),
                            samples=options.samples or suite.run_setting("samples", quick, 3 if quick else 5),
                            quick=quick, pin=options.pin, count=options.count, threads=options.threads,
                            rows=options.rows, launcher=options.launcher, max_load=options.max_load,
                            values=suite.values(options.set), given=[text.partition("=")[0] for text in options.set])


def about(options, settings, peers, suite):
    return {
        "suite": suite.name,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": peers_module.git_version(),
        "machine": machine.facts(),
        "compiler": peers_module.compiler_version("g++"),
        "peers": {name: peer.describe() for name, peer in peers.items()},
        "settings": {"rounds": settings.rounds, "samples": settings.samples, "quick": settings.quick,
                     "pin": settings.pin, "max_load": settings.max_load, "threads": options.threads, "rows": options.rows,
                     "values": settings.values},
    }


def results_path(options, suite_name):
    return options.json or options.build_dir / f"{suite_name}.json"


def earlier_results(path, suite, facts):
    """What --update builds on: an empty document if there is none, an error if it is of another kind."""
    if not path.exists():
        return {"cells": [], "measured": {}, "peers": {}}
    try:
        document = store.read(path)
        if document["suite"] != suite.name or document["machine"]["name"] != facts["machine"]["name"]:
            raise suite_module.SuiteError(f"{path} holds results of another suite or machine; --update can't be used")
        return {key: document[key] for key in ("cells", "measured", "peers")}
    except (OSError, ValueError, KeyError) as error:
        raise suite_module.SuiteError(f"{path} can't be updated: {error}") from error


def draw(json_path, directory, suite_name):
    """In the project's own environment if there is one, because matplotlib lives there. A suite may have figures.py of
    its own beside the common plot."""
    python = ROOT / ".venv" / "bin" / "python"
    scripts = [ROOT / "bench" / "harness" / "plot.py", ROOT / "bench" / suite_name / "figures.py"]
    codes = [subprocess.run([str(python) if python.exists() else sys.executable, str(script), str(json_path), str(directory)],
                            check=False).returncode for script in scripts if script.exists()]
    return max(codes)


def check_names(suite, settings, options):
    if settings.rows and not any(measure.matches(part, row.id) for row in suite.rows for part in settings.rows):
        raise suite_module.SuiteError(f"no row of '{suite.name}' matches {','.join(settings.rows)}")
    chosen = [peers_module.OURS, *([suite.programs_of] if suite.programs_of else []),
              *(options.peers if options.peers is not None else suite.peers)]
    return list(dict.fromkeys(chosen))


class Refused(Exception):
    """One line: why a measurement is not worth reporting."""


def announce(measurement, show):
    """How long it will take, before it begins."""
    show.total, seconds = measurement.forecast()
    print(f"{measurement.suite.title}: {len(measurement.wanted_rows())} rows, {show.total} runs of "
          f"{measurement.settings.samples} samples, about {progress.duration(seconds)}. Ctrl-C keeps what was measured; --resume goes on.",
          file=sys.stderr, flush=True)


def measure_all(measurement, facts, options, show, saved):
    """The cells; what was measured before an interruption is still worth showing."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started = time.monotonic()
    try:
        measurement.prepare_all(measurement.wanted_rows())
        if measurement.anything():
            announce(measurement, show)
            if not options.anyway and measurement.wants_quiet():
                show("waiting until no other process disturbs")
                objection = quiet.wait_for_quiet(options.max_load, options.patience)
                if objection:
                    raise Refused(objection)
            measurement.checkpoint = lambda: saved.save(measurement.cells.values())
        measurement.run()
        saved.remove()
    except KeyboardInterrupt:
        facts["interrupted"] = True
        saved.save(measurement.cells.values(), force=True)
    finally:
        show.end()
    facts["seconds"] = round(time.monotonic() - started)
    cells = measurement.cells.values()
    objection = quiet.refusal(sum(cell.disturbed for cell in cells), sum(len(cell.rounds) for cell in cells))
    if objection and not options.anyway:
        raise Refused(objection)
    facts["disturbed"] = objection
    return measurement.cells


def join(suite, earlier, cells, facts):
    """All cells, the rows they belong to, and when and at which commit each row was measured."""
    now = {"date": facts["date"], "commit": facts["commit"], "settings": facts["settings"]}
    fresh = {row for row, _, _ in cells}
    kept = [measure.Cell(**cell) for cell in earlier["cells"] if cell["row"] not in fresh]
    facts["measured"] = {**earlier["measured"], **{row: now for row in fresh}}
    facts["peers"] = {**earlier["peers"], **facts["peers"]}
    joined = {**{(cell.row, cell.threads, cell.peer): cell for cell in kept}, **cells}
    present = {row for row, _, _ in joined}
    return joined, [row for row in suite.rows if row.id in present]


def begin(options):
    """Everything before the first measurement; a mistake of the user's raises here."""
    suite = suite_module.load(ROOT / "bench" / options.suite)
    suite.use_threads(options.threads)
    settings = settings_of(options, suite)
    wanted = check_names(suite, settings, options)
    path = results_path(options, suite.name)
    store.check_writable(path, options.html)
    peers = peers_module.resolve(wanted, options.ashlar_prefix, options.build_dir, variants=suite.variants)
    if suite.programs_of:
        peers[peers_module.OURS] = peers_module.drop_in(peers[peers_module.OURS], peers[suite.programs_of])
    facts = about(options, settings, peers, suite)
    earlier = earlier_results(path if options.update else pathlib.Path("/nonexistent"), suite, facts)
    return suite, settings, peers, facts, path, earlier


def fail(message, code):
    print(f"run.py: {message}", file=sys.stderr)
    return code


def list_suites():
    """Every folder of bench/ that can be run: with a suite.toml, or with a runner and a README of its own."""
    for folder in sorted(path for path in (ROOT / "bench").iterdir() if path.is_dir()):
        if (folder / "suite.toml").exists():
            print(f"{folder.name:18} {suite_module.load(folder).title}")
        elif list(folder.glob("*.py")) and (folder / "README.md").exists():
            print(f"{folder.name:18} {(folder / 'README.md').read_text(encoding='utf-8').splitlines()[0].lstrip('# ')}")
    print("compare, report, plot: from result files; stored: which results are of today's suites")
    return 0


def main(argv=None):
    argv = sys.argv[1:] if argv is None else argv
    if not argv:
        return list_suites()
    if argv and argv[0] in COMMANDS:
        return COMMANDS[argv[0]](argv[1:])
    options = arguments(argv)
    show = progress.Bar()
    try:
        show("peers")
        suite, settings, peers, facts, path, earlier = begin(options)
        saved = checkpoint.Checkpoint(path, facts)
        resumed = saved.load() if options.resume else []
        measurement = measure.Measurement(suite, peers, settings, options.build_dir.resolve() / suite.name, show, resumed)
        cells, rows = join(suite, earlier, measure_all(measurement, facts, options, show, saved), facts)
    except (suite_module.SuiteError, KeyError, checkpoint.ResumeError) as error:
        show.end()
        return fail(error.args[0], 2)
    except Refused as error:
        return fail(f"refused: {error}. Nothing is reported; --anyway measures all the same", 3)
    except OSError as error:
        return fail(f"cannot write {error.filename}: {error.strerror}", 1)
    order = list(dict.fromkeys([*suite.peers, *facts["peers"]]))
    found = report.lines(rows, cells, [name for name in order if name in facts["peers"]])
    found += report.mean_lines(suite.means, found)
    return publish(report.document(suite, found, cells, facts), found, path, options)


def publish(document, found, path, options):
    titles = {name: peer["title"] for name, peer in document["peers"].items()}
    facts = document["machine"]
    print(f"{document['title']}\n{facts['cpu']}, {facts['cpus']} CPUs, Linux {facts['kernel']}, {document['compiler']}; "
          f"commit {document['commit']}, {document['date']}\n")
    print(report.table([line for line in found if "@" not in line.peer], titles))  # other builds: in the file and the report
    own = page.sections_of(document["suite"])
    if hasattr(own, "text"):
        print(f"\n{own.text(document)}")
    if document.get("interrupted"):
        print("\nInterrupted: what had been measured by then.")
    print(f"\n{document['summary']}; {document['seconds']} s")
    for peer in document["peers"].values():
        if peer["missing"]:
            print(f"Missing: {peer['title']}: {peer['missing']}")
    disturbed = sum(cell["disturbed"] for cell in document["cells"])
    if disturbed:
        print(f"{disturbed} runs were thrown away because other processes used more than {options.max_load:g} cores.")
    outliers = sum(cell["outliers"] for cell in document["cells"])
    if outliers:
        print(f"{outliers} samples lay beyond the suite's limit of standard deviations and were dropped.")
    if document["disturbed"]:
        print(f"Reported because of --anyway: {document['disturbed']}.")
    try:
        store.write(path, document)
        if options.store:
            path = store.path_for(document)
            store.write(path, document)
        print(f"Results: {os.path.relpath(path)}")
    except OSError as error:
        print(f"run.py: cannot write {path}: {error.strerror}", file=sys.stderr)
        return 1
    try:
        if options.html:
            page.write(options.html, [document])
            print(f"Report: {os.path.relpath(options.html)}")
    except OSError as error:
        return fail(f"cannot write {options.html}: {error.strerror}", 1)
    if options.svg and draw(path, options.svg, document["suite"]) != 0:
        return 1
    return 1 if options.check and any(line.goal and not line.reached.startswith("yes") for line in found) else 0


COMMANDS = {"compare": compare.main, "report": page.main, "plot": page.plot_main, "stored": stored.main}

if __name__ == "__main__":
    sys.exit(main())
