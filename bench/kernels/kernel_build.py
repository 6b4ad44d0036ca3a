# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the kernels: what does not depend on the library under test is compiled once, the program itself
once per library. Peers, process environment and checks are those of bench/harness.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

KERNELS_DIR = pathlib.Path(__file__).resolve().parent
ROOT = KERNELS_DIR.parents[1]
sys.path.insert(0, str(KERNELS_DIR.parent / "harness"))

import build as harness_build  # noqa: E402  pylint: disable=wrong-import-position
import execute  # noqa: E402  pylint: disable=wrong-import-position
import peers as peers_module  # noqa: E402  pylint: disable=wrong-import-position

KERNELS = ("fibonacci", "parallel_for", "sub_string_finder", "ray_tracer")
LIBRARIES = ("ashlar", "onetbb", "tbb2020")
FLAGS = ["-std=c++20", "-O2", "-DNDEBUG", "-DTBB_SUPPRESS_DEPRECATED_MESSAGES=1", f"-I{KERNELS_DIR}",
         f"-I{harness_build.INCLUDE}"]
LINK = {"ray_tracer": ["-lpng"]}


def shared_sources(kernel):
    """Sources that do not include a header of the library under test."""
    own = [path for path in sorted((KERNELS_DIR / kernel).glob("*.cpp")) if path.stem != kernel]
    return [*sorted((KERNELS_DIR / "common").glob("*.cpp")), *own]


def headers():
    return [*sorted(KERNELS_DIR.rglob("*.h")), *sorted(harness_build.INCLUDE.rglob("*.h"))]


def compile_to(target, command, what):
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    stem = target.name.rsplit("-", 1)[0]
    for old in target.parent.glob(f"{stem}-" + "?" * 16):
        old.unlink()
    # A build that is interrupted leaves no half-written target behind.
    part = target.with_suffix(".part")
    done = subprocess.run([*command, "-o", str(part)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise harness_build.BuildError(f"{what} does not build: {harness_build.first_error(done.stderr)}")
    part.rename(target)


class Builder:
    """Programs by (kernel, library) and, for what could not be built, the reason in one line."""

    def __init__(self, directory, peers, kernels=KERNELS):
        self.directory = pathlib.Path(directory).resolve()
        self.peers = peers
        self.kernels = kernels
        self.programs = {}
        self.missing = {(kernel, name): peer.missing for name, peer in peers.items() if peer.missing
                        for kernel in kernels}

    def object_of(self, source):
        command = ["g++", *FLAGS, "-c", str(source)]
        digest = harness_build.digest_of([source, *headers()], command)
        name = "_".join(source.relative_to(KERNELS_DIR).with_suffix("").parts)
        return self.directory / "objects" / f"{name}-{digest}", command

    def program_of(self, kernel, peer):
        source = KERNELS_DIR / kernel / f"{kernel}.cpp"
        objects = [self.object_of(s)[0] for s in shared_sources(kernel)]
        command = [peer.compiler, *FLAGS, "-isystem", str(peer.include), str(source), *map(str, objects),
                   *harness_build.link_flags(peer), *LINK.get(kernel, [])]
        inputs = [source, *headers(), *harness_build.peer_inputs(peer)]
        return self.directory / peer.name / f"{kernel}-{harness_build.digest_of(inputs, command)}", command

    def build(self, show=lambda text: None):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            sources = sorted({s for kernel in self.kernels for s in shared_sources(kernel)})
            jobs = [pool.submit(compile_to, *self.object_of(s), s.name) for s in sources]
            for done, job in enumerate(jobs):
                show(f"building what all libraries share, {done} of {len(jobs)}")
                job.result()
            jobs = {}
            for kernel in self.kernels:
                for name, peer in self.peers.items():
                    if not peer.missing:
                        jobs[kernel, name] = pool.submit(self.build_program, kernel, peer)
            for done, (key, job) in enumerate(jobs.items()):
                show(f"building {key[0]} for {self.peers[key[1]].title}, {done} of {len(jobs)}")
                try:
                    self.programs[key] = job.result()
                except harness_build.BuildError as error:
                    self.missing[key] = str(error)
        return self

    def build_program(self, kernel, peer):
        target, command = self.program_of(kernel, peer)
        compile_to(target, command, f"{kernel} for {peer.title}")
        return target


def run_kernel(program, arguments, peer, launcher="", timeout=7200):
    """The kernel's JSON; raises execute.RunError with one line, also for a wrong result or a foreign libtbb."""
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "result.json"
        execute.run_process([program, *arguments, "--json", str(path)], launcher, timeout)
        try:
            report = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise execute.RunError(f"{program.name} wrote no results: {error}") from error
    if not report["correct"]:
        raise execute.RunError(f"{report['kernel']}: wrong result")
    loaded = report["library"]["path"]
    if peer.lib and loaded and peer.lib.resolve() not in pathlib.Path(loaded).resolve().parents:
        raise execute.RunError(f"{report['kernel']} loaded a foreign libtbb: {loaded}")
    return report
