// SPDX-License-Identifier: Apache-2.0
// The other algorithms: reductions, parallel_for_each, scan, pipeline, sort.
#pragma once

#include "scenario.h"

#include <tbb/parallel_for_each.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#if TBB_INTERFACE_VERSION < 12000
#include <tbb/parallel_do.h>
#include <tbb/pipeline.h>
#else
#include <tbb/parallel_pipeline.h>
#endif

#include <algorithm>
#include <cmath>
#include <functional>
#include <list>
#include <random>
#include <vector>

namespace threads {

// Runs the iterations of a part and adds their numbers to a sum.
struct add_up {
  sleeping_work& work;
  long operator()(tbb::blocked_range<int> const& part, long sum) const {
    for (int i = part.begin(); i < part.end(); ++i) {
      work(i);
      sum += i;
    }
    return sum;
  }
};

template <bool Deterministic>
outcome reduce(team& t, int each, double seconds) {
  int const n = each * t.size();
  sleeping_work work(even_costs(n, seconds));
  tbb::blocked_range<int> const all(0, n);
  long sum = 0;
  double const makespan = makespan_inside(t, [&] {
    sum = Deterministic ? tbb::parallel_deterministic_reduce(all, 0L, add_up{work}, std::plus<long>())
                        : tbb::parallel_reduce(all, 0L, add_up{work}, std::plus<long>());
  });
  return outcome_of(work, makespan, work.ideal(t.size()), sum == static_cast<long>(n) * (n - 1) / 2);
}
inline outcome reduce_one_each(team& t) { return reduce<false>(t, 1, one_each); }
inline outcome reduce_eight_each(team& t) { return reduce<false>(t, 8, share_of_eight); }
inline outcome deterministic_reduce(team& t) { return reduce<true>(t, 8, share_of_eight); }

template <typename Container>
outcome for_each(team& t) {
  Container items;
  for (int i = 0; i < t.size(); ++i) items.push_back(i);
  sleeping_work work(even_costs(t.size(), one_each));
  return inside(t, work, [&] { tbb::parallel_for_each(items.begin(), items.end(), [&](int i) { work(i); }); });
}

// Every item of the first half adds one of the second half before it works.
inline outcome feeder(team& t) {
  int const n = t.size();
  std::vector<int> items;
  for (int i = 0; i < n; ++i) items.push_back(i);
  sleeping_work work(even_costs(2 * n, one_each / 2));
  auto body = [&work, n](int i, auto& more) {
    if (i < n) more.add(i + n);
    work(i);
  };
  return inside(t, work, [&] {
#if TBB_INTERFACE_VERSION < 12000
    tbb::parallel_do(items.begin(), items.end(), [&](int i, tbb::parallel_do_feeder<int>& more) { body(i, more); });
#else
    tbb::parallel_for_each(items.begin(), items.end(), [&](int i, tbb::feeder<int>& more) { body(i, more); });
#endif
  });
}

// To add up an element takes as long as to write it. T threads can't do that faster than in 2 n / (T + 1) steps: all
// but the first of them have to add up what lies between them.
inline outcome scan(team& t) {
  int const n = 8 * t.size();
  sleeping_work work(even_costs(n, share_of_eight));
  std::vector<long> sums(static_cast<std::size_t>(n));
  double const makespan = makespan_inside(t, [&] {
    tbb::parallel_scan(
        tbb::blocked_range<int>(0, n), 0L,
        [&](tbb::blocked_range<int> const& part, long sum, bool final_pass) {
          for (int i = part.begin(); i < part.end(); ++i) {
            sum += i;
            if (!final_pass) {
              nap(share_of_eight);
              continue;
            }
            work(i);
            sums[static_cast<std::size_t>(i)] = sum;
          }
          return sum;
        },
        std::plus<long>());
  });
  bool right = true;
  for (int i = 0; i < n; ++i) right = right && sums[static_cast<std::size_t>(i)] == static_cast<long>(i) * (i + 1) / 2;
  return outcome_of(work, makespan, 2 * work.sum() / (t.size() + 1), right);
}

#if TBB_INTERFACE_VERSION < 12000
using filter_mode = tbb::filter;
#else
using filter_mode = tbb::filter_mode;
#endif

inline outcome pipeline(team& t) {
  sleeping_work work(even_costs(4 * t.size(), one_each / 4));
  int next = 0, last = -1;
  bool in_order = true;
  auto input = [&](tbb::flow_control& flow) {
    if (next == work.size()) flow.stop();
    return next < work.size() ? next++ : 0;
  };
  auto body = [&](int i) {
    work(i);
    return i;
  };
  auto output = [&](int i) {
    in_order = in_order && i == last + 1;
    last = i;
  };
  double const makespan = makespan_inside(t, [&] {
    tbb::parallel_pipeline(static_cast<std::size_t>(t.size()),
                           tbb::make_filter<void, int>(filter_mode::serial_in_order, input) &
                               tbb::make_filter<int, int>(filter_mode::parallel, body) &
                               tbb::make_filter<int, void>(filter_mode::serial_in_order, output));
  });
  return outcome_of(work, makespan, work.ideal(t.size()), in_order && last == work.size() - 1);
}

// Every 3000th comparison of a thread sleeps for 1 ms: a count of all threads would make them wait for its cache line
// for longer than they sleep. The ideal counts n log2(n) comparisons, the same for every library.
inline outcome sort(team& t) {
  constexpr int n = 50'000;
  constexpr double seconds = 0.001;
  constexpr long apart = 3000;
  std::mt19937 source(1);
  std::vector<unsigned> items(n);
  for (unsigned& item : items) item = static_cast<unsigned>(source());
  thread_local long compared = 0;
  double const makespan = makespan_inside(t, [&] {
    tbb::parallel_sort(items.begin(), items.end(), [](unsigned a, unsigned b) {
      if (++compared % apart == 0) nap(seconds);
      return a < b;
    });
  });
  double const sum = n * std::log2(n) / apart * seconds;
  return {makespan / std::max(seconds, sum / t.size()), std::is_sorted(items.begin(), items.end()), 0};
}

inline scenarios algorithm_scenarios() {
  return {
      {"reduce", "parallel_reduce of T", reduce_one_each},
      {"reduce-8", "parallel_reduce of 8 T", reduce_eight_each},
      {"deterministic", "parallel_deterministic_reduce of 8 T", deterministic_reduce},
      {"each-vector", "parallel_for_each over a vector of T", for_each<std::vector<int>>},
      {"each-list", "parallel_for_each over a list of T", for_each<std::list<int>>},
      {"each-feeder", "parallel_for_each of T that feed T", feeder},
      {"scan", "parallel_scan of 8 T", scan},
      {"pipeline", "parallel_pipeline, T tokens, 4 T items", pipeline},
      {"sort", "parallel_sort, a comparison sleeps now and then", sort},
  };
}

}  // namespace threads
