#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the flow graph's tests and names with a peer's headers and runs the tests with its library, so that they state
TBB's interface and not ours.

    peers.py PEER SOURCE_DIR WORK_DIR [TEST...]

Exit code 77: the peer can't be had, and why is said."""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SKIPPED = 77
CXX = os.environ.get("CXX", "g++")
PEERS = {"onetbb": "onetbb", "tbb2020": "classic"}  # peer -> folder of its names
FLAGS = ["-std=c++17", "-O0", "-w", "-DFLOW_PEER=1", "-DTBB_SUPPRESS_DEPRECATED_MESSAGES=1"]
LIMIT = 800  # seconds for one program


def find_peer(source, name):
    """The prefix of a peer, or the reason why there is none."""
    sys.path.insert(0, str(source / "bench/harness"))
    import peers
    found = peers.resolve_peer(name, peers.load_spec()[name], peers.cache_dir())
    return found.missing or found.include.parent


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=LIMIT)
    return None if done.returncode == 0 else f"$ {' '.join(map(str, command))}\n{(done.stdout + done.stderr)[-6000:]}exit code {done.returncode}"


def compile_names(file, prefix):
    return run([CXX, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-isystem", prefix / "include", file])


def build(file, objects, prefix, work, tests):
    made = work / file.stem
    return run([CXX, *FLAGS, "-I", tests, "-I", tests / "flow", "-isystem", prefix / "include", file, *objects, "-L", prefix / "lib", "-ltbb",
                f"-Wl,-rpath,{prefix / 'lib'}", "-pthread", "-o", made])


def main():
    name, source, work, chosen = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]) / sys.argv[1], sys.argv[4:]
    prefix = find_peer(source, name)
    if isinstance(prefix, str):
        print(prefix)
        return SKIPPED
    work.mkdir(parents=True, exist_ok=True)
    tests = source / "tests"
    files = [file for file in sorted((tests / "flow").glob("*_test.cpp")) if not chosen or file.stem in chosen]
    objects = [work / "main.o", work / "doctest.o"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = list(pool.map(lambda made: run([CXX, "-std=c++17", "-O0", "-I", tests, "-c", tests / "support" / f"{made.stem}.cpp", "-o", made]),
                                 objects))
        failures += pool.map(lambda file: compile_names(file, prefix), sorted((tests / "flow/names" / PEERS[name]).glob("*.cpp")))
        failures += pool.map(lambda file: build(file, objects, prefix, work, tests), files)
    failures = [failure for failure in failures if failure]
    for file in files:
        failure = run([work / file.stem]) if (work / file.stem).exists() else None
        print(f"{name}: {file.stem}: {'FAILED' if failure else 'passed'}", flush=True)
        failures += [failure] if failure else []
    print("\n".join(failures))
    return 1 if failures or not files else 0


if __name__ == "__main__":
    sys.exit(main())
