#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""conditions_test.py SANDBOX STORM CLOCK_JUMPS: each condition of the sandbox is what it says."""
import subprocess
import sys

SANDBOX, STORM, CLOCK = sys.argv[1:]

# condition -> a program that fails where it does not hold
PROGRAMS = {
    "no-memfd": "import os\ntry: os.memfd_create('x')\nexcept OSError as e: assert e.errno == 38, e\nelse: assert False",
    "no-proc": "import os; assert not os.listdir('/proc')",
    "no-sys": "import os; assert not os.listdir('/sys')",
    "one-cpu": "import os; assert len(os.sched_getaffinity(0)) == 1",
    "small-disk=/mnt": "import os; s = os.statvfs('/mnt'); assert s.f_blocks * s.f_frsize == 1 << 20",
    "file-size=64": "import resource as r; assert r.getrlimit(r.RLIMIT_FSIZE) == (65536, 65536)",
    "pauses": """
import time
longest, last = 0, time.monotonic()
end = last + 100  # on a busy machine, too, a pause comes
while last < end and longest <= 0.09:
    now = time.monotonic()
    longest, last = max(longest, now - last), now
assert longest > 0.09, longest""",
    # Python's own handler would do the work later; a thread that computes sees each signal by itself.
    f"preload={STORM}": """
import os, signal, time
count = 0
def come(*_):
    global count
    count += 1
signal.signal(signal.SIGPROF, come)
end = time.monotonic() + 100  # signals come when a busy machine lets their sender run
while count <= 300 and time.monotonic() < end: pass
assert count > 300, count
os._exit(0)  # Python would set the signal to its default at its end""",
    f"preload={CLOCK}": """
import time
ahead = [time.time() for _ in range(100)]
assert max(ahead) - min(ahead) > 10000""",
}


def main():
    failed = 0
    for condition, program in PROGRAMS.items():
        done = subprocess.run([SANDBOX, condition, sys.executable, "-S", "-c", program], capture_output=True, text=True, check=False)
        verdict = {0: "holds", 77: "skipped"}.get(done.returncode, f"FAILED ({done.returncode})")
        print(f"{condition.rsplit('/', 1)[-1]}: {verdict} {done.stderr.strip()}")
        failed += done.returncode not in (0, 77)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
