// SPDX-License-Identifier: Apache-2.0
// Random pipelines of filters of all modes: bodies that take nothing, some hundred nanoseconds or twenty times as long
// for a while, that sleep now and then, or wait until the input has made the next items. Each item comes through each
// filter once, in its order where that is asked for, and one at a time where the filter is serial.
//
// ASHLAR_STRESS_PIPELINES: number of pipelines for each number of threads (default 60).
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

namespace {

int pipelines() {
  char const* const asked = std::getenv("ASHLAR_STRESS_PIPELINES");
  return asked != nullptr ? std::atoi(asked) : 60;
}

void take(std::chrono::nanoseconds time) {
  if (time.count() == 0) return;
  for (auto const start = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - start < time;) {
  }
}

using mode = tbb::filter_mode;

struct shape {
  int items, most;
  unsigned tokens, filters;
  std::chrono::nanoseconds time;
  int phase;       // every other one so many items long takes twenty times as long; 0: none does
  int sleeps;      // one item in so many; 0: none
  int waits;       // one in so many waits in the first filter for the next item; 0: none
  bool scattered;  // the input is parallel

  explicit shape(std::mt19937& random)
      : items(pick(random, 4) == 0 ? pick(random, 5) : pick(random, 1500)),
        most(2 + pick(random, 20)),
        tokens(static_cast<unsigned>(most)),
        filters(static_cast<unsigned>(1 + pick(random, 5))),
        time(pick(random, 3) == 0 ? 0 : pick(random, 600)),
        phase(pick(random, 3) == 0 ? 1 + pick(random, 500) : 0),
        sleeps(pick(random, 4) == 0 ? 1 + pick(random, 300) : 0),
        waits(pick(random, 2) == 0 ? 1 + pick(random, 100) : 0),
        scattered(pick(random, 6) == 0) {}
  static int pick(std::mt19937& random, int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
};

struct filter_state {
  mode how = mode::parallel;
  std::atomic<int> inside{0};
  std::atomic<int> passed{0};
};

class pipeline {
 public:
  pipeline(shape const& s, std::mt19937& random) : shape_(s) {
    for (unsigned k = 0; k < shape_.filters; ++k) filters_[k].how = modes[random() % 3];
    // An item that waits for the next one must not be overtaken by it.
    if (shape_.waits != 0) filters_[0].how = mode::serial_in_order;
  }
  void run() {
    tbb::filter<void, int> chain = tbb::make_filter<void, int>(
        shape_.scattered ? mode::parallel : mode::serial_in_order, [this](tbb::flow_control& c) { return make(c); });
    for (unsigned k = 0; k < shape_.filters; ++k) {
      chain = chain & tbb::make_filter<int, int>(filters_[k].how, [this, k](int item) { return pass(k, item); });
    }
    tbb::parallel_pipeline(shape_.tokens,
                           chain & tbb::make_filter<int, void>(mode::parallel, [this](int) { ++ended_; }));
    CHECK(ended_ == shape_.items);
    CHECK(!wrong_);
    for (unsigned k = 0; k < shape_.filters; ++k) CHECK(filters_[k].passed == shape_.items);
  }

 private:
  static constexpr mode modes[] = {mode::parallel, mode::serial_in_order, mode::serial_out_of_order};

  int make(tbb::flow_control& control) {
    int const item = next_++;
    if (item >= shape_.items) {
      control.stop();
      return 0;
    }
    work(item);
    ++made_;
    return item;
  }
  int pass(unsigned k, int item) {
    filter_state& f = filters_[k];
    bool const serial = f.how != mode::parallel;
    if (serial && f.inside++ != 0) wrong_ = true;
    int const before = f.passed++;
    if (f.how == mode::serial_in_order && !shape_.scattered && before != item) wrong_ = true;
    work(item);
    if (k == 0 && shape_.waits != 0 && !shape_.scattered && item % shape_.waits == 0) {
      while (made_ < std::min(item + 2, shape_.items)) std::this_thread::yield();
    }
    if (serial) --f.inside;
    return item;
  }
  void work(int item) const {
    bool const longer = shape_.phase != 0 && (item / shape_.phase) % 2 != 0;
    take(longer ? 20 * shape_.time : shape_.time);
    if (shape_.sleeps != 0 && item % shape_.sleeps == 0) std::this_thread::sleep_for(std::chrono::microseconds(30));
  }

  shape const& shape_;
  filter_state filters_[5];
  std::atomic<int> next_{0};
  std::atomic<int> made_{0};
  std::atomic<int> ended_{0};
  std::atomic<bool> wrong_{false};
};

}  // namespace

TEST_CASE("random pipelines bring each item through once") {
  for (int const threads : {2, 3, 8}) {
    test::thread_team const team(static_cast<std::size_t>(threads));
    std::mt19937 random(static_cast<unsigned>(threads));
    for (int i = 0; i < pipelines(); ++i) {
      CAPTURE(threads);
      CAPTURE(i);
      shape const s(random);
      pipeline(s, random).run();
    }
  }
}
