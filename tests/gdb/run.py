#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at debugged.cpp with gdb and our script: alive, and in a core file; checks what is printed, and that every member
the script reads is in the debug information."""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VALUES = {
    "vector": r"concurrent_vector of 10 elements = \{100, 101, 102, 103, 104, 105, 106, 107, 108, 109\}",
    "hash": r"concurrent_hash_map of 1 elements = \{\[7\] = 49\}",
    "unordered": r"concurrent_unordered_map of 1 elements = \{\[3\] = 9\}",
    "several": r"concurrent_unordered_multiset of 3 elements = \{5, 5, 5\}",
    "ordered": r"concurrent_map of 3 elements = \{\[1\] = 1, \[2\] = 4, \[3\] = 9\}",
    "set": r"concurrent_set of 1 elements = \{8\}",
    "own": r"enumerable_thread_specific of 1 threads = \{41\}",
    "combined": r"combinable of 1 threads = \{42\}",
    "range": r"\[2, 90\) in grains of 4",
    "plane": r"\[0, 5\) in grains of 1 x \[6, 9\) in grains of 1",
    "context": r"context below 0x[0-9a-f]+, cancelled",
    "group": r"task_group: 1 tasks run, 1 not over; context below .*, not cancelled",
}
COMMAND = [
    r"thread \d+ \(LWP \d+, application\)\n    waits for a task group \(0x[0-9a-f]+\)",
    r"#0 outside of tasks: main, which waits in it",
    r"#0 the thread's own call of tbb::parallel_for: .*block_in_loop\(\)::\{lambda\(int\)#1\}, called by .*block_in_loop\(\)",
    r"thread \d+ \(LWP \d+, worker\)\n    task \(as logged\): .*lambda",
    r"    #0 .*main.*lambda",
    r"arena 0x[0-9a-f]+: 2 slots, 1 reserved, priority normal, workers: 1 allotted, 1 there; 0 wait for a slot\n"
    r"    slot 0: application thread LWP \d+, 0 jobs in its deque\n"
    r"    slot 1: busy worker LWP \d+, 0 jobs in its deque, inside of a group",
    r"\d+ members, 0 missing",
]


def look(gdb, script, before, program, *more):
    commands = before + ["python min(gdb.selected_inferior().threads(), key=lambda t: t.ptid[1]).switch()", "frame function main", *(f"print {name}" for name in VALUES), "ashlar", "ashlar members"]
    words = [gdb, "-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load no", "-x", script]
    for command in commands:
        words += ["-ex", command]
    done = subprocess.run([*words, program, *more], capture_output=True, text=True, timeout=800, check=False)
    return done.stdout + done.stderr


def check(kind, text):
    wrong = [f"{name}: no {pattern}" for name, pattern in VALUES.items() if not re.search(pattern, text)]
    wrong += [f"ashlar: no {pattern}" for pattern in COMMAND if not re.search(pattern, text)]
    print(f"{kind}: {len(VALUES) + len(COMMAND)} checks, {len(wrong)} wrong", *wrong, sep="\n  ")
    if wrong:
        print(text)
    return len(wrong)


def main():
    gdb = shutil.which("gdb")
    if gdb is None:
        print("no gdb")
        return 77
    program, script = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        core = str(Path(folder) / "core")
        text = look(gdb, script, ["run", f"generate-core-file {core}"], program)
        if "Operation not permitted" in text and "ptrace" in text:
            print("this system lets nobody trace")
            return 77
        wrong = check("alive", text) + check("core", look(gdb, script, [], program, core))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
