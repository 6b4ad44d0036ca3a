// SPDX-License-Identifier: Apache-2.0
// Floating-point control settings travel with arenas and contexts. The rounding mode and flush-to-zero are read from
// the control word itself: compilers move floating-point operations across the functions that change them.
#include <support/flush_to_zero.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>
#include <cfenv>
#include <thread>

namespace {

struct settings {
  int rounding;
  bool flush;
  bool operator==(settings const& o) const { return rounding == o.rounding && flush == o.flush; }
};

settings current() { return {std::fegetround(), test::flushes_to_zero()}; }
void apply(settings s) {
  std::fesetround(s.rounding);
  test::flush_to_zero(s.flush);
}

constexpr settings usual{FE_TONEAREST, false};
constexpr settings special{FE_UPWARD, true};
constexpr settings other{FE_DOWNWARD, false};

// Runs a loop and returns the number of iterations with other settings than these.
int strangers_inside(settings expected) {
  std::atomic<int> wrong{0};
  tbb::parallel_for(0, 10, [&](int) {
    if (!(current() == expected)) ++wrong;
  });
  return wrong;
}

// Runs a loop that two threads certainly share and returns the number of iterations with other settings than these.
template <typename... Context>
int strangers(settings expected, Context&... context) {
  std::atomic<int> wrong{0};
  std::atomic<int> inside{0};
  tbb::parallel_for(
      0, 2,
      [&](int) {
        if (!(current() == expected)) ++wrong;
        ++inside;
        while (inside < 2) std::this_thread::yield();
      },
      tbb::simple_partitioner(), context...);
  return wrong;
}

template <typename F>
void in_new_thread(F const& f) {
  std::thread(f).join();
}

}  // namespace

TEST_CASE("an arena has the settings of the thread that makes it") {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 4);
  for (settings const s : {special, usual, other}) {
    in_new_thread([s] {
      apply(s);
      CHECK(strangers(s) == 0);
      CHECK(current() == s);
    });
  }
}

TEST_CASE("in the arena that it calls, a function has the arena's settings, whatever the caller changed") {
  tbb::task_arena a(1);
  apply(special);
  a.initialize();
  apply(usual);
  a.execute([&] {
    CHECK(current() == special);
    apply(other);
    a.execute([&] {
      CHECK(current() == special);
      a.execute([&] { CHECK(current() == special); });
      CHECK(strangers_inside(special) == 0);
    });
    CHECK(current() == other);
    tbb::task_group_context captured(tbb::task_group_context::bound,
                                     tbb::task_group_context::default_traits | tbb::task_group_context::fp_settings);
    tbb::parallel_for(
        0, 1,
        [&](int) {
          CHECK(current() == other);
          a.execute([&] { CHECK(current() == special); });
          CHECK(current() == other);
        },
        captured);
    apply(special);
  });
  CHECK(current() == usual);
}

TEST_CASE("a context has the settings that it captured, and the thread gets its own back") {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 4);
  in_new_thread([] {
    CHECK(strangers(usual) == 0);
    apply(special);
    tbb::task_group_context captured(tbb::task_group_context::bound,
                                     tbb::task_group_context::default_traits | tbb::task_group_context::fp_settings);
    apply(other);
    CHECK(strangers(special, captured) == 0);
    CHECK(current() == other);
    apply(usual);
    captured.capture_fp_settings();
    apply(special);
    CHECK(strangers(usual, captured) == 0);
    CHECK(current() == special);
  });
}

TEST_CASE("a bound context inherits captured settings") {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 4);
  in_new_thread([] {
    apply(special);
    tbb::task_group_context captured;
    captured.capture_fp_settings();
    apply(usual);
    tbb::task_group_context child;
    int wrong = 0;
    tbb::parallel_for(0, 1, [&](int) { wrong = strangers(special, child) + strangers(special); }, captured);
    CHECK(wrong == 0);
    CHECK(current() == usual);
  });
}

TEST_CASE("what a stolen task changes ends with it") {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 2);
  in_new_thread([] {
    for (int round = 0; round < 100; ++round) {
      tbb::task_group group;
      std::atomic<bool> changed{false};
      group.run([&] {
        apply(special);
        changed = true;
      });
      while (!changed) std::this_thread::yield();
      group.wait();
      // The worker that ran the task has its arena's settings again.
      REQUIRE(strangers(usual) == 0);
    }
  });
}
