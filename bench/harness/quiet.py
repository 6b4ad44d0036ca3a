# SPDX-License-Identifier: Apache-2.0
"""Whether the machine is ours: who else uses its CPUs, and when a measurement beside them must not be reported."""
import os
import pathlib
import time

TICK = os.sysconf("SC_CLK_TCK")
MOST_DISTURBED = 0.25  # share of the runs that others may disturb before nothing is reported


def _times(proc):
    """CPU ticks, name and parent by process id."""
    found = {}
    for entry in pathlib.Path(proc).iterdir():
        if entry.name.isdigit():
            try:
                head, _, tail = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")
            except OSError:
                continue  # it ended meanwhile
            fields = tail.split()
            found[int(entry.name)] = (int(fields[11]) + int(fields[12]), head.partition("(")[2], int(fields[1]))
    return found


def _is_ours(pid, processes, own):
    while pid in processes and pid != own:
        pid = processes[pid][2]
    return pid == own


def others(seconds=1.0, proc="/proc"):
    """(cores, name) of the processes beside ours that used CPU meanwhile, the busiest first."""
    before = _times(proc)
    started = time.monotonic()
    time.sleep(seconds)
    elapsed = time.monotonic() - started
    after = _times(proc)
    used = [((ticks - before.get(pid, (0,))[0]) / TICK / elapsed, name) for pid, (ticks, name, _) in after.items()
            if pid in before and not _is_ours(pid, after, os.getpid())]
    return sorted((entry for entry in used if entry[0] > 0), reverse=True)


def objection(busy, limit):
    """One line that says who disturbs, or None if together they use no more than `limit` cores."""
    cores = sum(used for used, _ in busy)
    if cores <= limit:
        return None
    names = ", ".join(f"{name} ({used:.2f})" for used, name in busy[:4])
    return f"other processes use {cores:.2f} cores, more than {limit:g}: {names}"


def disturbs(report, limit):
    """Whether other processes used more than `limit` cores beside a run. The kernel counts their time in ticks of 10 ms, so fewer
    than four of them say nothing."""
    cores = report.get("foreign_cores", 0)
    return cores > limit and cores * report.get("watched_s", 1) > 0.04


def wait_for_quiet(limit, patience, look=others, clock=time.monotonic):
    """None as soon as the machine is quiet; after `patience` seconds the line that says who disturbs."""
    deadline = clock() + patience
    while True:
        found = objection(look(), limit)
        if found is None or clock() >= deadline:
            return found


def refusal(disturbed, taken):
    """Why a finished measurement must not be reported: too many of its runs were disturbed. None if it may."""
    if disturbed <= MOST_DISTURBED * taken:
        return None
    return f"other processes disturbed {disturbed} of {taken} runs, more than {100 * MOST_DISTURBED:.0f} %"
