# SPDX-License-Identifier: Apache-2.0
"""Builds the programs of the study once per library."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "harness"))

import build as harness_build  # noqa: E402  pylint: disable=wrong-import-position

PROGRAMS = ("bitcounter", "lu", "matmult_loop", "matmult_recursive", "treeadd", "blackscholes", "bodytrack", "fluidanimate",
            "streamcluster", "swaptions")
NEED_CLASSIC_TASKS = ("matmult_recursive", "treeadd", "fluidanimate", "streamcluster")
WITH_STATIC = ("blackscholes", "fluidanimate", "swaptions")
SIZES = ("test", "simsmall", "simmedium", "simlarge", "native")
# Aligned, because where the linker puts a loop of 30 bytes decides over 20 % of streamcluster's time, by library.
FLAGS = ["-std=c++17", "-O2", "-falign-functions=64", "-falign-loops=64", "-DNDEBUG", "-DTBB_SUPPRESS_DEPRECATED_MESSAGES=1",
         f"-I{HERE}", f"-I{HERE.parent / 'kernels'}", f"-I{harness_build.INCLUDE}"]


def has(peer, program):
    """oneTBB removed class tbb::task."""
    return program not in NEED_CLASSIC_TASKS or peer.interface in ("classic", "both")


def compile_to(target, command, what):
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    for old in target.parent.glob(target.name.rsplit("-", 1)[0] + "-" + "?" * 16):
        old.unlink()
    part = target.with_suffix(".part")  # an interrupted build leaves no half-written target behind
    done = subprocess.run([*command, "-o", str(part)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise harness_build.BuildError(f"{what} does not build: {harness_build.first_error(done.stderr)}")
    part.rename(target)


def build_one(directory, peer, pool):
    """The path of `study` for a peer; raises BuildError."""
    headers = [*sorted(HERE.rglob("*.h")), *sorted((HERE.parent / "kernels" / "common").glob("*.h")),
               *sorted(harness_build.INCLUDE.rglob("*.h")), *harness_build.peer_inputs(peer)]
    folder = pathlib.Path(directory).resolve() / peer.name
    objects, jobs = [], []
    for source in [*sorted((HERE / "common").glob("*.cpp")), *sorted((HERE / "programs").glob("*.cpp"))]:
        command = [peer.compiler, *FLAGS, "-isystem", str(peer.include), "-c", str(source)]
        objects.append(folder / f"{source.stem}.o-{harness_build.digest_of([source, *headers], command)}")
        jobs.append(pool.submit(compile_to, objects[-1], command, f"{source.name} for {peer.title}"))
    for job in jobs:
        job.result()
    command = [peer.compiler, *map(str, objects), *harness_build.link_flags(peer)]
    program = folder / f"study-{harness_build.digest_of([], command)}"
    compile_to(program, command, f"study for {peer.title}")
    return program


def build_all(directory, peers, show):
    """Programs by peer, and for the peers without one the reason in one line."""
    programs, missing = {}, {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for name, peer in peers.items():
            show(f"building the programs for {peer.title}")
            if peer.missing:
                missing[name] = peer.missing
                continue
            try:
                programs[name] = build_one(directory, peer, pool)
            except harness_build.BuildError as error:
                missing[name] = str(error)
    return programs, missing
