#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses C++ files that `./dev format` would change.

Exit codes: 0 fine, 1 a file is not formatted, 77 not checked because the project's clang-format is missing (./dev lint
installs the version that tools/requirements.txt names; other versions format differently)."""
import os
import subprocess
import sys

import source_tree as tree

SKIPPED = 77
FORMATTER = tree.ROOT / ".venv/bin/clang-format"


def unformatted(formatter, paths):
    """What the formatter says against these files, a line each."""
    run = subprocess.run([formatter, "--dry-run", "--Werror", "--ferror-limit=1", *paths], cwd=tree.ROOT,
                         capture_output=True, text=True)
    lines = [line for line in run.stderr.splitlines() if "error:" in line]
    return lines or ([f"clang-format failed: {run.stderr.strip()}"] if run.returncode else [])


def main():
    if not os.access(FORMATTER, os.X_OK):
        print("check_format: clang-format is not installed (./dev lint installs it)")
        return SKIPPED
    paths = [p for p in tree.tracked_files() if p.suffix in tree.CXX]
    return tree.finish("check_format", unformatted(FORMATTER, paths), f"{len(paths)} files")


if __name__ == "__main__":
    sys.exit(main())
