#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the Debian packages in a fresh root and uses them in another one, beside Debian's own libtbb-dev:

    debian_test.py [--packages FOLDER] [--work FOLDER]

Roots are made by mmdebstrap (as root). --packages takes packages that are built already. In the second root a CMake project
links oneTBB and Ashlar at once, a project of TBB is pointed to ours, pkg-config finds ours, a program that was compiled with
Debian's oneTBB runs on the drop-in, and after apt-get remove nothing is left. Exit code 77: mmdebstrap or a mirror is missing."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUITE = "bookworm"
BUILD_DEPENDS = "debhelper,cmake,ninja-build,python3,libcli11-dev,libdw-dev,libfmt-dev,nlohmann-json3-dev"
USE_DEPENDS = "g++,cmake,make,pkg-config,libtbb-dev"
# Nothing of the caller's environment is known in a fresh root, a compiler launcher for instance.
ENVIRONMENT = {"PATH": "/usr/bin:/usr/sbin:/bin:/sbin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
LEFT_OUT = ("bench/", "tests/", "docs/study/")
BOTH = """cmake_minimum_required(VERSION 3.25)
project(both LANGUAGES CXX)
find_package(TBB REQUIRED)
find_package(ashlar 0.1 REQUIRED)
add_executable(theirs which.cpp)
target_link_libraries(theirs PRIVATE TBB::tbb)
add_executable(ours which.cpp)
target_link_libraries(ours PRIVATE ashlar::tbb)
"""
MOVED = """cmake_minimum_required(VERSION 3.25)
project(moved LANGUAGES CXX)
find_package(TBB REQUIRED COMPONENTS tbb tbbmalloc)
add_executable(program which.cpp)
target_link_libraries(program PRIVATE TBB::tbb)
"""
WHICH = """#include <tbb/parallel_for.h>
#include <atomic>
int main() {
  std::atomic<int> sum{0};
  tbb::parallel_for(0, 1000, [&](int i) { sum += i; });
  return sum == 499500 ? 0 : 1;
}
"""
USE = """set -e
cd /build
triplet=$(gcc -print-multiarch)
cmake -S both -B both/build > /dev/null && cmake --build both/build > /dev/null
both/build/theirs && both/build/ours
ldd both/build/ours | grep -q libtbb-ashlar.so.0
ldd both/build/theirs | grep -q libtbb.so.12
! ldd both/build/theirs | grep -q ashlar
echo 'ok: find_package(ashlar) beside find_package(TBB) of libtbb-dev'
cmake -S moved -B moved/build -DTBB_DIR=/usr/lib/$triplet/ashlar/cmake/TBB > /dev/null && cmake --build moved/build > /dev/null
moved/build/program && ldd moved/build/program | grep -q libtbb-ashlar.so.0
echo 'ok: a project of TBB, pointed to Ashlar by TBB_DIR'
g++ -O2 both/which.cpp $(pkg-config --cflags --libs ashlar) -o which && ./which && ldd which | grep -q libtbb-ashlar.so.0
g++ -O2 both/which.cpp $(pkg-config --cflags --libs tbb) -o other && ./other && ! ldd other | grep -q ashlar
echo 'ok: pkg-config ashlar beside pkg-config tbb'
sh ./smoke > said || { cat said; exit 1; }
echo 'ok: the test for autopkgtest'
apt-get remove -s ashlar-compat | grep -q '^Remv ashlar-tools'
echo 'ok: the command ashlar is not without what it runs programs on'
ls /usr/share/doc/libashlar-dev/guide/packages.md* > /dev/null
for library in /usr/lib/$triplet/libtbb-ashlar.so.0.*; do test -e /usr/share/gdb/auto-load$library-gdb.py; done
echo 'ok: gdb finds its script by the library'
ashlar run ./other 2> said && test ! -s said
TBB_VERSION=1 ashlar run --quiet ./other 2>&1 | grep -q -i ashlar
echo 'ok: a program of libtbb-dev runs on the drop-in'
ashlar-sim --version > /dev/null
apt-get remove -y --purge -qq libashlar0 > /dev/null 2>&1
! ls /usr/lib/$triplet/*ashlar* /usr/include/ashlar /usr/bin/ashlar 2> /dev/null
./other
echo 'ok: removed without a trace, and libtbb-dev is as before'
"""


def run(*command, **options):
    print("$", " ".join(str(c) for c in command), flush=True)
    subprocess.run([str(c) for c in command], check=True, **options)


def run_within(root, script):
    run("chroot", root, "sh", "-c", script, env=ENVIRONMENT)


def remove(folder):
    """Not what an interrupted run has left mounted below it (/proc, /sys, /dev/shm), which is the machine's own."""
    run("rm", "-rf", "--one-file-system", folder)


def make_root(folder, include, variant):
    mirror = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
    run("mmdebstrap", "--quiet", "--mode=root", f"--variant={variant}", f"--include={include}", SUITE, folder, mirror)


def stage_source(folder):
    """What git knows of the tree, without what no package needs."""
    names = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in names.decode().split("\0"):
        if name and not name.startswith(LEFT_OUT) and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def build(work):
    root = work / "build-root"
    make_root(root, BUILD_DEPENDS, "buildd")
    stage_source(root / "build/ashlar")
    run_within(root, f"cd /build/ashlar && DEB_BUILD_OPTIONS=parallel={os.cpu_count()} dpkg-buildpackage -us -uc")
    packages = work / "packages"
    packages.mkdir(exist_ok=True)
    for path in (root / "build").glob("*.*"):
        if path.is_file():
            shutil.copy(path, packages)
    remove(root)
    return packages


def use(packages, work):
    root = work / "use-root"
    make_root(root, USE_DEPENDS, "apt")
    for name, text in (("both", BOTH), ("moved", MOVED)):
        (root / "build" / name).mkdir(parents=True)
        (root / "build" / name / "CMakeLists.txt").write_text(text)
        (root / "build" / name / "which.cpp").write_text(WHICH)
    names = [path for path in packages.glob("*.deb") if "dbgsym" not in path.name]
    if len(names) != 4:
        sys.exit(f"{packages} has {len(names)} packages instead of four")
    for path in names:
        shutil.copy(path, root / "build")
    shutil.copy(ROOT / "debian/tests/smoke", root / "build")
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    run_within(root, "apt-get update -qq && cd /build && apt-get install -y -qq --no-install-recommends ./*.deb > /dev/null")
    run_within(root, USE)
    remove(root)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packages", type=Path)
    parser.add_argument("--work", type=Path)
    arguments = parser.parse_args()
    if not shutil.which("mmdebstrap") or os.geteuid():
        print("mmdebstrap is not installed, or this is not root")
        return 77
    work = arguments.work or Path(tempfile.mkdtemp(prefix="ashlar-debian-", dir=os.environ.get("TMPDIR", "/var/tmp")))
    work.mkdir(parents=True, exist_ok=True)
    try:
        use(arguments.packages or build(work), work)
    except subprocess.CalledProcessError as error:
        print(f"failed: {error}")
        return 1
    if not arguments.work:
        remove(work)
    print("1 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
