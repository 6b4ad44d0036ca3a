# SPDX-License-Identifier: Apache-2.0
"""Exact instruction counts: callgrind runs of two problem sizes; the difference is free of start-up.

Locked instructions are those with a lock prefix, xchg with memory and mfence: callgrind says how often each
instruction ran, objdump which ones they are.

As a program: count.py PROGRAM ROW SIZE1 SIZE2 prints both counts per operation.
"""
import collections
import functools
import pathlib
import re
import subprocess
import sys
import tempfile

import execute

LOCKED = re.compile(r"\block\b|\bxchg\w*\s.*\(|\bmfence\b")
NOT_LOCKED = re.compile(r"\bxchg\s+%ax,%ax")
DISASSEMBLED = re.compile(r"^\s*([0-9a-f]+):\t(.*)$")


def parse_callgrind(lines):
    """Executions of each instruction: {(object file, address): count}. Costs of calls are inclusive and skipped."""
    counts = collections.Counter()
    current = ""
    skip = False
    for line in lines:
        if line.startswith("ob="):
            current = line[3:].strip()
        elif line.startswith("calls="):
            skip = True
        elif line.startswith("0x"):
            if skip:
                skip = False
                continue
            address, executed = line.split()[:2]
            counts[current, int(address, 16)] += int(executed)
    return counts


def locked_in_disassembly(text):
    """Addresses of the locked instructions in the output of objdump -d."""
    found = set()
    for line in text.splitlines():
        match = DISASSEMBLED.match(line)
        if match and LOCKED.search(match.group(2)) and not NOT_LOCKED.search(match.group(2)):
            found.add(int(match.group(1), 16))
    return found


@functools.lru_cache(maxsize=None)
def locked_addresses(path):
    if not pathlib.Path(path).is_file():
        return frozenset()
    done = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=False)
    return frozenset(locked_in_disassembly(done.stdout)) if done.returncode == 0 else frozenset()


def totals(counts):
    """(instructions, locked instructions) of a run."""
    locked = sum(n for (path, address), n in counts.items() if address in locked_addresses(path))
    return sum(counts.values()), locked


def count_run(program, arguments, peer):
    """(operations, instructions, locked instructions) of one run under callgrind."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--dump-line=no", "--compress-strings=no",
                   "--compress-pos=no", "--toggle-collect=*counted_section*", f"--callgrind-out-file={out}", "--quiet", program, *arguments, "--count"]
        report = execute.parse_report(execute.run_process(command, extra=execute.library_path(peer)), peer)
        with open(out, encoding="utf-8", errors="replace") as file:
            instructions, locked = totals(parse_callgrind(file))
    if instructions == 0:
        raise execute.RunError(f"{pathlib.Path(program).name} has no counted_section")
    return report["values"]["ops"], instructions, locked


def per_operation(program, row, sizes, threads, peer):
    """{"instructions": x, "locked": y} per operation, from the difference of two sizes. Rounded to hundredths: what
    happens once per level of recursion or doubling of a buffer is no cost of an operation.
    """
    small, large = (count_run(program, [row, "--threads", str(threads), "--size", str(size)], peer) for size in sizes)
    ops = large[0] - small[0]
    if ops <= 0:
        raise execute.RunError("the two sizes do not differ in operations")
    return {"instructions": round((large[1] - small[1]) / ops, 2), "locked": round((large[2] - small[2]) / ops, 2)}


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: count.py PROGRAM ROW SIZE1 SIZE2")

    class AnyPeer:
        lib = None
    result = per_operation(sys.argv[1], sys.argv[2], [int(sys.argv[3]), int(sys.argv[4])], 1, AnyPeer)
    print(f"{result['instructions']:.1f} instructions, {result['locked']:.2f} locked instructions per operation")


if __name__ == "__main__":
    main()
