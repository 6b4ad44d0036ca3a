#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A mistake is told in one sentence, within the first lines of what the compiler prints: mistakes.py SOURCE_DIR FORWARDING_DIR

Without constraints (C++17) a static_assert tells it. With them (C++20) the compiler shows the line of a function's deleted twin, with its comment
(ASHLAR_CONSTRAINED in base/config.h). CXX is the compiler: g++."""
import os
import pathlib
import subprocess
import sys

MOST_LINES = 10
RANGE = "a range needs a copy constructor, empty(), is_divisible() and a splitting constructor"
FOR_BODY, FOR_LINE = "parallel_for: the body must be copyable and callable as body(range)", "needs a Range, and a copyable body: body(range), const"
INDEX_BODY, INDEX_LINE = "the body must be callable as body(index)", "needs integers, and a body that is called as body(index), const"
REDUCE_BODY, REDUCE_LINE = "parallel_reduce: the body needs body(range), join(body& right) and a splitting", "needs a Range, and a body with body(range), join and split"
ACCUMULATE, VALUES_LINE = "the first function must be callable as accumulate(range, value)", "needs T a(Range, T), T c(T, T), both const"
SORT, SORT_LINE = "parallel_sort: needs random-access iterators", "needs random access, movable elements and a < b"
FILTER, FILTER_LINE = "the body must be callable as Out body(In)", "needs Out body(In); for void body(flow_control&)"
NODE, NODE_LINE = "the body of the node must be callable with an Input const& (or an rvalue) and return an Output", "needs a limit, and Output body(Input const&)"
KEYED = "join_node with key_matching: pass the constructor one function for each port"
PARTITIONER = "takes tbb's partitioners, affinity's not const"

FOR, REDUCE, SCAN = (f"#include <tbb/parallel_{name}.h>\n" for name in ("for", "reduce", "scan"))
EACH, SORTED, PIPELINE = "#include <tbb/parallel_for_each.h>\n", "#include <tbb/parallel_sort.h>\n", "#include <tbb/parallel_pipeline.h>\n"
FLOW = "#include <tbb/flow_graph.h>\n"
STRING, VECTOR = "#include <string>\n", "#include <vector>\n"
PARTS = "tbb::blocked_range<int>(0, 9)"
WHOLE = "tbb::blocked_range<int> const&"
FIRST = "tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [](tbb::flow_control& c) { return c.stop(), 1; })"


def runs(statement):
    return f"int main() {{ {statement}; }}\n"


def in_graph(statement):
    return runs(f"tbb::flow::graph g; {statement}")


# What is wrong: (the sentence in C++17, in C++20, program)
MISTAKES = {
    "for: a body that takes an index, with a range": (FOR_BODY, FOR_LINE, FOR + runs(f"tbb::parallel_for({PARTS}, [](int) {{}})")),
    "for: a body that changes itself": (FOR_BODY, FOR_LINE, FOR + runs(f"int n = 0; tbb::parallel_for({PARTS}, [n]({WHOLE}) mutable {{ ++n; }})")),
    "for: a body that can't be copied": (
        FOR_BODY, FOR_LINE, FOR + "#include <memory>\n" + runs(f"tbb::parallel_for({PARTS}, [p = std::make_unique<int>(1)]({WHOLE}) {{}})")),
    "for: a range without a splitting constructor": (
        RANGE, FOR_LINE, FOR + "struct part { bool empty() const; bool is_divisible() const; };\n" + runs("tbb::parallel_for(part(), [](part const&) {})")),
    "for: a range whose empty() is not const": (
        RANGE, FOR_LINE, FOR + "struct part { part(); part(part const&); part(part&, tbb::split); bool empty(); bool is_divisible() const; };\n" +
        runs("tbb::parallel_for(part(), [](part const&) {})")),
    "for: a body that takes a range, with indexes": (INDEX_BODY, INDEX_LINE, FOR + runs(f"tbb::parallel_for(0, 9, []({WHOLE}) {{}})")),
    "for: a body without an argument": (INDEX_BODY, INDEX_LINE, FOR + runs("tbb::parallel_for(0, 9, [] {})")),
    "for: bounds of two types": (
        *["needs a first and a last index of one type"] * 2, FOR + VECTOR + runs("std::vector<int> v(9); tbb::parallel_for(0, v.size(), [](std::size_t) {})")),
    "for: a constant affinity_partitioner": (
        PARTITIONER, PARTITIONER, FOR + runs(f"tbb::affinity_partitioner const p; tbb::parallel_for({PARTS}, []({WHOLE}) {{}}, p)")),
    "for: a partitioner of the program's": (
        PARTITIONER, PARTITIONER, FOR + "struct mine {};\n" + runs(f"tbb::parallel_for({PARTS}, []({WHOLE}) {{}}, mine())")),
    "reduce: no identity": (
        *["needs an identity: (range, identity, a, c)"] * 2, REDUCE + runs(f"tbb::parallel_reduce({PARTS}, []({WHOLE}, int x) {{ return x; }}, [](int a, int) {{ return a; }})")),
    "reduce: a function that takes no value": (
        ACCUMULATE, VALUES_LINE, REDUCE + runs(f"tbb::parallel_reduce({PARTS}, 0, []({WHOLE}) {{ return 1; }}, [](int a, int) {{ return a; }})")),
    "reduce: a function that returns nothing": (
        ACCUMULATE, VALUES_LINE, REDUCE + runs(f"tbb::parallel_reduce({PARTS}, 0, []({WHOLE}, int) {{}}, [](int a, int) {{ return a; }})")),
    "reduce: a second function of one argument": (
        "the second function must be callable as combine(left, right)", VALUES_LINE,
        REDUCE + runs(f"tbb::parallel_reduce({PARTS}, 0, []({WHOLE}, int x) {{ return x; }}, [](int a) {{ return a; }})")),
    "reduce: a body without join": (
        REDUCE_BODY, REDUCE_LINE, REDUCE + f"struct body {{ body(); body(body&, tbb::split); void operator()({WHOLE}); }};\n" + runs(f"body b; tbb::parallel_reduce({PARTS}, b)")),
    "reduce: a body without a splitting constructor": (
        REDUCE_BODY, REDUCE_LINE, REDUCE + f"struct body {{ void operator()({WHOLE}); void join(body&); }};\n" + runs(f"body b; tbb::parallel_reduce({PARTS}, b)")),
    "scan: a function of two arguments": (
        "the first function must be callable as scan(range, sum, is_final)", "needs T s(Range, T, bool), T c(T, T)",
        SCAN + runs(f"tbb::parallel_scan({PARTS}, 0, []({WHOLE}, int x) {{ return x; }}, [](int a, int) {{ return a; }})")),
    "scan: a body without reverse_join": (
        "parallel_scan: the body needs body(range, tbb::pre_scan_tag())", "needs body(range, tag), reverse_join, assign and split",
        SCAN + f"struct body {{ body(); body(body&, tbb::split); template <class T> void operator()({WHOLE}, T); void assign(body&); }};\n" +
        runs(f"body b; tbb::parallel_scan({PARTS}, b)")),
    "for_each: a body of another type": (
        "callable as body(item) or body(item, tbb::feeder<T>&)", "needs iterators, and body(item) or body(item, feeder&), const",
        EACH + STRING + VECTOR + runs("std::vector<int> v(9); tbb::parallel_for_each(v.begin(), v.end(), [](std::string const&) {})")),
    "invoke: a function with an argument": (
        "parallel_invoke: each argument must be callable without arguments", "needs functions without arguments, callable as constants",
        "#include <tbb/parallel_invoke.h>\n" + runs("tbb::parallel_invoke([] {}, [](int) {})")),
    "sort: a list": (SORT, SORT_LINE, SORTED + "#include <list>\n" + runs("std::list<int> l; tbb::parallel_sort(l.begin(), l.end())")),
    "sort: elements without <": (SORT, SORT_LINE, SORTED + VECTOR + "struct element {};\n" + runs("std::vector<element> v; tbb::parallel_sort(v.begin(), v.end())")),
    "sort: a comparison of one argument": (
        SORT, "needs random access, movable elements and less(a, b), const",
        SORTED + VECTOR + runs("std::vector<int> v; tbb::parallel_sort(v.begin(), v.end(), [](int) { return true; })")),
    "pipeline: filters that don't fit": (
        *["needs B = C"] * 2, PIPELINE + STRING + runs(f"tbb::parallel_pipeline(4, {FIRST} & tbb::make_filter<std::string, void>(tbb::filter_mode::parallel, [](std::string) {{}}))")),
    "pipeline: a chain whose last filter returns something": (*["needs a chain void to void"] * 2, PIPELINE + runs(f"tbb::parallel_pipeline(4, {FIRST})")),
    "pipeline: a first filter without flow_control": (FILTER, FILTER_LINE, PIPELINE + runs("tbb::make_filter<void, int>(tbb::filter_mode::parallel, [] { return 1; })")),
    "pipeline: a body of another type": (
        FILTER, FILTER_LINE, PIPELINE + STRING + runs("tbb::make_filter<int, int>(tbb::filter_mode::parallel, [](std::string const&) { return 1; })")),
    "flow: a join without keys": (
        KEYED, KEYED, FLOW + "struct price { int article; };\n" + in_graph("tbb::flow::join_node<std::tuple<price, price>, tbb::flow::key_matching<int>> both(g)")),
    "flow: a body of another type": (NODE, NODE_LINE, FLOW + STRING + in_graph("tbb::flow::function_node<int, int> n(g, 1, [](std::string const&) { return 1; })")),
    "flow: a result of another type": (NODE, NODE_LINE, FLOW + STRING + in_graph("tbb::flow::function_node<int, int> n(g, 1, [](int) { return std::string(); })")),
    "flow: a source's body as in classic TBB": (
        "input_node: the body must be callable as Output body(tbb::flow_control&)", "needs Output body(tbb::flow_control&)",
        FLOW + in_graph("tbb::flow::input_node<int> n(g, [](int& x) { return x = 1, true; })")),
    "flow: a multifunction_node's body without ports": (
        "multifunction_node: the body must be callable as body(Input const&, output_ports_type&)", "needs a limit, and body(Input const&, output_ports_type&)",
        FLOW + in_graph("tbb::flow::multifunction_node<int, std::tuple<int>> n(g, 1, [](int) {})")),
    "flow: a sequencer's function of another type": (
        "the function must return a message's number", "needs std::size_t f(T const&)",
        FLOW + STRING + in_graph("tbb::flow::sequencer_node<int> n(g, [](std::string const&) { return 1; })")),
    "flow: an edge between two types": (
        *["needs a sender and a receiver of the same type of message"] * 2,
        FLOW + in_graph("tbb::flow::queue_node<int> a(g); tbb::flow::queue_node<long> b(g); tbb::flow::make_edge(a, b)")),
    "task_group: a function with an argument": (
        "task_group::run: the function must be copyable or movable, and callable without arguments",
        "needs a function that is copyable or movable, and callable without arguments",
        "#include <tbb/task_group.h>\n" + runs("tbb::task_group g; g.run([](int) {}); g.wait()")),
}


# What is right: no twin stands in its way.
RIGHT = {
    "for: the type of the index is named": FOR + VECTOR + runs(
        "std::vector<int> v(9); int n = 9; tbb::parallel_for<std::size_t>(0, v.size(), [](std::size_t) {}); tbb::parallel_for<long>(0, n, [](long) {})"),
    "for: a context by what converts to one": FOR + "#include <functional>\n" + runs(
        f"tbb::task_group_context c; tbb::parallel_for({PARTS}, []({WHOLE}) {{}}, std::ref(c))"),
    "for: another library's template, where both names are seen": (
        FOR + VECTOR + "namespace mine { template <typename R, typename F> int parallel_for(R const&, F const&) { return 1; }\n"
        "template <typename I, typename F> int parallel_for(I, I, F const&, ...) { return 2; } }\n"
        "using namespace tbb; using namespace mine;\n" + runs("std::vector<int> v; return parallel_for(v, [](int) {}) - 1")),
    "for_each, sort: likewise": (
        EACH + SORTED + "struct rows {};\nnamespace mine { template <typename R, typename F> int parallel_for_each(R const&, F const&) { return 1; }\n"
        "template <typename R, typename F> int parallel_sort(R const&, F const&) { return 1; } }\nusing namespace tbb; using namespace mine;\n" +
        runs("rows r; return parallel_for_each(r, [](int) {}) - parallel_sort(r, [](int) {})")),
    "reduce: types that are named": REDUCE + runs(
        f"return tbb::parallel_reduce<tbb::blocked_range<int>, int>({PARTS}, 0, []({WHOLE}, int n) {{ return n; }}, [](int a, int) {{ return a; }})"),
    "reduce, scan: a function that may change its part, C++17": "#include <vector>\n" + REDUCE + SCAN + (
        "#if __cplusplus < 202002L\n" + runs(
            "tbb::parallel_reduce(tbb::blocked_range<int>(0, 9), 0, [](tbb::blocked_range<int>&, int n) { return n; }, [](int a, int) { return a; }); "
            "tbb::parallel_scan(tbb::blocked_range<int>(0, 9), 0, [](tbb::blocked_range<int> const&, int n, bool) { return n; }, "
            "[](int a, int) { return a; })") + "#endif\n"),
    "edge: the type of the message is named": FLOW + in_graph(
        "tbb::flow::queue_node<int> a(g), b(g); tbb::flow::make_edge<int>(a, b); tbb::flow::make_edge(a, b)"),
}


def told(source, forwarding, standard, program):
    run = subprocess.run([os.environ.get("CXX", "c++"), f"-std={standard}", f"-I{source / 'include'}", f"-I{forwarding}", "-fsyntax-only",
                          "-DASHLAR_LEAN_HEADERS=1", "-x", "c++", "-"], input=program, capture_output=True, text=True, check=False,
                         env={**os.environ, "LC_ALL": "C"})
    return run.returncode, run.stderr.splitlines()


def main():
    source, forwarding = map(pathlib.Path, sys.argv[1:3])
    wrong, number = [], 0
    for what, (*sentences, program) in MISTAKES.items():
        for standard, sentence in zip(("c++17", "c++20"), sentences, strict=True):
            number += 1
            code, lines = told(source, forwarding, standard, program)
            at = next((i for i, line in enumerate(lines, 1) if sentence in line), 0)
            if code == 0 or not 1 <= at <= MOST_LINES:
                wrong.append("\n  ".join([f"{what}, {standard}: the sentence is in line {at} of {len(lines)}", *lines[:MOST_LINES]]))
            else:
                print(f"{what}, {standard}: line {at} of {len(lines)}")
    for what, program in RIGHT.items():
        for standard in ("c++17", "c++20"):
            if standard == "c++17" and "namespace mine" in program:
                continue  # without constraints both fit
            code, lines = told(source, forwarding, standard, program)
            if code != 0:
                wrong.append("\n  ".join([f"{what}, {standard}: does not compile", *lines[:MOST_LINES]]))
    print("\n".join([*wrong, f"{number} mistakes, {len(wrong)} without their sentence in the first {MOST_LINES} lines, or right and refused"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
