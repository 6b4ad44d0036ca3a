#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public header compiles alone, under every language version, dialect and compiler that README.md promises,
without a warning, gives the version macros and oneapi::tbb, and belongs to the umbrella header. The programs in names/
compile in both dialects, and their objects define nothing under a name of the inner namespaces of oneTBB. Those in
names/onetbb and names/classic compile with that peer's headers as well, so they state TBB's interface and not ours;
so does names/forward, which declares classic TBB's classes itself, in the classic dialect.

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
GCC = os.environ.get("CXX_GCC", "g++")
CLASSIC, LEAN = "-DASHLAR_CLASSIC_DIALECT=1", "-DASHLAR_LEAN_HEADERS=1"
DIALECTS = [["-std=c++20"], ["-std=c++17", CLASSIC, "-DTBB_DEPRECATED=1"]]
# Folder of names/ -> the peer whose interface its programs state, and the flags to compile them with it and with ours. In C++17 and their
# own dialect style.warnings compiles them with ours.
STATED = {
    "onetbb": ("onetbb", [["-std=c++17"], ["-std=c++20"]], [["-std=c++20"]]),
    "classic": ("tbb2020", [["-std=c++17"]], [["-std=c++17"], ["-std=c++20", CLASSIC]]),
    "forward": ("tbb2020", [["-std=c++17"]], [["-std=c++20", CLASSIC]]),
}
# Headers that tbb.h leaves out, and why.
NOT_IN_UMBRELLA = {
    "tbb.h": "is the umbrella",
    "flow_graph_opencl_node.h": "is nothing but <tbb/flow_graph.h>",
    "tbb_disable_exceptions.h": "changes the meaning of what follows it",
    "tbbmalloc_proxy.h": "replaces malloc in the program that includes it",
}
# What decides which headers a header includes, and what these bring along: the language version and the dialect.
# Assertions only add text, so one of the versions is compiled with them. In C++23 no header of ours has other text than in
# C++20, and libstdc++'s headers bring the same ones along.
ALONE = [(GCC, "c++17", []), (GCC, "c++20", ["-DTBB_USE_ASSERT=1"]), (GCC, "c++17", [CLASSIC])]


def compilers():
    """The compilers and flags that all headers must compile with, as (command, language version, flags). g++ and the
    newest clang++ that is installed."""
    found = ALONE + [(GCC, "c++20", []), (GCC, "c++23", []), (GCC, "c++17", ["-fno-exceptions", "-fno-rtti"])]
    clang = next((c for c in ("clang++-19", "clang++-18", "clang++-17", "clang++-16", "clang++") if shutil.which(c)), None)
    if clang:
        found += [(clang, standard, []) for standard in ("c++17", "c++20", "c++2b")]
    else:
        print("headers: SKIPPED clang++: not installed")
    return found


def has_code(path):
    """Not so headers that only name others, as the peers' inner ones; inner.py compiles them."""
    return re.search(r"^(?!#pragma once|#include <tbb/.*>|//|$)", path.read_text(), re.M) is not None


def header_jobs(alone, headers, own, both):
    """Each header alone and lean: what it includes for itself has to do, which the headers that it only brings along would
    hide. In C++17 and the oneTBB dialect style.header_cost compiles each so. These are other public headers behind its own text, so it is enough to compile them in the two dialects, which
    visible.py does. All together with every compiler, lean and not: exceptions and the compiler's brand select no header
    (both use libstdc++), so what they find fault with is found there. The headers of oneapi/tbb are generated, one line
    each, and one program has them all."""
    jobs = [((compiler, standard, [*extra, LEAN]), [header], own) for header in alone for compiler, standard, extra in ALONE[1:]]
    jobs.append(((GCC, "c++17", [LEAN]), ["oneapi/tbb.h", *(f"oneapi/{header}" for header in headers)], both))
    together = ["tbb/tbb.h", *headers]
    return jobs + [((compiler, standard, [*extra, *lean]), together, both) for compiler, standard, extra in compilers() for lean in ([], [LEAN])]


def program(headers, classic):
    version = "== 11102" if classic else "== 12200"
    included = "".join(f"#include <{header}>\n#include <{header}>\n" for header in headers)
    return f"{included}namespace the_alias = oneapi::tbb;\nstatic_assert(TBB_INTERFACE_VERSION {version}, \"version\");\n"


def compile_one(job):
    (compiler, standard, extra), headers, includes = job
    run = subprocess.run([compiler, f"-std={standard}", *WARNINGS, "-fsyntax-only", *extra, *includes, "-x", "c++", "-"],
                         input=program(headers, CLASSIC in extra), capture_output=True, text=True)
    if run.returncode == 0:
        return None
    return f"{compiler} -std={standard} {' '.join(extra)}: {headers[0]}{' and others' if headers[1:] else ''}\n{run.stderr[:3000]}"


def merged_symbols(listing):
    """The symbols of an object, as `nm -C` lists them, that are weak or unique and may stand for oneTBB's."""
    entries = (re.match(r"[0-9a-f]* +([A-Za-z]) (.*)", line) for line in listing.splitlines())
    return [entry[2] for entry in entries if entry and entry[1] in "VWuvw" and MERGED.search(entry[2])]


def compile_names(job):
    """A file of names/: what user code may write."""
    flags, file, includes = job
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / "names.o"
        run = subprocess.run([GCC, *flags, *WARNINGS, *OBJECT, *includes, str(file), "-o",
                              str(made)], capture_output=True, text=True)
        if run.returncode != 0:
            return f"{' '.join(flags)}: {file.name}\n{run.stderr[:3000]}"
        listing = subprocess.run(["nm", "-C", str(made)], capture_output=True, text=True, check=True).stdout
    merged = merged_symbols(listing)
    return f"{' '.join(flags)}: {file.name} defines oneTBB's {merged[:5]}" if merged else None


def find_peer(source, name):
    """The include folder of a peer, or the reason why there is none."""
    sys.path.insert(0, str(source / "bench/harness"))
    import peers
    found = peers.resolve_peer(name, peers.load_spec()[name], peers.cache_dir())
    return found.missing or found.include


def stated_names(source, own):
    """What has to compile of the programs that state a peer's interface: with ours, and where the peer is there with its headers."""
    jobs = []
    for folder, (peer, their_flags, our_flags) in STATED.items():
        files = sorted((source / "tests/headers/names" / folder).glob("*.cpp"))
        jobs += [(flags, file, own) for file in files for flags in our_flags]
        include = find_peer(source, peer)
        if isinstance(include, str):
            print(f"headers: SKIPPED {folder} names with {peer}: {include}")
        else:
            jobs += [(flags, file, ["-isystem", str(include)]) for file in files for flags in their_flags]
    return jobs


def compile_stated(job):
    flags, file, includes = job
    run = subprocess.run([GCC, *flags, *WARNINGS, "-fsyntax-only", *includes, str(file)], capture_output=True, text=True)
    return None if run.returncode == 0 else f"{' '.join([*flags, *includes])}: {file.name}\n{run.stderr[:3000]}"


def check_umbrella(source):
    umbrella = (source / "include/tbb/tbb.h").read_text()
    included = set(re.findall(r"#\s*include\s*<tbb/([^>]+)>", umbrella))
    present = {p.name for p in (source / "include/tbb").glob("*.h")}
    return [f"include/tbb/tbb.h leaves out {name}" for name in sorted(present - included - set(NOT_IN_UMBRELLA))]


def main():
    source, forwarding = Path(sys.argv[1]), Path(sys.argv[2])
    own = ["-I" + str(source / "include")]
    headers = sorted(str(p.relative_to(source / "include")) for p in (source / "include/tbb").rglob("*.h")
                     if p.name != "tbb_disable_exceptions.h" and p.parent.name != "closure")  # lean, the latter are empty
    both = own + ["-I" + str(forwarding)]
    alone = [header for header in headers if has_code(source / "include" / header)]
    jobs = header_jobs(alone, headers, own, both)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [failure for failure in pool.map(compile_one, jobs) if failure]
        names = [(flags, file, both) for file in sorted((source / "tests/headers/names").glob("*.cpp"))
                 for flags in DIALECTS]
        failures += [failure for failure in pool.map(compile_names, names) if failure]
        stated = stated_names(source, both)
        failures += [failure for failure in pool.map(compile_stated, stated) if failure]
    failures += check_umbrella(source)
    for failure in failures:
        print(failure)
    print(f"headers: {len(headers)} headers, {len(jobs) + len(names) + len(stated)} compilations, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
