# SPDX-License-Identifier: Apache-2.0
"""One process of a client: what it printed, what it cost, and which libtbb it and its children had in their memory."""
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time

MEASURED = re.compile(r"^measured ([0-9.]+) ([0-9.]+)\n", re.M)
TBB = re.compile(r"/libtbb(-[^/]*)?\.so[^/]*$|/libtbb-ashlar\.so[^/]*$")


def descendants(pid):
    found = [pid]
    for entry in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in entry.read_text(encoding="ascii").split():
                found += descendants(int(child))
        except OSError:
            continue  # it ended meanwhile
    return found


def mapped(pid):
    """The files named libtbb… that the process has in memory."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return set()
    paths = {line.split(None, 5)[5] for line in lines if line.count("/")}
    return {str(pathlib.Path(path).resolve()) for path in paths if TBB.search(path)}


def resident_kib(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * (os.sysconf("SC_PAGE_SIZE") // 1024)
    except OSError:
        return 0


class Watch(threading.Thread):
    """Looks every `seconds` at a process and its children, until it is stopped. `found`: what was seen each time."""

    def __init__(self, pid, seconds, look):
        super().__init__(daemon=True)
        self.pid, self.seconds, self.look, self.found, self.over = pid, seconds, look, [], threading.Event()
        self.start()

    def run(self):
        while not self.over.wait(self.seconds):
            self.found.append([self.look(pid) for pid in descendants(self.pid)])

    def stop(self):
        self.over.set()
        self.join()
        return self.found


def busy_seconds():
    """CPU time that all processes of the machine have used."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = list(map(int, file.readline().split()[1:]))
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def run(client, stand_ins, watched=False, sampled=False, timeout=900):
    """A dictionary: status, output, wall, cpu, memory_kib, foreign_cores, libraries (if watched), resident_kib (if sampled: once a second)
    and the last line of an error."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        busy, started = busy_seconds(), time.monotonic()
        process = subprocess.Popen(client.command("run"), env=client.environment(stand_ins), stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=errors, start_new_session=True)
        watch = Watch(process.pid, 0.02, mapped) if watched else None
        samples = Watch(process.pid, 1, resident_kib) if sampled else None
        killer = threading.Timer(timeout, lambda: os.killpg(process.pid, 9))
        killer.start()
        _, status, used = os.wait4(process.pid, 0)
        killer.cancel()
        wall = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        cpu = used.ru_utime + used.ru_stime
        foreign = max(0.0, busy_seconds() - busy - cpu) / wall
        libraries = sorted(set().union(*(paths for seen in watch.stop() for paths in seen))) if watch else None
        resident = [total for total in map(sum, samples.stop()) if total] if samples else None
        output.seek(0)
        errors.seek(0)
        text, said = output.read(), errors.read().strip().splitlines()
    of_work = MEASURED.search(text)
    if of_work:
        wall, cpu = float(of_work[1]), float(of_work[2])
    return {"status": process.returncode, "output": MEASURED.sub("", text), "wall": wall, "cpu": cpu, "memory_kib": used.ru_maxrss,
            "foreign_cores": round(foreign, 3), "libraries": libraries, "resident_kib": resident, "error": said[-1] if said else ""}
