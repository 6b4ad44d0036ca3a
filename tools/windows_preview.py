#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the library for Windows with mingw-w64, and runs the tests of the port under Wine.

    windows_preview.py [TEST ...]         TEST: a file below tests/unit that needs no fork; os/port_test.cpp without one

Needs Debian's g++-mingw-w64-x86-64-posix, wine64 and doctest-dev. Exits with 77 without these. Each layer is one translation unit,
and all of it is linked statically, below build/windows."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import layer_sources
import source_tree as tree

COMPILER = "x86_64-w64-mingw32-g++-posix"
WINE = shutil.which("wine64", path=f"{os.environ['PATH']}:/usr/lib/wine")
DOCTEST = pathlib.Path("/usr/include/doctest/doctest.h")
LAYERS = ("base", "os", "obs", "alloc", "sync", "containers", "sched", "algo", "flow")
FOLDER = tree.ROOT / "build/windows"
MAIN = "#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n#include <doctest/doctest.h>\n"


def units(tests):
    """Names and texts of what is compiled."""
    options = (tree.ROOT / "cmake/build_options.cmake").read_text(encoding="utf-8")
    alone = re.search(r"set\(ashlar_alone_files([^)]*)\)", options)[1].split()
    for layer in LAYERS:
        together = []
        for source in layer_sources.layer_sources(layer, "Windows"):
            name = tree.relative(source.with_suffix(""))
            if name in alone:
                yield name.replace("/", "_"), f'#include "{source}"\n'
            else:
                together.append(f'#include "{source}"\n')
        yield layer, "".join(together)
    yield "main", MAIN
    for test in tests:
        yield f"test_{re.sub(r'[^a-z_]', '_', test)}", f'#include "{tree.ROOT / "tests/unit" / test}"\n'


def compile_unit(unit):
    name, text = unit
    source = FOLDER / f"{name}.cpp"
    source.write_text(text, encoding="utf-8")
    subprocess.run([COMPILER, "-std=c++20", "-O1", "-w", "-D_WIN32_WINNT=0x0A00", "-DASHLAR_LEAN_HEADERS=1", '-DASHLAR_VERSION="preview"',
                    *(f"-I{tree.ROOT / folder}" for folder in ("include", "src", "tests")), f"-I{FOLDER}/include", "-c", source, "-o", source.with_suffix(".o")], check=True)
    return source.with_suffix(".o")


def main():
    missing = [what for what, there in ((COMPILER, shutil.which(COMPILER)), ("wine64", WINE), (DOCTEST, DOCTEST.exists())) if not there]
    if missing:
        print("windows_preview: there is no", *missing)
        return 77
    # Alone: beside it lie the headers of this system.
    (FOLDER / "include/doctest").mkdir(parents=True, exist_ok=True)
    shutil.copy(DOCTEST, FOLDER / "include/doctest")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_unit, units(sys.argv[1:] or ["os/port_test.cpp"])))
    program = FOLDER / "unit_os.exe"
    subprocess.run([COMPILER, "-static", *objects, "-o", program, "-lsynchronization", "-lpsapi"], check=True)
    environment = {"WINEPREFIX": str(FOLDER / "wine"), "WINEDEBUG": "-all", **os.environ}
    return subprocess.run([WINE, program, "--no-colors"], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
