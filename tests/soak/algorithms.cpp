// SPDX-License-Identifier: Apache-2.0
// The algorithms of a random program.
#include "program.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/partitioner.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace soak {

namespace {

long sum_below(int n) { return static_cast<long>(n) * (n - 1) / 2; }

void loop(step const& s, place const& where) {
  marks m(where.book, s.n);
  tbb::task_group_context group;
  place const inside = where.inside(s);
  auto const body = [&](int i) {
    m.hit(i);
    take_part(s, i, inside, [&] { group.cancel_group_execution(); });
  };
  auto const blocks = [&](tbb::blocked_range<int> const& r) {
    for (int i = r.begin(); i != r.end(); ++i) body(i);
  };
  contain(s, where, [&] {
    switch (s.b % 5) {
      case 0:
        tbb::parallel_for(0, s.n, body, group);
        break;
      case 1: {
        auto const grain = static_cast<std::size_t>(1 + s.a % 50);
        tbb::parallel_for(tbb::blocked_range<int>(0, s.n, grain), blocks, tbb::simple_partitioner(), group);
        break;
      }
      case 2:
        tbb::parallel_for(tbb::blocked_range<int>(0, s.n), blocks, tbb::static_partitioner(), group);
        break;
      case 3: {
        tbb::affinity_partitioner own;
        tbb::parallel_for(tbb::blocked_range<int>(0, s.n), blocks, own, group);
        break;
      }
      default:
        tbb::parallel_for(tbb::blocked_range<int>(0, s.n), blocks, tbb::auto_partitioner(), group);
    }
  });
  m.settle(inside.fragile);
}

void reduce(step const& s, place const& where) {
  marks m(where.book, s.n);
  tbb::task_group_context group;
  place const inside = where.inside(s);
  auto const body = [&](tbb::blocked_range<int> const& r, long sum) {
    for (int i = r.begin(); i != r.end(); ++i) {
      m.hit(i);
      take_part(s, i, inside, [&] { group.cancel_group_execution(); });
      sum += i;
    }
    return sum;
  };
  contain(s, where, [&] {
    tbb::blocked_range<int> const all(0, s.n, static_cast<std::size_t>(1 + s.a % 20));
    long const sum = s.b % 2 == 0 ? tbb::parallel_reduce(all, 0L, body, std::plus<>(), group)
                                  : tbb::parallel_deterministic_reduce(all, 0L, body, std::plus<>(), group);
    if (!inside.fragile) where.book.expect(sum == sum_below(s.n), "reduce: the sum is wrong");
  });
  m.settle(inside.fragile);
}

void scan(step const& s, place const& where) {
  std::vector<long> sums(static_cast<std::size_t>(s.n));
  long const total = tbb::parallel_scan(
      tbb::blocked_range<int>(0, s.n), 0L,
      [&](tbb::blocked_range<int> const& r, long sum, bool last) {
        for (int i = r.begin(); i != r.end(); ++i) {
          sum += i;
          if (last) sums[static_cast<std::size_t>(i)] = sum;
        }
        return sum;
      },
      std::plus<>());
  if (where.fragile) return;
  where.book.expect(total == sum_below(s.n) && sums.back() == total, "scan: the sum is wrong");
  where.book.expect(std::is_sorted(sums.begin(), sums.end()), "scan: a part is missing");
}

void sort(step const& s, place const& where) {
  std::vector<unsigned> v(static_cast<std::size_t>(s.n));
  unsigned random = static_cast<unsigned>(s.a);
  for (unsigned& x : v) x = (random = random * 1664525 + 1013904223) >> (s.b % 24);
  auto const before = std::accumulate(v.begin(), v.end(), 0ul);
  std::atomic<int> left{s.wrong == fault::exception ? s.n / 2 : -1};
  try {
    tbb::parallel_sort(v.begin(), v.end(), [&](unsigned x, unsigned y) {
      if (left.load(std::memory_order_relaxed) >= 0 && --left == 0) throw deliberate{};
      return x < y;
    });
  } catch (deliberate const&) {
    return;
  }
  if (where.fragile) return;
  where.book.expect(std::is_sorted(v.begin(), v.end()), "sort: not in order");
  where.book.expect(std::accumulate(v.begin(), v.end(), 0ul) == before, "sort: other elements");
}

void invoke(step const& s, place const& where) {
  marks m(where.book, 3);
  place const inside = where.inside(s);
  step three = s;
  three.n = 3;
  tbb::task_group_context group;
  auto const part = [&](int i) {
    m.hit(i);
    take_part(three, i, inside, [&] { group.cancel_group_execution(); });
  };
  contain(s, where, [&] { tbb::parallel_invoke([&] { part(0); }, [&] { part(1); }, [&] { part(2); }, group); });
  m.settle(inside.fragile);
}

void group(step const& s, place const& where) {
  place const inside = where.inside(s);
  contain(s, where, [&] {
    tbb::task_group tasks;
    for (int i = 0; i < s.n; ++i) {
      tasks.run([&, i, t = ticket(where.book, inside.fragile)] {
        t.run();
        take_part(s, i, inside, [&] { tasks.cancel(); });
      });
    }
    if (s.b % 3 == 0) {
      // Handles that are dropped never run.
      auto dropped = tasks.defer([t = ticket(where.book, true), &where] { where.book.fail("a dropped task ran"); });
    }
    if (s.b % 3 == 1) tasks.run(tasks.defer([t = ticket(where.book, inside.fragile)] { t.run(); }));
    tasks.wait();
  });
}

void feeder(step const& s, place const& where) {
  marks m(where.book, s.n);
  tbb::task_group_context context;
  place const inside = where.inside(s);
  int const roots = std::min(s.n, 3);
  std::vector<int> first(static_cast<std::size_t>(roots));
  std::iota(first.begin(), first.end(), 0);
  contain(s, where, [&] {
    tbb::parallel_for_each(
        first.begin(), first.end(),
        [&](int i, tbb::feeder<int>& more) {
          m.hit(i);
          if (i + roots < s.n) more.add(i + roots);
          take_part(s, i, inside, [&] { context.cancel_group_execution(); });
        },
        context);
  });
  m.settle(inside.fragile);
}

void pipeline(step const& s, place const& where) {
  marks m(where.book, s.n);
  tbb::task_group_context context;
  place const inside = where.inside(s);
  int next = 0;
  std::atomic<int> expected{0};
  constexpr tbb::filter_mode modes[] = {tbb::filter_mode::parallel, tbb::filter_mode::serial_in_order,
                                        tbb::filter_mode::serial_out_of_order};
  contain(s, where, [&] {
    tbb::parallel_pipeline(static_cast<std::size_t>(1 + s.a % 9),
                           tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                                       [&](tbb::flow_control& control) {
                                                         if (next == s.n) control.stop();
                                                         return next == s.n ? 0 : next++;
                                                       }) &
                               tbb::make_filter<int, int>(modes[s.b % 3],
                                                          [&](int i) {
                                                            m.hit(i);
                                                            take_part(s, i, inside,
                                                                      [&] { context.cancel_group_execution(); });
                                                            return i;
                                                          }) &
                               tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order,
                                                           [&](int i) {
                                                             if (expected++ != i) {
                                                               where.book.fail("pipeline: out of order");
                                                             }
                                                           }),
                           context);
  });
  m.settle(inside.fragile);
}

}  // namespace

void add_algorithms(std::map<std::string, action, std::less<>>& table) {
  table.insert({{"loop", loop},
                {"reduce", reduce},
                {"scan", scan},
                {"sort", sort},
                {"invoke", invoke},
                {"group", group},
                {"feeder", feeder},
                {"pipeline", pipeline}});
}

}  // namespace soak
