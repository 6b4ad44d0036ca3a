// SPDX-License-Identifier: Apache-2.0
// parallel_pipeline.
#include "client.h"

#include <tbb/tbb.h>

#include <string>
#include <vector>

using namespace tbb;

static std::atomic<long> alive{0};
struct counted {
  std::string text = "a value that is no small object";
  int value = 0;
  counted() { ++alive; }
  explicit counted(int v) : value(v) { ++alive; }
  counted(counted const& o) : value(o.value) { ++alive; }
  counted& operator=(counted const&) = default;
  ~counted() { --alive; }
};

static long run(filter_mode first, filter_mode last, int stop_at, int throw_at, task_group_context* c = nullptr) {
  std::atomic<int> next{0};
  std::atomic<long> sum{0};
  std::atomic<int> expected{0};
  std::atomic<bool> in_order{true};
  std::vector<int> places(stop_at);
  auto const chain = make_filter<void, counted>(first,
                                                [&](flow_control& f) {
                                                  int const n = next++;
                                                  if (n >= stop_at) f.stop();
                                                  return counted(n);
                                                }) &
                     make_filter<counted, int>(filter_mode::parallel,
                                               [&](counted const& c) {
                                                 if (c.value == throw_at) throw std::runtime_error("pipeline");
                                                 return c.value;
                                               }) &
                     make_filter<int, int*>(filter_mode::parallel,
                                            [&](int v) {
                                              places[v] = v;
                                              return &places[v];
                                            }) &
                     make_filter<int*, void>(last, [&](int* v) {
                       if (*v != expected++) in_order = false;
                       sum += *v;
                     });
  c != nullptr ? parallel_pipeline(8, chain, *c) : parallel_pipeline(8, chain);
  if (last == filter_mode::serial_in_order && first == filter_mode::serial_in_order) line("in order", in_order);
  return sum;
}

int main() {
  line("ordered", run(filter_mode::serial_in_order, filter_mode::serial_in_order, 1000, -1));
  line("unordered", run(filter_mode::serial_out_of_order, filter_mode::serial_out_of_order, 1000, -1));
  line("parallel ends", run(filter_mode::serial_in_order, filter_mode::parallel, 1000, -1));
  line("empty", run(filter_mode::serial_in_order, filter_mode::serial_in_order, 0, -1));
  line("threw", thrown([] { run(filter_mode::serial_in_order, filter_mode::parallel, 1000, 500); }));
  task_group_context c;
  line("threw", thrown([&] { run(filter_mode::serial_in_order, filter_mode::parallel, 1000, 10, &c); }));
  line("context cancelled", c.is_group_execution_cancelled());
  line("alive", alive);
  std::atomic<long> calls{0};
  parallel_pipeline(4, make_filter<void, void>(filter_mode::serial_in_order, [&](flow_control& f) {
                      if (++calls == 100) f.stop();
                    }));
  line("lone filter", calls);
  bool inside = false;
  task_group_context mine;
  bool first = true;
  parallel_pipeline(4,
                    make_filter<void, void>(filter_mode::serial_in_order,
                                            [&](flow_control& f) {
                                              inside = task::current_context() != nullptr;
                                              if (!first) f.stop();
                                              first = false;
                                            }),
                    mine);
  line("context", inside);
  // A pipeline in a filter of another one.
  std::atomic<long> nested{0};
  std::atomic<int> outer{0};
  parallel_pipeline(2, make_filter<void, int>(filter_mode::serial_in_order, [&](flow_control& f) {
                         std::atomic<int> n{0};
                         parallel_pipeline(2,
                                           make_filter<void, void>(filter_mode::serial_in_order, [&](flow_control& g) {
                                             ++nested;
                                             if (++n == 5) g.stop();
                                           }));
                         if (++outer == 10) f.stop();
                         return 0;
                       }) & make_filter<int, void>(filter_mode::parallel, [](int) {}));
  line("nested", nested);
}
