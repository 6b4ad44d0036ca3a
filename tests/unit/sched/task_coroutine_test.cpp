// SPDX-License-Identifier: Apache-2.0
#include <tbb/coroutine.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

using tbb::co_run;
using tbb::co_task;
using tbb::co_wait;
using tbb::task_group;

static_assert(std::is_nothrow_move_constructible_v<co_task<int>> && !std::is_copy_constructible_v<co_task<int>>);

namespace {

co_task<int> answer() { co_return 42; }
co_task<std::unique_ptr<int>> moved() { co_return std::make_unique<int>(7); }
co_task<std::string&> reference(std::string& s) { co_return s; }
co_task<> throwing() {
  throw std::runtime_error("out of a coroutine");
  co_return;
}
co_task<int> sum() { co_return co_await answer() + *co_await moved(); }

// Each level awaits the next: as deep as no stack of frames could be.
co_task<long> descend(long n) {
  if (n == 0) co_return 0;
  co_return co_await descend(n - 1) + 1;
}

co_task<long> fibonacci(int n) {
  if (n < 2) co_return n;
  task_group group;
  long left = 0;
  co_run(group, [](long& result, int m) -> co_task<> { result = co_await fibonacci(m); }(left, n - 1));
  long const right = co_await fibonacci(n - 2);
  CHECK(co_await group == tbb::complete);
  co_return left + right;
}

}  // namespace

TEST_CASE("co_wait returns values, references and moved objects, and throws") {
  CHECK(co_wait(answer()) == 42);
  CHECK(*co_wait(moved()) == 7);
  std::string text = "here";
  CHECK(&co_wait(reference(text)) == &text);
  CHECK_THROWS_WITH_AS(co_wait(throwing()), "out of a coroutine", std::runtime_error);
  CHECK(co_wait(sum()) == 49);
  auto const catches = []() -> co_task<bool> {
    try {
      co_await throwing();
    } catch (std::runtime_error const&) {
      co_return true;
    }
    co_return false;
  };
  CHECK(co_wait(catches()));
}

TEST_CASE("a coroutine that is never started is destroyed with its object") {
  auto token = std::make_shared<int>(1);
  {
    auto const make = [](std::shared_ptr<int> held) -> co_task<> {
      ++*held;
      co_return;
    };
    co_task<> never = make(token);
    CHECK(token.use_count() == 2);
    co_task<> const taken = std::move(never);
    CHECK(!static_cast<bool>(never));  // NOLINT: moved-from is empty by contract
  }
  CHECK(token.use_count() == 1);
  CHECK(*token == 1);
}

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("awaiting grows no stack: control is transferred symmetrically") {
  // Compilers make tail calls of the transfers only when they optimize, and not under sanitizers.
  CHECK(co_wait(descend(1000000)) == 1000000);
}
#else
TEST_CASE("coroutines await each other a thousand deep") { CHECK(co_wait(descend(1000)) == 1000); }
#endif

TEST_CASE("co_await on a group goes on when all its tasks are over, on any number of threads") {
  for (int threads : {1, 2, 4}) {
    test::thread_team const limit(static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    long const result = arena.execute([] { return co_wait(fibonacci(12)); });
    CHECK(result == 144);
  }
}

TEST_CASE("while a coroutine waits for a group, its thread does other work") {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  task_group inner, outer;
  bool go = false;
  int steps = 0;
  // The one thread there is must leave the first coroutine to run what that waits for.
  co_run(outer, [](task_group& g, bool& b, int& n) -> co_task<> {
    co_await g;
    CHECK(b);
    ++n;
  }(inner, go, steps));
  inner.run([&] {
    go = true;
    ++steps;
  });
  outer.wait();
  CHECK(steps == 2);
}

TEST_CASE("two coroutines that wait for each other's continuations don't bury each other") {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  task_group all, first, second;
  tbb::task_handle last = second.defer([] {});
  int order = 0;
  co_run(all, [](task_group& g, tbb::task_handle& h, int& n) -> co_task<> {
    co_await g;
    n = n * 10 + 1;
    co_await std::move(h);
  }(first, last, order));
  co_run(all, [](task_group& g, int& n) -> co_task<> {
    co_await g;  // over only after the first coroutine has gone on
    n = n * 10 + 2;
  }(second, order));
  first.run([] {});
  all.wait();
  CHECK(order == 12);
}

TEST_CASE("co_await on a group throws what wait() would, and tells of cancellation") {
  auto const coroutine = []() -> co_task<int> {
    int caught = 0;
    task_group group;
    group.run([] { throw std::runtime_error("out of a task"); });
    try {
      co_await group;
    } catch (std::runtime_error const& e) {
      caught += e.what() == std::string("out of a task");
    }
    group.run([] {});
    caught += co_await group == tbb::complete;
    group.cancel();
    group.run([] {});
    caught += co_await group == tbb::canceled;
    co_return caught;
  };
  CHECK(co_wait(coroutine()) == 3);
}

TEST_CASE("co_await runs a deferred task, or waits for one that others run, and tells its status") {
  auto const coroutine = []() -> co_task<int> {
    int right = 0;
    task_group group;
    bool ran = false;
    right += co_await group.defer([&] { ran = true; }) == tbb::task_complete && ran;

    std::atomic<int> steps{0};
    tbb::task_handle first = group.defer([&] { ++steps; });
    tbb::task_handle second = group.defer([&] { steps = steps * 10; });
    task_group::set_task_order(first, second);
    tbb::task_completion_handle end = second;
    group.run(std::move(second));
    group.run(std::move(first));
    right += co_await end == tbb::task_complete && steps == 10;
    right += co_await end == tbb::task_complete;

    right += co_await group.defer([] { throw 1; }) == tbb::canceled;
    try {
      co_await group;
    } catch (int) {
      ++right;
    }
    co_return right;
  };
  CHECK(co_wait(coroutine()) == 5);
}

TEST_CASE("an exception that leaves a coroutine of a group goes to the group and cancels it") {
  task_group group;
  co_run(group, throwing());
  CHECK_THROWS_WITH_AS(group.wait(), "out of a coroutine", std::runtime_error);
  CHECK(group.wait() == tbb::complete);
}

TEST_CASE("a cancelled group destroys coroutines that have not started; others can ask") {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  task_group group, other;
  auto token = std::make_shared<int>(0);
  int asked = 0;
  auto const started = [](task_group& own, task_group& g, int& n, std::shared_ptr<int> held) -> co_task<> {
    n += tbb::is_current_task_group_canceling() ? 100 : 1;
    g.run([&own] { own.cancel(); });
    co_await g;
    n += tbb::is_current_task_group_canceling() ? 1 : 100;
    ++*held;
  };
  auto const never = [](std::shared_ptr<int> held) -> co_task<> {
    *held += 100;
    co_return;
  };
  co_run(group, never(token));
  co_run(group, started(group, other, asked, token));  // newest first
  CHECK(group.wait() == tbb::canceled);
  CHECK(asked == 2);
  CHECK(*token == 1);
  CHECK(token.use_count() == 1);
}

TEST_CASE("a coroutine goes on in the arena where it stopped") {
  test::thread_team const two(2);  // a worker starts it, if nobody else does
  tbb::task_arena arena(5);
  task_group elsewhere;
  tbb::task_handle h = elsewhere.defer([] {});
  tbb::task_completion_handle end = h;
  task_group all;
  std::atomic<bool> waits{false};
  std::atomic<int> here{0};
  arena.execute([&] {
    co_run(all, [](tbb::task_completion_handle e, std::atomic<bool>& w, std::atomic<int>& n) -> co_task<> {
      w = true;
      co_await e;
      n += tbb::this_task_arena::max_concurrency() == 5;
    }(end, waits, here));
  });
  arena.execute([&] {
    // Takes part until the coroutine has stopped, or nearly.
    while (!waits) tbb::parallel_for(0, 10, [](int) {});
  });
  elsewhere.run(std::move(h));
  elsewhere.wait();
  all.wait();
  CHECK(here == 1);
}

namespace {

// Somebody else's coroutine: it starts at once, and nobody waits for it.
struct fire_and_forget {
  struct promise_type {
    static fire_and_forget get_return_object() noexcept { return {}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() { throw; }
  };
};

}  // namespace

TEST_CASE("coroutines of any type can await groups, tasks and our coroutines; they go on outside of all groups") {
  std::atomic<int> steps{0};
  task_group group;
  tbb::parallel_for(0, 1, [&](int) {
    group.run([&] { ++steps; });
    [](task_group& g, std::atomic<int>& n) -> fire_and_forget {
      co_await g;
      n += co_await answer();
      n += co_await g.defer([] {}) == tbb::task_complete && !tbb::is_inside_task() ? 100 : 0;
    }(group, steps);
  });
  while (steps != 143) tbb::parallel_for(0, 10, [](int) {});
  group.wait();
  CHECK(steps == 143);
}

namespace {

// Waits for coroutines in the middle of a classic task.
class waits_for_coroutines : public tbb::task {
 public:
  explicit waits_for_coroutines(int& same) : same_(same) {}
  task* execute() override {
    auto const nothing = []() -> co_task<> { co_return; };
    auto const stops = [](task_group& g) -> co_task<> { co_await g; };
    task_group group, other;
    co_run(group, nothing());
    group.wait();
    same_ += &self() == this;
    co_run(group, stops(other));  // runs after the other group's task is spawned, goes on when that is over
    other.run([] {});
    group.wait();
    same_ += &self() == this;
    other.wait();  // a thief may have begun the coroutine before the other group had a task
    return nullptr;
  }

 private:
  int& same_;
};

}  // namespace

TEST_CASE("a classic task that waits for coroutines is still the running one afterwards") {
  for (int threads : {1, 4}) {
    test::thread_team const limit(static_cast<std::size_t>(threads));
    int same = 0;
    for (int i = 0; i < 10; ++i) {
      tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) waits_for_coroutines(same));
    }
    CHECK(same == 20);
  }
}

TEST_CASE("many coroutines wait for groups that others wait for, and for each other's tasks") {
  tbb::task_arena arena(4);
  std::atomic<int> over{0};
  arena.execute([&] {
    for (int round = 0; round < 50; ++round) {
      task_group all, work;
      for (int i = 0; i < 8; ++i) {
        co_run(all, [](task_group& g, std::atomic<int>& n, int k) -> co_task<> {
          for (int j = 0; j < k; ++j) g.run([] {});
          co_await g.defer([] {});
          co_await g;
          ++n;
        }(work, over, i));
      }
      work.wait();
      all.wait();
    }
  });
  CHECK(over == 400);
}
