// SPDX-License-Identifier: Apache-2.0
// How many handles, workers and stays of application threads refer to an arena.
//
// Threads    any. Whoever finds the arena in a list of the market's calls try_retain under the list's lock, which the
//            last one to go takes to unlist the arena before it is destroyed.
// Ordering   [A3] release: the last reference sees what the others did (release <-> acquire)
// Model      tests/model/reference_count_model.cpp, tests/model/full_arena_model.cpp
#pragma once

#include <ashlar/base/atomic.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

class reference_count {
 public:
  explicit reference_count(unsigned n) noexcept : count_(n) {}

  void retain() noexcept { count_.fetch_add(1, mo::relaxed); }
  // False if the last reference is gone already.
  bool try_retain() noexcept {
    unsigned n = count_.load(mo::relaxed);
    while (n != 0) {
      if (count_.compare_exchange(n, n + 1, mo::relaxed, mo::relaxed)) return true;
    }
    return false;
  }
  // True if it was the last reference.
  bool release() noexcept { return count_.fetch_sub(1, mo::acq_rel) == 1; }  // [A3]
  // After a fork: a thread that had one is gone. The last one stays: nobody would end what it refers to.
  void forget_one() noexcept {
    if (count_.load(mo::relaxed) > 1) count_.fetch_sub(1, mo::relaxed);
  }
  // The last reference has gone, and the jobs that were left behind refer to the arena.
  void adopt() noexcept { count_.store(1, mo::relaxed); }

 private:
  atomic<unsigned> count_;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
