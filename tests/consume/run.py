#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses the installed library as its users do.

    run.py CASE --build BUILD_DIR --source SOURCE_DIR --work WORK_DIR

Case `install` makes WORK_DIR/prefix; the others need it. Exit code 77: the case can't run here, and says why."""
import argparse
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from border import standard_classes_across

SKIPPED = 77
DLCLOSE_RUNS = 40
CXX = os.environ.get("CXX", "g++")
MODULE_COMPILERS = [f"clang++-{version}" for version in (21, 20, 19, 18, 17, 16)]


class Failure(Exception):
    pass


class Case:
    def __init__(self, build, source, work):
        self.build, self.source, self.work = build, source, work
        self.prefix = work / "prefix"
        self.programs = source / "tests/consume/programs"

    def run(self, *command, expect=0, **options):
        """Runs a command and returns its output; an unexpected exit code ends the case."""
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False,
                              timeout=600, **options)
        if done.returncode != expect:
            raise Failure(f"$ {' '.join(str(c) for c in command)}\n{done.stdout}{done.stderr}"
                          f"exit code {done.returncode}, expected {expect}")
        return done.stdout + done.stderr

    def folder(self, name):
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def compile(self, output, *arguments, prefix=None, std="c++17"):
        prefix = prefix or self.prefix
        self.run(CXX, f"-std={std}", "-O2", "-Wall", "-Wextra", *arguments, "-I", prefix / "include",
                 "-L", prefix / "lib", f"-Wl,-rpath,{prefix / 'lib'}", "-pthread", "-o", output)

    # ---- the cases

    def install(self):
        shutil.rmtree(self.prefix, ignore_errors=True)
        self.run("cmake", "--install", self.build, "--prefix", self.prefix)
        peers = json.loads((self.source / "tests/headers/inner.json").read_text())
        inner = [f"include/{folder}/{header}" for folder, headers in peers.items() for header in headers]
        for file in ("include/tbb/tbb.h", "include/oneapi/tbb.h", "include/oneapi/tbb/version.h",
                     "include/ashlar/base/config.h", "lib/libtbb.so", "lib/libtbb.a", "lib/libtbb_debug.so",
                     "lib/pkgconfig/tbb.pc", "lib/cmake/TBB/TBBConfig.cmake", *inner):
            if not (self.prefix / file).exists():
                raise Failure(f"{file} is not installed")

    def plain(self):
        folder = self.folder("plain")
        self.run(CXX, self.programs / "sum.cpp", "-I", self.prefix / "include", "-L", self.prefix / "lib", "-ltbb",
                 "-o", folder / "sum")
        self.run(folder / "sum", env={**os.environ, "LD_LIBRARY_PATH": str(self.prefix / "lib")})
        self.compile(folder / "debug", "-DTBB_USE_DEBUG=1", self.programs / "sum.cpp", "-ltbb_debug")
        self.run(folder / "debug")
        self.compile(folder / "units", self.programs / "units_a.cpp", self.programs / "units_b.cpp", "-ltbb")
        self.run(folder / "units")

    def fork(self):
        folder = self.folder("fork")
        self.compile(folder / "shared", self.programs / "fork.cpp", "-ltbb")
        self.run(folder / "shared")
        self.compile(folder / "linked", self.programs / "fork.cpp", "-Wl,--no-as-needed", "-ltbbmalloc", "-ltbb")
        self.run(folder / "linked")
        self.compile(folder / "reversed", self.programs / "fork.cpp", "-Wl,--no-as-needed", "-ltbb", "-ltbbmalloc")
        self.run(folder / "reversed")

    def static(self):
        folder = self.folder("static")
        self.run(CXX, "-O2", self.programs / "sum.cpp", "-I", self.prefix / "include", self.prefix / "lib/libtbb.a",
                 "-pthread", "-o", folder / "sum")
        self.run(folder / "sum", env={})
        self.run(CXX, "-O2", "-static", self.programs / "sum.cpp", "-I", self.prefix / "include",
                 self.prefix / "lib/libtbb.a", "-pthread", "-o", folder / "all_static")
        self.run(folder / "all_static", env={})

    def classic(self):
        folder = self.folder("classic")
        self.compile(folder / "classic", "-DASHLAR_CLASSIC_DIALECT=1", self.programs / "classic.cpp", "-ltbb")
        self.run(folder / "classic")
        macro = {"dialect_classic": ["-DASHLAR_CLASSIC_DIALECT=1"]}
        for name in ("dialect_classic", "dialect_header", "dialect_onetbb"):
            self.run(CXX, "-std=c++17", "-O0", "-Wall", "-Wextra", *macro.get(name, []), "-c", self.programs / f"{name}.cpp",
                     "-I", self.prefix / "include", "-o", folder / f"{name}.o")
        for order in (("dialect_classic", "dialect_header", "dialect_onetbb"), ("dialect_onetbb", "dialect_header", "dialect_classic")):
            self.compile(folder / "mixed", *(folder / f"{name}.o" for name in order), "-ltbb")
            self.run(folder / "mixed")

    def pkgconfig(self):
        if not shutil.which("pkg-config"):
            print("pkg-config is not installed")
            return SKIPPED
        folder = self.folder("pkgconfig")
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig")}
        flags = self.run("pkg-config", "--cflags", "--libs", "tbb", env=environment).split()
        self.run(CXX, self.programs / "sum.cpp", *flags, "-o", folder / "sum")
        self.run(folder / "sum", env={**os.environ, "LD_LIBRARY_PATH": str(self.prefix / "lib")})
        return 0

    def cmake_package(self):
        folder = self.folder("package")
        for configuration in ("Release", "Debug"):
            build = folder / configuration
            self.run("cmake", "-S", self.source / "tests/consume/package", "-B", build, "-G", "Ninja",
                     f"-DCMAKE_BUILD_TYPE={configuration}", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                     f"-DCMAKE_CXX_COMPILER={CXX}")
            self.run("cmake", "--build", build)
            for program in ("sum", "sum_static", "units", "precompiled"):
                self.run(build / program)
            wanted = "libtbb-ashlar_debug.so.0" if configuration == "Debug" else "libtbb-ashlar.so.0"
            if wanted not in self.run("ldd", build / "sum"):
                raise Failure(f"the {configuration} build does not use {wanted}")

    def beside(self):
        """find_package(ashlar) where TBB::tbb is another TBB's."""
        build = self.folder("beside")
        self.run("cmake", "-S", self.source / "tests/consume/beside", "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={CXX}")
        self.run("cmake", "--build", build)
        for program in ("sum", "sum_static"):
            self.run(build / program)

    def moved(self):
        """An installation that was moved, and one whose link-time names lie in a folder of their own, which is then uninstalled."""
        folder = self.folder("moved")
        shutil.copytree(self.prefix, folder / "elsewhere", symlinks=True)
        build = folder / "build"
        self.run("cmake", "-S", self.source / "tests/consume/package", "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 f"-DCMAKE_PREFIX_PATH={folder / 'elsewhere'}", f"-DCMAKE_CXX_COMPILER={CXX}")
        self.run("cmake", "--build", build, "--target", "sum", "sum_static")
        for program in ("sum", "sum_static"):
            self.run(build / program)
        if str(folder / "elsewhere") not in self.run("ldd", build / "sum"):
            raise Failure("the program uses the installation at its old place")
        for path in (folder / "elsewhere").rglob("*"):
            said = f"/{path.relative_to(folder / 'elsewhere')}\0".encode() + (os.fsencode(os.readlink(path)) if path.is_symlink() else b"")
            if path.is_file() and not path.is_symlink():
                content = path.read_bytes()
                said += b"" if b"\0" in content else content  # debug information may name the sources
            if bytes(self.prefix) in said or bytes(self.build) in said:
                raise Failure(f"{path} names the place of the installation or the build")

    def own_folder(self):
        """As distributions install it, and removed again. The library is the one that cmake_subdirectory has compiled."""
        folder, build = self.folder("own_folder"), self.work / "subdirectory"
        prefix = folder / "parent/prefix"  # both would be empty, and neither is what was installed
        self.run("cmake", build, "-DBUILD_SHARED_LIBS=ON", "-DASHLAR_LINKDIR=lib/ashlar", "-DCMAKE_INSTALL_INCLUDEDIR=include/ashlar",
                 "-DCMAKE_INSTALL_LIBDIR=lib", "-DASHLAR_COMPAT12=ON", f"-DCMAKE_INSTALL_PREFIX={prefix}")
        self.run("cmake", "--build", build)
        self.run("cmake", "--install", build)
        self.run("cmake", "-S", self.source / "tests/consume/beside", "-B", folder / "user", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={CXX}")
        self.run("cmake", "--build", folder / "user")
        self.run(folder / "user/sum_static")
        taken = [name for name in ("lib/libtbb.so", "lib/libtbb.a", "lib/cmake/TBB", "lib/pkgconfig/tbb.pc", "include/tbb") if (prefix / name).exists()]
        if taken:
            raise Failure(f"{taken[0]} is where another TBB has its file")
        if shutil.which("pkg-config"):
            flags = self.run("pkg-config", "--cflags", "--libs", "ashlar",
                             env={**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}).split()
            self.run(CXX, self.programs / "sum.cpp", *flags, "-o", folder / "sum")
            self.run(folder / "sum", env={**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib")})
        if (prefix / "lib/ashlar-compat").exists():  # on x86-64
            self.drop_in_links(prefix, build, folder)
        self.run("cmake", "-P", self.source / "cmake/uninstall.cmake", build / "install_manifest.txt")
        if not prefix.is_dir():
            raise Failure("uninstall removes the prefix, which may have been there before")
        if left := list(prefix.rglob("*")):
            raise Failure(f"uninstall leaves {left[0]} and {len(left) - 1} more")
        alone = folder / "alone"
        said = self.run("cmake", "-S", self.source, "-B", alone, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DBUILD_SHARED_LIBS=OFF",
                        *(f"-DASHLAR_{part}=OFF" for part in ("BUILD_TESTS", "BUILD_BENCH", "BUILD_SIM", "BUILD_DEBUG_LIBRARY", "COMPAT12")),
                        f"-DCMAKE_CXX_COMPILER={CXX}")
        if "uninstall" not in self.run("cmake", "--build", alone, "--target", "help"):
            raise Failure("there is no target uninstall")
        if "TBB::tbb_static" not in said:
            raise Failure("BUILD_SHARED_LIBS=OFF is ignored silently")

    def drop_in_links(self, prefix, build, folder):
        """A link to the drop-in from a folder that has nothing else, and copies and links of it with the runtime beside it."""
        library, runtime = prefix / "lib/ashlar-compat/libtbb.so.12", prefix / "lib/libtbb-ashlar.so.0"
        (folder / "version.cpp").write_text('extern "C" int TBB_runtime_interface_version();\n'
                                            "int main() { return TBB_runtime_interface_version() > 12000 ? 0 : 1; }\n")
        for way, runtime_from in (("link", None), ("copies", shutil.copy), ("links", os.symlink)):
            place = folder / way
            place.mkdir()
            (shutil.copy if way == "copies" else os.symlink)(library, place / library.name)
            if runtime_from:
                runtime_from(runtime, place / runtime.name)
            wanted = (place if runtime_from else prefix / "lib") / runtime.name
            self.run(CXX, folder / "version.cpp", library, "-o", folder / f"{way}_path")
            self.run(CXX, folder / "version.cpp", library, f"-Wl,-rpath,{place}", "-o", folder / f"{way}_rpath")
            for program, environment in ((folder / f"{way}_path", {**os.environ, "LD_LIBRARY_PATH": str(place)}),
                                         (folder / f"{way}_rpath", None)):
                self.run(program, env=environment)
                loaded = self.run("ldd", program, env=environment)
                if f"{place}/libtbb.so.12" not in loaded or f"=> {wanted} " not in loaded:
                    raise Failure(f"{program.name} loads\n{loaded}")
        # What is installed elsewhere than configured may be on its way to a third place, and names none.
        stage = folder / "stage"
        self.run("cmake", "--install", build, "--prefix", stage, "--component", "compat12")
        libraries = sorted((stage / "lib/ashlar-compat").glob("*.so.*"))
        named = self.run("readelf", "-d", *libraries)
        if named.count("[$ORIGIN/..:$ORIGIN]") != len(libraries):
            raise Failure(named)

    def cmake_subdirectory(self):
        """As a folder of another project, shared by add_subdirectory and static by FetchContent with BUILD_SHARED_LIBS=OFF; installed with it.
        The project compiles the files of each target together, which has to work, and takes less time."""
        build = self.folder("subdirectory")
        for shared in ("ON", "OFF"):
            prefix, exported = build / f"prefix-{shared}", build / f"exported-{shared}"
            self.run("cmake", "-S", self.source / "tests/consume/subdirectory", "-B", build, "-G", "Ninja", f"-DBUILD_SHARED_LIBS={shared}",
                     "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=0",
                     "-DASHLAR_INSTALL=ON", f"-DASHLAR_SOURCE_DIR={self.source}", f"-DCMAKE_CXX_COMPILER={CXX}")
            for program in ("sum", "precompiled"):
                self.run("cmake", "--build", build, "--target", program)
                self.run(build / program)
            if ("libtbb-ashlar" in self.run("ldd", build / "sum")) != (shared == "ON"):
                raise Failure(f"with BUILD_SHARED_LIBS={shared} the program's library is of the other kind")
            self.run("cmake", "--build", build)
            self.run("cmake", "--install", build, "--prefix", prefix)
            self.run(prefix / "bin/sum", env={**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib")})
            self.run("cmake", "-S", self.source / "tests/consume/exported", "-B", exported, "-G", "Ninja",
                     f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={CXX}")
            self.run("cmake", "--build", exported)
            self.run(exported / "calls")

    def modes(self):
        """Programs in modes of the compiler and of libstdc++ that the library was not built with: one program of the public classes, some
        five seconds of compiler each, in place of the unit tests, which would take minutes."""
        folder = self.folder("modes")
        modes = {"checked": ["-D_GLIBCXX_DEBUG", "-DTBB_USE_DEBUG=1"], "old_strings": ["-D_GLIBCXX_USE_CXX11_ABI=0"],
                 "fast_math": ["-ffast-math"], "no_exceptions": ["-fno-exceptions"], "no_rtti": ["-fno-rtti"], "lto": ["-flto=auto"]}

        def use(mode):
            optimised = "-O2" if mode in ("fast_math", "lto") else "-O0"
            self.compile(folder / mode, optimised, *modes[mode], self.programs / "modes.cpp", "-ltbb", "-ltbbmalloc")
            self.run(folder / mode)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(use, modes))

    def readme(self):
        """The README's first program compiles by the README's command line and prints what the README says."""
        folder = self.folder("readme")
        text = (self.source / "README.md").read_text()
        program = re.search(r"```cpp\n(.*?)```", text, re.S).group(1)
        command, output = re.search(r"```console\n\$ (g\+\+[^\n]*)\n(.*?)```", text, re.S).groups()
        (folder / "pi.cpp").write_text(program)
        printed = self.run("bash", "-c", command.replace("PREFIX", str(self.prefix)).replace("g++", CXX, 1), cwd=folder)
        if printed != output:
            raise Failure(f"README promises {output!r}, the program prints {printed!r}")

    def symbols(self):
        """The shared library exports our own names only, and asks for libc and libstdc++ only."""
        for library in sorted((self.prefix / "lib").glob("libtbb-ashlar*.so")) + [self.prefix / "lib/libtbb.so"]:
            names = [line.split()[-1] for line in self.run("nm", "-D", "--defined-only", library).splitlines()]
            foreign = [n for n in names if not n.startswith("ashlar_") and "N6ashlar2v1" not in n
                       and "NK6ashlar2v1" not in n]
            if foreign or not names:
                raise Failure(f"{library.name} exports {' '.join(foreign) or 'nothing'}")
            dynamic = self.run("readelf", "-d", library)
            needed = [line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "(NEEDED)" in line]
            allowed = ("libc.so", "libstdc++.so", "libm.so", "libgcc_s.so", "ld-linux")
            surplus = [n for n in needed if not n.startswith(allowed)]
            if surplus:
                raise Failure(f"{library.name} needs {' '.join(surplus)}")
            if "NODELETE" not in dynamic:
                raise Failure(f"{library.name} may be unloaded while its threads run")
        for library in sorted((self.prefix / "lib").glob("libtbbmalloc*.so")):
            if "libstdc++" in self.run("readelf", "-d", library):
                raise Failure(f"{library.name} brings libstdc++ into C programs")

    def abi(self):
        """What programs compiled against us rely on, exported functions and the types that they reach, is as the last release with this soname
        had it (abi/VERSION.abi.xz, libabigail); functions may come along. tools/release.py asks for the file of each release."""
        if not shutil.which("abidiff"):
            print("there is no abidiff (Debian's abigail-tools)")
            return SKIPPED
        folder = self.folder("abi")
        public = ["--headers-dir", self.prefix / "include/ashlar", "--headers-dir", self.prefix / "include/tbb"]
        # The library with assertions, because the other one has no description of its types.
        library, found = self.prefix / "lib/libtbb_debug.so", folder / "found.abi"
        describe = ["abidw", *public, "--drop-private-types", "--no-corpus-path", "--no-comp-dir-path", "--no-elf-needed", "--exported-interfaces-only"]
        self.run(*describe, "--no-show-locs", "--out-file", found, library.resolve())
        self.run(*describe, "--out-file", folder / "places.abi", library.resolve())
        soname = re.search(r"soname='([^']+)'", found.read_text())[1]
        print(f"{soname} exports {found.read_text().count('<elf-symbol name=')} symbols; {found} describes them")
        if crossing := standard_classes_across(folder / "places.abi"):
            raise Failure("Programs compiled with -D_GLIBCXX_DEBUG have another layout of " + "; ".join(crossing))
        releases = sorted((self.source / "tests/consume/abi").glob("*.abi.xz"), key=lambda path: [int(n) for n in re.findall(r"\d+", path.name)])
        for stored in reversed(releases):
            wanted = folder / stored.stem
            wanted.write_bytes(lzma.decompress(stored.read_bytes()))
            if f"soname='{soname}'" in wanted.read_text():
                done = subprocess.run(["abidiff", "--no-added-syms", wanted, found], capture_output=True, text=True, check=False)
                if done.returncode:
                    raise Failure(f"{done.stdout}{done.stderr}Programs compiled with {stored.name} would break: the soname's number has to rise; or, while "
                                  f"that release has no tag yet: xz -9c {found} > {stored}")
                return 0
        print(f"no release has had the soname {soname}, so nothing can break")
        return SKIPPED

    def soname(self):
        """The loader refuses a program of an older soname; else it would run on types that have changed."""
        folder, newer = self.folder("soname"), self.folder("soname/newer")
        compile_with = (CXX, self.programs / "sum.cpp", "-I", self.prefix / "include", "-L")
        self.run(*compile_with, self.prefix / "lib", "-ltbb", "-o", folder / "old")
        number = int(re.search(r"libtbb-ashlar\.so\.(\d+)", self.run("readelf", "-d", folder / "old"))[1])
        name = f"libtbb-ashlar.so.{number + 1}"
        self.run(CXX, "-shared", f"-Wl,-soname,{name}", "-Wl,--whole-archive", self.prefix / "lib/libtbb.a",
                 "-Wl,--no-whole-archive", "-pthread", "-o", newer / name)
        (newer / "libtbb.so").symlink_to(name)
        self.run(*compile_with, newer, "-ltbb", "-o", folder / "new")
        only_newer = {**os.environ, "LD_LIBRARY_PATH": str(newer)}
        self.run(folder / "new", env=only_newer)
        answer = self.run(folder / "old", expect=127, env=only_newer)
        if f"libtbb-ashlar.so.{number}: cannot open" not in answer:
            raise Failure(f"the loader says: {answer}")

    def dlclose(self):
        folder = self.folder("dlclose")
        self.compile(folder / "plugin.so", "-shared", "-fPIC", self.programs / "plugin.cpp", "-ltbb")
        self.run(CXX, "-O2", self.programs / "host.cpp", "-pthread", "-o", folder / "host")
        failures = []
        for i in range(DLCLOSE_RUNS):
            stay = "50" if i % 2 else "0"
            done = subprocess.run([folder / "host", "--stay", stay, folder / "plugin.so"], capture_output=True,
                                  text=True, check=False, timeout=600)
            if done.returncode:
                failures.append(f"stay {stay} ms: exit code {done.returncode} {done.stderr}")
        print(f"dlclose: {DLCLOSE_RUNS - len(failures)} of {DLCLOSE_RUNS} ok")
        if failures:
            raise Failure("\n".join(failures))

    def peer(self, name):
        """A foreign libtbb in the same process as ours."""
        peer = self.find_peer(name)
        if isinstance(peer, str):
            print(peer)
            return SKIPPED
        folder = self.folder(name)
        self.compile(folder / "ours.so", "-shared", "-fPIC", self.programs / "plugin.cpp", "-ltbb")
        self.compile(folder / "foreign.so", "-shared", "-fPIC", "-w", self.programs / "plugin.cpp", "-ltbb",
                     prefix=peer, std="c++14")
        ours = "libtbb-ashlar.so"  # the peers lie in a folder with our name
        if ours in self.run("ldd", folder / "foreign.so") or ours not in self.run("ldd", folder / "ours.so"):
            raise Failure("a plugin is linked to the wrong library")
        self.run(CXX, "-O2", self.programs / "host.cpp", "-pthread", "-o", folder / "host")
        self.compile(folder / "host_ours", "-DHOST_USES_TBB=1", self.programs / "host.cpp", "-ltbb")
        # The foreign libraries crash when a plugin that used them is unloaded, so the plugins stay.
        for host in ("host", "host_ours"):
            for order in (("ours.so", "foreign.so"), ("foreign.so", "ours.so")):
                self.run(folder / host, "--keep", *(folder / plugin for plugin in order))
        return 0

    def find_peer(self, name):
        """The prefix of a peer, fetched by the measurement runner, or the reason why there is none."""
        sys.path.insert(0, str(self.source / "bench/harness"))
        try:
            import peers
        except ImportError:
            return "the measurement runner, which fetches the peers, is not there"
        found = peers.resolve_peer(name, peers.load_spec()[name], peers.cache_dir())
        return found.missing or found.include.parent

    def merged(self):
        """Two linked libraries, one built with our headers and one with oneTBB's, in both orders: the loader merges
        weak symbols of one name, so a type that both headers define must not have the same name for the linker."""
        peer = self.find_peer("onetbb")
        if isinstance(peer, str):
            print(peer)
            return SKIPPED
        folder = self.folder("merged")
        source = self.programs / "merged.cpp"
        build = [CXX, "-std=c++17", "-O0", "-w", "-pthread"]  # at -O0 the members are functions and not inlined
        for name, prefix, flags in (("ours", self.prefix, []), ("foreign", peer, ["-DFOREIGN"])):
            self.run(*build, "-fPIC", "-shared", *flags, f"-I{prefix / 'include'}", source, "-o", folder / f"lib{name}.so",
                     f"-L{prefix / 'lib'}", "-ltbb", f"-Wl,-rpath,{prefix / 'lib'}")
        for order in (("ours", "foreign"), ("foreign", "ours")):
            program = folder / "_".join(order)
            self.run(*build, "-DHOST", source, "-o", program, f"-L{folder}", "-Wl,--no-as-needed",
                     *(f"-l{name}" for name in order), f"-Wl,-rpath,{folder}", "-Wl,--allow-shlib-undefined")
            self.run(program)
        return 0

    def printed(self, source, prefix, flags, program):
        """The lines of a program that is built with the headers and libraries below prefix."""
        self.run(CXX, "-std=c++17", "-O0", "-w", "-pthread", *flags, source, "-I", prefix / "include", "-L", prefix / "lib",
                 f"-Wl,-rpath,{prefix / 'lib'}", "-ltbb", "-ltbbmalloc", "-o", program)
        return subprocess.run([program], capture_output=True, text=True, check=True, timeout=300).stdout.splitlines()

    def semantics(self):
        """What calls do, as programs print it: the same lines with ours and with the peer of the dialect."""
        folder, skipped = self.folder("semantics"), 0
        for name, flags, own in (("onetbb", [], "onetbb"), ("tbb2020", ["-DASHLAR_CLASSIC_DIALECT=1"], "classic")):
            peer = self.find_peer(name)
            if isinstance(peer, str):
                print(peer)
                skipped = SKIPPED
                continue
            for source in [path for theme in ("both", own) for path in sorted((self.programs / "semantics" / theme).glob("*.cpp"))]:
                ours, theirs = (self.printed(source, prefix, flags, folder / f"{source.stem}-{name}-{which}")
                                for which, prefix in (("ours", self.prefix), ("theirs", peer)))
                differing = [f"{a}   {name}: {b}" for a, b in zip(ours, theirs) if a != b]
                if differing or len(ours) != len(theirs) or not ours:
                    raise Failure("\n".join([f"{source.name}: {len(ours)} and {len(theirs)} lines with ours and {name}", *differing]))
                print(f"{source.parent.name}/{source.name}: {len(ours)} lines, the same as {name}'s")
            ours, theirs = (self.printed(self.programs / f"semantics/documented/{name}.cpp", prefix, flags, folder / f"documented-{name}-{which}")
                            for which, prefix in (("ours", self.prefix), ("theirs", peer)))
            same = sorted(set(ours) & set(theirs))
            if same or len(ours) != len(theirs) or not ours:
                raise Failure("\n".join([f"documented differences from {name}: {len(ours)} and {len(theirs)} lines", *same]))
            print(f"{len(ours)} documented differences from {name}")
        return skipped

    def module(self):
        """`import tbb;`: the programs that state oneTBB's interface compile with it, and one is linked and run."""
        clang = next((found for found in map(shutil.which, MODULE_COMPILERS) if found), None)
        if not clang:
            print(f"none of {' '.join(MODULE_COMPILERS)} is installed; g++ 12 and clang 14 can't compile the module")
            return SKIPPED
        folder = self.folder("module")
        compiler = [clang, "-std=c++20", "-O0", "-pthread", "-Wall", "-Wextra", "-I", self.prefix / "include"]
        interface, made = folder / "tbb.pcm", folder / "tbb.o"
        self.run(*compiler, "--precompile", self.prefix / "include/oneapi/tbb.cppm", "-o", interface)
        self.run(clang, "-c", interface, "-o", made)
        importing = [*compiler, f"-fmodule-file=tbb={interface}"]
        for source in sorted((self.source / "tests/headers/names/onetbb").glob("*.cpp")):
            text, unit = source.read_text(), folder / source.name
            if "<tbb/tbb.h>" not in text:  # names that no module exports
                continue
            brought = ["<cstring>", "<memory_resource>"]  # a module brings no standard header and no C function
            brought += ["<tbb/scalable_allocator.h>"] if "scalable_malloc" in text else []
            unit.write_text("".join(f"#include {header}\n" for header in brought) + text.replace("#include <tbb/tbb.h>", "import tbb;"))
            self.run(*importing, "-fsyntax-only", unit)
        self.run(*importing, self.programs / "imported.cpp", made, "-L", self.prefix / "lib", f"-Wl,-rpath,{self.prefix / 'lib'}", "-ltbb",
                 "-o", folder / "imported")
        self.run(folder / "imported")
        return 0

    def onetbb(self):
        return self.peer("onetbb")

    def tbb2020(self):
        return self.peer("tbb2020")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case")
    for option in ("--build", "--source", "--work"):
        parser.add_argument(option, type=Path, required=True)
    arguments = parser.parse_args()
    case = Case(*(path.resolve() for path in (arguments.build, arguments.source, arguments.work)))
    try:
        return getattr(case, arguments.case)() or 0
    except Failure as failure:
        print(failure)
        return 1


if __name__ == "__main__":
    sys.exit(main())
