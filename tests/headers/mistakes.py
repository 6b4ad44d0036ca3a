#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A mistake is told in one sentence, within the first lines of what the compiler prints: mistakes.py SOURCE_DIR FORWARDING_DIR"""
import os
import pathlib
import subprocess
import sys

MOST_LINES = 10
STANDARDS = ("c++17", "c++20")
KEYED = "join_node with key_matching: pass the constructor one function for each port"
BODY = "parallel_for: the body must be copyable and callable as body(range)"
RANGE = "parallel_for: a range needs a copy constructor, empty(), is_divisible() and a splitting constructor"
# What is wrong: (standards, sentence, program). In C++20 loops are constrained, and g++ prints the constraint.
MISTAKES = {
    "a join without keys": (STANDARDS, KEYED, """
        #include <tbb/flow_graph.h>
        struct price { int article; };
        int main() {
          tbb::flow::graph g;
          tbb::flow::join_node<std::tuple<price, price>, tbb::flow::key_matching<int>> both(g);
        }"""),
    "a body that takes an index, with a range": (("c++17",), BODY, """
        #include <tbb/parallel_for.h>
        int main() { tbb::parallel_for(tbb::blocked_range<int>(0, 9), [](int) {}); }"""),
    "a body that changes itself": (("c++17",), BODY, """
        #include <tbb/parallel_for.h>
        int main() { int n = 0; tbb::parallel_for(tbb::blocked_range<int>(0, 9), [n](tbb::blocked_range<int> const&) mutable { ++n; }, tbb::simple_partitioner()); }"""),
    "a body that can't be copied": (("c++17",), BODY, """
        #include <tbb/parallel_for.h>
        #include <memory>
        int main() { tbb::parallel_for(tbb::blocked_range<int>(0, 9), [p = std::make_unique<int>(1)](tbb::blocked_range<int> const&) {}); }"""),
    "a range without a splitting constructor": (("c++17",), RANGE, """
        #include <tbb/parallel_for.h>
        struct part { bool empty() const { return false; } bool is_divisible() const { return false; } };
        int main() { tbb::parallel_for(part(), [](part const&) {}); }"""),
}


def told(source, forwarding, standard, program):
    run = subprocess.run([os.environ.get("CXX", "c++"), f"-std={standard}", f"-I{source / 'include'}", f"-I{forwarding}", "-fsyntax-only",
                          "-DASHLAR_LEAN_HEADERS=1", "-x", "c++", "-"], input=program, capture_output=True, text=True, check=False,
                         env={**os.environ, "LC_ALL": "C"})
    return run.returncode, run.stderr.splitlines()


def main():
    source, forwarding = map(pathlib.Path, sys.argv[1:3])
    wrong, number = [], 0
    for what, (standards, sentence, program) in MISTAKES.items():
        for standard in standards:
            number += 1
            code, lines = told(source, forwarding, standard, program)
            at = next((i for i, line in enumerate(lines, 1) if sentence in line), 0)
            if code == 0 or not 1 <= at <= MOST_LINES:
                wrong.append("\n  ".join([f"{what}, {standard}: the sentence is in line {at} of {len(lines)}", *lines[:MOST_LINES]]))
            else:
                print(f"{what}, {standard}: line {at} of {len(lines)}")
    print("\n".join([*wrong, f"{number} mistakes, {len(wrong)} without their sentence in the first {MOST_LINES} lines"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
