// SPDX-License-Identifier: Apache-2.0
#include "test_sender.h"

#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <system_error>
#include <thread>

TEST_CASE("sync_wait returns values, moved objects, and nothing of what was stopped") {
  auto const [one, text] = tbb::execution::sync_wait(ex::just(1, std::string("two"))).value();
  CHECK(one == 1);
  CHECK(text == "two");
  auto const [pointer] =
      tbb::execution::sync_wait(ex::schedule(own_scheduler()) | ex::then([] { return std::make_unique<int>(3); }))
          .value();
  CHECK(*pointer == 3);
  CHECK_FALSE(tbb::execution::sync_wait(sends([](auto& r) { ex::set_stopped(std::move(r)); })).has_value());
}

TEST_CASE("sync_wait throws an error code as a system_error, and another error as it is") {
  auto const timed_out = std::make_error_code(std::errc::timed_out);
  CHECK_THROWS_AS(tbb::execution::sync_wait(sends([=](auto& r) { ex::set_error(std::move(r), timed_out); })),
                  std::system_error);
  CHECK_THROWS_AS(tbb::execution::sync_wait(sends([](auto& r) { ex::set_error(std::move(r), 17); })), int);
}

TEST_CASE("a thread that waits runs what it waits for, though it is the only one") {
  tbb::task_arena alone(1);
  alone.execute([] {
    std::thread::id runner;
    ex::sync_wait(ex::schedule(own_scheduler()) | ex::then([&] { runner = std::this_thread::get_id(); }));
    CHECK(runner == std::this_thread::get_id());
  });
}

TEST_CASE("a worker that waits for a sender runs other tasks") {
  tbb::task_arena alone(1);
  alone.execute([] {
    std::atomic<bool> ran{false};
    tbb::task_group group;
    group.run([&] { ran = true; });
    tbb::task_arena second(2);
    // Completes elsewhere, after the other task has run.
    auto const waits_for_it = ex::schedule(arena_scheduler(second)) | ex::then([&] {
                                while (!ran) std::this_thread::yield();
                              });
    tbb::execution::sync_wait(waits_for_it);
    CHECK(ran);
    group.wait();
  });
}

TEST_CASE("a group that is cancelled stops a sender for which one of its tasks waits") {
  tbb::task_arena arena(2), other(2);
  // The sender runs elsewhere, or on the thread that waits for it.
  for (bool const elsewhere : {true, false}) {
    arena.execute([&] {
      tbb::task_group group;
      std::atomic<bool> began{false};
      bool stopped = false;
      group.run([&] {
        arena_scheduler const s = elsewhere ? arena_scheduler(other) : own_scheduler();
        auto const until_stopped = ex::schedule(s) | ex::let_value([&] {
                                     return ex::read_env(ex::get_stop_token) | ex::then([&](auto token) {
                                              began = true;
                                              while (!token.stop_requested()) std::this_thread::yield();
                                            });
                                   }) |
                                   ex::continues_on(s);
        stopped = !ex::sync_wait(until_stopped).has_value();
      });
      std::thread canceller([&] {
        while (!began) std::this_thread::yield();
        group.cancel();
      });
      group.wait();
      canceller.join();
      CHECK(stopped);
    });
  }
}

TEST_CASE("a stop callback of a sender is called when the waiting task's group is cancelled") {
  tbb::task_group group;
  std::atomic<bool> called{false};
  group.run([&] {
    ex::sync_wait(ex::schedule(own_scheduler()) | ex::let_value([&] {
                    return ex::read_env(ex::get_stop_token) | ex::then([&](auto token) {
                             auto const call = [&called]() noexcept { called = true; };
                             [[maybe_unused]] ex::stop_callback_for_t<decltype(token), decltype(call)> const on_stop(
                                 token, call);
                             CHECK(token.stop_possible());
                             CHECK_FALSE(called);
                             group.cancel();
                             CHECK(called);
                           });
                  }));
  });
  group.wait();
  CHECK(called);
}

TEST_CASE("waits nest in the bodies of a loop") {
  std::atomic<long> sum{0};
  tbb::parallel_for(0, 200, [&](int i) {
    auto const [value] = ex::sync_wait(ex::schedule(own_scheduler()) | ex::then([i] { return i; })).value();
    sum += value;
  });
  CHECK(sum == 199 * 100);
}
