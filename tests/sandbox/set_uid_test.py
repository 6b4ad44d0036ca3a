#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""set_uid_test.py SOAK: a set-uid program obeys none of the environment's variables. Skipped (77) where none can be made."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED, NOBODY = 77, 65534
ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = re.findall(r"^\| `((?:ASHLAR|TBB)_\w+)` \|", (ROOT / "docs/environment.md").read_text(encoding="utf-8"), re.MULTILINE)
PROGRAM = '{"kind":"work","body":[{"kind":"loop","n":100000},{"kind":"memory","n":100}]}\n'


def words(program, variables):
    """What the program writes to stderr when each variable is set to something that it would speak of."""
    done = subprocess.run([program], input=PROGRAM, capture_output=True, text=True, check=True, env=variables)
    return done.stderr


def main():
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o755)
        trace = f"{scratch}/trace"
        values = {**dict.fromkeys(TABLE, "nonsense"), "ASHLAR_TRACE": trace, "ASHLAR_STATS": "1", "ASHLAR_MALLOC_STATS": "1",
                  "TBB_VERSION": "1"}
        copy = shutil.copy(sys.argv[1], f"{scratch}/program")
        said = words(copy, values)
        heard = [name for name in TABLE if name in said]
        # Some are read by those threads only that find no work.
        if len(heard) < 4 or not os.path.exists(trace):
            print(f"an ordinary program obeys, but speaks of {heard} only")
            return 1
        os.remove(trace)
        os.chmod(scratch, 0o777)
        try:
            os.chown(copy, NOBODY, NOBODY)
        except PermissionError:
            print("skipped: only root makes a program of another user's")
            return SKIPPED
        os.chmod(copy, 0o4755)
        probe = shutil.copy("/usr/bin/id", f"{scratch}/id")
        os.chown(probe, NOBODY, NOBODY)
        os.chmod(probe, 0o4755)
        if subprocess.run([probe, "-u"], capture_output=True, text=True, check=True).stdout.strip() != str(NOBODY):
            print("skipped: set-uid has no effect in the temporary folder")
            return SKIPPED
        said = words(copy, values)
        if said or os.path.exists(trace):
            print(f"a set-uid program obeys: {said}")
            return 1
    print(f"{len(TABLE)} variables are ignored")
    return 0


if __name__ == "__main__":
    sys.exit(main())
