#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of hangs.cpp with the watch on and compares their reports with golden ones, in which numbers of
threads, addresses, times and what depends on the system's libraries are normalised. --write stores them instead."""
import argparse
import contextlib
import functools
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"
END = "ashlar: end of the report"
LIMIT = 600  # seconds
# Frames that are there or not as the compiler inlines.
LEFT_OUT = re.compile(r"ashlar::|tbb::|std::|run_elsewhere")


def watch_environment(**more):
    return {**{k: v for k, v in os.environ.items() if not k.startswith("ASHLAR_")}, **more}


def is_stuck(process):
    """Whether the watching thread is there and all threads sleep."""
    names, states = [], []
    for stat in Path(f"/proc/{process}/task").glob("*/stat"):
        with contextlib.suppress(OSError):
            name, state = re.match(r"\d+ \((.*)\) (\S)", stat.read_text(encoding="utf-8")).groups()
            names.append(name)
            states.append(state)
    return "ashlar-watch" in names and set(states) == {"S"}


def switches(process):
    """How often each thread went to sleep so far."""
    found = []
    for status in sorted(Path(f"/proc/{process}/task").glob("*/status")):
        with contextlib.suppress(OSError):
            found += re.findall(r"^voluntary_ctxt_switches:.*", status.read_text(encoding="utf-8"), re.M)
    return found


def ask(process, number):
    # A thread may sleep for a moment, too, on its way to where it is stuck: but for the watching one, they sleep for good.
    still, before = 0, None
    while process.poll() is None and still < 20:
        time.sleep(0.05)
        now = switches(process.pid)
        changed = before is None or len(now) != len(before) or sum(a != b for a, b in zip(now, before)) > 1
        still = still + 1 if is_stuck(process.pid) and not changed else 0
        before = now
    process.send_signal(number)


def report_of(program, kind, environment, number=None):
    """stderr of the program up to the report's end or its own; `number`: a signal sent when a task blocks."""
    process = subprocess.Popen([program, kind], env=environment, stderr=subprocess.PIPE, text=True)
    killer = threading.Timer(LIMIT, process.kill)
    killer.start()
    if number:
        threading.Thread(target=ask, args=[process, number]).start()
    lines = []
    for line in process.stderr:
        lines.append(line.rstrip())
        if lines[-1] == END and not kind.startswith("not_"):
            break
    killer.cancel()
    process.kill()
    process.wait()
    return lines


class Threads:
    """Threads by what they are instead of their numbers."""

    def __init__(self, lines):
        self.names = {}
        for line in lines:
            if found := re.match(r'  thread (\d+) "([^"]*)" \((\S+)\)', line):
                kind = found.group(3)
                same = sum(name.startswith(kind) for name in self.names.values())
                self.names.setdefault(found.group(1), f"{kind}-{same + 1}")

    def __call__(self, match):
        return "thread " + self.names.get(match.group(1), "?")


def normalise(lines):
    threads = Threads(lines)
    out, elided, arenas = [], False, False
    for line in lines:
        arenas = line == "ashlar: arenas" or arenas and line != END
        if arenas or re.match(r"  \d+ more in no task", line):
            continue
        if frame := re.match(r"      #\d+ (\S+)\+0x[0-9a-f]+ ?(.*)", line):
            file, name = frame.groups()
            name = name.removesuffix(" [clone .isra.0]")
            if file == "hangs" and "(anonymous namespace)::" in name and not LEFT_OUT.search(name):
                out.append(f"      # {name}")
                elided = False
            elif not elided:
                out.append("      # …")
                elided = True
            continue
        elided = False
        line = re.sub(r"thread (\d+)( \"[^\"]*\")?", threads, line)
        line = re.sub(r"0x[0-9a-f]+", "ADDRESS", line)
        line = re.sub(r"\d+\.\d s", "TIME", line)
        out.append(line.replace(", parked", ""))
    return blocks_sorted(out)


def blocks_sorted(lines):
    """The order of threads in the report is the order in which they came: two of them differ from run to run."""
    blocks, head = [], []
    for line in lines:
        if line.startswith("  thread "):
            blocks.append([line])
        elif blocks and line.startswith("    "):
            blocks[-1].append(line)
        elif blocks:
            head += sum(sorted(blocks), [])
            blocks = []
            head.append(line)
        else:
            head.append(line)
    return "\n".join(head + sum(sorted(blocks), [])) + "\n"


def stored_in(kind):
    return GOLDEN / f"{kind}.txt"


def is_golden(kind, results, make):
    """A machine that stands still for a while wakes threads for a moment, which then are told of as going on: what is wrong is wrong
    in each of several runs."""
    wanted = stored_in(kind).read_text(encoding="utf-8") if stored_in(kind).exists() else None
    for _ in range(4):
        if normalise(results[kind]) == wanted:
            return True
        make()
    return normalise(results[kind]) == wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--raw", action="store_true")
    given = parser.parse_args()
    kinds = given.kinds or subprocess.run([given.program], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    results = {}

    def run(kind):
        results[kind] = report_of(given.program, kind, watch_environment(ASHLAR_HANG_REPORT="1"))

    def on_demand():
        number = signal.SIGUSR2
        results["signal"] = report_of(given.program, "pop", watch_environment(ASHLAR_HANG_SIGNAL=str(int(number))), number)

    makes = {kind: functools.partial(run, kind) for kind in kinds} | ({} if given.kinds else {"signal": on_demand})
    jobs = [threading.Thread(target=make) for make in makes.values()]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    wrong = 0
    for kind, make in makes.items():
        if given.raw:
            print(f"== {kind}", *results[kind], sep="\n")
        elif given.write:
            stored_in(kind).write_text(normalise(results[kind]), encoding="utf-8")
        elif not is_golden(kind, results, make):
            wrong += 1
            print(f"== {kind}: the report is not the golden one; it is:", *results[kind], f"== {kind}, normalised:", normalise(results[kind]), sep="\n")
    print(f"{len(results)} reports, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
