// SPDX-License-Identifier: Apache-2.0
// The iterations of a scenario: each sleeps for its time, and it is counted that each ran once.
#pragma once

#include "costs.h"
#include "nap.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

namespace threads {

// How many times as long as they are told to be all sleeps of work made from now on are. On a loaded machine a thread
// comes late by what its processor has to do for others; beside longer sleeps that is less.
inline double& slow_motion() {
  static double factor = 1;
  return factor;
}

class sleeping_work {
 public:
  explicit sleeping_work(costs seconds) : seconds_(std::move(seconds)), ran_(seconds_.size()) {
    for (double& s : seconds_) s *= slow_motion();
  }

  int size() const { return static_cast<int>(seconds_.size()); }

  // Any thread; runs iteration i.
  void operator()(int i) {
    int const inside = inside_.fetch_add(1) + 1;
    for (int most = most_.load(); inside > most && !most_.compare_exchange_weak(most, inside);) {
    }
    nap(seconds_[static_cast<std::size_t>(i)]);
    inside_.fetch_sub(1);
    ran_[static_cast<std::size_t>(i)].fetch_add(1);
  }

  // No schedule takes less: the longest iteration, or every thread busy to the end.
  double ideal(int threads) const { return std::max(longest(), sum() / threads); }
  double longest() const { return *std::max_element(seconds_.begin(), seconds_.end()); }
  double sum() const { return std::accumulate(seconds_.begin(), seconds_.end(), 0.0); }

  bool each_ran_once() const {
    return std::all_of(ran_.begin(), ran_.end(), [](std::atomic<int> const& times) { return times == 1; });
  }
  // The most iterations that slept at the same time.
  int most_at_once() const { return most_; }

 private:
  costs seconds_;
  std::vector<std::atomic<int>> ran_;
  std::atomic<int> inside_{0};
  std::atomic<int> most_{0};
};

}  // namespace threads
