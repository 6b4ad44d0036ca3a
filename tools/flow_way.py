#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the files that a message of the flow graph passes, from the put to the body of its first node and from that
body to the body of the next one, and how often the way changes from one file to another.

A small program is compiled with the library's sources, without optimization and with -finstrument-functions, so that
each call and each return of each function is seen, also of those that are inlined elsewhere. The file of a moment is
the file of the innermost function that runs. Those outside of the library don't count, nor do those of `base`: an atomic
variable and a call of a function object are words of the language. With --library the program is linked with a library
that is built already: quickly, but its sources' functions are not seen, which matters for the put only.
"""
import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import layer_sources
import source_tree as tree

LAYERS = ("base", "os", "obs", "sync", "sched", "algo", "flow")
COMPILER = "g++"
FLAGS = ["-std=c++20", "-O0", "-g1", "-DNDEBUG", "-no-pie", f"-I{tree.ROOT / 'include'}", f"-I{tree.ROOT / 'src'}",
         '-DASHLAR_VERSION="way"']
# Not instrumented. `begin` and `end` are called where a way begins and ends; the second message is recorded.
PROGRAM = r"""
#include <tbb/flow_graph.h>
#include <cstdio>
namespace {
bool recording;
int round, length, depth;
struct { void* function; char what; } way[100000];
void* stack[10000];
}
extern "C" void __cyg_profile_func_enter(void* f, void*) {
  stack[depth++] = f;
  if (recording) way[length++] = {f, '>'};
}
extern "C" void __cyg_profile_func_exit(void* f, void*) {
  --depth;
  if (recording) way[length++] = {f, '<'};
}
static void begin() {
  recording = round == 2;
  if (!recording) return;
  for (int i = 0; i < depth; ++i) way[length++] = {stack[i], '='};
}
static void end(char const* name) {
  if (!recording) return;
  recording = false;
  std::printf("%s\n", name);
  for (int i = 0; i < length; ++i) std::printf("%c %p\n", way[i].what, way[i].function);
  length = 0;
}
int main() {
  using namespace tbb::flow;
  graph g;
  function_node<int, int> first(g, serial, [](int v) { end("put to body"); begin(); return v; });
  function_node<int, int> second(g, serial, [](int v) { end("body to body"); return v; });
  make_edge(first, second);
  for (round = 0; round < 3; ++round) {
    begin();
    first.try_put(1);
    g.wait_for_all();
  }
}
"""


def compile_all(scratch, library):
    launcher = os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER", "").split()

    def one(source):
        name = scratch / ("-".join(source.with_suffix(".o").parts[-4:]))
        left_out = f"-finstrument-functions-exclude-file-list=/usr/,{scratch}"
        subprocess.run([*launcher, COMPILER, *FLAGS, "-finstrument-functions", left_out, "-c", str(source), "-o", str(name)], check=True)
        return str(name)
    program = scratch / "program.cpp"
    program.write_text(PROGRAM, encoding="utf-8")
    sources = [program]
    if library is None:
        sources += [s for layer in LAYERS for s in layer_sources.layer_sources(layer)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(one, sources))
    subprocess.run([COMPILER, "-no-pie", *objects, *([library] if library else []), "-o", str(scratch / "program"), "-pthread", "-ldl"], check=True)
    return scratch / "program"


def ways(program):
    """{name: [(what, address)]} of a run with one thread."""
    output = subprocess.run([str(program)], check=True, capture_output=True, text=True, timeout=60,
                            env={**os.environ, "ASHLAR_NUM_THREADS": "1"}).stdout
    found = {}
    for line in output.splitlines():
        if line[0] in "=<>":
            found[name].append(tuple(line.split()))
        else:
            name = line
            found[name] = []
    return found


def places(program, addresses):
    """{address: (function, file)}; the file is empty for those outside of the library."""
    known = sorted(set(addresses))
    lines = subprocess.run(["addr2line", "-f", "-C", "-e", str(program), *known], check=True, capture_output=True, text=True).stdout.splitlines()
    result = {}
    for address, function, place in zip(known, lines[::2], lines[1::2]):
        path = Path(os.path.normpath(place.rsplit(":", 1)[0]))
        inside = any(tree.ROOT / folder in path.parents for folder in ("include", "src")) and path.parent.name != "base"
        result[address] = function, str(path.relative_to(tree.ROOT)) if inside else ""
    return result


def files_of(way, where):
    """The file of the innermost function at the beginning and after each call and each return. Functions that have begun
    before the way and end after it, as the loop that runs jobs, don't belong to it."""
    stack, files = [], []
    before = sum(what == "=" for what, _ in way)
    depth = least = before
    for what, _ in way[before:]:
        depth += 1 if what == ">" else -1
        least = min(least, depth)
    for what, address in way[least:]:
        if what == "<":
            stack.pop()
        else:
            stack.append(where[address][1])
        if what != "=" and stack:
            files.append(stack[-1])
    return [f for f in files if f]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", action="store_true", help="print the functions and the files, too")
    parser.add_argument("--library", help="the static library, with which the program is linked")
    parser.add_argument("--most", nargs=2, type=int, metavar=("FILES", "CHANGES"), help="fail where the way from body to body has more")
    options = parser.parse_args()
    if shutil.which("g++") is None or shutil.which("addr2line") is None:
        print("flow_way: g++ or addr2line is missing")
        return 77
    fits = True
    with tempfile.TemporaryDirectory() as directory:
        program = compile_all(Path(directory), options.library)
        for name, way in ways(program).items():
            where = places(program, [address for _, address in way])
            files = files_of(way, where)
            changes = sum(a != b for a, b in zip(files, files[1:]))
            entered = [where[a] for what, a in way if what == ">" and where[a][1]]
            print(f"{name}: {len(set(files))} files, {changes} changes of file, {len(set(entered))} functions, {len(entered)} calls")
            if options.most and name == "body to body":
                fits = len(set(files)) <= options.most[0] and changes <= options.most[1]
            if options.way:
                depth = 0
                for what, address in way:
                    depth -= what == "<"
                    print(f"  {'  ' * max(depth, 0)}{what} {where[address][1]}: {where[address][0]}")
                    depth += what == ">"
                for file in sorted(set(files)):
                    print(f"  {file}")
    if not fits:
        print("flow_way: more than {} files or {} changes of file from body to body".format(*options.most))
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())
