# SPDX-License-Identifier: Apache-2.0
"""Runs one process of a benchmark and checks that it measured what it should have measured."""
import json
import os
import pathlib
import resource
import shlex
import subprocess
import time


class RunError(Exception):
    """One line: which program failed and how. The row is then a gap, never a figure."""


class NoPeer:
    """Whose library is not checked."""
    lib = None


def environment():
    """The user's, without what could put another library or other threads under the program."""
    drop = ("LD_LIBRARY_PATH", "LD_PRELOAD")
    return {key: value for key, value in os.environ.items()
            if key not in drop and not key.startswith(("OMP_", "KMP_", "GOMP_", "ASHLAR_", "TBB_"))}


def run_process(command, launcher="", timeout=600, extra=None):
    """stdout of a process that must succeed; `extra` is added to its environment."""
    full = [*shlex.split(launcher), *map(str, command)]
    try:
        done = subprocess.run(full, capture_output=True, text=True, check=False, timeout=timeout,
                              env={**environment(), **(extra or {})})
    except subprocess.TimeoutExpired as error:
        raise RunError(f"{pathlib.Path(command[0]).name} did not end within {timeout} s") from error
    except OSError as error:
        raise RunError(f"cannot start {full[0]}: {error.strerror}") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        how = f"signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
        raise RunError(f"{pathlib.Path(command[0]).name} failed ({how}): {lines[-1] if lines else 'no message'}")
    return done.stdout


def parse_report(text, peer):
    """The program's line of JSON; refuses wrong results and a libtbb that is not the peer's."""
    try:
        report = json.loads(text)
    except json.JSONDecodeError as error:
        raise RunError(f"no report but: {text.strip()[:80]!r}") from error
    if not report.get("ok"):
        raise RunError(f"wrong result: {report.get('error')}")
    if peer.lib:
        loaded = pathlib.Path(report.get("tbb") or "/no libtbb").resolve()
        if pathlib.Path(peer.lib).resolve() not in loaded.parents:
            raise RunError(f"the program loaded a foreign {loaded.name} in {loaded.parent}")
    return report


def check_allocator(report, peer):
    """Refuses a run that another malloc served than the peer's."""
    serving = pathlib.Path(report.get("malloc") or "/nothing").resolve()
    if serving != peer.preload if peer.preload else not serving.name.startswith("libc."):
        raise RunError(f"malloc came from {serving}")


def library_path(peer):
    """What puts the peer's library under another one's program."""
    return {"LD_LIBRARY_PATH": str(peer.lib)} if getattr(peer, "built_for", None) else {}


def run_program(program, arguments, peer, launcher="", timeout=600, extra=None, preload=False):
    """With `preload` the peer is the allocator under the program, else the library that it is linked with."""
    started = time.monotonic()
    extra = {**library_path(peer), **(extra or {})}
    if preload and peer.preload:
        extra.update(LD_PRELOAD=str(peer.preload), LD_LIBRARY_PATH=str(peer.preload.parent))
    text = run_process([program, *arguments], launcher, timeout, extra)
    report = parse_report(text, NoPeer if preload else peer)
    if preload:
        check_allocator(report, peer)
    report["process_s"] = round(time.monotonic() - started, 4)
    return report


def compile_cost(command, launcher="", timeout=600):
    """User and system seconds of a compiler run, all its processes included."""
    full = [*shlex.split(launcher), *map(str, command)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(full, capture_output=True, text=True, check=False, timeout=timeout, env=environment())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        raise RunError(f"does not compile: {errors[0].strip() if errors else done.stderr.strip()[-80:]}")
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
