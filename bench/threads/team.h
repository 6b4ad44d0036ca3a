// SPDX-License-Identifier: Apache-2.0
// The threads of a scenario: so many that may run tasks, the main one included, and proof that all of them exist.
#pragma once

#include "nap.h"

#include <bench/tbb_peer.h>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <stdexcept>
#include <string>

namespace threads {

class team {
 public:
  explicit team(int size) : size_(size), limit_(limit_of(size)), arena_(size) {}

  int size() const { return size_; }
  tbb::task_arena& arena() { return arena_; }

  // Starts every thread of the team and lets all of them find nothing to do: their number and their place are then the
  // same before each measurement. Throws if they don't come.
  void warm() { warm(arena_, size_); }
  void warm(tbb::task_arena& arena, int seats) {
    std::atomic<int> inside{0};
    double const deadline = bench::wall_now() + patience;
    arena.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<int>(0, seats),
          [&](tbb::blocked_range<int> const&) {
            inside.fetch_add(1);
            while (inside.load() < seats && bench::wall_now() < deadline) nap(20e-6 * seats);
          },
          tbb::simple_partitioner());
    });
    if (bench::wall_now() >= deadline) {
      throw std::runtime_error("fewer than " + std::to_string(seats) + " threads came");
    }
    settle();
  }
  // Long enough for idle threads to fall asleep.
  void settle() const { nap(0.010 + 0.0001 * size_); }

 private:
  static constexpr double patience = 20;

#if TBB_INTERFACE_VERSION < 12000
  using limit = tbb::task_scheduler_init;
  static int limit_of(int size) { return size; }
#else
  struct limit {
    explicit limit(int size) : control(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(size)) {}
    tbb::global_control control;
  };
  static int limit_of(int size) { return size; }
#endif

  int const size_;
  limit limit_;
  tbb::task_arena arena_;
};

}  // namespace threads
