// SPDX-License-Identifier: Apache-2.0
// Loops over ranges and items, scan and sort.
#pragma once

#include "sweep.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#if TBB_INTERFACE_VERSION < 12000
#include <tbb/parallel_do.h>
#endif
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/partitioner.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sweep {

struct bodies_of_range {
  void operator()(tbb::blocked_range<long> const& r) const {
    for (long i = r.begin(); i != r.end(); ++i) body();
  }
};

// Loops of so many iterations one after the other.
template <typename Loop>
long in_turn(long units, long length, Loop const& loop) {
  long done = 0;
  for (; done < units; done += length) loop(length);
  return done;
}

template <typename Partitioner>
void loop_of(long n, Partitioner&& partitioner) {
  tbb::parallel_for(tbb::blocked_range<long>(0, n), bodies_of_range{}, partitioner);
}

struct bodies_and_their_number {
  long operator()(tbb::blocked_range<long> const& r, long sum) const {
    bodies_of_range{}(r);
    return sum + r.end() - r.begin();
  }
};

inline void scan_of(std::vector<long> const& from, std::vector<long>& to, long n) {
  tbb::parallel_scan(
      tbb::blocked_range<long>(0, n), 0L,
      [&](tbb::blocked_range<long> const& r, long sum, bool last) {
        for (long i = r.begin(); i != r.end(); ++i) {
          sum += from[static_cast<std::size_t>(i)];
          if (!last) continue;
          body();
          to[static_cast<std::size_t>(i)] = sum;
        }
        return sum;
      },
      std::plus<long>());
}

#if TBB_INTERFACE_VERSION < 12000
using feeder_of_items = tbb::parallel_do_feeder<long>;
template <typename Iterator, typename Body>
void each_with_feeder(Iterator begin, Iterator end, Body const& body_of_item) {
  tbb::parallel_do(begin, end, body_of_item);
}
#else
using feeder_of_items = tbb::feeder<long>;
template <typename Iterator, typename Body>
void each_with_feeder(Iterator begin, Iterator end, Body const& body_of_item) {
  tbb::parallel_for_each(begin, end, body_of_item);
}
#endif

// Another part of the same numbers each time: a processor learns the comparisons of a hundred by heart.
inline void add_sorts(std::vector<site>& to) {
  auto const mixed = std::make_shared<std::vector<std::uint64_t>>();
  std::uint64_t x = 1;
  for (long i = 0; i < 300'000; ++i) mixed->push_back(x = x * 6364136223846793005u + 1442695040888963407u);
  for (long const n : {100L, 1000L, 10'000L, 100'000L}) {
    auto const work = std::make_shared<std::vector<std::uint64_t>>();
    auto const from = std::make_shared<long>(0);
    to.push_back({"sort-" + std::to_string(n),
                  [=](long) {
                    work->assign(mixed->begin() + *from, mixed->begin() + *from + n);
                    *from = (*from + n) % (300'000 - n);
                    tbb::parallel_sort(work->begin(), work->end());
                    return n;
                  },
                  false});
  }
}

inline void add_loops(std::vector<site>& to) {
  auto const items = std::make_shared<std::vector<int>>(2000, 1);
  auto const from = std::make_shared<std::vector<long>>(2000, 1);
  auto const sums = std::make_shared<std::vector<long>>(2000);
  auto const memory = std::make_shared<tbb::affinity_partitioner>();
  to.push_back({"for-index", [](long n) {
                  tbb::parallel_for(0L, n, [](long) { body(); });
                  return n;
                }});
  to.push_back({"for-simple", [](long n) {
                  tbb::parallel_for(tbb::blocked_range<long>(0, n, 1), bodies_of_range{}, tbb::simple_partitioner());
                  return n;
                }});
  to.push_back({"for-static", [](long n) {
                  loop_of(n, tbb::static_partitioner());
                  return n;
                }});
  to.push_back({"for-affinity", [=](long n) {
                  loop_of(n, *memory);
                  return n;
                }});
  for (long const length : {4L, 16L}) {
    to.push_back({"for-" + std::to_string(length), [=](long n) {
                    return in_turn(n, length, [](long l) { tbb::parallel_for(0L, l, [](long) { body(); }); });
                  }});
  }
  to.push_back({"nested", [](long n) {
                  tbb::parallel_for(0L, (n + 31) / 32, [](long) { tbb::parallel_for(0L, 32L, [](long) { body(); }); });
                  return (n + 31) / 32 * 32;
                }});
  to.push_back({"reduce-32", [](long n) {
                  return in_turn(n, 32, [](long l) {
                    tbb::parallel_reduce(tbb::blocked_range<long>(0, l), 0L, bodies_and_their_number{},
                                         std::plus<long>());
                  });
                }});
  to.push_back({"deterministic-32", [](long n) {
                  return in_turn(n, 32, [](long l) {
                    tbb::parallel_deterministic_reduce(tbb::blocked_range<long>(0, l), 0L, bodies_and_their_number{},
                                                       std::plus<long>());
                  });
                }});
  to.push_back({"scan", [=](long n) {
                  scan_of(*from, *sums, n);
                  return n;
                }});
  to.push_back({"each-vector", [=](long n) {
                  tbb::parallel_for_each(items->begin(), items->begin() + n, [](int) { body(); });
                  return n;
                }});
  to.push_back({"each-feeder", [](long n) {
                  std::vector<long> chains(8, n / 8);
                  each_with_feeder(chains.begin(), chains.end(), [](long left, feeder_of_items& feeder) {
                    body();
                    if (left > 1) feeder.add(left - 1);
                  });
                  return n / 8 * 8;
                }});
  add_sorts(to);
}

}  // namespace sweep
