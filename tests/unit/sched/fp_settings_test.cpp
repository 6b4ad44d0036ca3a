// SPDX-License-Identifier: Apache-2.0
// Floating-point control settings travel with arenas and contexts. The rounding mode and flush-to-zero are read from
// the control word itself: compilers move floating-point operations across the functions that change them.
#include <support/flush_to_zero.h>
#include <support/thread_team.h>
#include <tbb/blocked_range.h>
#include <tbb/collaborative_call_once.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>
#include <cfenv>
#include <thread>
#include <utility>
#include <vector>

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
  test::thread_team const limit(4);
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
  test::thread_team const limit(4);
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
  test::thread_team const limit(4);
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
  test::thread_team const limit(2);
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

// The words of the bodies that the calling thread runs are those of the bodies that workers run.
TEST_CASE("settings that the thread changes after its first use hold in none of the bodies") {
  test::thread_team const limit(4);
  in_new_thread([] {
    CHECK(strangers(usual) == 0);  // the arena is made
    tbb::task_group made_before;
    tbb::task_group_context captured(tbb::task_group_context::bound, tbb::task_group_context::fp_settings);
    apply(special);
    std::atomic<int> bodies{0};
    std::atomic<int> wrong{0};
    auto const body = [&] {
      ++bodies;
      if (!(current() == usual)) ++wrong;
    };
    auto const check = [&](int least) {
      CHECK(bodies >= least);
      CHECK(wrong == 0);
      CHECK(current() == special);
      bodies = wrong = 0;
    };
    using range = tbb::blocked_range<int>;
    CHECK(strangers(usual) == 0);
    CHECK(strangers(usual, captured) == 0);
    tbb::task_group_context fresh;
    CHECK(strangers(usual, fresh) == 0);
    tbb::task_group_context isolated(tbb::task_group_context::isolated);
    CHECK(strangers(usual, isolated) == 0);
    tbb::task_group_context own(tbb::task_group_context::bound, tbb::task_group_context::fp_settings);
    CHECK(strangers(special, own) == 0);
    tbb::parallel_for(range(0, 8, 1), [&](range const&) { body(); });
    check(1);
    auto const reduction = [&](range const&, int v, auto... /* of a scan: whether it is the last one */) {
      body();
      return v;
    };
    auto const join = [](int a, int) { return a; };
    tbb::parallel_reduce(range(0, 8), 0, reduction, join);
    check(1);
    tbb::parallel_deterministic_reduce(range(0, 8), 0, reduction, join);
    check(1);
    tbb::parallel_scan(range(0, 8), 0, reduction, join);
    check(1);
    std::vector<int> items(8);
    tbb::parallel_for_each(items, [&](int) { body(); });
    check(8);
    tbb::parallel_sort(items.begin(), items.end(), [&](int a, int b) {
      body();
      return a < b;
    });
    check(1);
    tbb::parallel_invoke(body, body, body);
    check(3);
    int left = 8;
    tbb::parallel_pipeline(2,
                           tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& end) {
                             body();
                             if (--left == 0) end.stop();
                             return 0;
                           }) & tbb::make_filter<int, void>(tbb::filter_mode::parallel, [&](int) { body(); }));
    check(8);
    for (tbb::task_group* group : {&made_before}) {
      for (int i = 0; i < 8; ++i) group->run(body);
      group->wait();
      check(8);
      group->run_and_wait(body);
      check(1);
      tbb::task_handle h = group->defer(body);
      group->run_and_wait(std::move(h));
      check(1);
    }
    tbb::isolated_task_group alone;
    alone.run(body);
    alone.wait();
    check(1);
    tbb::structured_task_group structured;
    auto task = tbb::make_task(body);
    structured.run(task);
    structured.wait();
    check(1);
    tbb::collaborative_once_flag once;
    tbb::collaborative_call_once(once, body);
    check(1);
  });
}

TEST_CASE("settings that a body changes hold in none of the bodies of its loops") {
  test::thread_team const limit(4);
  in_new_thread([] {
    tbb::parallel_for(0, 1, [](int) {
      apply(special);
      CHECK(strangers(usual) == 0);
      CHECK(current() == special);
      apply(usual);
    });
  });
}

TEST_CASE("an arena that takes the place of a thread's own keeps its settings") {
  in_new_thread([] {
    tbb::parallel_for(0, 1, [](int) {});
    apply(special);
    test::thread_team const limit(4);
    CHECK(strangers(usual) == 0);
    CHECK(current() == special);
  });
}
