#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden instruction counts of the scheduler's, the flow graph's and the allocator's operations.

Compiles the programs in tests/golden and the library with g++ 12 -O2, runs each row under callgrind with two sizes, and
compares instructions and locked instructions per operation with tests/golden/x86_64-gcc12.txt. A change is shown, and
is either a mistake or is accepted with --update. Exits with 77 where g++ 12, valgrind or x86-64 is missing.

The long form counts every public algorithm, container, lock and allocator path as well, and compares with what was stored
last below bench/history/counts; --store adds this commit's counts, from which `./dev bench history` draws its page.
"""
import argparse
import concurrent.futures
import datetime
import functools
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench" / "harness"), str(ROOT / "tools")]
import count  # noqa: E402
import layer_sources  # noqa: E402
import peers  # noqa: E402

GOLDEN = ROOT / "tests" / "golden" / "x86_64-gcc12.txt"
# Source of the program: the layers of the library that it needs, its rows.
PROGRAMS = {
    "programs.cpp": (["base", "os", "obs", "sync", "sched"],
                     ["fork_join", "spawn_pop", "steal_join", "group_run_wait", "loop_chunk", "classic_blocking",
                      "classic_cbr"]),
    "flow.cpp": (["base", "os", "obs", "sync", "sched", "algo", "flow"],
                 ["flow_serial", "flow_unlimited", "flow_body_to_body", "flow_continue", "flow_broadcast", "flow_queue",
                  "flow_join", "flow_limiter"]),
    "allocator.cpp": (["base", "alloc"],
                      ["malloc_free_64", "malloc_free_1024", "malloc_free_16384", "malloc_free_1m",
                       "malloc_free_in_order", "malloc_free_shuffled", "malloc_free_remote"]),
}
ALL_LAYERS = ["base", "os", "obs", "sync", "sched", "containers", "algo", "alloc"]
LONG_PROGRAMS = ["algorithms.cpp", "containers.cpp", "allocator_paths.cpp"]
HISTORY = ROOT / "bench" / "history" / "counts"
TOLERATED = 1.05   # the long form: what a row may rise above the last stored count
SIZES = (2048, 6144)
ROUNDING = 0.015   # a program's start may take 8 instructions more in one run, so that a count is rounded the other way
# The figures to reach (1 KB and 16 KB are those of the replaced malloc).
LIMITS = {"fork_join": (130, 1), "malloc_free_64": (42, 0), "malloc_free_1024": (48, 0), "malloc_free_16384": (68, 0)}
FLAGS = ["-std=c++20", "-O2", "-DNDEBUG", "-fPIE", f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}"]


def compiler():
    """g++ 12, or None."""
    for name in ("g++-12", "g++"):
        path = shutil.which(name)
        if path is None:
            continue
        version = subprocess.run([path, "-dumpversion"], capture_output=True, text=True, check=True).stdout
        if version.split(".")[0].strip() == "12":
            return path
    return None


def missing():
    """What keeps the counts from being taken here, or None."""
    if platform.machine() != "x86_64":
        return "the counts are for x86-64"
    if compiler() is None:
        return "g++ 12 is missing"
    for tool in ("valgrind", "objdump"):
        if shutil.which(tool) is None:
            return f"{tool} is missing"
    return None


def compile_object(pair):
    subprocess.run([compiler(), *FLAGS, "-DASHLAR_VERSION=\"golden\"", "-c", str(pair[0]), "-o", str(pair[1])], check=True)
    return pair[1]


def compile_all(pairs):
    """Sources and their objects, as many at a time as there are processors."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(compile_object, pairs))


@functools.lru_cache(maxsize=None)
def layer_objects(scratch, layer):
    return compile_all([(source, scratch / f"{layer}-{source.stem}.o") for source in layer_sources.layer_sources(layer)])


def compile_program(scratch, source, layers):
    """The program with the library's own sources, so that no build's options matter."""
    program = scratch / pathlib.Path(source).stem
    objects = compile_all([(ROOT / "tests" / "golden" / source, scratch / f"{program.name}.o")])
    for layer in layers:
        objects += layer_objects(scratch, layer)
    subprocess.run([compiler(), "-pie", *map(str, objects), "-o", str(program), "-pthread", "-ldl"], check=True)
    return program


def run(program, row, size, scratch):
    """(instructions, locked instructions) of the program's own code in one run."""
    out = scratch / f"callgrind.{program.name}.{row}.{size}"
    environment = {**os.environ, "ASHLAR_NUM_THREADS": "1"}
    subprocess.run(["valgrind", "--tool=callgrind", "--dump-instr=yes", "--dump-line=no", "--compress-strings=no",
                    "--compress-pos=no", f"--callgrind-out-file={out}", "--quiet", str(program), row, str(size)],
                   check=True, env=environment, timeout=900)
    with open(out, encoding="utf-8", errors="replace") as file:
        counts = count.parse_callgrind(file)
    return count.totals({key: n for key, n in counts.items() if key[0] == str(program)})


def per_operation(program, row, scratch):
    small, large = (run(program, row, size, scratch) for size in SIZES)
    return tuple(round((b - a) / (SIZES[1] - SIZES[0]), 2) for a, b in zip(small, large))


def measure():
    """{row: (instructions, locked instructions)} per operation."""
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        jobs = []
        for source, (layers, rows) in PROGRAMS.items():
            program = compile_program(scratch, source, layers)
            jobs += [(row, program) for row in rows]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            counts = pool.map(lambda job: per_operation(job[1], job[0], scratch), jobs)
            return {row: found for (row, _), found in zip(jobs, counts)}


def measure_long():
    """The rows of the long form's own programs, several at a time."""
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        jobs = []
        for source in LONG_PROGRAMS:
            program = compile_program(scratch, source, ALL_LAYERS)
            names = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.split()
            jobs += [(f"{program.name}.{name}", program, name) for name in names]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            counts = pool.map(lambda job: per_operation(job[1], job[2], scratch), jobs)
            return {job[0]: found for job, found in zip(jobs, counts)}


def last_stored(folder):
    """The counts that were stored last, or nothing; names of the files begin with their dates."""
    files = sorted(folder.glob("*.json"))
    return json.loads(files[-1].read_text(encoding="utf-8"))["counts"] if files else {}


def risen(found, before):
    """The lines that tell which rows rose beyond what is tolerated; half an instruction is no rise."""
    return [f"{row}: {found[row][what]} {('instructions', 'locked')[what]}, stored last {old[what]}"
            for row, old in before.items() if row in found for what in (0, 1)
            if found[row][what] > TOLERATED * old[what] and found[row][what] > old[what] + 0.5]


def store(found, folder):
    """One file for each commit; the same commit measured again replaces its file."""
    commit = peers.git_version()
    for old in folder.glob(f"*-{commit.rstrip('+')}*.json"):
        old.unlink()
    date = datetime.datetime.now(datetime.timezone.utc)
    document = {"commit": commit, "date": date.strftime("%Y-%m-%dT%H:%M:%SZ"), "compiler": peers.compiler_version("g++"),
                "counts": {row: list(value) for row, value in found.items()}}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{date:%Y%m%dT%H%M%SZ}-{commit.rstrip('+')}.json"
    path.write_text(json.dumps(document, indent=0) + "\n", encoding="utf-8")
    return path


def read_golden():
    if not GOLDEN.exists():
        return {}
    lines = (line.split() for line in GOLDEN.read_text(encoding="utf-8").splitlines() if line and line[0] != "#")
    return {name: (float(instructions), float(locked)) for name, instructions, locked in lines}


def write_golden(found):
    text = "# Instructions and locked instructions per operation; tools/golden.py --update writes this file.\n"
    text += "".join(f"{row:20} {a:8.2f} {b:6.2f}\n" for row, (a, b) in found.items())
    GOLDEN.write_text(text, encoding="utf-8")


def compare(found, golden):
    """The lines that tell what is wrong."""
    wrong = []
    for row, value in found.items():
        if row in LIMITS and any(a > b for a, b in zip(value, LIMITS[row])):
            wrong.append(f"{row}: {value[0]} instructions, {value[1]} locked; the limit is {LIMITS[row]}")
        if row not in golden or any(abs(a - b) > ROUNDING for a, b in zip(value, golden[row])):
            wrong.append(f"{row}: {value}, recorded {golden.get(row)}")
    return wrong


def long_form(found, options):
    """Exit code of the long form: 1 if something rose and this is not stored deliberately."""
    before = last_stored(HISTORY)
    found = {**found, **measure_long()}
    for row, (instructions, locked) in found.items():
        old = before.get(row)
        change = f"  {instructions / old[0] - 1:+8.1%}" if old and old[0] and old[0] != instructions else ""
        print(f"{row:34} {instructions:10.2f} instructions {locked:7.2f} locked{change}")
    rises = risen(found, before)
    for line in rises:
        print(f"risen: {line}", file=sys.stderr)
    if options.store:
        print(f"stored: {store(found, HISTORY).relative_to(ROOT)}")
    return 1 if rises and not options.store else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="record what is found")
    parser.add_argument("--long", action="store_true", help="every public path, against what was stored last (about two minutes)")
    parser.add_argument("--store", action="store_true", help="with --long: add these counts to bench/history/counts")
    options = parser.parse_args()
    reason = missing()
    if reason is not None:
        print(f"skipped: {reason}")
        sys.exit(77)
    found = measure()
    if options.long:
        sys.exit(long_form(found, options))
    for row, (instructions, locked) in found.items():
        print(f"{row:20} {instructions:8.2f} instructions {locked:6.2f} locked")
    if options.update:
        write_golden(found)
    wrong = compare(found, read_golden())
    for line in wrong:
        print(line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
