#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a program gets without having read about the dialects: classic pipelines compile where their header comes first, a clash
of names is told with the macro that settles it, and files of both dialects share no function that they compile differently.

    dialects.py SOURCE_DIR"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CXX = os.environ.get("CXX_GCC", "g++")
MACRO = "ASHLAR_CLASSIC_DIALECT"
CLASSIC = ("struct stage : tbb::filter {\n  stage() : tbb::filter(tbb::filter::serial_in_order) {}\n"
           "  void* operator()(void*) override { return nullptr; }\n};\n"
           "void run() {\n  stage s;\n  tbb::pipeline line;\n  line.add_filter(s);\n  line.run(1);\n}\n")
ONETBB = ("void run() {\n  tbb::parallel_pipeline(1, tbb::filter<void, void>(tbb::filter_mode::parallel,\n"
          "                         [](tbb::flow_control& control) { control.stop(); }));\n}\n")
HANDLE = "void run() { tbb::mutex m; m.native_handle(); }\n"
# headers, program, what the compiler has to say; nothing: it compiles
CASES = [
    (["pipeline.h"], CLASSIC, []),
    (["task_scheduler_init.h", "concurrent_vector.h", "mutex.h", "pipeline.h", "tbb.h"], CLASSIC, []),
    (["parallel_pipeline.h"], ONETBB, []),
    (["parallel_pipeline.h", "tbb.h"], ONETBB, []),
    (["tbb.h", "pipeline.h"], ONETBB, []),
    (["tbb.h"], CLASSIC, [MACRO]),
    (["parallel_pipeline.h", "pipeline.h"], CLASSIC, ["#error", "<tbb/pipeline.h>", "<tbb/parallel_pipeline.h>", MACRO]),
    (["pipeline.h", "parallel_pipeline.h"], ONETBB, ["#error", "<tbb/pipeline.h>", "<tbb/parallel_pipeline.h>", MACRO]),
    (["mutex.h"], HANDLE, [MACRO]),
]
# Classes of classic TBB that a program can't declare itself, by docs/compatibility.md. If one of these compiles, it belongs into
# names/forward: (header, namespace, declaration).
NOT_DECLARABLE = [
    ("mutex.h", "tbb", "class mutex"),
    ("spin_rw_mutex.h", "tbb", "class spin_rw_mutex_v3"),
    ("pipeline.h", "tbb::interface6", "class flow_control"),
    ("profiling.h", "tbb::profiling::interface10", "class event"),
    ("compat/condition_variable", "tbb::interface5", "template <typename M> class unique_lock"),
    ("compat/condition_variable", "tbb::interface5", "template <typename M> class lock_guard"),
]
VERSIONED = re.compile(r"\btbb::interface\d+::")
# One function in the compiler's assembly. Local labels are numbered from the start of the file.
FUNCTION = re.compile(r"^(_Z\w+):\n(.*?)^\t\.size\t\1,", re.M | re.S)
LABEL = re.compile(r"\.L[A-Za-z]*\d+")


def check_case(job):
    (headers, program, wanted), include = job
    text = "".join(f"#include <tbb/{header}>\n" for header in headers) + program
    run = subprocess.run([CXX, "-std=c++17", "-Wall", "-fsyntax-only", f"-I{include}", "-x", "c++", "-"], input=text, capture_output=True,
                         text=True)
    missing = [word for word in wanted if word not in run.stderr]
    if missing or (run.returncode != 0) != bool(wanted):
        return f"{', '.join(headers)}: {'says nothing of ' + ', '.join(missing) if missing else 'does not compile'}\n{text}{run.stderr[:1500]}"
    return None


def check_declaration(job):
    (header, home, declaration), include = job
    text = f"namespace {home} {{ {declaration}; }}\n#include <tbb/{header}>\n"
    text += f"using found = decltype(sizeof({home}::{declaration.split()[-1]}{'<tbb::mutex>' if '<' in declaration else ''}));\n"
    run = subprocess.run([CXX, "-std=c++17", "-fsyntax-only", f"-D{MACRO}=1", f"-I{include}", "-x", "c++", "-"], input=text, capture_output=True,
                         text=True)
    return f"{home}: `{declaration}` compiles before <tbb/{header}>; say so in docs/compatibility.md" if run.returncode == 0 else None


def functions(flags, include):
    """Name -> instructions of every function that tbb.h defines."""
    run = subprocess.run([CXX, "-std=c++17", "-O0", "-w", "-fkeep-inline-functions", "-fno-asynchronous-unwind-tables", "-S", *flags,
                          f"-I{include}", "-x", "c++", str(include / "tbb/tbb.h"), "-o", "-"], capture_output=True, text=True, check=True)
    return {found[1]: LABEL.sub(".L", found[2]) for found in FUNCTION.finditer(run.stdout)}


def check_merging(include):
    """The linker keeps one of two functions of one name; so they must be the same."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        onetbb, classic = pool.map(lambda flags: functions(flags, include), ([], [f"-D{MACRO}=1"]))
    both = sorted(onetbb.keys() & classic.keys())
    return [f"{name} differs between the dialects" for name in both if onetbb[name] != classic[name]], len(both)


def main():
    source = Path(sys.argv[1]).resolve()
    include = source / "include"
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [failure for failure in pool.map(check_case, [(case, include) for case in CASES]) if failure]
        failures += [failure for failure in pool.map(check_declaration, [(one, include) for one in NOT_DECLARABLE]) if failure]
    differing, shared = check_merging(include)
    failures += differing
    for failure in failures:
        print(failure)
    print(f"dialects: {len(CASES)} cases, {shared} functions in both dialects, {len(failures)} failures")
    return 1 if failures or not shared else 0


if __name__ == "__main__":
    sys.exit(main())
