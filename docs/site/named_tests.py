#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that the guides name exist: named_tests.py BUILD_DIR. A word in backquotes that begins like a test's name has to be one."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`((?:unit|stress|model|consume|golden|sandbox|style|example|sample|execution)[._][\w.-]+)`")


def main():
    listed = subprocess.run(["ctest", "-N"], cwd=sys.argv[1], capture_output=True, text=True, check=True).stdout
    tests = set(re.findall(r"Test +#\d+: (\S+)", listed))
    tests |= {test.split(".", 1)[-1] for test in tests}
    named = [(path, name) for path in sorted((ROOT / "docs/guide").glob("*.md")) for name in NAMED.findall(path.read_text())]
    missing = [f"{path.relative_to(ROOT)}: there is no test {name}" for path, name in named if name not in tests]
    print("\n".join([*missing, f"{len(named)} tests are named, {len(missing)} of them don't exist"]))
    return 1 if missing or not named else 0


if __name__ == "__main__":
    sys.exit(main())
