# SPDX-License-Identifier: Apache-2.0
"""Runs Python packages that use oneTBB (numba, MKL, …) on Ashlar.

    python -m ashlar program.py           the program, and what it starts
    import ashlar; ashlar.load()          this process, before the first import of such a package

For C++: ashlar.FOLDER is a prefix with include, lib, lib/cmake/TBB and lib/pkgconfig (CMAKE_PREFIX_PATH, PKG_CONFIG_PATH).
"""
import ctypes
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
LIBRARIES = FOLDER / "lib" / "ashlar-compat"
COMMAND = FOLDER / "bin" / "ashlar"


def loaded():
    """The paths of all libtbb.so.12 in this process."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        paths = {line.split(None, 5)[5].strip() for line in maps if "/libtbb.so.12" in line}
    return sorted(paths)


def load():
    """Loads libtbb.so.12: what asks for that name from now on gets this one. Raises RuntimeError if another one is there
    already. Packages with a copy under another name need `python -m ashlar`."""
    if not LIBRARIES.is_dir():
        raise RuntimeError("this wheel has no libtbb.so.12 for programs of oneTBB: there is one for Linux on x86-64 only")
    others = [path for path in loaded() if not pathlib.Path(path).is_relative_to(LIBRARIES)]
    if others:
        raise RuntimeError(f"{others[0]} is loaded already: call ashlar.load() before the packages that use it are imported")
    ctypes.CDLL(str(LIBRARIES / "libtbb.so.12"), mode=ctypes.RTLD_GLOBAL)


def bundled_copies():
    """The file names of the copies of libtbb and libtbbmalloc that wheels have brought, as libtbb-dcf63f8c.so.12."""
    found = set()
    for folder in map(pathlib.Path, filter(None, sys.path)):
        for name in ("libtbb-*.so*", "libtbbmalloc-*.so*"):
            found.update(path.name for path in folder.glob(f"*.libs/{name}"))
    return sorted(found)


def command():
    """The command `ashlar`, in place of this process."""
    os.execv(COMMAND, [str(COMMAND), *sys.argv[1:]])
