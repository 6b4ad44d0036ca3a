#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for the system libraries of old distributions, to link against: what is linked then asks for nothing newer.

    old_libraries.py TARGET FOLDER        TARGET: x86_64-glibc, aarch64-glibc, x86_64-musl or aarch64-musl

A stand-in has the names and versions of a library and no code. Those of the C library come from zig (PyPI: ziglang), which knows
what each glibc had and has musl; the start-up files, and what an old glibc links statically, too. Those of libstdc++ and libgcc_s
are made of this machine's libraries by leaving out what came later; a call of that finds the static library behind them, and its
code becomes a hidden part of what is linked. With musl all of libstdc++ does: there is none that everybody has."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

GLIBC = "2.17"
# The newest versions that a stand-in has, by the name of their node.
NEWEST = {"GLIBCXX": (3, 4, 21), "CXXABI": (1, 3, 9), "GCC": (4, 8, 0)}
SYMBOL = re.compile(r"^\s*\d+: [0-9a-f]+\s+(\d+|0x[0-9a-f]+) (FUNC|OBJECT|TLS|IFUNC|NOTYPE)\s+(?:GLOBAL|WEAK|UNIQUE)\s+DEFAULT\s+(?!UND)\S+ ([^@\s]+)(@@?)(\S+)", re.M)
# What the headers of this machine's C library ask for and an old one has not. False: there may be other threads.
NEWER = "__attribute__((visibility(\"hidden\"))) char __libc_single_threaded;\n"
# The same for musl.
NEWER_THAN_MUSL = pathlib.Path(__file__).resolve().parent / "newer_than_musl.c"
C_LIBRARIES = ("c", "ld", "m", "dl", "pthread", "rt", "util")


def tool(target, name):
    machine, libc = target.split("-")
    native = machine == os.uname().machine
    return name if native else f"{machine}-linux-gnu-{name}"


def path_of(target, name):
    found = shutil.which(tool(target, name))
    if found is None:
        raise SystemExit(f"old_libraries: there is no {tool(target, name)}")
    return found


def version(node):
    """(3, 4, 21) of GLIBCXX_3.4.21, with the node's kind; None for nodes of other kinds."""
    kind, _, number = node.rpartition("_")
    return (kind, tuple(map(int, number.split(".")))) if re.fullmatch(r"[\d.]+", number) else (kind, None)


def is_old(node):
    kind, number = version(node)
    return number is not None and kind in NEWEST and number <= NEWEST[kind]


def symbols_of(library):
    """Name: (kind, size, node) of what a stand-in has; of a name with several versions the newest that is old enough."""
    listing = subprocess.run(["readelf", "-W", "--dyn-syms", library], check=True, capture_output=True, text=True).stdout
    found = {}
    for size, kind, name, _, node in SYMBOL.findall(listing):
        if is_old(node) and (name not in found or version(node)[1] > version(found[name][2])[1]):
            found[name] = ("FUNC" if kind == "IFUNC" else kind, int(size, 0), node)
    return found


SECTIONS = {"FUNC": (".text", "function"), "NOTYPE": (".text", "notype"), "OBJECT": (".bss", "object"), "TLS": ('.section .tbss,"awT",%nobits', "tls_object")}


def stand_in(compiler, library, soname, result):
    """A library of that name and soname with what `library` had when it was old. Objects have their sizes: a program copies them."""
    symbols = symbols_of(library)
    lines = []
    for index, (name, (kind, size, node)) in enumerate(sorted(symbols.items())):
        section, type_name = SECTIONS[kind]
        lines += [section, ".balign 16", f".globl s{index}", f".type s{index},%{type_name}", f".size s{index},{size}", f"s{index}: .zero {max(size, 1) if kind != 'FUNC' else 1}",
                  f".symver s{index},{name}@@{node},remove"]
    nodes = sorted({node for _, _, node in symbols.values()})
    source, script = result.with_suffix(".s"), result.with_suffix(".map")
    source.write_text("\n".join(lines) + '\n.section .note.GNU-stack,"",%progbits\n', encoding="utf-8")
    script.write_text("".join(f"{node} {{}};\n" for node in nodes), encoding="utf-8")
    subprocess.run([compiler, "-shared", "-nostdlib", f"-Wl,-soname,{soname}", f"-Wl,--version-script={script}", "-o", result, source], check=True)


def c_library(target, folder):
    """What zig links a program with for the target: its cache holds nothing else, so the names tell the files."""
    machine, libc = target.split("-")
    triple = f"{machine}-linux-gnu.{GLIBC}" if libc == "glibc" else f"{machine}-linux-musl"
    cache = folder / "zig"
    program = folder / "empty.c"
    program.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    subprocess.run([sys.executable, "-m", "ziglang", "cc", "-target", triple, "-dynamic", "-o", folder / "empty", program, "-pthread", "-ldl", "-lm", "-lrt"],
                   check=True, env={**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)})
    return cache


def find(cache, name):
    """The one file of that name in the cache."""
    found = sorted(cache.rglob(name))
    if not found:
        raise SystemExit(f"old_libraries: zig has made no {name}")
    return found[0]


def compilers_file(compiler, name):
    return pathlib.Path(subprocess.run([compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout.strip()).resolve()


def make_newer(target, folder, text, options):
    """libnewer.a of that C text."""
    source = folder / "newer.c"
    source.write_text(text, encoding="utf-8")
    subprocess.run([tool(target, "gcc"), *options, "-O2", "-fPIC", "-c", source, "-o", folder / "newer.o"], check=True)
    subprocess.run([tool(target, "ar"), "rcs", folder / "libnewer.a", folder / "newer.o"], check=True)


def make_glibc(target, folder):
    compiler = tool(target, "g++")
    cache = c_library(target, folder)
    where = find(cache, "libpthread.so.0").parent
    for name in C_LIBRARIES:
        file = next(where.glob(f"lib{name}.so.*"))
        shutil.copy(file, folder / file.name)
        (folder / f"lib{name}.so").write_text(f"INPUT({file.name})\n", encoding="utf-8")
    for name in ("crt1.o", "libc_nonshared.a"):
        shutil.copy(find(cache, name), folder)
    make_newer(target, folder, NEWER, [])
    (folder / "libc.so").write_text("GROUP(libc.so.6 libc_nonshared.a libnewer.a AS_NEEDED(libpthread.so.0 libdl.so.2 libld.so.2))\n", encoding="utf-8")
    for name, soname, behind in (("libstdc++.so", "libstdc++.so.6", "libstdc++.a"), ("libgcc_s.so", "libgcc_s.so.1", "libgcc.a")):
        stand_in(compiler, compilers_file(compiler, soname), soname, folder / soname)
        (folder / name).write_text(f"INPUT({soname} {compilers_file(compiler, behind)})\n", encoding="utf-8")
    make_compiler(folder, [compiler, "-B", folder, "-L", folder])


# With the headers of musl, libstdc++'s own are those for glibc: before them and after them what makes them fit. Nothing of ours uses
# locales; the numbers are what the library behind them was built with.
CONFIG = "".join(f"#define _IS{name} {1 << bit}\n" for name, bit in (
    ("upper", 8), ("lower", 9), ("alpha", 10), ("digit", 11), ("xdigit", 12), ("space", 13), ("print", 14), ("graph", 15), ("blank", 0),
    ("cntrl", 1), ("punct", 2), ("alnum", 3))) + """#define __GLIBC_PREREQ(a, b) 0
#define __locale_t locale_t
#define _GLIBCXX_GTHREAD_USE_WEAK 0
#include_next <bits/c++config.h>
#undef _GLIBCXX_USE_PTHREAD_COND_CLOCKWAIT
#undef _GLIBCXX_USE_PTHREAD_MUTEX_CLOCKLOCK
#undef _GLIBCXX_USE_PTHREAD_RWLOCK_CLOCKLOCK
"""


def musl_headers(machine, compiler, folder):
    """The compiler's options for musl's headers and libstdc++'s."""
    import ziglang
    zig = pathlib.Path(ziglang.__file__).parent / "lib/libc/include"
    search = subprocess.run([compiler, "-E", "-x", "c++", "-v", os.devnull, "-o", os.devnull], check=True, capture_output=True, text=True).stderr
    folders = map(os.path.realpath, search.split("#include <...> search starts here:")[1].split("End of search list.")[0].split())
    kept = [f for f in folders if "/c++/" in f or f.startswith("/usr/lib/gcc")]
    musl = [zig / name for name in (f"{machine}-linux-musl", "generic-musl", f"{machine}-linux-any", "any-linux-any")]
    own = folder / "include"
    (own / "bits").mkdir(parents=True, exist_ok=True)
    (own / "bits/c++config.h").write_text(CONFIG, encoding="utf-8")
    return ["-nostdinc", *(f"-isystem{f}" for f in [own, *kept, *musl])]


def make_musl(target, folder):
    machine = target.split("-")[0]
    compiler = tool(target, "g++")
    cache = c_library(target, folder)
    for name in ("crt1.o", "libc.so"):
        shutil.copy(find(cache, name), folder)
    for name in ("crti.o", "crtn.o"):  # for which constructors are no matter of theirs any more
        subprocess.run([tool(target, "gcc"), "-c", "-x", "c", os.devnull, "-o", folder / name], check=True)
    make_newer(target, folder, NEWER + NEWER_THAN_MUSL.read_text(encoding="utf-8"), musl_headers(machine, compiler, folder))
    for name in C_LIBRARIES[2:]:
        (folder / f"lib{name}.so").write_text("INPUT(libc.so)\n", encoding="utf-8")
    for name, behind in (("libstdc++.so", ("libstdc++.a", "libgcc_eh.a")), ("libgcc_s.so", ("libgcc_eh.a", "libgcc.a"))):
        files = " ".join(str(compilers_file(compiler, b)) for b in behind)
        # As an object: what it has must come before the same in libstdc++.
        ours = folder / ("newer.o" if name == "libstdc++.so" else "libnewer.a")
        (folder / name).write_text(f"INPUT({ours}) GROUP({files} {folder / 'libc.so'})\n", encoding="utf-8")
    make_compiler(folder, [compiler, *musl_headers(machine, compiler, folder), "-B", folder, "-L", folder, f"-Wl,-dynamic-linker,/lib/ld-musl-{machine}.so.1"])


def make_compiler(folder, words):
    """A compiler for CMake: the words and what it is called with."""
    script = folder / "c++"
    script.write_text("#!/bin/sh\nexec " + " ".join(shlex.quote(str(w)) for w in words) + ' "$@"\n', encoding="utf-8")
    script.chmod(0o755)


def make(target, folder):
    folder.mkdir(parents=True, exist_ok=True)
    make_glibc(target, folder) if target.endswith("glibc") else make_musl(target, folder)


def main():
    make(sys.argv[1], pathlib.Path(sys.argv[2]).resolve())


if __name__ == "__main__":
    main()
