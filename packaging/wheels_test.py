#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the wheels that python/wheels.py has made, and uses them:

    wheels_test.py FOLDER [--work FOLDER]

The one for this machine is installed into a fresh environment, where CMake and pkg-config find it and the command runs; its program
also runs with the C library and the libstdc++ of Debian 11. The others are installed by pip as for their systems; their programs,
compiled by what python/wheels.py has left in build/wheels, run in qemu-user and by musl's loader, with a libstdc++ of Alpine Linux that
another wheel brings. Needs g++-aarch64-linux-gnu, qemu-user, musl, pip and apt-get with the network."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "packaging/wheels/program.cpp"
BUILDS = ROOT / "build/wheels"
TARGETS = {"manylinux_.*_x86_64": "x86_64-glibc", "manylinux_.*_aarch64": "aarch64-glibc", "musllinux_.*_x86_64": "x86_64-musl", "musllinux_.*_aarch64": "aarch64-musl"}
MOST = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 21)}
# Wheels that bring Alpine's libstdc++ and libgcc_s, from before the loader of Debian's musl was too old for them.
ALPINE = {"x86_64": ("contourpy==1.1.0", "musllinux_1_1_x86_64"), "aarch64": ("contourpy==1.2.1", "musllinux_1_1_aarch64")}
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(user LANGUAGES CXX)
find_package(TBB REQUIRED COMPONENTS tbb tbbmalloc)
add_executable(program {program})
target_link_libraries(program PRIVATE TBB::tbb TBB::tbbmalloc)
"""


class Failure(Exception):
    pass


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=900, check=False, **options)
    if done.returncode != 0:
        raise Failure(f"$ {' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}exit code {done.returncode}")
    return done.stdout


def platform_of(wheel):
    return wheel.stem.rsplit("-", 1)[1]


def target_of(wheel):
    return next(target for pattern, target in TARGETS.items() if any(re.fullmatch(pattern, tag) for tag in platform_of(wheel).split(".")))


def check_versions(package):
    """No file asks for newer versions than MOST, or for a library that is not the wheel's, the C library's or libstdc++."""
    for file in (*package.glob("lib/*.so.0"), *package.glob("lib/ashlar-compat/*.so.*"), *package.glob("bin/*")):
        text = run("readelf", "-W", "-V", "-d", file)
        for kind, number in re.findall(r"Name: (GLIBC|GLIBCXX)_([\d.]+)", text):
            if tuple(map(int, number.split("."))) > MOST[kind]:
                raise Failure(f"{file.name} needs {kind}_{number}")
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text):
            if not re.match(r"lib(c|m|dl|pthread|rt|gcc_s|stdc\+\+)\.so|ld-linux|libtbb", name):
                raise Failure(f"{file.name} needs {name}")


def install_here(wheel, work):
    """In a fresh environment; returns its python and the package's folder."""
    venv.create(work / "venv", with_pip=True, clear=True)
    python = work / "venv/bin/python"
    run(python, "-m", "pip", "install", "--quiet", "--no-index", wheel)
    return python, pathlib.Path(run(python, "-c", "import ashlar; print(ashlar.FOLDER)").strip())


def install_for_another(wheel, work):
    """As pip on that system would; returns the package's folder."""
    shutil.rmtree(work / "site", ignore_errors=True)
    tag = platform_of(wheel).split(".")[0]
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--only-binary", ":all:", "--platform", tag,
        "--target", work / "site", wheel)
    return work / "site/ashlar"


def use_here(wheel, work):
    python, package = install_here(wheel, work)
    check_versions(package)
    project = work / "project"
    project.mkdir(exist_ok=True)
    (project / "CMakeLists.txt").write_text(PROJECT.format(program=PROGRAM))
    run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={package}", "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", project / "build")
    run(project / "build/program")
    flags = run("pkg-config", "--cflags", "--libs", "tbb", "tbbmalloc", env={**os.environ, "PKG_CONFIG_PATH": str(package / "lib/pkgconfig")}).split()
    run("g++", "-std=c++17", "-O2", PROGRAM, "-o", work / "by_pkg_config", *flags, f"-Wl,-rpath,{package / 'lib'}")
    run(work / "by_pkg_config")
    command = python.parent / "ashlar"
    if not run(command, "--version").startswith("ashlar "):
        raise Failure("the command doesn't tell its version")
    run(command, "run", "true")
    if run(python, "-m", "ashlar", "-c", "import ashlar; ashlar.load(); print(len(ashlar.loaded()))") != "1\n":
        raise Failure("ashlar.load() has loaded nothing")
    return package


def in_debian_11(package, work):
    """The program, compiled against the stand-ins, with the C library and libstdc++ of Debian 11."""
    folder = work / "debian11"
    for part in ("lists/partial", "cache/archives/partial", "debs", "root"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "sources").write_text("deb [trusted=yes] http://deb.debian.org/debian bullseye main\n")
    options = [f"-oDir::Etc::sourcelist={folder / 'sources'}", "-oDir::Etc::sourceparts=/dev/null", f"-oDir::State::lists={folder / 'lists'}",
               f"-oDir::Cache={folder / 'cache'}", "-oDir::State::status=/dev/null", "-oAPT::Sandbox::User=root"]
    run("apt-get", *options, "update")
    run("apt-get", *options, "download", "libc6", "libstdc++6", "libgcc-s1", cwd=folder / "debs")
    for deb in (folder / "debs").glob("*.deb"):
        run("dpkg", "-x", deb, folder / "root")
    run(BUILDS / "x86_64-glibc/libraries/c++", "-std=c++17", "-O2", "-no-pie", f"-I{package / 'include'}", PROGRAM, "-o", work / "old", f"-L{package / 'lib'}", "-ltbb", "-ltbbmalloc", "-pthread")
    root = folder / "root"
    path = ":".join(map(str, (package / "lib", root / "lib/x86_64-linux-gnu", root / "usr/lib/x86_64-linux-gnu")))
    run(root / "lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "--library-path", path, work / "old")


def use_elsewhere(wheel, target, work):
    package = install_for_another(wheel, work)
    check_versions(package)
    machine, libc = target.split("-")
    words = [BUILDS / target / "libraries/c++", "-std=c++17", "-O2", "-no-pie", f"-I{package / 'include'}", PROGRAM, "-o", work / "program",
             package / "lib/libtbb-ashlar.so.0", package / "lib/libtbbmalloc-ashlar.so.0", "-Wl,--allow-shlib-undefined"]
    places = [package / "lib"]
    if libc == "musl":
        name, tag = ALPINE[machine]
        run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--python-version", "3.11", "--upgrade", "--platform", tag, "--target", work / "alpine", name)
        theirs = work / "alpine" / (name.partition("==")[0] + ".libs")
        # Theirs in place of the static ones that the stand-ins stand for.
        words += ["-nodefaultlibs", next(theirs.glob("libstdc++*")), next(theirs.glob("libgcc_s*")), "-lc", "-lgcc", BUILDS / target / "libraries/libnewer.a", "-lc"]
        places.append(theirs)
    else:
        words.append("-pthread")
    run(*words, f"-Wl,-rpath,{':'.join(map(str, places))}")
    run(*runner(target, work), work / "program")


def runner(target, work):
    machine, libc = target.split("-")
    if machine == os.uname().machine:
        return []
    if libc == "glibc":
        return ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]
    root = work / "musl"
    if not root.exists():
        root.mkdir()
        uri = run("apt-get", "download", "--print-uris", "musl").split("'")[1]
        run("apt-get", "-oAPT::Sandbox::User=root", "download", "musl:arm64", cwd=root) if "arm64" in run("dpkg", "--print-foreign-architectures") \
            else run("curl", "-sfLO", uri.replace("amd64", "arm64"), cwd=root)
        run("dpkg", "-x", next(root.glob("*.deb")), root)
    return ["qemu-aarch64", "-L", root]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/wheels_test")
    arguments = parser.parse_args()
    found = {target_of(wheel): wheel.resolve() for wheel in sorted(arguments.folder.glob("*.whl"))}
    status = 0
    for target in TARGETS.values():
        work = arguments.work.resolve() / target
        work.mkdir(parents=True, exist_ok=True)
        try:
            if target not in found:
                raise Failure("there is no wheel")
            if target == f"{os.uname().machine}-glibc":
                in_debian_11(use_here(found[target], work), work)
            else:
                use_elsewhere(found[target], target, work)
            print(f"ok: {found[target].name}")
        except Failure as failure:
            print(f"FAILED: {target}: {failure}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
