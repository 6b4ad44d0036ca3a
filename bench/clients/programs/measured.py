# SPDX-License-Identifier: Apache-2.0
"""What each client's script begins with: `prepare FOLDER` makes its inputs there, `run FOLDER` does the work and prints its results.
A line `measured WALL CPU` tells how long the work alone took; without it the whole process counts."""
import contextlib
import subprocess
import sys
import time


@contextlib.contextmanager
def measured():
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    print(f"measured {time.perf_counter() - wall:.6f} {time.process_time() - cpu:.6f}", flush=True)


def command(*parts):
    """Runs a program from PATH, which must succeed."""
    done = subprocess.run([str(part) for part in parts], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{parts[0]}: exit code {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout


def client(run, prepare=lambda folder: None):
    {"run": run, "prepare": prepare}[sys.argv[1]](sys.argv[2])
