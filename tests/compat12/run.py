#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs that were compiled with oneTBB's own headers on our libtbb.so.12.

    run.py CASE --build BUILD_DIR --source SOURCE_DIR --work WORK_DIR

Exit code 77: the case can't run here, and says why."""
import argparse
import difflib
import lzma
import multiprocessing.pool
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

SKIPPED = 77
CXX = os.environ.get("CXX", "g++")
NEWEST = "2023.2"


class Failure(Exception):
    pass


class Skipped(Exception):
    pass


class Case:
    def __init__(self, build, source, work, sanitize):
        self.build, self.source, self.work = build, source, work
        # The program brings the sanitizer's runtime, which oneTBB's library doesn't run with. Its header of flow graphs
        # casts to types that the objects don't have yet.
        self.sanitize = [f"-fsanitize={sanitize}", "-fno-sanitize=vptr", "-fno-sanitize-recover=all", "-g1"] if sanitize else []
        self.ours = build / "ashlar-compat"
        self.tests = source / "tests/compat12"
        sys.path.insert(0, str(source / "bench/harness"))

    # ---- tools

    def run(self, *command, **options):
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, timeout=600, **options)
        if done.returncode != 0:
            raise Failure(f"$ {' '.join(str(c) for c in command)}\n{done.stdout}{done.stderr}exit code {done.returncode}")
        return done.stdout

    def on(self, library, program, *arguments):
        """The program's lines, and of which folder its libtbb was."""
        output = self.run(program, *arguments, env={**os.environ, "LD_LIBRARY_PATH": str(library)}).splitlines()
        folders = {os.path.dirname(line.split(" ", 1)[1]) for line in output
                   if line.startswith("library ") and "/libtbb.so" in line}
        return [line for line in output if not line.startswith("library ")], folders

    def peer(self, version=NEWEST):
        """The prefix of oneTBB in that version."""
        import peers
        if version == NEWEST:
            found = peers.resolve_peer("onetbb", peers.load_spec()["onetbb"], peers.cache_dir())
            if found.missing:
                raise Skipped(f"oneTBB {version}: {found.missing}")
            return found.include.parent
        spec = tomllib.loads((self.tests / "versions.toml").read_text())[version]
        try:
            return peers.fetch_wheels("onetbb", spec, peers.cache_dir())
        except OSError as error:
            raise Skipped(f"oneTBB {version}: {error}") from error

    def folder(self, name):
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def compile(self, prefix, source, output, *flags, plain=False):
        sanitize = [] if plain else self.sanitize
        self.run(CXX, "-std=c++17", "-O1", "-w", "-pthread", *sanitize, "-I", prefix / "include", source, "-o", output,
                 "-L", self.peer() / "lib", "-ltbb", "-ltbbmalloc", *flags)

    def programs(self, version, plain=False):
        """The clients, compiled with the headers of that version; they are kept. `plain`: without a sanitizer."""
        prefix, folder = self.peer(version), self.work / (f"plain-{version}" if plain and self.sanitize else f"clients-{version}")
        folder.mkdir(parents=True, exist_ok=True)
        sources = sorted((self.tests / "programs").glob("*.cpp"))
        newest = max(path.stat().st_mtime for path in (self.tests / "programs").iterdir())

        def build(source):
            program = folder / source.stem
            if not program.exists() or program.stat().st_mtime < newest:
                self.compile(prefix, source, program, plain=plain)
            return program
        with multiprocessing.pool.ThreadPool(2) as pool:
            return pool.map(build, sources)

    @staticmethod
    def exported(library):
        output = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
        return {line.split()[-1] for line in output.splitlines()}

    @staticmethod
    def dynamic(program):
        """Its dynamic symbols: those that it imports, and those of which it has a copy (tables and type information)."""
        output = subprocess.run(["nm", "-D", program], capture_output=True, text=True, check=True).stdout
        return {line.split()[-1].split("@")[0] for line in output.splitlines()}

    # ---- the cases

    def symbols(self):
        """The exports are those of oneTBB's library, all and no others, without version tags."""
        def compare(name, have, wanted, more_allowed=False):
            missing, extra = sorted(wanted - have), sorted(have - wanted)
            if missing or (extra and not more_allowed):
                raise Failure(f"{name}: missing {missing}, extra {extra}")
            print(f"{name}: {len(wanted)} symbols")
        wanted = set((self.tests / "symbols.txt").read_text().split())
        for name in ("libtbb.so.12", "libtbb_debug.so.12"):
            compare(name, self.exported(self.ours / name), wanted)
        malloc = set((self.tests / "malloc_symbols.txt").read_text().split())
        needed = self.run("readelf", "-d", self.ours / "libtbbmalloc.so.2")
        if "libtbbmalloc-ashlar.so.0" not in needed:
            raise Failure(needed)
        compare("libtbbmalloc.so.2", self.exported(self.build / "libtbbmalloc-ashlar.so.0"), malloc, True)
        peer = self.peer() / "lib"
        compare("oneTBB's libtbb.so.12", self.exported(peer / "libtbb.so.12"), wanted)
        linkers = {"_edata", "_end", "__bss_start", "_init", "_fini"}
        compare("libtbbmalloc_proxy.so.2", self.exported(self.ours / "libtbbmalloc_proxy.so.2"),
                self.exported(peer / "libtbbmalloc_proxy.so.2") - linkers, True)

    def imports(self):
        """Each exported function is called by some client."""
        wanted = set((self.tests / "symbols.txt").read_text().split())
        used = set().union(*(self.dynamic(program) for program in self.programs(NEWEST)))
        if wanted - used:
            raise Failure("no client imports " + " ".join(sorted(wanted - used)))

    def layouts(self):
        """What the headers of each version lay down is what contract.h was written for."""
        wanted = (self.tests / "layouts.txt").read_text().splitlines()
        folder = self.folder("layouts")
        for version in (NEWEST, "2022.3", "2021.13"):
            prefix = self.peer(version)
            self.compile(prefix, self.tests / "layouts.cpp", folder / version, "-fno-access-control")
            found = self.on(self.ours, folder / version)[0]
            if found != wanted:
                raise Failure("\n".join(difflib.unified_diff(wanted, found, "layouts.txt", version, lineterm="")))

    def abi(self):
        """The signatures of the exported functions and the types that they reach are those of libtbb.abi.xz (libabigail)."""
        if shutil.which("abidiff") is None:
            raise Skipped("there is no abidiff (Debian's abigail-tools)")
        folder = self.folder("abi")

        def compile_described(source):
            self.run(CXX, "-std=c++20", "-g", "-O0", "-w", "-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-I",
                     self.source / "include", "-c", source, "-o", folder / f"{source.name}.o")
        with multiprocessing.pool.ThreadPool(2) as pool:
            pool.map(compile_described, sorted((self.source / "src/compat12").glob("*.cpp")))
        library = folder / "libtbb.so.12"
        self.run(CXX, "-shared", "-o", library, f"-Wl,-soname,{library.name}", f"-Wl,--version-script={self.source / 'cmake/tbb12.map'}",
                 *sorted(folder.glob("*.o")), "-L", self.build, "-ltbb")
        own = ["--suppressions", self.tests / "own_types.abignore"]
        wanted, found = folder / "wanted.abi", folder / "found.abi"
        wanted.write_bytes(lzma.decompress((self.tests / "libtbb.abi.xz").read_bytes()))
        found.write_text(self.run("abidw", *own, "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path", "--no-elf-needed",
                                  "--exported-interfaces-only", library))
        try:
            self.run("abidiff", *own, wanted, library)
        except Failure as failure:
            raise Failure(f"{failure}\nIf that is wanted: xz -9c {found} > {self.tests / 'libtbb.abi.xz'}") from failure

    def clients(self, version):
        """Programs of each group of symbols print the same on both libraries, and ours was the one that was loaded."""
        theirs = self.peer() / "lib"
        for plain, program in zip(self.programs(version, plain=True), self.programs(version)):
            lines, folders = self.on(theirs, plain)
            if folders != {str(Path(theirs).resolve())}:
                raise Failure(f"{program} should have loaded {theirs}, not {folders}")
            for round_ in range(3):
                found, folders = self.on(self.ours, program)
                if folders != {str(self.ours.resolve())}:
                    raise Failure(f"{program} should have loaded {self.ours}, not {folders}")
                if found != lines:
                    raise Failure("\n".join([f"{program}, round {round_}", *difflib.unified_diff(lines, found, "oneTBB", "ours", lineterm="")]))
            print(f"{version} {program.name}: {len(lines)} lines, the same")

    def clients_2021_1(self):
        self.clients("2021.1")

    def clients_2021_13(self):
        self.clients("2021.13")

    def clients_2022_3(self):
        self.clients("2022.3")

    def clients_2023_2(self):
        self.clients("2023.2")

    def nothing(self):
        """The control: with a library that exports nothing no client runs."""
        folder = self.folder("nothing")
        for name in ("libtbb.so.12", "libtbbmalloc.so.2"):
            self.run(CXX, "-shared", "-fPIC", "-x", "c++", "/dev/null", "-o", folder / name, f"-Wl,-soname,{name}")
        for program in self.programs(NEWEST):
            done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=600,
                                  env={**os.environ, "LD_LIBRARY_PATH": str(folder)})
            if done.returncode == 0:
                raise Failure(f"{program} succeeds without a library")

    def lifetimes(self):
        """Static objects, forks, finalization and the end of a process."""
        folder = self.folder("lifetimes")
        source = self.tests / "one_process/lifetimes.cpp"
        self.compile(self.peer(), source, folder / "plain", plain=True)
        self.compile(self.peer(), source, folder / "lifetimes")
        wanted = self.on(self.peer() / "lib", folder / "plain")[0]
        for _ in range(10):
            found = self.on(self.ours, folder / "lifetimes")[0]
            if found != wanted:
                raise Failure("\n".join(difflib.unified_diff(wanted, found, "oneTBB", "ours", lineterm="")))

    def unloads(self):
        """A plugin that is unloaded again and again, with objects of the library in it; oneTBB 2023.2 crashes here."""
        folder = self.folder("unloads")
        places = self.tests / "one_process"
        self.compile(self.peer(), places / "unloaded.cpp", folder / "plugin.so", "-fPIC", "-shared", "-fno-gnu-unique")
        self.run(CXX, "-std=c++17", *self.sanitize, places / "unloads.cpp", "-o", folder / "unloads", "-ldl", "-pthread")
        for _ in range(5):
            self.on(self.ours, folder / "unloads", folder / "plugin.so")

    def isolation(self):
        """Isolated groups that many threads share: no task is lost, none runs where it may not, and all ends."""
        folder = self.folder("isolation")
        self.compile(self.peer(), self.tests / "one_process/isolation.cpp", folder / "isolation")
        for threads in (2, 4, 16):
            print(threads, "threads:", *self.on(self.ours, folder / "isolation", threads, 3)[0])

    def build_ours(self, source, output, *flags):
        self.run(CXX, "-std=c++17", "-O1", "-Wall", "-Wextra", "-pthread", "-I", self.source / "include", "-isystem", self.build / "forwarding",
                 source, "-o", output, "-L", self.build, "-ltbb", "-ldl", f"-Wl,-rpath,{self.build}", *flags)

    def one_process(self):
        """A host with our headers and a plugin with oneTBB's, which finds libtbb.so.12 by its run path: one pool."""
        folder = self.folder("one_process")
        places = self.tests / "one_process"
        self.compile(self.peer(), places / "plugin.cpp", folder / "plugin.so", "-fPIC", "-shared", f"-Wl,-rpath,{self.ours}")
        self.build_ours(places / "host.cpp", folder / "host")
        for _ in range(5):
            self.run(folder / "host", folder / "plugin.so")
        # The same with oneTBB's library is what the host must find fault with.
        beside = subprocess.run([folder / "host", folder / "plugin.so", "keep"], capture_output=True, text=True, check=False, timeout=600,
                                env={**os.environ, "LD_LIBRARY_PATH": str(self.peer() / "lib")})
        if beside.returncode != 1:
            raise Failure(f"the host doesn't notice another library, or crashes: {beside.returncode}\n{beside.stdout}")

    def bundled(self, folder):
        """A copy of oneTBB's library as wheels have it: with a name of its own."""
        library = folder / "libtbb-a.so"
        bytes_of_peer = (self.peer() / "lib/libtbb.so.12").read_bytes()
        folder.mkdir(exist_ok=True)
        library.write_bytes(bytes_of_peer.replace(b"libtbb.so.12\0", library.name.encode().ljust(13, b"\0")))
        return library

    def beside(self):
        """Plugins on our library and on a copy of oneTBB's with another name, in one process."""
        folder = self.folder("beside")
        places = self.tests / "one_process"
        library = self.bundled(folder / "bundled")
        self.compile(self.peer(), places / "plugin.cpp", folder / "ours.so", "-fPIC", "-shared", f"-Wl,-rpath,{self.ours}", plain=True)
        self.run(CXX, "-std=c++17", "-O1", "-w", "-pthread", "-fPIC", "-shared", "-I", self.peer() / "include", places / "plugin.cpp", "-o",
                 folder / "bundling.so", library, f"-Wl,-rpath,{library.parent}")
        self.run(CXX, "-std=c++17", "-O1", "-Wall", "-Wextra", "-pthread", places / "beside.cpp", "-o", folder / "beside", "-ldl")
        for plugins in (("ours.so", "bundling.so"), ("bundling.so", "ours.so")):
            for _ in range(5):
                output = self.run(folder / "beside", *(folder / name for name in plugins))
                for path in (library, self.ours / "libtbb.so.12", self.build / "libtbb-ashlar.so.0"):
                    if f"library {path.resolve()}\n" not in output:
                        raise Failure(f"{path} was not loaded:\n{output}")

    def merged(self):
        """Two libraries with weak symbols of both headers, in both orders."""
        folder = self.folder("merged")
        source = self.source / "tests/consume/programs/merged.cpp"
        self.build_ours(source, folder / "libours.so", "-O0", "-fPIC", "-shared")
        self.compile(self.peer(), source, folder / "libforeign.so", "-O0", "-fPIC", "-shared", "-DFOREIGN", f"-Wl,-rpath,{self.ours}")
        for order in (("ours", "foreign"), ("foreign", "ours")):
            program = folder / "_".join(order)
            self.run(CXX, "-O0", "-DHOST", source, "-o", program, f"-L{folder}", "-Wl,--no-as-needed", *(f"-l{name}" for name in order),
                     f"-Wl,-rpath,{folder}", "-Wl,--allow-shlib-undefined", "-pthread")
            self.on(self.ours, program)

    def costs(self):
        """Instructions per operation on one thread, of the same program with both libraries; ours may not rise."""
        if shutil.which("valgrind") is None:
            raise Skipped("there is no valgrind")
        folder = self.folder("costs")
        self.compile(self.peer(), self.tests / "costs.cpp", folder / "costs", "-O2")

        def instructions(library, what, size):
            done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", folder / "costs", what, size],
                                  capture_output=True, text=True, check=True, timeout=800,
                                  env={**os.environ, "LD_LIBRARY_PATH": str(library)})
            return int(re.search(r"Collected : (\d+)", done.stderr)[1]), int(done.stdout)

        risen = []
        for line in (self.tests / "costs.txt").read_text().splitlines():
            what, small, large, most = line.split()
            found = {}
            for library in (self.peer() / "lib", self.ours):
                (few, fewer), (many, more) = (instructions(library, what, size) for size in (small, large))
                found[library] = (many - few) / (more - fewer)
            print(f"{what}: oneTBB {found[self.peer() / 'lib']:.0f}, ours {found[self.ours]:.0f}, at most {most}")
            if found[self.ours] > int(most):
                risen.append(what)
        if risen:
            raise Failure("more instructions than tests/compat12/costs.txt allows: " + ", ".join(risen))

    def wakes(self):
        """A small loop from a cold start wakes no worker, a long one does, also where others of its kind were small."""
        if shutil.which("strace") is None:
            raise Skipped("there is no strace")
        folder = self.folder("wakes")
        self.compile(self.peer(), self.tests / "wakes.cpp", folder / "wakes", "-O2")

        def wakes(what, count):
            self.run("strace", "-f", "-e", "trace=futex", "-o", folder / what, folder / "wakes", what, count,
                     env={**os.environ, "LD_LIBRARY_PATH": str(self.ours)})
            return (folder / what).read_text().count("FUTEX_WAKE")
        # What interrupts a small loop makes it a long one, and a worker that had no processor may be awake yet at the next
        # loop: the first good run of many counts.
        def good(what, count, is_good, other):
            return next((found for found in (wakes(what, count) for _ in range(20)) if is_good(found)), other)
        small = good("small", 500, lambda found: found <= 60, 500)
        longer, mixed = good("long", 200, lambda found: found >= 120, 0), good("mixed", 500, lambda found: found >= 25, 0)
        print(f"wakes: {small} of 500 small loops, {longer} of 200 long ones, {mixed} of 500 of which 50 are long")
        if small > 60 or longer < 120 or mixed < 25:
            raise Failure("at most 60, at least 120, at least 25 are expected")

    def command(self):
        """`ashlar` with a program that links libtbb.so.12, one that bundles a copy, and a static one."""
        import command
        ashlar = self.build / "bin/ashlar"
        if not ashlar.exists():
            raise Skipped(f"{ashlar} isn't built")
        folder = self.folder("command")
        client = next(p for p in self.programs(NEWEST) if p.name == "pipelines")
        # As wheels have it: a copy with a name of its own, which the program looks for in a folder of its own.
        library = self.bundled(folder / "bundled")
        self.run(CXX, "-std=c++17", "-w", "-pthread", "-fPIC", "-shared", "-I", self.peer() / "include",
                 self.tests / "programs/pipelines.cpp", "-o", folder / "module.so", library,
                 "-Wl,--disable-new-dtags", f"-Wl,-rpath,{library.parent}")
        # The loader asks a program's own DT_RPATH before LD_LIBRARY_PATH.
        self.run(CXX, "-std=c++17", "-w", "-pthread", "-I", self.peer() / "include", self.tests / "programs/pipelines.cpp", "-o",
                 folder / "bound", "-L", self.peer() / "lib", "-ltbb", "-Wl,--disable-new-dtags", f"-Wl,-rpath,{self.peer() / 'lib'}")
        self.run(CXX, "-pthread", folder / "module.so", "-o", folder / "bundling", "-Wl,--allow-shlib-undefined")
        (folder / "static.cpp").write_text("int main() {}")
        self.run(CXX, "-static", folder / "static.cpp", "-o", folder / "static")
        # Classic TBB's soname, and nothing of oneTBB's interface in it.
        (folder / "old.cpp").write_text("int old_function() { return 0; }")
        self.run(CXX, "-fPIC", "-shared", folder / "old.cpp", "-Wl,-soname,libtbb.so.2", "-o", folder / "libtbb.so.2")
        (folder / "classic.cpp").write_text("int old_function(); int main() { return old_function(); }")
        self.run(CXX, folder / "classic.cpp", folder / "libtbb.so.2", f"-Wl,-rpath,{folder}", "-o", folder / "classic")
        try:
            command.is_described(ashlar, self.source)
            command.runs(ashlar, client, self.ours)
            command.linked_otherwise(ashlar, folder / "static", folder / "bundling", library.name)
            command.examines(ashlar, client, self.ours)
            command.reaches_everywhere(ashlar, client, self.ours, self.peer() / "lib", folder)
            command.is_honest(ashlar, client, self.peer() / "lib", folder)
            if (self.build / "sim/ashlar-sim").exists():
                self.compile(self.peer(), self.tests / "costs.cpp", folder / "loops", "-O2")
                command.reports(ashlar, client, folder / "loops", folder)
                command.says_nothing_of_our_files(ashlar, client, self.ours, folder)
        except command.Mismatch as mismatch:
            raise Failure(str(mismatch)) from mismatch

    def wheel(self):
        """The wheel ashlar-tbb beside numba from the package registry."""
        import python_wheel
        if not (self.build / "bin/ashlar").exists():
            raise Skipped("the command isn't built")
        try:
            python_wheel.works(self.source, self.build, self.work / "wheel")
        except python_wheel.Unavailable as reason:
            raise Skipped(str(reason)) from reason
        except python_wheel.Mismatch as mismatch:
            raise Failure(str(mismatch)) from mismatch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case")
    for option in ("--build", "--source", "--work"):
        parser.add_argument(option, type=Path, required=True)
    parser.add_argument("--sanitize", default="", help="as the library was built: address,undefined or thread")
    arguments = parser.parse_args()
    case = Case(arguments.build, arguments.source, arguments.work, arguments.sanitize)
    try:
        getattr(case, arguments.case)()
    except Skipped as reason:
        print(reason)
        return SKIPPED
    except Failure as failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
