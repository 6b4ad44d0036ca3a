// SPDX-License-Identifier: Apache-2.0
// A wait for a group in one of its own tasks throws; whatever ends, doesn't.
#include <support/eventually.h>
#include <support/thread_team.h>

#include <doctest/doctest.h>

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace {

// What a task of the group does: false if it has not thrown unsafe_wait.
template <typename F>
bool throws_in_own_task(F f) {
  tbb::task_group g;
  g.run([&] { f(g); });
  try {
    g.wait();
  } catch (tbb::unsafe_wait const&) {
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a wait in an own task throws, and the group can be used again") {
  test::thread_team const limit(4);
  tbb::task_group g;
  std::atomic<int> ran{0};
  g.run([&] {
    g.run([&] { ++ran; });
    g.wait();
    ran = 100;
  });
  CHECK_THROWS_AS(g.wait(), tbb::unsafe_wait);
  CHECK(ran.load() <= 1);
  g.run([&] { ran = 7; });
  CHECK(g.wait() == tbb::complete);
  CHECK(ran.load() == 7);
}

TEST_CASE("through algorithms and arenas in between") {
  test::thread_team const limit(4);
  for (int i = 0; i < 10; ++i) {
    CHECK(throws_in_own_task([](tbb::task_group& g) { tbb::parallel_for(0, 64, [&](int) { g.wait(); }); }));
    CHECK(throws_in_own_task([](tbb::task_group& g) {
      tbb::parallel_for(0, 4, [&](int) { tbb::parallel_for(0, 4, [&](int) { g.wait(); }); });
    }));
    CHECK(throws_in_own_task([](tbb::task_group& g) { tbb::parallel_invoke([&] { g.wait(); }, [] {}); }));
    CHECK(throws_in_own_task([](tbb::task_group& g) { tbb::this_task_arena::isolate([&] { g.wait(); }); }));
    CHECK(throws_in_own_task([](tbb::task_group& g) {
      tbb::task_arena other(2);
      other.execute([&] { g.wait(); });
    }));
    CHECK(throws_in_own_task([](tbb::task_group& g) {
      tbb::task_arena other(2), third(1);
      other.execute([&] { third.execute([&] { g.wait(); }); });
    }));
  }
  tbb::task_group g;
  CHECK_THROWS_AS(g.run_and_wait([&] { g.wait(); }), tbb::unsafe_wait);
  tbb::isolated_task_group isolated;
  isolated.run([&] { isolated.wait(); });
  CHECK_THROWS_AS(isolated.wait(), tbb::unsafe_wait);
}

TEST_CASE("no alarm: waits in tasks that last") {
  test::thread_team const limit(4);
  tbb::task_group g;
  std::atomic<int> complete{0};
  for (int i = 0; i < 4; ++i) {
    g.run([&] {
      tbb::task_group inner;
      for (int k = 0; k < 3; ++k) inner.run([] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); });
      tbb::parallel_for(0, 2, [&](int) {
        if (inner.wait() == tbb::complete) ++complete;
      });
    });
  }
  CHECK(g.wait() == tbb::complete);
  CHECK(complete == 8);
}

TEST_CASE("no alarm: a task of a group that nobody waits for outlives the task that made it") {
  test::thread_team const limit(4);
  for (int i = 0; i < 200; ++i) {
    tbb::task_group g;
    auto inner = std::make_unique<tbb::task_group>();
    std::atomic<bool> made{false};
    g.run([&] {
      inner = std::make_unique<tbb::task_group>();
      inner->run([&] { CHECK(g.wait() == tbb::complete); });
      made = true;
    });
    test::until(made);
    CHECK(g.wait() == tbb::complete);
    CHECK(inner->wait() == tbb::complete);
  }
}

TEST_CASE("no alarm: another group with the same context") {
  test::thread_team const limit(4);
  tbb::task_group_context shared;
  tbb::task_group a(shared), b(shared);
  std::atomic<int> ran{0};
  a.run([&] { ++ran; });
  b.run([&] {
    a.wait();
    ++ran;
  });
  CHECK(b.wait() == tbb::complete);
  CHECK(a.wait() == tbb::complete);
  CHECK(ran == 2);
}

TEST_CASE("no alarm: a task of another group that a task has waited for") {
  test::thread_team const limit(4);
  for (int i = 0; i < 500; ++i) {
    tbb::task_group outer, inner;
    std::atomic<bool> waited{false};
    outer.run([&] {
      inner.run([] {});
      CHECK(inner.wait() == tbb::complete);
      waited = true;
    });
    std::thread beside([&] {
      test::until(waited);
      inner.run([&] { CHECK(outer.wait() == tbb::complete); });
    });
    CHECK(outer.wait() == tbb::complete);
    beside.join();
    CHECK(inner.wait() == tbb::complete);
  }
}

TEST_CASE("no alarm: a task waits for its group's suspended task on another stack") {
  test::thread_team const limit(4);
  tbb::task_group g;
  std::atomic<void*> point{nullptr};
  std::atomic<bool> over{false};
  g.run([&] {
    tbb::task::suspend([&](tbb::task::suspend_point p) { point = p; });
    over = true;
  });
  tbb::task_group other;
  other.run([&] {
    while (point.load() == nullptr) std::this_thread::yield();
    tbb::task::resume(static_cast<tbb::task::suspend_point>(point.load()));
    CHECK(g.wait() == tbb::complete);
  });
  CHECK(g.wait() == tbb::complete);
  CHECK(other.wait() == tbb::complete);
  CHECK(over);
}
