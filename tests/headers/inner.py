#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The peers' inner headers, oneapi/tbb/detail of oneTBB 2023.2 and tbb/internal of TBB 2020, which tools for writing programs put into
them: each is there, compiles alone in its dialects, and makes visible those of its own types that this library has at all. What
docs/compatibility.md says is not there compiles with oneTBB's headers and not with ours.

    inner.py SOURCE_DIR FORWARDING_DIR                  compares ours with inner.json
    inner.py SOURCE_DIR --record ONETBB TBB2020         writes inner.json from the include folders of the peers"""
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from check import find_peer

CXX = os.environ.get("CXX_GCC", "g++")
CLASSIC = "-DASHLAR_CLASSIC_DIALECT=1"
SCOPES = {"oneapi/tbb/detail": ["detail::d0", "detail::d1", "detail::d2", "detail::r1"], "tbb/internal": ["", "internal", "flow"]}
DIALECTS = {"oneapi/tbb/detail": [[]], "tbb/internal": [[], [CLASSIC]]}
# Headers of the peers that refuse to come first, and what they come after.
BEHIND = {"flow_graph": "tbb/flow_graph.h", "skip_list": "tbb/concurrent_map.h", "concurrent_unordered": "tbb/concurrent_unordered_map.h",
          "concurrent_queue": "tbb/concurrent_queue.h", "parallel_phase": "tbb/task_arena.h", "string_resource": "tbb/profiling.h",
          "pipeline_filters": "tbb/parallel_pipeline.h", "node_handle": "tbb/concurrent_map.h", "hash_compare_impl": "tbb/concurrent_hash_map.h",
          "mutex": "tbb/spin_rw_mutex.h", "windef": "tbb/tbb_stddef.h", "tbb_strings": "tbb/tbb_profiling.h"}
PREVIEW = "-DTBB_PREVIEW_CONCURRENT_ORDERED_CONTAINERS=1"
# <tbb/tbb.h> and <tbb/tbb_machine.h> have it; from this header every public one would bring it.
LEFT_OUT = {("_utils.h", "detail::d0::atomic_backoff")}
FLOW, ARENA, LOCAL = "tbb/flow_graph.h", "tbb/task_arena.h", "tbb/enumerable_thread_specific.h"
JOIN = "tbb::flow::join_node<std::tuple<int, int>, tbb::flow::reserving>& join"
# What only oneTBB's own tests look into: (header, flags, program).
NOT_HERE = [
    *((FLOW, [], f"using tbb::detail::d2::{name};")
      for name in ("hash_buffer", "type_to_key_function_body", "type_to_key_function_body_leaf", "Wrapper")),
    (ARENA, [], "using tbb::detail::d1::submit;"),
    (LOCAL, [], "using tbb::detail::d1::ets_element;"),
    (LOCAL, [], "void f(std::vector<std::vector<int>>& v) { tbb::detail::d1::segmented_iterator<std::vector<std::vector<int>>, int> i(v); }"),
    (FLOW, [], f"void f({JOIN}, int v) {{ tbb::flow::input_port<0>(join).reserve(v); }}"),
    (FLOW, [], f"void f({JOIN}) {{ tbb::flow::input_port<0>(join).release(); }}"),
    (ARENA, ["-D__TBB_EXTRA_DEBUG=1"], "int f(tbb::task_arena& a) { return a.debug_reserved_slots(); }"),
    # Each filter of a pipeline counts itself in what the macro names. That this header uses it shows where it names nothing.
    ("tbb/parallel_pipeline.h", ["-D__TBB_TEST_FILTER_NODE_COUNT=no_such_counter"], ""),
]
DEFINED = re.compile(r"\b(?:class|struct|enum|using)\s+([a-z]\w+)\s*(?:final\s*)?[:={]")


def visible(includes, flags, headers, names):
    """Those of the names, (scope, name), that the headers make visible, or the first complaint."""
    text = "".join(f"#include <{header}>\n" for header in headers)
    for number, (scope, name) in enumerate(names):
        whole = "::".join(part for part in ("tbb", scope, name) if part)
        text += f'#line 1 "N_{number}_"\nnamespace probe_{number} {{ using {whole}; }}\n'
    run = subprocess.run([CXX, "-std=c++17", "-fsyntax-only", "-fno-diagnostics-show-caret", "-fmax-errors=0", *(f"-I{i}" for i in includes), *flags,
                          "-x", "c++", "-"], input=text, capture_output=True, text=True)
    missing = {int(number) for number in re.findall(r"^N_(\d+)_:1:\d+: error: ", run.stderr, re.M)}
    complaint = re.search(r"^(?!N_\d+_:).*(?:error|warning): .*", run.stderr, re.M)
    return complaint[0] if complaint else [name for number, name in enumerate(names) if number not in missing]


def record(source, onetbb, tbb2020):
    result = {}
    for folder, peer, flags in (("oneapi/tbb/detail", onetbb, []), ("tbb/internal", tbb2020, [CLASSIC])):
        def own_names(path):
            names = [(scope, name) for scope in SCOPES[folder] for name in sorted(set(DEFINED.findall(path.read_text(errors="replace"))))]
            before = [header for part, header in BEHIND.items() if part in path.name]
            theirs = visible([peer], ["-w", PREVIEW], [*before, f"{folder}/{path.name}"], names)
            if isinstance(theirs, str):
                print(f"{path.name}: no names are recorded: {theirs}")
                return []
            ours = visible([source / "include"], flags, ["tbb/tbb.h"], theirs)
            return [whole for name in ours if (path.name, whole := "::".join(part for part in name if part)) not in LEFT_OUT]
        files = sorted((Path(peer) / folder).glob("*.h"))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            result[folder] = {path.name: names for path, names in zip(files, pool.map(own_names, files))}
    lines = json.dumps(result, indent=1)
    lines = re.sub(r"\[\s*([^]]*?)\s*\]", lambda found: "[" + re.sub(r"\s+", " ", found[1]) + "]", lines)
    (source / "tests/headers/inner.json").write_text(lines + "\n")
    return 0


def compare(source, forwarding):
    """Headers with the same text but for comments are compiled once. They are lean: what each includes for itself has to do."""
    wanted = json.loads((source / "tests/headers/inner.json").read_text())
    failures, jobs = [], {}
    for folder, headers in wanted.items():
        for header, names in headers.items():
            path = source / "include/tbb" / folder.split("/")[-1] / header
            if not path.exists():
                failures.append(f"<{folder}/{header}> is not there")
                continue
            code = re.sub(r"//[^\n]*", "", path.read_text())
            jobs.setdefault((folder, code), []).append((header, names))

    def missing(job):
        (folder, _), same = job
        names = sorted({tuple(("::" + name).rpartition("::")[::2]) for _, names in same for name in names})
        names = [(scope.removeprefix("::"), name) for scope, name in names]
        failed = []
        for dialect in DIALECTS[folder]:
            flags = ["-Wall", "-Wextra", "-Wpedantic", "-DASHLAR_LEAN_HEADERS=1", *dialect]
            found = visible([source / "include", forwarding], flags, [f"{folder}/{same[0][0]}"], names)
            lost = found if isinstance(found, str) else " ".join("::".join(name) for name in names if name not in found)
            if lost:
                failed.append(f"{folder}/{' '.join(header for header, _ in same)} {' '.join(dialect)}: {lost}")
        return failed

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for failed in pool.map(missing, jobs.items()):
            failures += failed
    failures += not_here(source)
    for failure in failures:
        print(failure)
    print(f"inner: {sum(map(len, wanted.values()))} headers, {len(jobs)} different ones, {len(failures)} failures")
    return 1 if failures else 0


def not_here(source):
    """Of NOT_HERE what is here after all, or not with oneTBB."""
    def compiles(include, header, flags, program):
        text = f"#include <vector>\n#include <tuple>\n#include <{header}>\n{program}\n"
        return subprocess.run([CXX, "-std=c++17", "-fsyntax-only", "-w", *flags, f"-I{include}", "-x", "c++", "-"], input=text,
                              capture_output=True, text=True, check=False).returncode == 0

    theirs = find_peer(source, "onetbb")
    if isinstance(theirs, str):
        print(f"inner: SKIPPED what is not there with onetbb: {theirs}")
    failures = []
    for header, flags, program in NOT_HERE:
        uses_macro = program == ""
        if compiles(source / "include", header, flags, program) != uses_macro:
            failures.append(f"{program or flags[0]}: <{header}> has it; say so in docs/compatibility.md")
        if not isinstance(theirs, str) and compiles(theirs, header, flags, program) == uses_macro:
            failures.append(f"{program or flags[0]}: oneTBB's <{header}> does not have it")
    return failures


def main():
    source = Path(sys.argv[1]).resolve()
    return record(source, *sys.argv[3:5]) if "--record" in sys.argv else compare(source, Path(sys.argv[2]))


if __name__ == "__main__":
    sys.exit(main())
