// SPDX-License-Identifier: Apache-2.0
// Each kind of parallel constructs, for check.py: a trace of this must name each after the user's function and its
// line. "region KIND FUNCTION" tells what is defined on the line below: a lambda, class or coroutine of that function;
// or the node NODE of the graph GRAPH, which have those names.
#include <tbb/blocked_range.h>
#include <tbb/coroutine.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/profiling.h>
#include <tbb/task.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <execution>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

namespace {

double volatile sink;

// Some microseconds that no compiler removes.
void burn(double x) {
  for (int i = 0; i < 1000; ++i) sink = sink + x;
}

using range = tbb::blocked_range<int>;

void index_loop() {
  tbb::parallel_for(0, 64,
                    // region lambda index_loop
                    [](int i) { burn(i); });
}

void range_loop() {
  // region lambda range_loop
  auto const body = [](range const& r) {
    for (int i = r.begin(); i < r.end(); ++i) burn(i);
  };
  tbb::parallel_for(range(0, 64), body);
}

void reduction() {
  // region lambda reduction
  auto const add = [](range const& r, double sum) {
    for (int i = r.begin(); i < r.end(); ++i) burn(sum += i);
    return sum;
  };
  sink = tbb::parallel_reduce(range(0, 64), 0.0, add, std::plus<>(), tbb::simple_partitioner());
}

// A scan has tasks only where others help; until they do, it is repeated.
void scan() {
  auto const caller = std::this_thread::get_id();
  std::atomic<bool> helped{false};
  // region lambda scan
  auto const step = [&](auto const& r, double sum, bool) {
    if (std::this_thread::get_id() != caller) helped = true;
    for (int i = r.begin(); i < r.end(); ++i) burn(sum += i);
    return sum;
  };
  while (!helped) sink = tbb::parallel_scan(range(0, 512), 0.0, step, [](double a, double b) { return a + b; });
}

void sort() {
  std::vector<int> v(50000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>(i * 7919 % 50021);
  // region lambda sort
  tbb::parallel_sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
  // Nobody's function: what is sorted.
  tbb::parallel_sort(v.begin(), v.end());
}

void each() {
  std::vector<int> v(64);
  // region lambda each
  tbb::parallel_for_each(v.begin(), v.end(), [](int x) { burn(x); });
}

void pipeline() {
  int left = 30;
  tbb::parallel_pipeline(4, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                                        // region lambda pipeline
                                                        [&](tbb::flow_control& control) {
                                                          if (--left < 0) control.stop();
                                                          burn(left);
                                                          return left;
                                                        }) &
                                // region lambda pipeline
                                tbb::make_filter<int, void>(tbb::filter_mode::parallel, [](int x) { burn(x); }));
}

void three() {
  tbb::parallel_invoke([] { burn(1); },
                       // region lambda three
                       [] { burn(2); },
                       // region lambda three
                       [] { burn(3); });
}

void group() {
  tbb::task_group g;
  // region lambda group
  g.run([] { burn(4); });
  g.wait();
}

// region class classic_leaf
struct classic_leaf : tbb::task {
  tbb::task* execute() override {
    burn(5);
    return nullptr;
  }
};

void classic() { tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) classic_leaf); }

#if defined(__cpp_impl_coroutine)
// region coroutine stage
tbb::co_task<void> stage(int x) {
  burn(x);
  co_return;
}

void coroutine() {
  tbb::task_group g;
  tbb::co_run(g, stage(6));
  g.wait();
}
#endif

void standard() {
  std::vector<double> v(64, 1.0);
  // region lambda standard
  std::for_each(std::execution::par, v.begin(), v.end(), [](double& x) { burn(x); });
}

void flow() {
  tbb::flow::graph g;
  // region lambda flow
  tbb::flow::function_node<int, int> first(g, tbb::flow::unlimited, [](int x) { return burn(x), x; });
  // region named pictures resize
  tbb::flow::function_node<int> second(g, tbb::flow::serial, [](int x) { burn(x); });
  tbb::profiling::set_name(g, "pictures");
  tbb::profiling::set_name(second, "resize");
  make_edge(first, second);
  for (int i = 0; i < 10; ++i) first.try_put(i);
  g.wait_for_all();
}

}  // namespace

int main() {
  for (auto const f : {&index_loop, &range_loop, &reduction, &scan, &sort, &each, &pipeline, &three, &group, &classic,
#if defined(__cpp_impl_coroutine)
                       &coroutine,
#endif
                       &standard, &flow}) {
    f();
  }
  tbb::profiling::event::emit("nearly over");
}
