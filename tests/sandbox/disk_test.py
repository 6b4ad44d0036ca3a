#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""disk_test.py SANDBOX STORM SOAK ASHLAR_SIM: what a program writes beside its work (traces, statistics) meets a full disk, a limit
of file sizes, signals and closed streams. The work is done all the same, the user is told in a line, and the trace can be read."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SANDBOX, STORM, SOAK, SIM = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "soak"))
import generator  # noqa: E402

PROGRAMS = [generator.program(seed, ["fork"]) for seed in range(60)]
TASKS = "".join(json.dumps(p) + "\n" for p in PROGRAMS)


class Wrong(Exception):
    """What is not as expected."""


def expect(right, what):
    if not right:
        raise Wrong(what)


def run(shell, condition="one-cpu", **variables):
    """The soak's programs, run by a line of shell in the sandbox; answers what was written to stderr."""
    done = subprocess.run([SANDBOX, condition, "/bin/sh", "-c", shell], input=TASKS, capture_output=True, text=True, check=False,
                          env={**os.environ, "SOAK": SOAK, "SIM": SIM, **variables})
    if done.returncode == 77:
        print(done.stderr.strip())
        return None
    expect(done.returncode == 0, f"ended with {done.returncode}: {done.stderr[-500:]}")
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    expect(len(answers) == len(PROGRAMS), f"{len(answers)} of {len(PROGRAMS)} programs answered")
    expect(not any(a["failures"] for a in answers), f"work was lost: {answers}")
    return done.stderr


def trace_on_a_full_disk(folder):
    errors = run('ASHLAR_TRACE="$DISK/trace" "$SOAK" && "$SIM" export "$DISK/trace" --chrome "$OUT"', f"small-disk={folder}",
                 DISK=folder, OUT=os.path.join(os.path.dirname(folder), "report"))
    if errors is not None:
        expect("No space left on device; recording ends here" in errors, errors)


def trace_beyond_the_limit_of_files(folder):
    errors = run('ASHLAR_TRACE="$DISK/trace" "$SOAK"', "file-size=1000", DISK=folder)
    expect("File too large; recording ends here" in errors, errors)
    errors = run('ASHLAR_TRACE="$DISK/small" "$SOAK"', "file-size=10", DISK=folder)
    expect("File too large; no trace is recorded" in errors, errors)


def trace_among_signals(folder):
    errors = run('ASHLAR_TRACE="$DISK/trace" "$SOAK" && "$SIM" export "$DISK/trace" --chrome "$DISK/out"', f"preload={STORM}", DISK=folder)
    expect("recording ends" not in errors, errors)


def trace_in_place_of_a_closed_stream(folder):
    run('ASHLAR_STATS=1 ASHLAR_TRACE="$DISK/trace" "$SOAK" 2>&- && "$SIM" export "$DISK/trace" --chrome "$DISK/out"', DISK=folder)


def statistics_on_a_full_disk(_):
    run('ASHLAR_STATS=1 ASHLAR_MALLOC_STATS=1 ASHLAR_NUM_THREADS=nonsense "$SOAK" 2>/dev/full')
    run('ASHLAR_STATS=1 ASHLAR_MALLOC_STATS=1 ASHLAR_NUM_THREADS=nonsense "$SOAK" 2>&-')


def main():
    failed = 0
    for test in (trace_on_a_full_disk, trace_beyond_the_limit_of_files, trace_among_signals, trace_in_place_of_a_closed_stream,
                 statistics_on_a_full_disk):
        with tempfile.TemporaryDirectory() as scratch:
            folder = os.path.join(scratch, "disk")
            os.mkdir(folder)
            try:
                test(folder)
                print(f"{test.__name__}: ok")
            except Wrong as wrong:
                print(f"{test.__name__}: FAILED: {wrong}")
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
