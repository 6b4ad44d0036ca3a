#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows the site's first page (docs/guide/get_started.md) literally, in a fresh Debian root: each line that begins with `$ ` is
typed as it stands, with SOURCE replaced by a clone of this tree, `project` by a CMake project that asks for TBB, and loop.cpp by the
page's C++ block; what follows a line is what it has to print. Needs mmdebstrap and root (else 77); tells how long it took."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 600  # seconds
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
    root = Path(tempfile.mkdtemp(prefix="ashlar-first-page-", dir="/var/tmp"))
    subprocess.run(["mmdebstrap", "--quiet", "--mode=root", "--variant=apt", "bookworm", root, "http://deb.debian.org/debian"], check=True)
    work = root / "build"
    (work / "project").mkdir(parents=True)
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    program = re.search(r"```cpp\n(.*?)```", page, re.S)[1]
    (work / "loop.cpp").write_text(program)
    (work / "project/program.cpp").write_text(program)
    (work / "project/CMakeLists.txt").write_text(PROJECT)
    subprocess.run(["git", "clone", "-q", "--bare", ROOT, work / "source.git"], check=True)
    start, code = time.monotonic(), 0
    for command, printed in [*steps(page), ("build/program", "the root of 625 is 25\n")]:
        print(f"$ {command}", flush=True)
        typed = command.replace("SOURCE", "/build/source.git")
        done = subprocess.run(["chroot", root, "bash", "-c", f"cd /build && git config --global --add safe.directory '*' 2>/dev/null; {typed}"],
                              env={"PATH": "/usr/bin:/usr/sbin:/bin:/sbin", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"},
                              capture_output=True, text=True, check=False)
        if done.returncode or (printed and done.stdout != printed):
            print(f"{done.stdout[-2000:]}{done.stderr[-2000:]}exit code {done.returncode}; the page says {printed!r}")
            code = 1
            break
    seconds = time.monotonic() - start
    if "--keep" not in sys.argv:
        shutil.rmtree(root)
    print(f"{seconds:.0f} s, of which {LIMIT} are meant")
    return code or int(seconds > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
