#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the files that a reader visits who follows a job from the program's call to the program's code: in walks.cpp,
stopped by gdb where the library passes something on (a push, a wake-up, a theft, the user's code), the calls on the stack
that were not on the stack before. A return is a step to a file that the walk had left, unless the program's code makes it by a call. Helpers that are called and over
before anything is passed on don't count, nor do calls that the compiler has made jumps, nor the layers os and sync.

usage: walks.py PROGRAM [--show]
"""
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def line_of(file, code):
    """The place in a header where the code stands, for what is compiled into its callers always."""
    lines = (ROOT / file).read_text().split("\n")
    return f"{Path(file).name}:{next(number for number, line in enumerate(lines, 1) if code in line)}"


# What stops where: functions of the library at which the walk looks at the stack.
STOPS = {
    "loop": ["ashlar::v1::sched::deque::push", "ashlar::v1::os::futex_wake", line_of("include/ashlar/sched/queue/deque.h", "top_.compare_exchange(t, t + 1"),
             "user_code"],
    "classic": ["ashlar::v1::sched::deque::push", "ashlar::v1::sched::deque::pop",
                line_of("src/sched/tasks/child_count.h", "count.fetch_sub(1"), "keep", "user_code"],
}
CALLER = 1  # the program's own thread, as gdb counts them
# Files and returns that a walk may have.
MOST = {"loop": (13, None), "classic": (9, 3)}
# Where src/sched/README.md tells how many files they are.
TOLD = {"loop": r"sleeping\s+worker\s+comes\s+for:\s+(\d+)\s+files", "classic": r"recycles\s+itself:\s+(\d+)\s+files"}

# Runs inside gdb: prints each stack as a line of JSON, outermost call first.
INSIDE = r"""
import gdb, json
on = False
def frames():
    found, frame = [], gdb.newest_frame()
    while frame is not None:
        where = frame.find_sal().symtab
        if where is not None and frame.name() is not None:
            found.append([where.fullname(), frame.name()])
        frame = frame.older()
    return found[::-1]
def tell(event):
    print("WALK " + json.dumps([gdb.selected_thread().num, event, frames()]), flush=True)
class stop(gdb.Breakpoint):
    def stop(self):
        if on:
            tell(self.location)
        return False
def begin():
    global on
    here = gdb.selected_thread()
    for thread in gdb.selected_inferior().threads():
        if thread.num != here.num:
            thread.switch()
            tell("sleeps")
    here.switch()
    on = True
class end(gdb.Breakpoint):
    def stop(self):
        global on
        on = False
        return False
gdb.Breakpoint("begin_walk")
end("end_walk")
"""


def stacks(gdb, program, walk):
    script = INSIDE + "".join(f"stop({name!r})\n" for name in STOPS[walk])
    words = [gdb, "-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load no", "-iex", "set breakpoint pending on"]
    words += ["-ex", f"python exec({script!r})", "-ex", "run", "-ex", "python begin()", "-ex", "continue"]
    words += ["--args", program, walk]
    done = subprocess.run(words, capture_output=True, text=True, timeout=800, check=False)
    found = [json.loads(line[5:]) for line in done.stdout.splitlines() if line.startswith("WALK ")]
    if not any(event == "user_code" for _, event, _ in found):
        raise SystemExit(f"{walk}: the walk does not reach the user's code\n{done.stdout}{done.stderr}")
    return found


def in_tree(file):
    """The path below the tree's root, or None. A compiler cache gives the objects of another copy of the tree, with its paths."""
    found = re.search(r"/((?:include/tbb|include/ashlar|src)/(?!os/|sync/).+)$", str(Path(file).resolve()))
    return found[1] if found and (ROOT / found[1]).is_file() else None


def of_library(stack):
    """File and function of each call; (None, its function) where the program's code runs."""
    calls = []
    for file, name in stack:
        path = in_tree(file)
        if path is not None:
            calls.append((path, name))
        elif Path(file).name == "walks.cpp" and calls:
            calls.append((None, name))
    return calls


def follow(found):
    """The calls of the walk in order, each once, with whether the program's code makes it."""
    walk, before, known = [], {}, set()
    for thread, event, stack in found:
        calls = of_library(stack)
        same = 0
        while same < min(len(calls), len(before.get(thread, []))) and calls[same] == before[thread][same]:
            same += 1
        before[thread] = calls
        for at in range(same, len(calls)):
            if calls[at][0] is not None and calls[at] not in known:
                walk.append((*calls[at], at > 0 and calls[at - 1][0] is None))
                known.add(calls[at])
        if event == "user_code" and thread != CALLER:
            break  # the thief is where the walk leads to
    return walk


def count(walk):
    files, returns, last = [], 0, None
    for file, _, from_program in walk:
        if file not in files:
            files.append(file)
        elif file != last and not from_program:
            returns += 1
        last = file
    return files, returns


def main():
    gdb = shutil.which("gdb")
    if gdb is None:
        print("no gdb")
        return 77
    wrong, document = 0, (ROOT / "src/sched/README.md").read_text(encoding="utf-8")
    for name, (most_files, most_returns) in MOST.items():
        walk = follow(stacks(gdb, sys.argv[1], name))
        files, returns = count(walk)
        print(f"{name}: {len(files)} files (at most {most_files}), {len(walk)} functions, {returns} returns"
              + (f" (at most {most_returns})" if most_returns is not None else ""))
        for file, function, _ in walk if "--show" in sys.argv else []:
            print(f"  {file:<45} {function}")
        told = re.search(TOLD[name], document)
        if not told or int(told[1]) != len(files):
            print(f"src/sched/README.md tells {told[1] if told else 'nothing'}")
            wrong += 1
        wrong += not files or len(files) > most_files or (most_returns is not None and returns > most_returns)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
