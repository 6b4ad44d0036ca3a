# SPDX-License-Identifier: Apache-2.0
"""What each client's script begins with: `prepare FOLDER` makes its inputs there, `run FOLDER` does the work and prints its results.
A line `measured WALL CPU` tells how long the work alone took; without it the whole process counts. The long task is the short one's
work several times, or on more data: `times()`."""
import contextlib
import os
import subprocess
import sys
import time


@contextlib.contextmanager
def measured():
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    print(f"measured {time.perf_counter() - wall:.6f} {time.process_time() - cpu:.6f}", flush=True)


def times():
    """How many times the short task's work is asked for."""
    return int(os.environ.get("CLIENT_TIMES", "1"))


def repeated(rounds, work):
    """Does the work so often (in the long task, so many times as often), measured. Returns its results, which must be the same each time."""
    with measured():
        first = work()
        for made in range(1, rounds * times()):
            again = work()
            if again != first:
                sys.exit(f"round {made + 1}: {again} instead of {first}")
    return first


def command(*parts):
    """Runs a program from PATH, which must succeed."""
    done = subprocess.run([str(part) for part in parts], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{parts[0]}: exit code {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout


def client(run, prepare=lambda folder: None):
    {"run": run, "prepare": prepare}[sys.argv[1]](sys.argv[2])
