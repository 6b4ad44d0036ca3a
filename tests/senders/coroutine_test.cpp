// SPDX-License-Identifier: Apache-2.0
#include "test_sender.h"
#include "throw_kept.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>

using tbb::co_task;
using tbb::co_wait;
using tbb::execution::sender_stopped;
using tbb::execution::value_of;

TEST_CASE("co_await on a sender gives nothing, the value, or a tuple") {
  auto const values = []() -> co_task<int> {
    co_await value_of(ex::just());
    int const one = co_await value_of(ex::schedule(own_scheduler()) | ex::then([] { return 1; }));
    auto const [two, text] = co_await value_of(ex::just(2, std::string("3")));
    auto const four = co_await value_of(ex::just(std::make_unique<int>(4)));
    co_return one + two + std::stoi(text) + *four;
  };
  CHECK(co_wait(values()) == 10);
}

TEST_CASE("the coroutine goes on in its arena, wherever the sender completes") {
  tbb::task_arena other(3);
  auto const threads = [](arena_scheduler s) -> co_task<int> {
    int const there =
        co_await value_of(ex::schedule(s) | ex::then([] { return tbb::this_task_arena::max_concurrency(); }));
    co_return 100 * there + tbb::this_task_arena::max_concurrency();
  };
  CHECK(co_wait(threads(arena_scheduler(other))) == 300 + tbb::this_task_arena::max_concurrency());
}

TEST_CASE("an error is thrown in the coroutine, and a stop is sender_stopped") {
  auto const failing = []() -> co_task<> {
    co_await value_of(ex::schedule(own_scheduler()) | ex::then([] { throw_kept("sender"); }));
  };
  CHECK_THROWS_WITH_AS(co_wait(failing()), "sender", std::runtime_error);
  auto const stopped = []() -> co_task<> { co_await value_of(sends([](auto& r) { ex::set_stopped(std::move(r)); })); };
  CHECK_THROWS_AS(co_wait(stopped()), sender_stopped);
}

TEST_CASE("the cancellation of the coroutine's group stops the sender that it awaits") {
  tbb::task_arena other(2);
  tbb::task_group group;
  std::atomic<bool> began{false}, stopped{false};
  tbb::co_run(group, [](arena_scheduler s, std::atomic<bool>& b, std::atomic<bool>& gone) -> co_task<> {
    try {
      co_await value_of(ex::schedule(s) | ex::let_value([&b] {
                          return ex::read_env(ex::get_stop_token) | ex::then([&b](auto token) {
                                   b = true;
                                   while (!token.stop_requested()) std::this_thread::yield();
                                 });
                        }) |
                        ex::continues_on(s));
    } catch (sender_stopped const&) {
      gone = true;
    }
  }(arena_scheduler(other), began, stopped));
  std::thread canceller([&] {
    while (!began) std::this_thread::yield();
    group.cancel();
  });
  group.wait();
  canceller.join();
  CHECK(stopped);
}

TEST_CASE("a co_task is a sender") {
  auto const answer = []() -> co_task<int> {
    co_return co_await value_of(ex::schedule(own_scheduler()) | ex::then([] { return 42; }));
  };
  CHECK(std::get<0>(ex::sync_wait(answer()).value()) == 42);
  auto const failing = []() -> co_task<int> {
    throw std::runtime_error("coroutine");
    co_return 0;
  };
  CHECK_THROWS_WITH_AS(tbb::execution::sync_wait(failing()), "coroutine", std::runtime_error);
}

TEST_CASE("coroutines and senders await each other many levels deep") {
  struct levels {
    static co_task<int> descend(int n) {
      if (n == 0) co_return 0;
      co_return 1 + co_await value_of(ex::schedule(own_scheduler()) | ex::let_value([n] { return descend(n - 1); }));
    }
  };
  CHECK(co_wait(levels::descend(100)) == 100);
}
