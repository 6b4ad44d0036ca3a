#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public header compiles alone, under every language version, dialect and compiler that README.md promises,
without a warning, gives the version macros and oneapi::tbb, and belongs to the umbrella header. The programs in names/
compile in both dialects, and their objects define nothing under a name of the inner namespaces of oneTBB.

    check.py SOURCE_DIR FORWARDING_DIR"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# Every inline function that a header defines becomes a symbol, used or not.
OBJECT = ["-O0", "-fkeep-inline-functions", "-c"]
# A library built with our headers may meet one built with oneTBB's in a process, where the loader merges weak symbols
# of one name. Ours lie in an inline namespace of their own.
MERGED = re.compile(r"tbb::detail::(?:d0|d1|d2|r1)::(?!ashlar_v1::)")
DIALECTS = [["-std=c++20"], ["-std=c++17", "-DASHLAR_CLASSIC_DIALECT=1", "-DTBB_DEPRECATED=1"]]
# Headers that tbb.h leaves out, and why.
NOT_IN_UMBRELLA = {
    "tbb.h": "is the umbrella",
    "tbb_disable_exceptions.h": "changes the meaning of what follows it",
    "tbbmalloc_proxy.h": "replaces malloc in the program that includes it",
}


def compilers():
    """g++ and the newest clang++ that is installed, as (command, flags) pairs."""
    found = [(os.environ.get("CXX_GCC", "g++"), standard, extra) for standard, extra in (
        ("c++17", []), ("c++20", []), ("c++23", []), ("c++17", ["-DASHLAR_CLASSIC_DIALECT=1"]),
        ("c++20", ["-DTBB_USE_ASSERT=1"]), ("c++17", ["-fno-exceptions", "-fno-rtti"]))]
    clang = next((c for c in ("clang++-19", "clang++-18", "clang++-17", "clang++-16", "clang++") if shutil.which(c)), None)
    if clang:
        found += [(clang, standard, []) for standard in ("c++17", "c++20", "c++23")]
    else:
        print("headers: SKIPPED clang++: not installed")
    return found


def program(header, classic):
    version = "== 11102" if classic else "== 12200"
    return (f"#include <{header}>\n#include <{header}>\nnamespace the_alias = oneapi::tbb;\n"
            f"static_assert(TBB_INTERFACE_VERSION {version}, \"version\");\n")


def compile_one(job):
    (compiler, standard, extra), header, includes = job
    run = subprocess.run([compiler, f"-std={standard}", *WARNINGS, "-fsyntax-only", *extra, *includes, "-x", "c++", "-"],
                         input=program(header, "-DASHLAR_CLASSIC_DIALECT=1" in extra), capture_output=True, text=True)
    if run.returncode == 0:
        return None
    return f"{compiler} -std={standard} {' '.join(extra)}: {header}\n{run.stderr[:3000]}"


def merged_symbols(listing):
    """The symbols of an object, as `nm -C` lists them, that are weak or unique and may stand for oneTBB's."""
    entries = (re.match(r"[0-9a-f]* +([A-Za-z]) (.*)", line) for line in listing.splitlines())
    return [entry[2] for entry in entries if entry and entry[1] in "VWuvw" and MERGED.search(entry[2])]


def compile_names(job):
    """A file of names/: what user code may write."""
    flags, file, includes = job
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / "names.o"
        run = subprocess.run([os.environ.get("CXX_GCC", "g++"), *flags, *WARNINGS, *OBJECT, *includes, str(file), "-o",
                              str(made)], capture_output=True, text=True)
        if run.returncode != 0:
            return f"{' '.join(flags)}: {file.name}\n{run.stderr[:3000]}"
        listing = subprocess.run(["nm", "-C", str(made)], capture_output=True, text=True, check=True).stdout
    merged = merged_symbols(listing)
    return f"{' '.join(flags)}: {file.name} defines oneTBB's {merged[:5]}" if merged else None


def check_umbrella(source):
    umbrella = (source / "include/tbb/tbb.h").read_text()
    included = set(re.findall(r"#\s*include\s*<tbb/([^>]+)>", umbrella))
    present = {p.name for p in (source / "include/tbb").glob("*.h")}
    return [f"include/tbb/tbb.h leaves out {name}" for name in sorted(present - included - set(NOT_IN_UMBRELLA))]


def main():
    source, forwarding = Path(sys.argv[1]), Path(sys.argv[2])
    own = ["-I" + str(source / "include")]
    headers = sorted(str(p.relative_to(source / "include")) for p in (source / "include/tbb").rglob("*.h")
                     if p.name != "tbb_disable_exceptions.h")
    configurations = compilers()
    jobs = [(configuration, header, own) for header in headers for configuration in configurations]
    both = own + ["-I" + str(forwarding)]
    jobs += [(configurations[0], f"oneapi/{header}", both) for header in headers] + \
            [(configurations[0], "oneapi/tbb.h", both)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [failure for failure in pool.map(compile_one, jobs) if failure]
        names = [(flags, file, both) for file in sorted((source / "tests/headers/names").glob("*.cpp"))
                 for flags in DIALECTS]
        failures += [failure for failure in pool.map(compile_names, names) if failure]
    failures += check_umbrella(source)
    for failure in failures:
        print(failure)
    print(f"headers: {len(headers)} headers, {len(jobs) + len(names)} compilations, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
