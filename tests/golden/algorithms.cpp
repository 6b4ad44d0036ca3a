// SPDX-License-Identifier: Apache-2.0
// Every public algorithm with one thread, for the long form of tools/golden.py. An operation is a loop of 64 elements
// (16 for pipelines and sorts per element), whose body stores one word.
#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/blocked_range3d.h>
#include <tbb/collaborative_call_once.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <functional>
#include <list>
#include <vector>

#include "rows.h"

namespace {

using golden::sink;
using range = tbb::blocked_range<long>;
constexpr long elements = 64;

void store(range const& r) {
  for (long i = r.begin(); i != r.end(); ++i) sink = i;
}

void for_index(long n) {
  for (long i = 0; i < n; ++i) tbb::parallel_for(0L, elements, [](long k) { sink = k; });
}
template <typename Partitioner>
void for_range(long n) {
  Partitioner partitioner;
  for (long i = 0; i < n; ++i) tbb::parallel_for(range(0, elements), store, partitioner);
}
void for_2d(long n) {
  for (long i = 0; i < n; ++i) {
    tbb::parallel_for(tbb::blocked_range2d<long>(0, 8, 0, 8), [](auto const& r) {
      for (long y = r.rows().begin(); y != r.rows().end(); ++y) {
        for (long x = r.cols().begin(); x != r.cols().end(); ++x) sink = x;
      }
    });
  }
}
void for_3d(long n) {
  for (long i = 0; i < n; ++i) {
    tbb::parallel_for(tbb::blocked_range3d<long>(0, 4, 0, 4, 0, 4), [](auto const& r) { sink = r.pages().begin(); });
  }
}
long sum_of(range const& r, long sum) {
  for (long i = r.begin(); i != r.end(); ++i) sum += i;
  return sum;
}
void reduce(long n) {
  for (long i = 0; i < n; ++i) sink = tbb::parallel_reduce(range(0, elements), 0L, sum_of, std::plus<>());
}
void deterministic_reduce(long n) {
  for (long i = 0; i < n; ++i) {
    sink = tbb::parallel_deterministic_reduce(range(0, elements, 16), 0L, sum_of, std::plus<>());
  }
}
void scan(long n) {
  for (long i = 0; i < n; ++i) {
    sink = tbb::parallel_scan(
        range(0, elements), 0L, [](range const& r, long sum, bool) { return sum_of(r, sum); }, std::plus<>());
  }
}
// An element is an operation.
void sort(long n) {
  std::vector<unsigned> values(static_cast<std::size_t>(n));
  unsigned x = 1;
  for (unsigned& v : values) v = x = x * 1664525u + 1013904223u;
  tbb::parallel_sort(values.begin(), values.end());
  sink = static_cast<long>(values[0]);
}
void each_of_vector(long n) {
  std::vector<long> const values(elements, 1);
  for (long i = 0; i < n; ++i) tbb::parallel_for_each(values.begin(), values.end(), [](long v) { sink = v; });
}
void each_of_list(long n) {
  std::list<long> const values(elements, 1);
  for (long i = 0; i < n; ++i) tbb::parallel_for_each(values.begin(), values.end(), [](long v) { sink = v; });
}
// Each element makes the next one.
void each_feeds(long n) {
  long const first[] = {n};
  tbb::parallel_for_each(std::begin(first), std::end(first), [](long v, tbb::feeder<long>& feeder) {
    sink = v;
    if (v > 0) feeder.add(v - 1);
  });
}
void invoke_four(long n) {
  auto const f = [] { sink = 1; };
  for (long i = 0; i < n; ++i) tbb::parallel_invoke(f, f, f, f);
}
// A token is an operation.
void pipeline(long n) {
  tbb::parallel_pipeline(
      16, tbb::make_filter<void, long>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
            if (n == 0) control.stop();
            return n == 0 ? 0 : n--;
          }) & tbb::make_filter<long, long>(tbb::filter_mode::parallel, [](long v) {
            return v + 1;
          }) & tbb::make_filter<long, void>(tbb::filter_mode::serial_in_order, [](long v) { sink = v; }));
}
void group_of_eight(long n) {
  for (long i = 0; i < n; ++i) {
    tbb::task_group group;
    for (int k = 0; k < 8; ++k) group.run([] { sink = 1; });
    group.wait();
  }
}
void group_defer(long n) {
  tbb::task_group group;
  for (long i = 0; i < n; ++i) {
    group.run(group.defer([] { sink = 1; }));
    group.wait();
  }
}
void arena_execute(long n) {
  tbb::task_arena arena(1);
  for (long i = 0; i < n; ++i) arena.execute([] { sink = 1; });
}
void arena_lifetime(long n) {
  for (long i = 0; i < n; ++i) {
    tbb::task_arena arena(1);
    arena.execute([] { sink = 1; });
  }
}
void isolate(long n) {
  for (long i = 0; i < n; ++i) tbb::this_task_arena::isolate([] { sink = 1; });
}
void context_lifetime(long n) {
  for (long i = 0; i < n; ++i) {
    tbb::task_group_context context;
    tbb::parallel_for(range(0, elements), store, context);
  }
}
void call_once(long n) {
  for (long i = 0; i < n; ++i) {
    tbb::collaborative_once_flag flag;
    tbb::collaborative_call_once(flag, [] { sink = 1; });
    tbb::collaborative_call_once(flag, [] { sink = 2; });
  }
}

golden::row const rows[] = {
    {"for_index", for_index},
    {"for_auto", for_range<tbb::auto_partitioner>},
    {"for_simple", for_range<tbb::simple_partitioner>},
    {"for_static", for_range<tbb::static_partitioner>},
    {"for_affinity", for_range<tbb::affinity_partitioner>},
    {"for_2d", for_2d},
    {"for_3d", for_3d},
    {"reduce", reduce},
    {"deterministic_reduce", deterministic_reduce},
    {"scan", scan},
    {"sort", sort},
    {"each_of_vector", each_of_vector},
    {"each_of_list", each_of_list},
    {"each_feeds", each_feeds},
    {"invoke_four", invoke_four},
    {"pipeline", pipeline},
    {"group_of_eight", group_of_eight},
    {"group_defer", group_defer},
    {"arena_execute", arena_execute},
    {"arena_lifetime", arena_lifetime},
    {"isolate", isolate},
    {"context_lifetime", context_lifetime},
    {"call_once", call_once},
};

}  // namespace

int main(int argc, char** argv) { return golden::main(argc, argv, rows); }
