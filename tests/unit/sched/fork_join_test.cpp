// SPDX-License-Identifier: Apache-2.0
// A fork-join whose second half has been taken by a wait in the first one, beside jobs of enclosing frames.
#include <ashlar/sched/core/slot.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

namespace sched = ashlar::sched;

namespace {

// Spawns so many tasks, then forks in an isolated region, where the second half is run within the first one. Returns
// how many of the tasks ran in the region.
int strangers_in_region(int tasks) {
  int strangers = 0;
  bool inside = false;
  tbb::task_arena(1).execute([&] {
    tbb::task_group group;
    for (int i = 0; i != tasks; ++i) group.run([&] { strangers += inside; });
    tbb::this_task_arena::isolate([&] {
      inside = true;
      int halves = 0;
      tbb::parallel_invoke(
          [&] {
            ++halves;
            CHECK(sched::this_slot().run_newest());  // as a wait does
          },
          [&] { ++halves; });
      CHECK(halves == 2);
      inside = false;
    });
    // What lay there before the region lies there again, and does not belong to it.
    sched::slot& s = sched::this_slot();
    sched::job_key key = 0;
    sched::job* const newest = s.pop(key);
    REQUIRE(newest != nullptr);
    CHECK(sched::isolation_of(key) == 0);
    s.spawn(*newest, key);
    group.wait();
  });
  return strangers;
}

}  // namespace

TEST_CASE("a fork-join leaves jobs of enclosing frames where they lie") {
  for (int const tasks : {1, 2, 3, 100}) {
    CAPTURE(tasks);
    CHECK(strangers_in_region(tasks) == 0);
  }
}
