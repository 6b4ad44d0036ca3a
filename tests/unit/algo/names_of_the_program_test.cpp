// SPDX-License-Identifier: Apache-2.0
// Bodies of a namespace that has functions of the names of ours, and of classes with an operator& of their own: the
// library calls the bodies, and takes their addresses, whatever lies beside them.
#include <tbb/blocked_range.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <type_traits>
#include <utility>
#include <vector>

namespace program {

std::atomic<int> hijacked{0};
std::atomic<int> called{0};

// Better matches than functions of the library's would be.
#define TRAP(name)                                                                                   \
  template <typename Body, typename... Args, typename = typename std::decay_t<Body>::of_the_program> \
  int name(Body&&, Args&&...) {                                                                      \
    return ++hijacked;                                                                               \
  }
TRAP(invoke)
TRAP(destroy)
TRAP(construct)
TRAP(exchange)
TRAP(get)
TRAP(run)
TRAP(wait)
TRAP(spawn)
TRAP(enqueue)
TRAP(execute)
TRAP(call)
TRAP(apply)
TRAP(move)
TRAP(forward)
TRAP(visit)
TRAP(value_after)
TRAP(value_distance)
TRAP(sort)
TRAP(swap_ends)
#undef TRAP

struct named {
  using of_the_program = void;
  void operator&() const = delete;
};
struct item : named {
  int value = 1;
  item() = default;
  item(int v) : value(v) {}  // NOLINT
  friend bool operator<(item const& a, item const& b) { return a.value < b.value; }
};
struct body : named {
  template <typename T>
  void operator()(T const&) const {
    ++called;
  }
  void operator()() const { ++called; }
};
struct feeding : named {
  void operator()(item const& i, tbb::feeder<item>& f) const {
    ++called;
    if (i.value > 0) f.add(item(0));
    item const none(0);
    if (i.value > 0) f.add(none);
  }
};
struct sum : named {
  item operator()(tbb::blocked_range<int> const& r, item v) const { return {v.value + static_cast<int>(r.size())}; }
  item operator()(tbb::blocked_range<int> const& r, item v, bool) const { return (*this)(r, v); }
  item operator()(item const& a, item const& b) const { return {a.value + b.value}; }
};
struct order : named {
  bool operator()(item const& a, item const& b) const { return a.value < b.value; }
};
struct source : named {
  int* left;
  explicit source(int& n) : left(&n) {}
  item operator()(tbb::flow_control& end) const {
    if ((*left)-- == 0) end.stop();
    return {1};
  }
};
// Nodes' bodies may not have an operator& of their own.
struct plain {
  using of_the_program = void;
  int operator()(item const& i) const { return i.value; }
  int operator()(int i) const { return i + 1; }
};
struct next : named {
  item operator()(item const& i) const { return {i.value + 1}; }
};

}  // namespace program

namespace {

using namespace program;
using range = tbb::blocked_range<int>;

struct counts {
  counts() { hijacked = called = 0; }
  void check(int calls) const {
    CHECK(called == calls);
    CHECK(hijacked == 0);
  }
};

}  // namespace

TEST_CASE("loops call the program's bodies") {
  counts const n;
  tbb::parallel_for(0, 10, program::body());
  n.check(10);
  tbb::parallel_for(range(0, 10, 10), program::body(), tbb::simple_partitioner());
  n.check(11);
  std::vector<item> items(10);
  tbb::parallel_for_each(items.begin(), items.end(), program::body());
  n.check(21);
  std::list<item> few(2);
  tbb::parallel_for_each(few.begin(), few.end(), feeding());
  n.check(27);
}

TEST_CASE("reductions, scans and sorts call the program's functions") {
  counts const n;
  CHECK(tbb::parallel_reduce(range(0, 10), item(0), sum(), sum()).value == 10);
  CHECK(tbb::parallel_deterministic_reduce(range(0, 10), item(0), sum(), sum()).value == 10);
  CHECK(tbb::parallel_scan(range(0, 10), item(0), sum(), sum()).value == 10);
  std::vector<item> items(3000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i].value = static_cast<int>(i * 7919 % 3001);
  tbb::parallel_sort(items.begin(), items.end(), order());
  CHECK(std::is_sorted(items.begin(), items.end()));
  n.check(0);
}

TEST_CASE("groups, arenas and pipelines call the program's functions") {
  counts const n;
  program::body const f;
  tbb::parallel_invoke(f, f, f);
  n.check(3);
  tbb::task_group group;
  group.run(f);
  group.run_and_wait(f);
  n.check(5);
  tbb::task_arena arena(1);
  arena.execute(f);
  arena.execute([&] { tbb::this_task_arena::isolate(f); });
  n.check(7);
  int left = 5;
  tbb::parallel_pipeline(2, tbb::make_filter<void, item>(tbb::filter_mode::serial_in_order, source(left)) &
                                tbb::make_filter<item, item>(tbb::filter_mode::parallel, next()) &
                                tbb::make_filter<item, void>(tbb::filter_mode::parallel, program::body()));
  n.check(12);
}

TEST_CASE("nodes call the program's bodies") {
  counts const n;
  tbb::flow::graph g;
  int got = 0;
  tbb::flow::function_node<int, int> twice(g, tbb::flow::serial, plain());
  tbb::flow::function_node<item, int> first(g, tbb::flow::serial, plain());
  tbb::flow::function_node<int> last(g, tbb::flow::serial, [&](int i) { got += i; });
  make_edge(first, twice);
  make_edge(twice, last);
  first.try_put(item(1));
  g.wait_for_all();
  CHECK(got == 2);
  n.check(0);
}
