// SPDX-License-Identifier: Apache-2.0
// Algorithms, groups and arenas whose ranges, bodies and items may fail.
#include "driver.h"

#include <tbb/blocked_range.h>
#include <tbb/collaborative_call_once.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <list>
#include <thread>

namespace throws {

namespace {

// Splits into as many parts as it has elements; copies and splits may fail.
class range {
 public:
  range(int begin, int end) : begin_(begin), end_(end) {}
  range(range& from, tbb::split) : guard_(from.guard_), begin_((from.begin_ + from.end_) / 2), end_(from.end_) {
    from.end_ = begin_;
  }
  bool empty() const { return begin_ >= end_; }
  bool is_divisible() const { return end_ - begin_ > 1; }
  int size() const { return end_ - begin_; }

 private:
  item guard_;
  int begin_, end_;
};

struct sum_body {
  sum_body() = default;
  sum_body(sum_body& from, tbb::split) : guard(from.guard) {}
  void operator()(range const& r) {
    chance();
    sum += r.size();
  }
  void join(sum_body& right) {
    chance();
    sum += right.sum;
  }
  item guard;
  int sum = 0;
};

struct scan_body {
  scan_body() = default;
  scan_body(scan_body& from, tbb::split) : guard(from.guard) {}
  template <typename Tag>
  void operator()(tbb::blocked_range<int> const& r, Tag) {
    chance();
    sum += static_cast<int>(r.size());
  }
  void reverse_join(scan_body& left) {
    chance();
    sum += left.sum;
  }
  void assign(scan_body& from) {
    chance();
    sum = from.sum;
  }
  item guard;
  int sum = 0;
};

void loop_over_range() {
  std::atomic<int> ran{0};
  tbb::parallel_for(range(0, 20), [&](range const& r) {
    chance();
    ran += r.size();
  });
  require(ran == 20, "iterations were lost");
}

template <typename Partitioner>
void loop_over_numbers() {
  std::atomic<int> ran{0};
  tbb::parallel_for(
      0, 30,
      [&, guard = function()](int i) {
        guard(i);
        ++ran;
      },
      Partitioner());
  require(ran == 30, "iterations were lost");
}

void loop_with_affinity() {
  tbb::affinity_partitioner kept;
  for (int round = 0; round < 2; ++round) tbb::parallel_for(0, 20, function(), kept);
}

void walk() {
  std::list<int> const items(20, 1);
  std::atomic<int> ran{0};
  tbb::parallel_for_each(items.begin(), items.end(), [&](int i, tbb::feeder<int>& feeder) {
    chance();
    if (i == 1) feeder.add(2);
    ++ran;
  });
  require(ran == 40, "items were lost");
}

void walk_of_items() {
  std::list<item> items;
  for (int i = 0; i < 10; ++i) items.emplace_back(i);
  std::atomic<int> ran{0};
  tbb::parallel_for_each(items.begin(), items.end(), [&](item const& i, tbb::feeder<item>& feeder) {
    if (i.value() < 10) feeder.add(item(i.value() + 10));
    ++ran;
  });
  require(ran == 20, "items were lost");
}

void reduction() {
  item const all = tbb::parallel_reduce(
      range(0, 20), item(0), [](range const& r, item const& before) { return item(before.value() + r.size()); },
      [](item const& a, item const& b) { return item(a.value() + b.value()); });
  require(all.value() == 20, "a sum is wrong");
}

void deterministic_reduction() {
  item const all = tbb::parallel_deterministic_reduce(
      range(0, 20), item(0), [](range const& r, item const& before) { return item(before.value() + r.size()); },
      [](item const& a, item const& b) { return item(a.value() + b.value()); });
  require(all.value() == 20, "a sum is wrong");
}

void reduction_by_body() {
  sum_body body;
  tbb::parallel_reduce(range(0, 20), body);
  require(body.sum == 20, "a sum is wrong");
}

void scan_by_body() {
  scan_body body;
  tbb::parallel_scan(tbb::blocked_range<int>(0, 40), body, tbb::simple_partitioner());
  require(body.sum == 40, "a sum is wrong");
}

void scan() {
  item const all = tbb::parallel_scan(
      tbb::blocked_range<int>(0, 40), item(0),
      [](tbb::blocked_range<int> const& r, item const& before, bool) {
        return item(before.value() + static_cast<int>(r.size()));
      },
      [](item const& a, item const& b) { return item(a.value() + b.value()); });
  require(all.value() == 40, "a sum is wrong");
}

template <int N>
void sort() {
  std::vector<item> v;
  v.reserve(N);
  for (int i = 0; i < N; ++i) v.emplace_back(i * 37 % N);
  try {
    tbb::parallel_sort(v);
  } catch (...) {
    require(v.size() == N && item::alive() == N, "elements of a sort were lost");
    throw;
  }
  for (int i = 0; i < N; ++i) require(v[static_cast<std::size_t>(i)].value() == i, "a sort is wrong");
}

void invoke() {
  std::atomic<int> ran{0};
  auto const one = [&, guard = function()] {
    guard();
    ++ran;
  };
  tbb::parallel_invoke(one, one, one, one, [&] { tbb::parallel_invoke(one, one); });
  require(ran == 6, "functions were lost");
}

template <tbb::filter_mode Mode>
void pipeline() {
  std::atomic<int> next{0}, sum{0};
  tbb::parallel_pipeline(3, tbb::make_filter<void, item>(Mode, [&](tbb::flow_control& control) {
                              int const i = next++;
                              if (i >= 8) control.stop();
                              return item(i);
                            }) & tbb::make_filter<item, item>(Mode, [](item i) {
                              return i;
                            }) & tbb::make_filter<item, void>(Mode, [&](item const& i) {
                              chance();
                              sum += i.value();
                            }));
  require(sum == 28, "items of a pipeline were lost");
}

// Whatever fails, what was submitted is waited for, and runs unless a task failed.
void group() {
  tbb::task_group tasks;
  std::atomic<int> ran{0};
  try {
    for (int i = 0; i < 10; ++i) {
      tasks.run([&, guard = function()] {
        guard();
        ++ran;
      });
    }
    tasks.run_and_wait([&, guard = function()] {
      guard();
      ++ran;
    });
  } catch (...) {
    calm const silence;
    tasks.cancel();
    tasks.wait();
    throw;
  }
  require(ran == 11, "tasks were lost");
}

void handles() {
  tbb::task_group tasks;
  std::atomic<int> ran{0};
  try {
    for (int i = 0; i < 6; ++i) {
      tbb::task_handle h = tasks.defer([&, guard = function()] {
        guard();
        ++ran;
      });
      if (i % 3 != 2) tasks.run(std::move(h));
    }
    tasks.wait();
  } catch (...) {
    calm const silence;
    tasks.cancel();
    tasks.wait();
    throw;
  }
  require(ran == 4, "tasks were lost");
}

void arena() {
  tbb::task_arena arena(2);
  item const result = arena.execute([] { return item(tbb::this_task_arena::isolate([] { return item(4); }).value()); });
  require(result.value() == 4, "a result is wrong");
}

void enqueue() {
  tbb::task_arena arena(2);
  std::atomic<int> ran{0};
  int submitted = 0;
  auto const finish = [&] {
    calm const silence;
    while (ran != submitted) {
      arena.execute([] {});
      std::this_thread::yield();
    }
  };
  try {
    for (; submitted < 5; ++submitted) arena.enqueue([&] { ++ran; });
  } catch (...) {
    finish();
    throw;
  }
  finish();
}

void once() {
  tbb::collaborative_once_flag flag;
  int calls = 0;
  tbb::collaborative_call_once(flag, [&] {
    tbb::parallel_for(0, 10, function());
    ++calls;
  });
  tbb::collaborative_call_once(flag, [&] { ++calls; });
  require(calls == 1, "call_once called twice");
}

}  // namespace

std::vector<construct> algorithms() {
  return {
      {"parallel_for of a range", loop_over_range},
      {"parallel_for, simple", loop_over_numbers<tbb::simple_partitioner>},
      {"parallel_for, auto", loop_over_numbers<tbb::auto_partitioner>},
      {"parallel_for, static", loop_over_numbers<tbb::static_partitioner>},
      {"parallel_for, affinity", loop_with_affinity},
      {"parallel_for_each", walk},
      {"parallel_for_each of items", walk_of_items},
      {"parallel_reduce", reduction},
      {"parallel_reduce by a body", reduction_by_body},
      {"parallel_deterministic_reduce", deterministic_reduction},
      {"parallel_scan", scan},
      {"parallel_scan by a body", scan_by_body},
      {"parallel_sort", sort<40>},
      {"parallel_sort, split", sort<600>},
      {"parallel_invoke", invoke},
      {"parallel_pipeline, parallel", pipeline<tbb::filter_mode::parallel>},
      {"parallel_pipeline, in order", pipeline<tbb::filter_mode::serial_in_order>},
      {"parallel_pipeline, out of order", pipeline<tbb::filter_mode::serial_out_of_order>},
      {"task_group", group},
      {"task_handle", handles},
      {"task_arena::execute and isolate", arena},
      {"task_arena::enqueue", enqueue},
      {"collaborative_call_once", once},
  };
}

}  // namespace throws
