#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that the documents name exist: named_tests.py BUILD_DIR. In backquotes, a word that begins like a test's name has to be one; * stands
for anything, and what follows `ctest -R` is a part of a name."""
import fnmatch
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import source_tree as tree  # noqa: E402
from check_documents import PAST, QUOTED  # noqa: E402

# What is built, but no test.
TARGETS = {"unit_tests", "stress_tests"}
ALONE = re.compile(r"(?:unit|stress|model|golden|sandbox|style|example|sample|execution)_\w+")
CHOSEN = re.compile(r"ctest (?:[^`]*? )?-R ('[^']*'|\S+)")


def named_in(quoted, dotted, in_guide):
    """The names of tests in a text in backquotes, with * before and behind where it is a part."""
    chosen = CHOSEN.search(quoted)
    if chosen:
        return [f"*{part}*" for part in re.split(r"\\?\|", chosen[1].strip("'")) if not part.isupper()]
    found = [name for name in dotted.findall(quoted) if not re.search(r"\.(?:py|cpp|h|md|toml)$", name)]
    return found + ([quoted] if in_guide and ALONE.fullmatch(quoted) and quoted not in TARGETS else [])


def main():
    listed = subprocess.run(["ctest", "-N"], cwd=sys.argv[1], capture_output=True, text=True, check=True).stdout
    tests = set(re.findall(r"Test +#\d+: (\S+)", listed))
    dotted = re.compile(r"(?<![\w./-])(?:" + "|".join(sorted({test.split(".")[0] for test in tests})) + r")\.[a-z*][\w.*-]*")
    tests |= {test.split(".", 1)[-1] for test in tests}
    documents = [path for path in tree.tracked_files() if path.suffix == ".md" and not tree.relative(path).startswith(PAST)]
    named = [(tree.relative(path), name) for path in documents for quoted in QUOTED.findall(path.read_text())
             for name in named_in(quoted, dotted, tree.relative(path).startswith("docs/guide/"))]
    missing = [f"{path}: there is no test {name}" for path, name in named if not fnmatch.filter(tests, name)]
    print("\n".join([*missing, f"{len(named)} tests are named, {len(missing)} of them don't exist"]))
    return 1 if missing or not named else 0


if __name__ == "__main__":
    sys.exit(main())
