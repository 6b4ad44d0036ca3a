#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the library and each public header by itself for systems that nobody here has, and says which files fail.

    compile_ports.py [TARGET ...]         TARGET: aarch64-macos, x86_64-macos, x86_64-freebsd; all of them without one

Needs the package ziglang, which brings the compiler and the headers of these systems. Nothing is linked or run. Exits with 77 without
that package."""
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys

import layer_sources
import source_tree as tree

SYSTEMS = {"aarch64-macos": "Darwin", "x86_64-macos": "Darwin", "x86_64-freebsd": "FreeBSD"}
LAYERS = ("base", "os", "obs", "alloc", "sync", "containers", "sched", "algo", "flow")
# Headers of one system are included by those that choose; the last ones are of std::execution, which these compilers lack.
ELSEWHERE = re.compile(r"include/ashlar/os/\w+/|include/ashlar/execution")
# What a header needs that is part of another one, or of one dialect.
PARTS = {
    "include/ashlar/containers/hash_table_impl.h": ["-include", "ashlar/containers/hash_table.h"],
    "include/ashlar/flow/edges/continue_receiver.h": ["-DASHLAR_CLASSIC_DIALECT=1"],
    "include/ashlar/flow/nodes/async_msg.h": ["-DASHLAR_CLASSIC_DIALECT=1"],
}
CACHE = tree.ROOT / "build/ports"


def zig(*arguments, **more):
    """What zig says and returns for these arguments."""
    environment = {"ZIG_GLOBAL_CACHE_DIR": str(CACHE), "ZIG_LOCAL_CACHE_DIR": str(CACHE), **os.environ, **more}
    return subprocess.run([sys.executable, "-m", "ziglang", *map(str, arguments)], capture_output=True, text=True, env=environment)


def clang_options(target):
    """Those of zig's own call of clang that say what the target is and where its headers are."""
    nothing = CACHE / "nothing.cpp"
    nothing.write_text(f"// {os.urandom(16).hex()}\n", encoding="utf-8")  # new, so that zig calls clang
    said = zig("c++", "-target", target, "-fno-sanitize=all", "-c", nothing, "-o", CACHE / f"nothing-{os.getpid()}.o", ZIG_VERBOSE_CC="1").stderr
    words = shlex.split(next(line for line in said.splitlines() if " clang " in line))
    kept = [word for before, word in zip(["", *words], words) if before != "-Xclang" and word.startswith(("-D", "-m", "-nostd", "-f"))]
    for option in ("-target", "-isystem"):
        kept += [part for at, word in enumerate(words) if word == option for part in (option, words[at + 1])]
    return kept


def compile_one(options, source, arguments):
    """None, or the first error."""
    run = zig("clang", *options, "-w", f"-I{tree.ROOT / 'include'}", *arguments, source)
    if run.returncode == 0:
        return None
    return next((line for line in run.stderr.splitlines() if "error:" in line), f"the compiler gives {run.returncode}")


def jobs_of(target, scratch):
    """Names and what is compiled."""
    for layer in LAYERS:
        for source in layer_sources.layer_sources(layer, SYSTEMS[target]):
            yield tree.relative(source), source, ["-std=c++20", "-O0", f"-I{tree.ROOT / 'src'}", '-DASHLAR_VERSION="port"', "-c", "-o", os.devnull]
    for header in tree.files_below("include", suffixes={".h"}):
        name = tree.relative(header)
        if not ELSEWHERE.match(name):
            source = scratch / (re.sub(r"\W", "_", name) + ".cpp")
            source.write_text(f"#include <{name.removeprefix('include/')}>\n", encoding="utf-8")
            yield name, source, ["-std=c++17", "-fsyntax-only", *PARTS.get(name, [])]


def main():
    if zig("version").returncode != 0:
        print("compile_ports: there is no ziglang")
        return 77
    failed = 0
    scratch = CACHE / "headers"
    scratch.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for target in sys.argv[1:] or SYSTEMS:
            jobs, options = list(jobs_of(target, scratch)), clang_options(target)
            wrong = 0
            for (name, *_), error in zip(jobs, pool.map(lambda job: compile_one(options, *job[1:]), jobs)):
                if error:
                    wrong += 1
                    print(f"{name}: {error}", flush=True)
            print(f"{target}: {wrong} of {len(jobs)} files fail", flush=True)
            failed += wrong
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
