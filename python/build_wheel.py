#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel ashlar-tbb of what is built: the package `ashlar` with the libraries, the headers and what CMake and pkg-config
look for, and, where they are built, the libraries for compiled programs and the command.

    build_wheel.py BUILD_DIR OUTPUT_DIR

Needs the package `wheel`. All lies in the package's own folder, not in <prefix>/lib, where oneTBB's wheel `tbb` puts its libraries.
The wheel is for machines like this one; python/wheels.py makes those for old and other ones."""
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
Summary: A task-parallel runtime with the interface of TBB, for C++ programs and for packages that use oneTBB (numba, MKL, OpenVINO, USD, Embree)
{homepage}License: Apache-2.0
Requires-Python: >=3.9
Classifier: Operating System :: POSIX :: Linux
"""
WHEEL = """Wheel-Version: 1.0
Generator: ashlar
Root-Is-Purelib: false
Tag: py3-none-linux_{machine}
"""
# The second is where scikit-build-core looks for CMake packages.
COMMAND = "[console_scripts]\nashlar = ashlar:command\n"
PREFIX = "[cmake.prefix]\nashlar = ashlar\n"
LIBRARIES = ("tbb", "tbbmalloc", "tbbmalloc_proxy")
MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine of ELF


def from_cache(build, name):
    """A variable of the build's, or None."""
    found = re.search(rf"^{name}:\w+=(.+)$", (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.M)
    return found and found[1]


def lay_out(build, stage):
    """The package, as it lies in site-packages: a prefix of its own."""
    package = stage / "ashlar"
    with_drop_in = (build / "ashlar-compat/libtbb.so.12").exists()
    for component in ("runtime", "dev", *(("compat12",) if with_drop_in else ()), *(("command",) if (build / "bin/ashlar").exists() else ())):
        subprocess.run(["cmake", "--install", build, "--prefix", package, "--strip", "--component", component],
                       check=True, stdout=subprocess.DEVNULL)
    libraries = next(package.rglob("libtbb-ashlar.so.0")).parent
    for name in LIBRARIES:
        # A wheel has no links: the loader's name is the file, and the linker's name a text that leads to it.
        soname = libraries / f"lib{name}-ashlar.so.0"
        (libraries / soname.resolve().name).replace(soname)
        (libraries / f"lib{name}.so").unlink()
        (libraries / f"lib{name}.so").write_text(f"INPUT({soname.name})\n", encoding="utf-8")
        subprocess.run([from_cache(build, "CMAKE_STRIP") or "strip", "--strip-unneeded", soname], check=True)
    # Static libraries are for one compiler's programs; and the debug libraries' users build from the sources.
    for surplus in (*libraries.glob("*.a"), *libraries.rglob("*_debug.so*")):
        surplus.unlink()
    if libraries.name != "lib":
        raise SystemExit(f"build_wheel: the libraries lie in {libraries.name}: configure with -DCMAKE_INSTALL_LIBDIR=lib")
    for source in (HERE / "ashlar").glob("*.py"):
        shutil.copy(source, package)
    return libraries / "libtbb-ashlar.so.0"


def describe(stage, version, address, library):
    info = stage / f"ashlar_tbb-{version}.dist-info"
    info.mkdir()
    machine = MACHINES[int.from_bytes(library.read_bytes()[18:20], "little")]
    entries = PREFIX + (COMMAND if (stage / "ashlar/bin/ashlar").exists() else "")
    for name, text in (("METADATA", METADATA.format(version=version, homepage=f"Home-page: {address}\n" if address else "")), ("WHEEL", WHEEL.format(machine=machine)), ("entry_points.txt", entries)):
        (info / name).write_text(text, encoding="utf-8")
    shutil.copy(HERE.parent / "LICENSE", info)


def main():
    build, output = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    # PEP 440 knows -dev as .dev0.
    version = from_cache(build, "CMAKE_PROJECT_VERSION") + (from_cache(build, "ASHLAR_VERSION_SUFFIX") or "").replace("-dev", ".dev0")
    address = from_cache(build, "CMAKE_PROJECT_HOMEPAGE_URL")
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        stage = pathlib.Path(folder)
        describe(stage, version, address, lay_out(build, stage))
        subprocess.run([sys.executable, "-m", "wheel", "pack", stage, "--dest-dir", output], check=True)


if __name__ == "__main__":
    main()
