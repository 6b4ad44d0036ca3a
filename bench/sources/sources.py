#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles code that others wrote for TBB, unchanged, against our headers and both peers', runs the tests that come with it,
and says which files a peer takes and we don't.

    ./dev bench sources                     all code bases of sources.toml
    ./dev bench sources --only cgal,flexbar --most 0
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))

import cli  # noqa: E402  (the harness is no package)
import compiling  # noqa: E402
import discover  # noqa: E402
import fetch  # noqa: E402
import foreign_tests  # noqa: E402
import machine  # noqa: E402
import peers  # noqa: E402
import outcomes  # noqa: E402
import store  # noqa: E402

ROOT = HERE.parents[1]
TITLE = "Foreign code bases that use TBB: do they compile as they are?"
KEYS = {"title", "debian", "debian_files", "python", "wheel", "needs", "includes", "flags", "standard", "files", "without", "headers", "most", "root", "generated",
        "unit", "test", "test_peer", "test_needs"}
LEAST_STANDARD = {"ashlar": 17, "onetbb": 11, "tbb2020": 11}


def arguments(argv):
    parser = cli.Parser(prog="./dev bench sources", description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", type=lambda text: text.split(","), help="these code bases, comma separated")
    parser.add_argument("--most", type=int, help="files per code base (default: what sources.toml says; 0: all)")
    parser.add_argument("--every", action="store_true", help="compile every file with the peers, too, not only those that we refuse")
    parser.add_argument("--no-tests", action="store_true", help="only compile")
    parser.add_argument("--verbose", action="store_true", help="tell every file that somebody refuses")
    parser.add_argument("--json", type=pathlib.Path, help="where the results go (default build/bench/sources.json)")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was broken off: keep what that file has")
    parser.add_argument("--store", action="store_true", help="also store the results under bench/results/<machine>")
    parser.add_argument("--check", action="store_true", help="exit code 1 if a peer takes a file and we don't, or a test differs")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "build" / "sources", help="where the code is fetched to")
    parser.add_argument("--ashlar-prefix", type=pathlib.Path, help="an installed Ashlar; default: build the tree's")
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build" / "bench")
    return parser.parse_args(argv)


def load(path):
    with open(path, "rb") as file:
        data = tomllib.load(file)
    common = data.pop("common")
    for name, entry in data.items():
        unknown = set(entry) - KEYS
        if unknown or len({"debian", "debian_files", "python", "wheel"} & set(entry)) != 1 or "title" not in entry:
            raise ValueError(f"{path.name}: '{name}': {', '.join(sorted(unknown)) or 'needs a title and one place to fetch it from'}")
        entry.setdefault("most", common["most"])
    return data


def fetched(cache, entry):
    """The code's tree, its version and the unpacked packages whose headers it needs."""
    for kind, take in (("debian", cache.debian_source), ("debian_files", cache.debian_files), ("python", cache.python_source),
                       ("wheel", cache.python_files)):
        if kind in entry:
            tree, version = take(entry[kind])
    return tree, version, [cache.debian_files(name)[0] for name in entry.get("needs", [])]


def written_unit(name, entry, cache):
    """The entry's own program, which instantiates what the headers of the code base offer; None if it has none."""
    if "unit" not in entry:
        return None
    path = cache.folder / "units" / f"{name}.cpp"
    path.parent.mkdir(exist_ok=True)
    path.write_text(entry["unit"], encoding="utf-8")
    return path


def generated_headers(name, entry, cache):
    """-I for the headers that the project's configure step would write."""
    folder = cache.folder / "generated" / name
    for header, text in entry.get("generated", {}).items():
        (folder / header).parent.mkdir(parents=True, exist_ok=True)
        (folder / header).write_text(text, encoding="utf-8")
    return [f"-I{folder}"] if "generated" in entry else []


def spread(files, most):
    """At most so many files: the nearest to TBB, and of equal ones evenly many from everywhere."""
    if not most or len(files) <= most:
        return files
    direct = [one for one in files if one[1] == 0]
    if len(direct) >= most:
        return [direct[i * len(direct) // most] for i in range(most)]
    rest, room = files[len(direct):], most - len(direct)
    return direct + [rest[i * len(rest) // room] for i in range(room)]


def compile_file(path, entry, folders, libraries, every):
    """Library -> None or the first error. The peers are asked where we refuse."""
    ours, *others = libraries
    result = {ours.name: compiling.compile_one(ours, path, entry, folders)}
    if every or result[ours.name]:
        result.update({other.name: compiling.compile_one(other, path, entry, folders) for other in others})
    return result


def examine(name, entry, cache, libraries, options, pool):
    made = {"name": name, "title": entry["title"], "version": "", "missing": None, "files": [], "left_out": 0, "tests": {}}
    try:
        tree, made["version"], packages = fetched(cache, entry)
    except fetch.Missing as error:
        return {**made, "missing": str(error)}
    root = tree / entry.get("root", ".")
    unit = written_unit(name, entry, cache)
    found = [(unit, 0)] * (unit is not None) + discover.select(root, entry)
    if not found:
        return {**made, "missing": "no file that uses TBB was found"}
    chosen = spread(found, entry["most"] if options.most is None else options.most)
    made["left_out"] = len(found) - len(chosen)
    folders = [*generated_headers(name, entry, cache), *compiling.search_flags(tree, entry, packages)]
    jobs = [pool.submit(compile_file, path, entry, folders, libraries, options.every) for path, _ in chosen]
    made["files"] = [{"file": path.name if path == unit else str(path.relative_to(root)), "errors": job.result()} for (path, _), job in zip(chosen, jobs)]
    if "test" in entry and not options.no_tests:
        made["tests"] = foreign_tests.run(name, entry, (tree, unit), folders, libraries, cache)
    return made


def resolve_libraries(options):
    """Ours first; a peer that can't be had is told, never passed over."""
    found = peers.resolve(["ashlar", "onetbb", "tbb2020"], options.ashlar_prefix, options.build_dir)
    if found["ashlar"].missing:
        sys.exit(f"sources: Ashlar: {found['ashlar'].missing}")
    libraries = [compiling.Library(name, peer.include, peer.lib, LEAST_STANDARD[name]) for name, peer in found.items() if not peer.missing]
    return libraries, {name: peer.describe() for name, peer in found.items()}


def earlier_results(path):
    """Name -> result of a run that was broken off."""
    return {result["name"]: result for result in json.loads(path.read_text(encoding="utf-8"))["results"]} if path.exists() else {}


def document_of(results, described, seconds):
    """What has been found so far. Each code base names the commit that it was tried with, as a run may be resumed later."""
    return {"suite": "sources", "title": TITLE, "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "commit": peers.git_version(), "machine": machine.facts(), "compiler": peers.compiler_version("g++"), "peers": described,
            "results": results, "seconds": round(seconds)}


def examine_all(entries, libraries, described, options, path):
    """Examines and tells one after the other; what is found is written at once."""
    started, cache, results, commit = time.monotonic(), fetch.Cache(options.cache), [], peers.git_version()
    kept = earlier_results(path) if options.resume else {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, entry in entries.items():
            results.append(kept.get(name) or {**examine(name, entry, cache, libraries, options, pool), "commit": commit})
            print(outcomes.line(results[-1]), flush=True)
            for text in outcomes.complaints(results[-1], options.verbose):
                print(f"    {text}", flush=True)
            unseen = [kept[other] for other in kept if other in entries and other not in {result["name"] for result in results}]
            document = document_of(results + unseen, described, time.monotonic() - started)
            store.write(path, document)
    return document


def main(argv=None):
    options = arguments(argv)
    try:
        entries = load(HERE / "sources.toml")
        wanted = options.only or list(entries)
        entries = {name: entries[name] for name in wanted}
    except (ValueError, KeyError) as error:
        print(f"sources: {error.args[0]}", file=sys.stderr)
        return 2
    path = options.json or options.build_dir / "sources.json"
    store.check_writable(path)
    libraries, described = resolve_libraries(options)
    document = examine_all(entries, libraries, described, options, path)
    print(f"\n{outcomes.table(document)}")
    if options.store:
        path = store.path_for(document)
        store.write(path, document)
    print(f"Results: {os.path.relpath(path)}")
    return 1 if options.check and outcomes.failed(document) else 0


if __name__ == "__main__":
    sys.exit(main())
