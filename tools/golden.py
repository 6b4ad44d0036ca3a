#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden instruction counts of the scheduler's and the allocator's operations.

Compiles the programs in tests/golden and the library with g++ 12 -O2, runs each row under callgrind with two sizes, and
compares instructions and locked instructions per operation with tests/golden/x86_64-gcc12.txt. A change is shown, and
is either a mistake or is accepted with --update. Exits with 77 where g++ 12, valgrind or x86-64 is missing.
"""
import argparse
import concurrent.futures
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench" / "harness"))
import count  # noqa: E402

GOLDEN = ROOT / "tests" / "golden" / "x86_64-gcc12.txt"
# Source of the program: the layers of the library that it needs, its rows.
PROGRAMS = {
    "programs.cpp": (["base", "os", "obs", "sync", "sched"],
                     ["fork_join", "spawn_pop", "steal_join", "group_run_wait", "loop_chunk", "classic_blocking",
                      "classic_cbr"]),
    "allocator.cpp": (["base", "alloc"],
                      ["malloc_free_64", "malloc_free_1024", "malloc_free_16384", "malloc_free_1m",
                       "malloc_free_in_order", "malloc_free_shuffled", "malloc_free_remote"]),
}
SIZES = (2048, 6144)
# Issue 2, section 6, and issue 3's figures (1 KB and 16 KB are those of the replaced malloc).
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


def compile_program(scratch, source, layers):
    """The program with the library's own sources, so that no build's options matter."""
    sources = [ROOT / "tests" / "golden" / source]
    for layer in layers:
        sources += sorted((ROOT / "src" / layer).glob("*.cpp"))
    program = scratch / pathlib.Path(source).stem
    objects = [scratch / f"{program.name}-{i}.o" for i in range(len(sources))]

    def build(pair):
        subprocess.run([compiler(), *FLAGS, "-DASHLAR_VERSION=\"golden\"", "-c", str(pair[0]), "-o", str(pair[1])], check=True)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(build, zip(sources, objects)))
    subprocess.run([compiler(), "-pie", *map(str, objects), "-o", str(program), "-pthread", "-ldl"], check=True)
    return program


def run(program, row, size, scratch):
    """(instructions, locked instructions) of the program's own code in one run."""
    out = scratch / f"callgrind.{row}.{size}"
    environment = {**os.environ, "ASHLAR_NUM_THREADS": "1"}
    subprocess.run(["valgrind", "--tool=callgrind", "--dump-instr=yes", "--dump-line=no", "--compress-strings=no",
                    "--compress-pos=no", f"--callgrind-out-file={out}", "--quiet", str(program), row, str(size)],
                   check=True, env=environment, timeout=120)
    with open(out, encoding="utf-8", errors="replace") as file:
        counts = count.parse_callgrind(file)
    return count.totals({key: n for key, n in counts.items() if key[0] == str(program)})


def measure():
    """{row: (instructions, locked instructions)} per operation."""
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        found = {}
        for source, (layers, rows) in PROGRAMS.items():
            program = compile_program(scratch, source, layers)
            for row in rows:
                small, large = (run(program, row, size, scratch) for size in SIZES)
                found[row] = tuple(round((b - a) / (SIZES[1] - SIZES[0]), 2) for a, b in zip(small, large))
        return found


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
        if golden.get(row) != value:
            wrong.append(f"{row}: {value}, recorded {golden.get(row)}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="record what is found")
    options = parser.parse_args()
    reason = missing()
    if reason is not None:
        print(f"skipped: {reason}")
        sys.exit(77)
    found = measure()
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
