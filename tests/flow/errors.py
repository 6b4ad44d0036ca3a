#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the compiler says of mistakes with flow graphs: a sentence that tells what is wrong, and the line of the program, in
at most 30 lines (60 where g++ shows constructors with constraints).

The programs in names/, which only use names, compile without a warning.

    errors.py INCLUDE_DIR"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CXX = os.environ.get("CXX", "g++")
CLASSIC = "-DASHLAR_CLASSIC_DIALECT=1"
FUNCTION = "flow::function_node<int, int> f(g, flow::serial, [](std::string const&) { return 1; });"
RESULT = "flow::function_node<int, int> f(g, flow::serial, [](int) { return std::string(); });"
CONTINUE = "flow::continue_node<int> f(g, [](int*) { return 1; });"
MULTI = "flow::multifunction_node<int, std::tuple<int>> f(g, flow::serial, [](int) {});"
POLICY = "flow::function_node<int, int, flow::reserving> f(g, flow::serial, [](int x) { return x; });"
DECREMENT = "flow::limiter_node<int, double> l(g, 1);"
EDGE = "flow::queue_node<int> a(g); flow::queue_node<std::string> b(g); flow::make_edge(a, b);"
BARE = "flow::function_node<bare, int, flow::{0}> f(g, flow::serial, [](bare const&) {{ return 1; }});"
BODY = "must be callable"
# name, flags, line in a function, what the compiler has to say; nothing: it compiles
CASES = [
    ("right", ["-std=c++17"], "flow::function_node<int, int> f(g, flow::serial, [](int x) { return x; });", []),
    ("opencl_node", ["-std=c++17", "-DTBB_PREVIEW_OPENCL_NODE=1", CLASSIC], "", ["#error", "opencl_node", "async_node"]),
    ("opencl_node, oneTBB's dialect", ["-std=c++20", "-DTBB_PREVIEW_OPENCL_NODE=1"], "", ["#error", "opencl_node"]),
    ("streaming_node", ["-std=c++17", "-DTBB_PREVIEW_STREAMING_NODE=1", CLASSIC], "", ["#error", "streaming_node", "async_node"]),
    ("previews that are off", ["-std=c++17", "-DTBB_PREVIEW_STREAMING_NODE=0", "-DTBB_PREVIEW_OPENCL_NODE=0", CLASSIC], "", []),
    ("input of a body", ["-std=c++17"], FUNCTION, [BODY]),
    ("input of a body, concepts", ["-std=c++20"], FUNCTION, ["needs a limit, and Output body(Input const&)"]),
    ("result of a body", ["-std=c++17"], RESULT, [BODY]),
    ("result of a body, concepts", ["-std=c++20"], RESULT, ["needs a limit, and Output body(Input const&)"]),
    ("body of a continue_node", ["-std=c++17"], CONTINUE, [BODY]),
    ("body of a continue_node, concepts", ["-std=c++20"], CONTINUE, ["is_function_body"]),
    ("body of a multifunction_node", ["-std=c++17"], MULTI, [BODY]),
    ("body of a multifunction_node, concepts", ["-std=c++20"], MULTI, ["needs a limit, and body(Input const&, output_ports_type&)"]),
    ("policy", ["-std=c++17"], POLICY, ["the policy of a node is queueing"]),
    ("decrement of a limiter", ["-std=c++17"], DECREMENT, ["Decrement is continue_msg or an integral type"]),
    ("message of a limiter", ["-std=c++17"], "flow::limiter_node<bare> l(g, 1);", ["limiter_node: messages need a default constructor"]),
    ("message of a rejecting node", ["-std=c++17"], BARE.format("rejecting"), ["a node that may refuse messages"]),
    ("message of a bounded node", ["-std=c++17"], BARE.format("queueing_bounded").replace("1; })", "1; }, flow::queueing_bounded(1))"),
     ["a node that may refuse messages"]),
    ("message of a queueing node", ["-std=c++17"], BARE.format("queueing"), []),
    ("types of an edge", ["-std=c++17"], EDGE, ["make_edge"]),
    ("copy of a graph", ["-std=c++17"], "flow::graph h(g);", ["use of deleted function"]),
]


def check(job):
    (name, flags, line, wanted), include = job
    text = f"#include <tbb/flow_graph.h>\n#include <string>\nnamespace flow = tbb::flow;\nstruct bare {{ bare(int); }}; void f(flow::graph& g) {{\n  {line}\n  (void)g;\n}}\n"
    run = subprocess.run([CXX, *flags, "-fsyntax-only", "-fmax-errors=1", f"-I{include}", "-x", "c++", "-"], input=text, capture_output=True,
                         text=True, check=False)
    said = run.stderr
    wrong = [f"does not say: {word}" for word in wanted if word not in said]
    if (run.returncode != 0) != bool(wanted):
        wrong.append("compiles" if wanted else "does not compile")
    lines = said.splitlines()
    if wanted and line and not any("<stdin>:5:" in at for at in lines):
        wrong.append("does not name the line of the program")
    # g++ lists each constructor whose constraint is not fulfilled.
    if len(lines) > (60 if "concepts" in name else 30):
        wrong.append(f"says {len(lines)} lines")
    return f"{name}: {', '.join(wrong)}\n{said[:3000]}" if wrong else None


def check_names(job):
    file, include = job
    dialect = [CLASSIC] if file.parent.name == "classic" else []
    run = subprocess.run([CXX, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", *dialect, f"-I{include}", str(file)],
                         capture_output=True, text=True, check=False)
    return f"{file.name}: does not compile\n{run.stderr[:3000]}" if run.returncode != 0 else None


def main():
    names = sorted(Path(__file__).resolve().parent.glob("names/*/*.cpp"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [f for f in (*pool.map(check, [(case, sys.argv[1]) for case in CASES]),
                                *pool.map(check_names, [(file, sys.argv[1]) for file in names])) if f]
    print("\n".join(failures) or f"{len(CASES)} programs, {len(names)} files of names")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
