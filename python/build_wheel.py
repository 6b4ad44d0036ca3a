#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel ashlar-tbb of what is built: the package `ashlar` with the libraries for compiled programs and the command.

    build_wheel.py BUILD_DIR OUTPUT_DIR

Needs the package `wheel`. The libraries lie in the package's own folder, not in <prefix>/lib, where oneTBB's wheel `tbb` puts its."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
METADATA = """Metadata-Version: 2.1
Name: ashlar-tbb
Version: {version}
Summary: Runs packages that use oneTBB (numba, MKL, OpenVINO, USD, Embree) on Ashlar
License: Apache-2.0
Requires-Python: >=3.9
Classifier: Operating System :: POSIX :: Linux
"""
WHEEL = """Wheel-Version: 1.0
Generator: ashlar
Root-Is-Purelib: false
Tag: py3-none-linux_x86_64
"""
ENTRY_POINTS = "[console_scripts]\nashlar = ashlar:command\n"


def lay_out(build, stage):
    """The package, as it lies in site-packages: a prefix of its own for the command and the libraries."""
    package = stage / "ashlar"
    for component in ("compat12", "command"):
        subprocess.run(["cmake", "--install", build, "--prefix", package, "--strip", "--component", component],
                       check=True, stdout=subprocess.DEVNULL)
    libraries = next(package.glob("lib*/ashlar-compat")).parent
    for debug in libraries.glob("ashlar-compat/*_debug.so.*"):
        debug.unlink()  # their runtime isn't here
    for name in ("libtbb-ashlar.so.0", "libtbbmalloc-ashlar.so.0"):
        shutil.copyfile(build / name, libraries / name)
        subprocess.run(["strip", "--strip-unneeded", libraries / name], check=True)
    if libraries.name != "lib":
        libraries.rename(package / "lib")
    for source in (HERE / "ashlar").glob("*.py"):
        shutil.copy(source, package)


def describe(stage, version):
    info = stage / f"ashlar_tbb-{version}.dist-info"
    info.mkdir()
    for name, text in (("METADATA", METADATA.format(version=version)), ("WHEEL", WHEEL), ("entry_points.txt", ENTRY_POINTS)):
        (info / name).write_text(text, encoding="utf-8")
    shutil.copy(HERE.parent / "LICENSE", info)


def main():
    build, output = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    version = re.search(r"CMAKE_PROJECT_VERSION:STATIC=(\S+)", (build / "CMakeCache.txt").read_text(encoding="utf-8"))[1]
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        stage = pathlib.Path(folder)
        lay_out(build, stage)
        describe(stage, version)
        subprocess.run([sys.executable, "-m", "wheel", "pack", stage, "--dest-dir", output], check=True)


if __name__ == "__main__":
    main()
