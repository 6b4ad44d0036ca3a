#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the scheduler's code lines (not blank, no comment) by area, now and at the commit at which their figure was set, and tells which of
them belong to what the scheduler could not do then.

A feature is a list of files and of functions, by name, counted in both states: what came later is the difference. Frames are the lines that
a file needs because it is a file: includes, namespaces, #pragma once. Needs the repository's history.

The tables of docs/mechanisms.md stand between two marks, of which the first one names the commit that was counted. --write counts
the present commit and writes the tables; --check (the test style.sched_lines) compares them with that commit's, and finds files of the
present tree without an area.
"""
import argparse
import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import PurePath

import source_tree as tree

BASE = "dab7934"
DOCUMENT = tree.ROOT / "docs/mechanisms.md"
MARKED = re.compile(r"<!-- sched_lines: begin (\w+) -->\n(.*?)<!-- sched_lines: end -->", re.S)
FOLDERS = ("src/sched", "include/ashlar/sched")
# Each file belongs to the first area with a pattern for its name.
AREAS = {
    "reports": ("hang_*", "suspension_log.*", "wait_log.*", "statistics*", "stopwatch.h"),
    "slot": ("slot.*", "slot_claim.h", "seat.h", "attention.h", "push.cpp"),
    "market and workers": ("market.*", "cancel_hook.h", "allotment.*", "load.*", "membership.h", "arena_list.h", "thread_limit.*", "watch_duty.*", "watchdog.h", "sentinel.h",
                           "worker*", "deputies.*", "progress.cpp", "termination.cpp", "application_thread.*", "occupancy.*"),
    "arena and search": ("arena.*", "arena_handle.h", "arena_call.h", "arena_settings.h", "observers.*", "reference_count.h", "dispatch.*", "search*", "aside_jobs.h", "restricted_sleep.h", "left_to_workers.h"),
    "parking": ("parking.*", "latch.h", "wait_target.*", "process_locks.*"),
    "queues": ("deque.*", "injector.h", "segment_memory.h", "mailbox.*", "affinity.*", "task_pool.*", "stack_inbox.h"),
    "core": ("context.*", "cancel_listener.*", "calling_thread.*", "fp_word.h", "words_scope.h", "fork_join.*", "observed.*", "running_*", "thread_data.*", "context_job.h", "own_jobs.*", "rest*"),
    "policies": ("idle.h", "lost_theft.h", "theft_memory.h", "wake_rule.h", "job*", "policy.h", "policies.*", "small_loops.h", "faster_way.h", "victim.h", "wait_policy.h"),
    "suspension, coroutines, completions": ("stack_set.*", "suspend*", "continuation.*", "coroutine.h", "completion.*", "watch_list.*", "watch_group.cpp"),
    "tasks and groups": ("classic_prefix.h", "classic_task.*", "child_count.h", "d1_task.*", "*group*", "task_handle.h", "wait_count.*", "wait_unless.cpp", "dummy_tasks.*",
                         "stand_ins.*", "deferred_job.cpp", "cancel_callback.h", "own_wait.*"),
    "interface": ("task_arena.*", "global_control.*", "info.h", "numa_*", "constraints.*", "classic_init.*", "observer.h", "delegate*", "forks.*", "overflow_text.*"),
}
FEATURES = {
    "hang report: what each thread runs and waits for, who waits for whom, backtraces": (("hang_*", "suspension_log.*", "wait_log.*"), ()),
    "statistics as a table, as JSON and for programs": (("statistics*", "stopwatch.h"), ()),
    "fork with other threads inside the library": (
        ("forks.*", "process_locks.*"), ("before_fork", "after_fork\\w*", "forget_threads", "forget_occupant", "forget_senders", "forget_observing_threads",
                                         "forget_sleepers", "drop_jobs_if", "lies_on_stack_of")),
    "a system without threads for workers": ((), ("may_create", "workers::start", "give_up")),
    "processors that are taken away and come back": ((), ("set_processors", "look_at_allowance", "short_of_processors")),
    "jobs that isolated regions and suspended tasks leave": (("aside_jobs.h",), ("lay_aside", "lay_strangers_aside", "move_aside", "end_inner_region")),
    "spawned tasks of another priority, calls before other work": (
        ("deferred_job.cpp",), ("push_call", "push_spawned", "try_pop_call", "try_pop_urgent", "try_pop_low", "enqueue_call", "submit_spawned", "raise_urgent",
                                "take_urgent", "run_urgent", "pop_urgent", "spawn_specially")),
    "suspended tasks that any thread of the arena resumes": (("stack_set.*", "suspended_stack.h", "running_above.h", "watch_group.cpp"), ()),
    "names of tasks in traces and reports": (("job_kind.*", "running_task.h"), ()),
}


def git(*words):
    return subprocess.run(["git", *words], cwd=tree.ROOT, capture_output=True, text=True, check=True).stdout


def code_of(text):
    """Code lines; the comments behind closing braces of namespaces are kept, to tell these."""
    kept = re.sub(r"^\}  // namespace.*$", "} namespace_end", text, flags=re.M)
    return [line for line in tree.code_lines(kept) if line.strip()]


def state(revision):
    if revision is None:
        return {p.name + "|" + tree.relative(p): code_of(p.read_text(encoding="utf-8")) for p in tree.files_below(*FOLDERS)}
    names = [n for n in git("ls-tree", "-r", "--name-only", revision, *FOLDERS).split() if n.endswith((".h", ".cpp"))]
    return {PurePath(n).name + "|" + n: code_of(git("show", f"{revision}:{n}")) for n in names}


def frames(code):
    return sum(bool(re.match(r"#(?:include|pragma once)|namespace |inline namespace |\} namespace_end", line)) for line in code)


def function_lines(code, name):
    """The definitions of functions of this name: from their heads to the line of the last brace."""
    lines = 0
    at = 0
    while at < len(code):
        head = re.match(rf"( *)[\w:<>&*, \[\]]*\b{name}\(", code[at])
        last = at
        while head and last < len(code) and not code[last].rstrip().endswith(("{", ";", "}", ",")):
            last += 1
        if head and last < len(code) and code[last].rstrip().endswith("{") and not re.match(r" *(?:if|while|for|return|else)\b", code[at]):
            while last < len(code) and not code[last].startswith(head[1] + "}"):
                last += 1
        elif not (head and last == at and code[at].rstrip().endswith("}")):
            at += 1
            continue
        lines += last - at + 1
        at = last + 1
    return lines


def lines_of(files, functions, of):
    whole = {key: code for key, code in of.items() if any(fnmatch(key.split("|")[0], f) for f in files)}
    rest = (code for key, code in of.items() if key not in whole)
    return sum(map(len, whole.values())) + sum(function_lines(code, name) for code in rest for name in functions)


def area_of(key):
    found = [area for area, patterns in AREAS.items() if any(fnmatch(key.split("|")[0], p) for p in patterns)]
    if not found:
        sys.exit(f"sched_lines: no area for {key.split('|')[1]}")
    return found[0]


def table(head, rows, markdown):
    yield f"| {head} | base | now | more |\n|---|--:|--:|--:|" if markdown else f"{head:<84} {'base':>6} {'now':>6} {'more':>6}"
    for name, before, now in rows:
        yield f"| {name} | {before:,} | {now:,} | {now - before:+,} |" if markdown else f"{name:<84} {before:>6} {now:>6} {now - before:>+6}"
    yield ""


def report(before, now, markdown):
    """The lines of both tables, and what follows from them."""
    def sums(of):
        return {area: sum(len(code) for key, code in of.items() if area_of(key) == area) for area in AREAS}
    old, new = sums(before), sums(now)
    all_old, all_new = sum(old.values()), sum(new.values())
    yield from table("area", [(area, old[area], new[area]) for area in AREAS] + [("all", all_old, all_new)], markdown)
    features = [(name, lines_of(*parts, before), lines_of(*parts, now)) for name, parts in FEATURES.items()]
    later = sum(b - a for _, a, b in features)
    yield from table("feature that came or grew", features + [("all", sum(f[1] for f in features), sum(f[2] for f in features))], markdown)
    framed = sum(map(frames, now.values())) - sum(map(frames, before.values()))
    yield (f"So the same features take {all_new - later:,} lines, against {all_old:,} then: {all_new - later - all_old:,} more, of which {framed:,} are frames "
           f"(includes, namespaces, `#pragma once`) of {len(now)} files instead of {len(before)}.")


def check(before):
    marked = MARKED.search(DOCUMENT.read_text(encoding="utf-8"))
    if not marked:
        sys.exit(f"sched_lines: {tree.relative(DOCUMENT)} has no marks")
    for key in state(None):
        area_of(key)
    told, counted = marked[2].strip().split("\n"), "\n".join(report(before, state(marked[1]), True)).split("\n")
    errors = [f"{tree.relative(DOCUMENT)}: at {marked[1]} it is: {line}" for line in counted if line not in told]
    errors += [f"{tree.relative(DOCUMENT)}: not so at {marked[1]}: {line}" for line in told if line not in counted]
    return tree.finish("sched_lines", errors, f"tables of {marked[1]}")


def write(before):
    commit = git("rev-parse", "--short=8", "HEAD").strip()
    text = "\n".join(report(before, state(commit), True))
    old = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(MARKED.sub(lambda _: f"<!-- sched_lines: begin {commit} -->\n{text}\n<!-- sched_lines: end -->", old), encoding="utf-8")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    what.add_argument("--check", action="store_true", help="compare the tables of docs/mechanisms.md, and write nothing")
    what.add_argument("--write", action="store_true", help="write the tables of the present commit into docs/mechanisms.md")
    options = parser.parse_args()
    try:
        before = state(BASE)
        if options.check:
            return check(before)
    except (OSError, subprocess.CalledProcessError):
        print(f"sched_lines: the history does not reach back to {BASE}")
        return 77
    if options.write:
        return write(before)
    print("\n".join(report(before, state(None), options.markdown)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
