// SPDX-License-Identifier: Apache-2.0
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <type_traits>

using tbb::isolated_task_group;
using tbb::task_group;

static_assert(std::is_convertible_v<isolated_task_group&, task_group&>);
static_assert(!std::is_copy_constructible_v<isolated_task_group>);

TEST_CASE("a wait for an isolated group runs no task of another one, wherever that lies in the deque") {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  task_group others;
  isolated_task_group group;
  int own = 0;
  int foreign = 0;
  others.run([&] { ++foreign; });
  for (int i = 0; i < 3; ++i) group.run([&] { ++own; });
  others.run([&] { ++foreign; });
  for (int i = 0; i < 3; ++i) group.run([&] { ++own; });
  CHECK(group.wait() == tbb::complete);
  CHECK(own == 6);
  CHECK(foreign == 0);
  others.wait();
  CHECK(foreign == 2);
}

TEST_CASE("an ordinary group in its place runs the other tasks, too") {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  task_group others, group;
  int foreign = 0;
  group.run([] {});
  others.run([&] { ++foreign; });
  group.wait();
  CHECK(foreign == 1);
  others.wait();
}

TEST_CASE("two isolated groups don't mix; what their tasks spawn belongs to them") {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  isolated_task_group first, second;
  int of_first = 0;
  int of_second = 0;
  std::atomic<int> spawned{0};
  first.run([&] {
    tbb::parallel_for(0, 100, [&](int) { ++spawned; });
    first.run([&] { ++of_first; });
    ++of_first;
  });
  second.run([&] { ++of_second; });
  first.wait();
  CHECK(of_first == 2);
  CHECK(spawned == 100);
  CHECK(of_second == 0);
  second.wait();
  CHECK(of_second == 1);
}

// A wait's own jobs lie above its base; so may those of a region in it that nobody has waited for there.
TEST_CASE("a wait in an isolated region leaves alone what regions in it have left") {
  tbb::task_arena one(1);
  one.execute([&one] {
    isolated_task_group isolated;
    task_group free;
    int of_isolated = 0, of_free = 0, of_own = 0;
    tbb::this_task_arena::isolate([&] {
      task_group own;
      own.run([&] { ++of_own; });
      own.run([&] {
        isolated.run([&] { ++of_isolated; });
        one.execute([&] { free.run([&] { ++of_free; }); });
      });
      own.wait();
    });
    CHECK(of_own == 1);
    CHECK(of_isolated == 0);
    CHECK(of_free == 0);
    isolated.wait();
    CHECK(of_isolated == 1);
    free.wait();
    CHECK(of_free == 1);
  });
}

TEST_CASE("run_and_wait, handles, exceptions, cancellation and missing waits are those of task_group") {
  isolated_task_group group;
  task_group others;
  std::atomic<int> ran{0};
  CHECK(group.run_and_wait([&] { ++ran; }) == tbb::complete);
  CHECK(group.run_and_wait(group.defer([&] { ++ran; })) == tbb::complete);
  tbb::task_handle h = group.defer([&] { ++ran; });
  tbb::task_completion_handle t = h;
  group.run(std::move(h));
  CHECK(group.wait_for_task(t) == tbb::task_complete);
  CHECK(group.run_and_wait_for_task(group.defer([&] { ++ran; })) == tbb::task_complete);
  CHECK(ran == 4);
  group.run([] { throw std::runtime_error("out of an isolated task"); });
  CHECK_THROWS_WITH_AS(group.wait(), "out of an isolated task", std::runtime_error);
  group.cancel();
  group.run([&] { ++ran; });
  CHECK(group.wait() == tbb::canceled);
  CHECK(ran == 4);
}

TEST_CASE("an isolated group that ends without a wait says so") {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  auto const forget = [] {
    isolated_task_group group;
    group.run([] {});
  };
  CHECK_THROWS_AS(forget(), tbb::missing_wait);
}

TEST_CASE("other threads take part in an isolated group") {
  test::thread_team const limit(2);
  tbb::task_arena arena(2);
  std::atomic<int> inside{0};
  arena.execute([&] {
    isolated_task_group group;
    for (int i = 0; i < 2; ++i) {
      group.run([&] {
        ++inside;
        while (inside < 2) std::this_thread::yield();
      });
    }
    group.wait();
  });
  CHECK(inside == 2);
}
