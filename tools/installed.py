# SPDX-License-Identifier: Apache-2.0
"""What ./dev install has put below a prefix: a list of the files in the prefix itself, so that each prefix can be uninstalled, also one
that was moved, and whatever was installed from this build folder since."""
import os
import shutil
from pathlib import Path

LIST = Path("share/ashlar/installed_files.txt")
ROOM = 300  # MB: more than an installation takes, and than its build does


def obstacle(folder):
    """Why nothing can be put below the folder, in one sentence; None if it can. To be asked before a build that takes minutes."""
    there = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    if not there.is_dir():
        return f"{there} is no folder"
    if not os.access(there, os.W_OK | os.X_OK):
        return f"this user may not write into {there}"
    free = shutil.disk_usage(there).free >> 20
    return f"{there} has {free} MB left, and {ROOM} MB are wanted" if free < ROOM else None


def note(prefix, manifest):
    """Stores the list of CMake's manifest in the prefix. What an earlier installation has put there and this one has not stays in it."""
    written = {os.path.relpath(line, prefix) for line in manifest.read_text(encoding="utf-8").splitlines()}
    before = set((prefix / LIST).read_text(encoding="utf-8").splitlines()) if (prefix / LIST).exists() else set()
    (prefix / LIST).parent.mkdir(parents=True, exist_ok=True)
    (prefix / LIST).write_text("".join(f"{name}\n" for name in sorted(written | before | {str(LIST)})), encoding="utf-8")


def remove(prefix):
    """Removes the files of the list, and the folders below the prefix that are empty then. How many files there were; None: no list."""
    if not (prefix / LIST).exists():
        return None
    names = (prefix / LIST).read_text(encoding="utf-8").splitlines()
    if any(Path(name).is_absolute() or ".." in Path(name).parts for name in names):
        raise ValueError(f"{prefix / LIST} names files outside of {prefix}")
    found = [prefix / name for name in names if os.path.lexists(prefix / name)]
    for path in found:
        path.unlink()
    for folder in sorted({parent for name in names for parent in Path(name).parents if parent != Path(".")}, reverse=True):
        if (prefix / folder).is_dir() and not (prefix / folder).is_symlink() and not any((prefix / folder).iterdir()):
            (prefix / folder).rmdir()
    return len(found)
