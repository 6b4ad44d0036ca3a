#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of an implementation of std::execution against our schedulers: those of its pools, whose headers stand-ins in
this folder replace, and those of its parallel_scheduler, whose backend we are.

    outside.py [--only TEXT] {stdexec,beman} CHECKOUT SOURCE_DIR LIBRARY SUPPORT WORK_DIR

SUPPORT is the archive with doctest's main(). What is left out, and why, is said. Nothing of the implementation is kept: what must be
changed in a test is changed in a copy below WORK_DIR. Exit code 77: there is no checkout, or the compiler can't do it."""
import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SKIPPED = 77
CXX = os.environ.get("CXX", "g++")
FLAGS = ["-O0", "-w", "-pthread"]
LIMIT = 900  # seconds for one program
BACKEND = "src/execution/parallel_scheduler.cpp"

# Test files, below the implementation's folder of tests.
STDEXEC = [
    "stdexec/schedulers/test_parallel_scheduler.cpp", "stdexec/schedulers/test_task_scheduler.cpp", "exec/tbb/test_tbb_thread_pool.cpp",
    "exec/test_static_thread_pool.cpp", "exec/test_thread_pool_base.cpp",
    "stdexec/algos/factories/test_schedule.cpp", "stdexec/algos/consumers/test_sync_wait.cpp",
    "stdexec/algos/adaptors/test_bulk.cpp", "stdexec/algos/adaptors/test_continues_on.cpp", "stdexec/algos/adaptors/test_let_error.cpp",
    "stdexec/algos/adaptors/test_let_value.cpp", "stdexec/algos/adaptors/test_on.cpp", "stdexec/algos/adaptors/test_spawn_future.cpp",
    "stdexec/algos/adaptors/test_starts_on.cpp", "stdexec/types/test_counting_scopes.cpp", "exec/async_scope/test_dtor.cpp",
    "exec/async_scope/test_spawn_future.cpp", "exec/async_scope/test_start_now.cpp", "exec/test_any_sender.cpp", "exec/test_create.cpp",
    "exec/test_repeat_n.cpp", "exec/test_repeat_until.cpp", "exec/test_split.cpp", "exec/test_start_detached.cpp",
    "exec/test_type_async_scope.cpp",
]
BEMAN = ["beman/execution/exec-parallel-scheduler.test.cpp", "beman/execution/exec-on.test.cpp"]
# Files that test a pool's own interior; the reason.
LEFT_OUT = {
    "exec/test_static_thread_pool.cpp": "NUMA policies, a scheduler of one thread and schedule_all of that pool",
    "exec/test_thread_pool_base.cpp": "the base class of its pools",
    "beman/execution/exec-on.test.cpp": "its `on` does not compile with a scheduler that may be stopped, nor with its own parallel_scheduler",
}
# Includes the pool by another path, as the backend that is replaced.
WITHOUT_STAND_INS = ("stdexec/schedulers/test_parallel_scheduler.cpp",)
# beman.execution's test defines the backend itself.
OWN_BACKEND = re.compile(r"namespace beman::execution::parallel_scheduler_replacement \{.*?\n\} // namespace[^\n]*\n", re.S)


def run(*command):
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=LIMIT)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(late.cmd, 124, "", f"still running after {LIMIT} s")


def flags_of(options, stand_ins=True):
    here = Path(__file__).parent
    ours = ["-I", here / "words", *(["-I", here / options.implementation] if stand_ins else [])]
    tests = options.checkout / "test" if options.implementation == "stdexec" else options.checkout / "tests/beman/execution/include"
    standard = "-std=c++20" if options.implementation == "stdexec" else "-std=c++23"
    return [standard, *FLAGS, *ours, "-I", options.source / "include", "-isystem", tests, "-isystem", options.checkout / "include"]


def program_of(options, test):
    """Compiles a test file; the program, or what the compiler says."""
    file = options.checkout / ("test" if options.implementation == "stdexec" else "tests") / test
    made = options.work / test.removesuffix(".cpp").replace("/", "-")
    copy = made.with_name(f"{made.name}.cpp")
    copy.write_text(OWN_BACKEND.sub("", file.read_text()))
    own_main = [] if options.implementation == "beman" else [options.support]
    done = run(CXX, *flags_of(options, test not in WITHOUT_STAND_INS), "-I", file.parent, copy, options.source / BACKEND, *own_main, options.library, "-o", made)
    first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[-400:])
    return (made, "") if done.returncode == 0 else (None, first)


def check(options, test):
    if test in LEFT_OUT:
        return f"left out: {test}: {LEFT_OUT[test]}", None
    program, error = program_of(options, test)
    if error:
        return f"FAILED: {test} does not compile", error
    done = run(program)
    counts = re.search(r"test cases: +(\d+) \| +(\d+) passed", done.stdout)
    said = f"{counts[2]} of {counts[1]} test cases" if counts else ""
    if done.returncode == 0:
        return f"passed: {test} {said}", None
    return f"FAILED: {test} {said}", (done.stdout + done.stderr)[-3000:] + f"exit code {done.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("implementation", choices=("stdexec", "beman"))
    for path in ("checkout", "source", "library", "support", "work"):
        parser.add_argument(path, type=Path)
    options = parser.parse_args()
    header = "stdexec/execution.hpp" if options.implementation == "stdexec" else "beman/execution/execution.hpp"
    if not (options.checkout / "include" / header).exists():
        print(f"there is no {header} in {options.checkout}: name a checkout")
        return SKIPPED
    options.work.mkdir(parents=True, exist_ok=True)
    empty = options.work / "empty.cpp"
    empty.write_text(f"#include <{header}>\n")
    done = run(CXX, *flags_of(options), "-fsyntax-only", empty)
    if done.returncode != 0:
        print(f"{CXX} does not compile {header}: {next((line for line in done.stderr.splitlines() if 'error' in line), '')}")
        return SKIPPED
    tests = [test for test in (STDEXEC if options.implementation == "stdexec" else BEMAN) if options.only in test]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = list(pool.map(lambda test: check(options, test), tests))
    print("\n".join([line for line, _ in results] + [failure for _, failure in results if failure]))
    return 1 if not tests or any(failure for _, failure in results) else 0


if __name__ == "__main__":
    sys.exit(main())
