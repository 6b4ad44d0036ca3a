// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <atomic>
#include <stdexcept>
#include <thread>

namespace {

void await(std::atomic<bool> const& flag) {
  while (!flag) std::this_thread::yield();
}

}  // namespace

TEST_CASE("a context is cancelled once and can be reset") {
  tbb::task_group_context context;
  CHECK_FALSE(context.is_group_execution_cancelled());
  CHECK(context.cancel_group_execution());
  CHECK_FALSE(context.cancel_group_execution());
  CHECK(context.is_group_execution_cancelled());
  bool ran = false;
  tbb::parallel_for(0, 100, [&](int) { ran = true; }, context);
  tbb::parallel_invoke([&] { ran = true; }, [&] { ran = true; }, context);
  CHECK_FALSE(ran);
  context.reset();
  CHECK_FALSE(context.is_group_execution_cancelled());
  std::atomic<int> count{0};
  tbb::parallel_for(0, 100, [&](int) { ++count; }, context);
  CHECK(count == 100);
}

TEST_CASE("one of many threads cancels") {
  for (int round = 0; round < 50; ++round) {
    tbb::task_group_context context;
    std::atomic<int> winners{0};
    std::thread threads[4];
    for (auto& t : threads) t = std::thread([&] { winners += context.cancel_group_execution(); });
    for (auto& t : threads) t.join();
    REQUIRE(winners == 1);
  }
}

TEST_CASE("traits and priority are kept") {
  tbb::task_group_context plain;
  CHECK(plain.traits() == tbb::task_group_context::default_traits);
  CHECK(plain.priority() == tbb::priority_normal);
  plain.set_priority(tbb::priority_high);
  CHECK(plain.priority() == tbb::priority_high);
  tbb::task_group_context special(tbb::task_group_context::isolated,
                                  tbb::task_group_context::fp_settings | tbb::task_group_context::concurrent_wait);
  CHECK((special.traits() & tbb::task_group_context::fp_settings) != 0);
  CHECK((special.traits() & tbb::task_group_context::concurrent_wait) != 0);
}

TEST_CASE("cancellation goes down to bound contexts and not to isolated ones") {
  tbb::task_group_context outer;
  tbb::task_group_context bound;
  tbb::task_group_context isolated(tbb::task_group_context::isolated);
  tbb::task_group_context deeper;
  bool was_bound = false, was_isolated = true, was_deeper = false, outer_seen = false;
  tbb::parallel_invoke(
      [&] {
        tbb::parallel_for(0, 1, [](int) {}, isolated);
        tbb::parallel_for(
            0, 1,
            [&](int) {
              tbb::parallel_for(0, 1, [](int) {}, deeper);
              outer.cancel_group_execution();
              outer_seen = tbb::is_current_task_group_canceling();
            },
            bound);
        was_bound = bound.is_group_execution_cancelled();
        was_deeper = deeper.is_group_execution_cancelled();
        was_isolated = isolated.is_group_execution_cancelled();
      },
      [] {}, outer);
  CHECK(outer_seen);
  CHECK(was_bound);
  CHECK(was_deeper);
  CHECK_FALSE(was_isolated);
}

TEST_CASE("cancelling a child leaves its parent and its siblings alone") {
  tbb::task_group_context outer;
  std::atomic<int> siblings{0};
  tbb::parallel_invoke(
      [&] {
        tbb::task_group_context child;
        tbb::parallel_for(0, 10, [&](int) { child.cancel_group_execution(); }, child);
        CHECK(child.is_group_execution_cancelled());
        CHECK_FALSE(outer.is_group_execution_cancelled());
      },
      [&] { tbb::parallel_for(0, 100, [&](int) { ++siblings; }); }, outer);
  CHECK(siblings == 100);
  CHECK_FALSE(outer.is_group_execution_cancelled());
}

TEST_CASE("a context that was looked at before its first use is bound all the same") {
  tbb::task_group_context outer;
  tbb::task_group_context elsewhere(tbb::task_group_context::isolated);
  tbb::task_group_context child;
  elsewhere.cancel_group_execution();  // so that looking at a context means looking at its path
  bool ran = false;
  tbb::parallel_for(
      0, 1,
      [&](int) {
        outer.cancel_group_execution();
        CHECK_FALSE(child.is_group_execution_cancelled());
        tbb::parallel_for(0, 1, [&](int) { ran = true; }, child);
        CHECK(child.is_group_execution_cancelled());
      },
      outer);
  CHECK_FALSE(ran);
}

TEST_CASE("another thread cancels nested algorithms, and all of them end") {
  test::thread_team const limit(4);
  for (int round = 0; round < 20; ++round) {
    tbb::task_group_context context;
    std::atomic<bool> inside{false};
    std::atomic<bool> cancelled{false};
    std::thread other([&] {
      await(inside);
      CHECK(context.cancel_group_execution());
      cancelled = true;
    });
    std::atomic<int> after{0};
    tbb::parallel_for(
        0, 1000,
        [&](int) {
          tbb::task_group group;
          group.run([&] {
            inside = true;
            await(cancelled);
            tbb::parallel_invoke([&] { ++after; }, [&] { ++after; });
          });
          CHECK(group.wait() == tbb::canceled);
        },
        tbb::simple_partitioner(), context);
    other.join();
    REQUIRE(after == 0);
  }
}

TEST_CASE("an exception cancels its context and is delivered once") {
  tbb::task_group_context context;
  std::atomic<int> thrown{0};
  CHECK_THROWS_AS(tbb::parallel_for(
                      0, 100,
                      [&](int) {
                        ++thrown;
                        throw std::runtime_error("each of them");
                      },
                      context),
                  std::runtime_error);
  CHECK(thrown >= 1);
  CHECK(context.is_group_execution_cancelled());
  context.reset();
  CHECK_NOTHROW(tbb::parallel_for(0, 100, [](int) {}, context));
}

TEST_CASE("whichever function of parallel_invoke throws, the context is cancelled and the exception comes out") {
  for (int thrower = 0; thrower < 4; ++thrower) {
    tbb::task_group_context context;
    auto const f = [&](int i) {
      return [&, i] {
        if (i == thrower) throw i;
      };
    };
    int caught = -1;
    try {
      tbb::parallel_invoke(f(0), f(1), f(2), f(3), context);
    } catch (int i) {
      caught = i;
    }
    CHECK(caught == thrower);
    CHECK(context.is_group_execution_cancelled());
  }
}

TEST_CASE("several functions throw and one exception comes out") {
  test::thread_team const limit(4);
  for (int round = 0; round < 2000; ++round) {
    std::atomic<int> thrown{0};
    int caught = 0;
    auto const f = [&] {
      ++thrown;
      throw 1;
    };
    try {
      tbb::parallel_invoke(f, f, [&] { tbb::parallel_invoke(f, f, f); }, f);
    } catch (int) {
      ++caught;
    }
    REQUIRE(caught == 1);
    REQUIRE(thrown >= 1);
  }
}

TEST_CASE("the facade of a group is the context of its running tasks") {
  ashlar::sched::slot& s = ashlar::sched::this_slot();
  tbb::parallel_invoke(
      [] {
        ashlar::sched::slot& here = ashlar::sched::this_slot();
        tbb::task_group_context& facade = here.group().facade();
        CHECK(&facade == &here.group().facade());
        CHECK_FALSE(facade.is_group_execution_cancelled());
        CHECK(facade.cancel_group_execution());
        CHECK(tbb::is_current_task_group_canceling());
      },
      [] {});
  CHECK(s.outside_tasks());
  CHECK_FALSE(tbb::is_current_task_group_canceling());
}
