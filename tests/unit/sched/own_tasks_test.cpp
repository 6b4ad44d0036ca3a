// SPDX-License-Identifier: Apache-2.0
// Waits that take only their own tasks: how long others hold them up, and that nothing is lost.
#include "support/thread_team.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <ashlar/base/exceptions.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace {

using steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

double since(steady::time_point then) {
  return std::chrono::duration<double, std::milli>(steady::now() - then).count();
}

auto sleeps(int ms) {
  return [ms] { std::this_thread::sleep_for(milliseconds(ms)); };
}

// How long a wait for a task of 10 ms takes beside tasks of 300 ms, of which there are more than threads.
template <typename Wait>
double delay_beside_long_tasks(int threads, Wait const& wait) {
  double worst = 0;
  for (int round = 0; round < 2; ++round) {
    tbb::task_group brief, lengthy;
    for (int i = 0; i < threads / 2; ++i) lengthy.run(sleeps(300));
    brief.run(sleeps(10));
    for (int i = 0; i < threads; ++i) lengthy.run(sleeps(300));
    auto const start = steady::now();
    wait(brief);
    worst = std::max(worst, since(start));
    lengthy.wait();
  }
  return worst;
}

}  // namespace

TEST_CASE("a wait for own tasks only is not held up by tasks of others") {
  for (int threads : {1, 2, 4, 8}) {
    CAPTURE(threads);
    test::thread_team const team(static_cast<std::size_t>(threads));
    // The promise is 15 ms on a quiet machine.
    CHECK(delay_beside_long_tasks(threads, [](tbb::task_group& g) { g.wait(tbb::own_tasks_only); }) < 150);
  }
}

TEST_CASE("a context can ask for waits for own tasks only") {
  test::thread_team const team(2);
  tbb::task_group_context context(tbb::task_group_context::bound, tbb::task_group_context::own_tasks_only);
  tbb::task_group_context plain;
  CHECK(context.traits() == tbb::task_group_context::own_tasks_only);
  tbb::task_group lengthy;
  SUBCASE("a group's") {
    tbb::task_group brief(context);
    brief.run(sleeps(10));
    for (int i = 0; i < 4; ++i) lengthy.run(sleeps(300));
    auto const start = steady::now();
    brief.wait();
    CHECK(since(start) < 150);
  }
  SUBCASE("run_and_wait") {
    tbb::task_group brief(context);
    for (int i = 0; i < 4; ++i) lengthy.run(sleeps(300));
    auto const start = steady::now();
    brief.run_and_wait([&] { brief.run(sleeps(10)); });
    CHECK(since(start) < 150);
  }
  SUBCASE("a loop's") {
    for (int i = 0; i < 4; ++i) lengthy.run(sleeps(300));
    auto const start = steady::now();
    tbb::parallel_for(
        0, 4, [](int) { std::this_thread::sleep_for(milliseconds(5)); }, tbb::simple_partitioner(), context);
    CHECK(since(start) < 150);
  }
  SUBCASE("parallel_invoke's") {
    for (int i = 0; i < 4; ++i) lengthy.run(sleeps(300));
    auto const start = steady::now();
    tbb::parallel_invoke(sleeps(5), sleeps(5), sleeps(5), context);
    CHECK(since(start) < 150);
  }
  lengthy.wait();
}

TEST_CASE("own tasks that another thread has spawned are found below others'") {
  test::thread_team const team(2);
  tbb::task_group brief, lengthy;
  std::atomic<bool> begun{false}, leave{false};
  std::atomic<int> done{0};
  // The other thread of the arena holds a long task, and its deque has brief's tasks between others.
  lengthy.run([&] {
    for (int i = 0; i < 20; ++i) {
      lengthy.run([&] { ++done; });
      brief.run([&] { ++done; });
      lengthy.run([&] { ++done; });
    }
    begun = true;
    while (!leave) std::this_thread::yield();
  });
  while (!begun) std::this_thread::yield();
  brief.wait(tbb::own_tasks_only);
  CHECK(done >= 20);
  leave = true;
  lengthy.wait();
  CHECK(done == 60);
}

TEST_CASE("an enclosing frame's jobs are taken for a wait for own tasks, and nothing is lost") {
  for (int threads : {1, 2, 4}) {
    test::thread_team const team(static_cast<std::size_t>(threads));
    for (int round = 0; round < 200; ++round) {
      std::atomic<int> done{0};
      tbb::task_group own, other;
      for (int i = 0; i < 5; ++i) {
        own.run([&] { ++done; });
        other.run([&] { ++done; });
      }
      tbb::parallel_invoke(
          [&] {
            // Inside of the loop's body the tasks lie below the base of the running task.
            tbb::parallel_for(0, 4, [&](int) { own.wait(tbb::own_tasks_only); });
          },
          [&] { ++done; }, [&] { other.run([&] { ++done; }); });
      own.wait(tbb::own_tasks_only);
      other.wait();
      CHECK(done == 12);
    }
  }
}

TEST_CASE("what the tasks of a wait for own tasks leave is done for others") {
  test::thread_team const team(2);
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> done{0};
    tbb::task_group own, other;
    for (int i = 0; i < 3; ++i) {
      own.run([&] {
        other.run([&] { ++done; });
        own.run([&] {
          tbb::task_group inner;
          inner.run([&] { ++done; });
          tbb::parallel_for(0, 8, [&](int) { ++done; });
          inner.wait();
        });
      });
    }
    own.wait(tbb::own_tasks_only);
    CHECK(done >= 27);
    other.wait();
    CHECK(done == 30);
  }
}

TEST_CASE("a wait for own tasks in an isolated region takes none from outside") {
  tbb::task_arena one(1);
  one.execute([] {
    tbb::task_group g;
    bool inside = false, taken_inside = false;
    g.run([&] { taken_inside = inside; });
    tbb::this_task_arena::isolate([&] {
      inside = true;
      tbb::task_group h;
      int done = 0;
      h.run([&] { ++done; });
      h.wait(tbb::own_tasks_only);
      CHECK(done == 1);
      inside = false;
    });
    g.wait(tbb::own_tasks_only);
    CHECK(!taken_inside);
  });
}

TEST_CASE("a wait for own tasks ends with the exception, the cancellation, and the refusal of a plain one") {
  tbb::task_group g;
  g.run([] { throw 7; });
  CHECK_THROWS_AS(g.wait(tbb::own_tasks_only), int);
  g.cancel();
  CHECK(g.wait(tbb::own_tasks_only) == tbb::canceled);
  g.run([&] { CHECK_THROWS_AS(g.wait(tbb::own_tasks_only), tbb::unsafe_wait); });
  CHECK(g.wait(tbb::own_tasks_only) == tbb::complete);
  CHECK(g.run_and_wait([&] { g.run([] {}); }, tbb::own_tasks_only) == tbb::complete);
}

TEST_CASE("an isolated group has the waits for own tasks, too") {
  tbb::isolated_task_group g;
  int done = 0;
  g.run([&] { ++done; });
  CHECK(g.wait(tbb::own_tasks_only) == tbb::complete);
  CHECK(g.run_and_wait([&] { ++done; }, tbb::own_tasks_only) == tbb::complete);
  CHECK(done == 2);
}

// The group's tasks lie where this thread takes nothing: others run them, and the thread waits.
TEST_CASE("a wait for own tasks of a group whose tasks are in another arena") {
  test::thread_team const team(2);
  tbb::task_arena other(2);
  tbb::task_group g;
  std::atomic<int> done{0};
  other.enqueue([&] { g.run([&] { ++done; }); });
  while (done == 0) std::this_thread::yield();
  other.execute([&] {
    for (int i = 0; i < 100; ++i) g.run([&] { ++done; });
  });
  g.wait(tbb::own_tasks_only);
  CHECK(done == 101);
}

// The wait brings tasks that were spawned before a fork above it: the fork moves in the deque before it is joined.
TEST_CASE("a wait for own tasks in a function of parallel_invoke leaves the other functions to it") {
  for (int const threads : {1, 2, 4}) {
    tbb::task_arena(threads).execute([] {
      std::atomic<int> done{0};
      constexpr int rounds = 500;
      auto const one = [&done] { ++done; };
      for (int i = 0; i < rounds; ++i) {
        tbb::task_group own, other;
        other.run(one);
        own.run(one);
        tbb::parallel_invoke(
            [&] {
              other.run(one);
              own.wait(tbb::own_tasks_only);
            },
            one, [&] { own.run(one); });
        own.wait();
        other.wait();
      }
      CHECK(done == 5 * rounds);
    });
  }
}
