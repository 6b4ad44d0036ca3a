# SPDX-License-Identifier: Apache-2.0
"""Measures what figures and tables need, one source after the other. What was measured at this commit stays, so that a run which
was killed goes on with the source that it had not finished, and there where that source's own runner had come to.
"""
import os
import pathlib
import subprocess
import sys
import time
import tomllib

import machine
import measured
import peers
import progress
import store
import verdict

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDER = ROOT / "build" / "paper"
WHOLE = ("tbbench", "characterisation", "soft", "victims")
RESUMES = ("run.py", "characterise.py", "victims.py")  # the other runners go on by themselves
REFUSED = 3                        # exit code of the runners where other processes disturb


class SourceError(Exception):
    """One line: what could not be measured."""


def load():
    return tomllib.loads((HERE / "sources.toml").read_text(encoding="utf-8"))


def result_path(name, quick, folder=FOLDER):
    return folder / ("quick" if quick else "full") / f"{name}.json"


def read(path):
    """A result file, or None if there is none that can be read."""
    try:
        document = store.read(path)
        return document if {"suite", "date", "machine", "commit"} <= set(document) else None
    except (OSError, ValueError, TypeError):
        return None


def is_done(name, quick, commit, folder=FOLDER):
    document = read(result_path(name, quick, folder))
    return bool(document) and document["commit"] == commit and not document.get("interrupted")


def minutes(source, quick):
    return 0 if "file" in source else source["quick_minutes" if quick else "minutes"]


def thread_counts(cpus):
    """What stands for {threads} and {few} in sources.toml."""
    return {"threads": ",".join(map(str, sorted({1, 2, 4, 8, cpus}))), "few": ",".join(map(str, sorted({1, cpus})))}


def partial_of(path):
    """What an interrupted run of the source has left, or None."""
    return next((left for left in (path.with_name(path.name + ".partial"), path.with_suffix(".partial")) if left.exists()), None)


def command_of(source, path, quick, anyway, cpus):
    script = pathlib.Path(source["script"])
    given = [argument.format(**thread_counts(cpus)) for argument in (*source["arguments"], *source["quick" if quick else "full"])]
    command = [sys.executable, str(ROOT / script), *given, "--json", str(path)]
    return command + (["--anyway"] if anyway and script.name != "figures.py" else [])


def run_one(name, source, options, folder=FOLDER):
    """Measures a source; raises SourceError."""
    path = result_path(name, options.quick, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    log, before = path.with_suffix(".log"), read(path)
    command = command_of(source, path, options.quick, options.anyway, machine.facts()["cpus"])
    # What is left of another commit's run is refused; then the source is measured from its beginning.
    for more in (["--resume"], []) if partial_of(path) and pathlib.Path(command[1]).name in RESUMES else ([],):
        with log.open("w", encoding="utf-8") as output:
            code = subprocess.run([*command, *more], stdout=output, cwd=ROOT, check=False).returncode
        now = read(path)
        if now and now != before:
            return
    if code == REFUSED:
        raise SourceError(f"{name}: other processes disturb; --anyway measures all the same")
    raise SourceError(f"{name}: exit code {code}, see {os.path.relpath(log, ROOT)}")


def measure_all(names, options):
    """Measures the sources that have no results of this commit; what fails is named, the others go on. The failures."""
    sources, commit = load(), peers.git_version()
    wanted = [name for name in names if "file" not in sources[name] and (options.again or not is_done(name, options.quick, commit))]
    left = sum(minutes(sources[name], options.quick) for name in wanted)
    failures = []
    for index, name in enumerate(wanted):
        print(f"paper: {index + 1} of {len(wanted)}: {name}, {progress.duration(60 * minutes(sources[name], options.quick))}; "
              f"{progress.duration(60 * left)} left in all", file=sys.stderr, flush=True)
        left -= minutes(sources[name], options.quick)
        started = time.monotonic()
        try:
            run_one(name, sources[name], options)
            print(f"paper: {name} took {progress.duration(time.monotonic() - started)}", file=sys.stderr, flush=True)
        except SourceError as error:
            failures.append(str(error))
            print(f"paper: {error}", file=sys.stderr, flush=True)
    return failures


def documents(names=None):
    """All results at hand, those that count most last: those of this command, and those stored for this machine."""
    paths = [*FOLDER.glob("*/*.json"), *(path for suite in ("kernels", "tbbench", "characterisation", "foundations", "soft", "victims")
                                         for path in store.paths(ROOT, suite, machine.facts()["name"]))]
    found = [document for document in map(read, paths) if document and not document.get("interrupted")]
    return sorted((d for d in found if names is None or d["suite"] in names), key=measured.rank)


def newest_of_each(known):
    """Of the suites that measure all of their figures at once the newest result, a full one if there is any; of the others all."""
    whole = {document["suite"]: document for document in known if document["suite"] in WHOLE}
    return [document for document in known if whole.get(document["suite"], document) is document]


def values_and_documents():
    """Everything that is known here, and the results that it comes from."""
    cpus = machine.facts()["cpus"]
    found = verdict.Values(cpus)
    origins = {}
    documents_read = newest_of_each(documents())
    for document in documents_read:
        try:
            read_now = measured.values_of(document)
            found.update(read_now)
            origins.update(dict.fromkeys(read_now.runs, id(document)))
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            print(f"paper: a result of {document['suite']} of {document['date']} can't be read: {error!r:.100}", file=sys.stderr)
    for source in load().values():
        path = ROOT / source.get("file", "/")
        if path.is_file():
            found.update(measured.READERS_OF_FILES[path.name](path, cpus))
    return found, [document for document in documents_read if id(document) in origins.values()]
