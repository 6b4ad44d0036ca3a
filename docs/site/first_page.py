#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows the site's first page (docs/guide/get_started.md) literally, in a fresh Debian root: each line that begins with `$ ` is
typed as it stands, but `git clone` takes a clone of this tree; `project` by a CMake project that has run on Debian's libtbb-dev just
before, and loop.cpp by the page's C++ block; what follows a line is what it has to print. Needs mmdebstrap and root (else 77, as where
other work makes it too slow); tells how long it took, with what a newcomer waits for: the packages, the build, and the project on both libraries. --keep leaves the root there."""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 600  # seconds
ENVIRONMENT = {"PATH": "/usr/bin:/usr/sbin:/bin:/sbin", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"}
BEFORE = """apt-get update -qq && apt-get install -y -qq g++ cmake libtbb-dev > /dev/null
cmake -S project -B before > /dev/null && cmake --build before > /dev/null
ldd before/program | grep -q libtbb.so.12 && before/program
"""
AFTER = """build/program && ldd build/program | grep -o /opt/ashlar/lib/libtbb-ashlar.so.0
TBB_VERSION=1 build/program 2>&1 | grep -o 'IMPLEMENTATION.Ashlar' | cut -f 2
"""
ANSWER = "the root of 625 is 25\n"
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(ran_on_tbb LANGUAGES CXX)
find_package(TBB REQUIRED COMPONENTS tbb)
add_executable(program program.cpp)
target_link_libraries(program PRIVATE TBB::tbb)
"""


def steps(page):
    """(command, what it prints) of the page's console blocks."""
    for block in re.findall(r"```console\n(.*?)```", page, re.S):
        for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            yield command, printed


def main():
    if not shutil.which("mmdebstrap") or os.geteuid():
        print("mmdebstrap is not installed, or this is not root")
        return 77
    page = (ROOT / "docs/guide/get_started.md").read_text()
    root = Path(tempfile.mkdtemp(prefix="ashlar-first-page-", dir=os.environ.get("TMPDIR", "/var/tmp")))
    mirror = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
    subprocess.run(["mmdebstrap", "--quiet", "--mode=root", "--variant=apt", "bookworm", root, mirror], check=True)
    work = root / "build"
    (work / "project").mkdir(parents=True)
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    program = re.search(r"```cpp\n(.*?)```", page, re.S)[1]
    (work / "loop.cpp").write_text(program)
    (work / "project/program.cpp").write_text(program)
    (work / "project/CMakeLists.txt").write_text(PROJECT)
    subprocess.run(["git", "clone", "-q", "--bare", ROOT, work / "source.git"], check=True)
    typed = [(re.sub(r"(?<=git clone )\S+", "/build/source.git", command), printed) for command, printed in steps(page)]
    start, code = time.monotonic(), 0
    for command, printed in [(BEFORE, ANSWER), *typed, (AFTER, f"{ANSWER}/opt/ashlar/lib/libtbb-ashlar.so.0\nAshlar\n")]:
        begun = time.monotonic()
        done = subprocess.run(["chroot", root, "bash", "-c", f"cd /build\n{command}"], env=ENVIRONMENT, capture_output=True, text=True, check=False)
        print(f"{time.monotonic() - begun:6.1f} s  $ {command}", flush=True)
        if done.returncode or (printed and done.stdout != printed):
            print(f"{done.stdout[-2000:]}{done.stderr[-2000:]}exit code {done.returncode}; the page says {printed!r}")
            code = 1
            break
    seconds = time.monotonic() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    if "--keep" not in sys.argv:
        # What an interrupted run has left mounted below the root (/proc, /sys, /dev/shm) is the machine's own.
        subprocess.run(["rm", "-rf", "--one-file-system", root], check=True)
    load = os.getloadavg()[2]
    print(f"{seconds:.0f} s of {LIMIT} s; {used.ru_utime + used.ru_stime:.0f} s of processor time; load {load:.1f} on {os.cpu_count()} processors")
    if not code and seconds > LIMIT and load > os.cpu_count():
        print("the page holds; how long it takes is not judged beside other work")
        return 77
    return code or int(seconds > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
