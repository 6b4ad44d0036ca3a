#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the flow graph's tests and names with a peer's headers and runs the tests with its library, so that they state
TBB's interface and not ours.

    peers.py [--long] PEER SOURCE_DIR WORK_DIR SUPPORT [TEST...]

SUPPORT is the archive with the tests' main(). None of this depends on our library: what has passed is remembered beside the
peer under a hash of all that it was made of, and not done again. --long forgets, draws more graphs, and waits longer for
programs that hang. Exit code 77: the peer can't be had, and why is said."""
import argparse
import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SKIPPED = 77
CXX = os.environ.get("CXX", "g++")
PEERS = {"onetbb": "onetbb", "tbb2020": "classic"}  # peer -> folder of its names
TEST = ["-std=c++17", "-O0", "-w", "-DFLOW_PEER=1", "-DTBB_SUPPRESS_DEPRECATED_MESSAGES=1"]
NAMES = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
ONETBB_ONLY = ("limiter_consumers_test", "no_task_test", "providers_test", "waiting_test", "resources_test")
CLASSIC_ONLY = ("async_msg_test", "classic_test", "continue_receiver_test", "enqueue_test", "extraction_test", "switches_test")
OURS_ONLY = ("bounded_test", "cancelled_test", "control_test", "coroutine_test", "edge_turns_test", "edges_test", "explain_test", "fragile_test", "frozen_test", "given_back_test",
             "large_test", "svg_test", "wait_ends_test", "without_memory_test")
LIMIT = 800  # seconds for one program


def run(*command, **environment):
    """What a failed command said; None when it succeeded."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=LIMIT,
                          env={**os.environ, **environment})
    return None if done.returncode == 0 else f"$ {' '.join(map(str, command))}\n{(done.stdout + done.stderr)[-6000:]}exit code {done.returncode}"


def hash_of(file, peer, flags):
    made_of = hashlib.sha256()
    tests = file.parents[1] if file.parent.name == "flow" else file.parents[3]
    version = subprocess.run([CXX, "--version"], capture_output=True, text=True, check=True).stdout
    made_of.update(repr((file.name, peer, version, flags)).encode())
    for part in (file, Path(__file__), *sorted((tests / "flow/support").glob("*")), *sorted((tests / "support").glob("*"))):
        made_of.update(part.read_bytes())
    return made_of.hexdigest()[:24]


def check_names(file, prefix, _options):
    return run(CXX, *NAMES, "-isystem", prefix / "include", file)


def check_test(file, prefix, options):
    made = options.work / options.peer / file.stem
    tests = file.parents[1]
    return (run(CXX, *TEST, "-I", tests, "-I", tests / "flow", "-isystem", prefix / "include", file, options.support,
                "-L", prefix / "lib", "-ltbb", f"-Wl,-rpath,{prefix / 'lib'}", "-pthread", "-o", made)
            or run(made, **({} if options.long else {"FLOW_SHORT": "1"})))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("peer", choices=PEERS)
    for path in ("source", "work", "support"):
        parser.add_argument(path, type=Path)
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()

    sys.path.insert(0, str(options.source / "bench/harness"))
    import peers
    found = peers.resolve_peer(options.peer, peers.load_spec()[options.peer], peers.cache_dir())
    if found.missing:
        print(found.missing)
        return SKIPPED
    (options.work / options.peer).mkdir(parents=True, exist_ok=True)
    passed = peers.cache_dir() / "flow_passed"
    passed.mkdir(parents=True, exist_ok=True)
    folder = options.source / "tests/flow"
    files = [*folder.glob("*_test.cpp"), *(folder / "names" / PEERS[options.peer]).glob("*.cpp")]
    files = [file for file in files if (not options.tests or file.stem in options.tests)
             and file.stem not in OURS_ONLY and file.stem not in (CLASSIC_ONLY if options.peer == "onetbb" else ONETBB_ONLY)]

    def check(file):
        check_it, flags = (check_test, TEST) if file.parent == folder else (check_names, NAMES)
        mark = passed / hash_of(file, found.title + found.version, flags)
        known = mark.exists() and not options.long
        failure = None if known else check_it(file, found.include.parent, options)
        if not failure:
            mark.touch()
        return f"{options.peer}: {file.stem}: {'FAILED' if failure else 'passed before' if known else 'passed'}", failure

    # The largest first, so that the last to end is a short one.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(check, sorted(files, key=lambda file: -file.stat().st_size)))
    print("\n".join([line for line, _ in results] + [failure for _, failure in results if failure]))
    return 1 if not files or any(failure for _, failure in results) else 0


if __name__ == "__main__":
    sys.exit(main())
