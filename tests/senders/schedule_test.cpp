// SPDX-License-Identifier: Apache-2.0
#include "recording_receiver.h"
#include "throw_kept.h"

#include <tbb/global_control.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

static_assert(ex::scheduler<arena_scheduler>);
static_assert(std::is_nothrow_copy_constructible_v<arena_scheduler>);
static_assert(ex::sender<decltype(ex::schedule(std::declval<arena_scheduler>()))>);
static_assert(ex::unstoppable_token<ex::never_stop_token>);

TEST_CASE("a scheduler is equal to itself, its copies, and others of the same arena and context") {
  tbb::task_arena one(2), other(2);
  tbb::task_group_context context;
  arena_scheduler const s(one);
  CHECK(s == arena_scheduler(one));
  CHECK(s != arena_scheduler(other));
  CHECK(s != s.in(context));
  CHECK(s.in(context) == arena_scheduler(one).in(context));
  CHECK(own_scheduler() == own_scheduler());
  CHECK(other.execute([] { return own_scheduler(); }) == arena_scheduler(other));
}

TEST_CASE("a schedule sender tells its scheduler, and the scheduler its progress") {
  arena_scheduler const s = own_scheduler();
  auto const sender = ex::schedule(s);
  CHECK(ex::get_completion_scheduler<ex::set_value_t>(ex::get_env(sender)) == s);
  CHECK(ex::get_forward_progress_guarantee(s) == ex::forward_progress_guarantee::parallel);
}

TEST_CASE("work runs in the scheduler's arena") {
  tbb::task_arena arena(3);
  auto const threads = [] { return tbb::this_task_arena::max_concurrency(); };
  auto const [in_arena] = ex::sync_wait(ex::schedule(arena_scheduler(arena)) | ex::then(threads)).value();
  CHECK(in_arena == 3);
  auto const [in_own] = ex::sync_wait(ex::schedule(own_scheduler()) | ex::then(threads)).value();
  CHECK(in_own == tbb::this_task_arena::max_concurrency());
  auto const [moved] = ex::sync_wait(ex::just(1) | ex::continues_on(arena_scheduler(arena)) |
                                     ex::then([&](int i) { return i + threads(); }))
                           .value();
  CHECK(moved == 4);
}

TEST_CASE("work is no task of the group in which it is started") {
  tbb::task_group group;
  bool cancelled = true;
  group.run([&] {
    arena_scheduler const s = own_scheduler();
    group.cancel();
    // The implementation's sync_wait would see the cancellation; the operation does not.
    record r;
    auto operation = ex::connect(
        ex::schedule(s) | ex::then([&] { cancelled = tbb::is_current_task_group_canceling(); }), recording_receiver(r));
    ex::start(operation);
    tbb::task_group inner;
    while (r.completed.load() == record::nothing) inner.run_and_wait([] {});
  });
  group.wait();
  CHECK_FALSE(cancelled);
}

TEST_CASE("a stop that is requested before the work begins completes with set_stopped, a later one does not") {
  tbb::task_arena arena(2);
  for (bool const before : {true, false}) {
    ex::inplace_stop_source source;
    if (before) source.request_stop();
    record r;
    auto operation = ex::connect(ex::schedule(arena_scheduler(arena)), recording_receiver(r, source.get_token()));
    ex::start(operation);
    r.wait();
    if (!before) source.request_stop();
    CHECK(r.completed == (before ? record::stopped : record::value));
    CHECK(r.by != std::this_thread::get_id());
  }
}

TEST_CASE("work of a context that is cancelled is stopped") {
  tbb::task_arena arena(2);
  tbb::task_group_context context;
  arena_scheduler const s = arena_scheduler(arena).in(context);
  CHECK(ex::sync_wait(ex::schedule(s)).has_value());
  context.cancel_group_execution();
  CHECK_FALSE(ex::sync_wait(ex::schedule(s)).has_value());
  context.reset();
  CHECK(ex::sync_wait(ex::schedule(s)).has_value());
}

TEST_CASE("an exception of the work is the error, and is thrown by sync_wait") {
  tbb::task_arena arena(2);
  auto const throws = ex::schedule(arena_scheduler(arena)) | ex::then([]() -> int { throw_kept("work"); });
  CHECK_THROWS_WITH_AS(ex::sync_wait(throws), "work", std::runtime_error);
  CHECK_THROWS_WITH_AS(tbb::execution::sync_wait(throws), "work", std::runtime_error);
}

TEST_CASE("started outside of tasks the work needs nobody who waits, whatever the number of threads") {
  for (int const threads : {1, 2, 8, 64}) {
    tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
    record r;
    auto operation = ex::connect(ex::schedule(own_scheduler()), recording_receiver(r));
    ex::start(operation);
    r.wait();
    CHECK(r.completed == record::value);
  }
}

TEST_CASE("a chain of work goes on though the thread that waits for it waits outside of the library") {
  for (int const threads : {1, 2, 8}) {
    tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
    for (int const places : {1, 2}) {
      tbb::task_arena arena(places);
      arena.execute([] {
        arena_scheduler const s = own_scheduler();
        record r;
        auto operation = ex::connect(ex::schedule(s) | ex::let_value([s] {
                                       return ex::schedule(s) | ex::let_value([s] { return ex::schedule(s); });
                                     }),
                                     recording_receiver(r));
        ex::start(operation);
        r.wait();
        CHECK(r.completed == record::value);
      });
    }
  }
}

TEST_CASE("bodies that sleep run beside each other, as many as the arena has places") {
  for (int const threads : {1, 2, 4, 16, 64}) {
    tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, std::size_t(threads) + 1);
    tbb::task_arena arena(threads, 0);
    std::atomic<int> now{0}, most{0}, over{0};
    // A body sleeps until so many others sleep.
    auto const body = [&] {
      int const others = ++now;
      for (int seen = most; seen < others && !most.compare_exchange_weak(seen, others);) {
      }
      while (most < threads) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      --now;
      ++over;
    };
    struct one {
      one(tbb::task_arena& a, decltype(body) const& b)
          : operation(ex::connect(ex::schedule(arena_scheduler(a)) | ex::then(b), recording_receiver(r))) {}
      record r;
      decltype(ex::connect(ex::schedule(std::declval<arena_scheduler>()) | ex::then(body),
                           recording_receiver(std::declval<record&>()))) operation;
    };
    std::vector<std::unique_ptr<one>> all;
    for (int i = 0; i < 2 * threads; ++i) all.push_back(std::make_unique<one>(arena, body));
    for (auto& o : all) ex::start(o->operation);
    for (auto& o : all) o->r.wait();
    CHECK(over == 2 * threads);
    CHECK(most == threads);
  }
}

TEST_CASE("many threads schedule in one arena") {
  tbb::task_arena arena(4);
  std::atomic<int> count{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) ex::sync_wait(ex::schedule(arena_scheduler(arena)) | ex::then([&] { ++count; }));
      });
    }
  }
  CHECK(count == 2000);
}

TEST_CASE("what a task starts in an arena of one place runs while the task waits elsewhere") {
  tbb::task_arena arena(1, 1);
  arena.execute([] {
    tbb::task_group group;
    group.run([] {
      record r;
      auto work = ex::connect(ex::schedule(own_scheduler()), recording_receiver(r));
      ex::start(work);
      r.wait();
    });
    group.wait();
  });
}
