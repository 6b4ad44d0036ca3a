// SPDX-License-Identifier: Apache-2.0
// What an arena costs beside others that are alive: to enqueue in one of them, to enter one, to make and to destroy
// one.
#pragma once

#include "countdown.h"
#include "nap.h"

#include <tbb/task_arena.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

namespace threads {

class living_arenas {
 public:
  explicit living_arenas(int count, int seats) : seats_(seats) {
    for (int i = 0; i < count; ++i) {
      arenas_.emplace_back(seats);
      arenas_.back().initialize();
    }
  }

  // Each returns seconds per operation. Whatever they begin has ended when they return.
  double enqueue(int times) {
    countdown left(times);
    double const begin = bench::wall_now();
    for (int i = 0; i < times; ++i) {
      next().enqueue([&left] { left.one_less(); });
    }
    double const took = bench::wall_now() - begin;
    left.wait();
    nap(settling);
    return took / times;
  }
  double execute(int times) {
    long ran = 0;
    double const begin = bench::wall_now();
    for (int i = 0; i < times; ++i) {
      next().execute([&ran] { ++ran; });
    }
    double const took = bench::wall_now() - begin;
    wrong_ = wrong_ || ran != times;
    return took / times;
  }
  // One that is made, used by an enqueue, and destroyed.
  double cycle(int times) {
    countdown left(times);
    double const begin = bench::wall_now();
    for (int i = 0; i < times; ++i) {
      tbb::task_arena fresh(seats_);
      fresh.initialize();
      fresh.enqueue([&left] { left.one_less(); });
    }
    double const took = bench::wall_now() - begin;
    left.wait();
    nap(settling);
    return took / times;
  }
  struct lifetime {
    double construct, destroy;
  };
  lifetime construct_and_destroy(int times) {
    std::vector<std::unique_ptr<tbb::task_arena>> fresh(static_cast<std::size_t>(times));
    double const begin = bench::wall_now();
    for (auto& arena : fresh) {
      arena = std::make_unique<tbb::task_arena>(seats_);
      arena->initialize();
    }
    double const middle = bench::wall_now();
    fresh.clear();
    double const end = bench::wall_now();
    return {(middle - begin) / times, (end - middle) / times};
  }

  bool wrong() const { return wrong_; }

 private:
  // Before the next measurement whoever was woken sleeps again.
  static constexpr double settling = 0.002;

  tbb::task_arena& next() { return arenas_[turn_++ % arenas_.size()]; }

  int const seats_;
  std::deque<tbb::task_arena> arenas_;
  std::size_t turn_ = 0;
  bool wrong_ = false;
};

}  // namespace threads
