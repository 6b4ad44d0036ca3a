// SPDX-License-Identifier: Apache-2.0
#include "recording_receiver.h"

#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

using tbb::execution::group_token;
using tbb::execution::stop_with;

static_assert(ex::scope_token<group_token>);
static_assert(ex::scope_association<group_token::association>);

TEST_CASE("a group waits for what was spawned into it, from any thread") {
  tbb::task_arena other(2);
  tbb::task_group group;
  std::atomic<int> over{0};
  auto const spawn = [&] {
    for (int i = 0; i < 200; ++i) {
      ex::spawn(ex::schedule(arena_scheduler(other)) | ex::then([&]() noexcept { ++over; }), group_token(group));
    }
  };
  spawn();
  std::thread(spawn).join();
  CHECK(group.wait() == tbb::complete);
  CHECK(over == 400);
}

TEST_CASE("a group that is cancelled stops what it has, and takes nothing more") {
  tbb::task_arena other(2);
  tbb::task_group group;
  std::atomic<bool> began{false}, over{false};
  ex::spawn(ex::schedule(arena_scheduler(other)) | ex::let_value([&] {
              return ex::read_env(ex::get_stop_token) | ex::then([&](auto token) noexcept {
                       began = true;
                       while (!token.stop_requested()) std::this_thread::yield();
                       over = true;
                     });
            }) | ex::upon_error([](auto&&) noexcept {}),
            group_token(group));
  while (!began) std::this_thread::yield();
  group.cancel();
  CHECK_FALSE(static_cast<bool>(group_token(group).try_associate()));
  CHECK(group.wait() == tbb::canceled);
  CHECK(over);
  auto const again = group_token(group).try_associate();
  CHECK(static_cast<bool>(again));
  CHECK(static_cast<bool>(again.try_associate()));
}

TEST_CASE("stop_with: the context's cancellation stops the sender, and so does the receiver's token") {
  for (bool const by_context : {true, false}) {
    tbb::task_group_context context;
    ex::inplace_stop_source source;
    record r;
    std::atomic<bool> began{false};
    tbb::task_arena arena(2);
    auto operation =
        ex::connect(stop_with(context, ex::schedule(arena_scheduler(arena)) | ex::let_value([&] {
                                         return ex::read_env(ex::get_stop_token) | ex::then([&](auto token) {
                                                  began = true;
                                                  while (!token.stop_requested()) std::this_thread::yield();
                                                });
                                       }) | ex::continues_on(arena_scheduler(arena))),
                    recording_receiver(r, source.get_token()));
    ex::start(operation);
    while (!began) std::this_thread::yield();
    if (by_context) {
      context.cancel_group_execution();
    } else {
      source.request_stop();
    }
    r.wait();
    CHECK(r.completed == record::stopped);
  }
}

TEST_CASE("the standard's scopes hold work of arenas, and a thread that joins them runs it") {
  auto const fill_and_join = [](auto& scope, arena_scheduler s) {
    std::atomic<int> over{0};
    for (int i = 0; i < 200; ++i) {
      ex::spawn(ex::schedule(s) | ex::then([&over]() noexcept { ++over; }), scope.get_token());
    }
    CHECK(tbb::execution::sync_wait(scope.join()).has_value());
    CHECK(over == 200);
  };
  for (int const places : {1, 2}) {
    tbb::task_arena arena(places);
    arena.execute([&] {
      ex::simple_counting_scope simple;
      ex::counting_scope scope;
      fill_and_join(simple, own_scheduler());
      fill_and_join(scope, own_scheduler());
    });
    ex::counting_scope outside;
    fill_and_join(outside, arena_scheduler(arena));
  }
}

TEST_CASE("a stop of a counting_scope reaches the loops in it") {
  ex::counting_scope scope;
  std::atomic<int> calls{0};
  bool stopped = true;
  auto const body = [&](int) {
    if (++calls == 10) scope.request_stop();
  };
  ex::spawn(ex::schedule(own_scheduler()) | ex::bulk_unchunked(ex::par, 100000, body) |
                ex::then([&stopped]() noexcept { stopped = false; }) | ex::upon_error([](auto&&) noexcept {}),
            scope.get_token());
  tbb::execution::sync_wait(scope.join());
  CHECK(stopped);
  CHECK(calls < 100000);
}

TEST_CASE("a group is the scope of futures, and of senders that are associated with it") {
  tbb::task_arena other(2);
  arena_scheduler const s(other);
  tbb::task_group group;
  auto future = ex::spawn_future(ex::schedule(s) | ex::then([] { return 42; }), group_token(group));
  CHECK(std::get<0>(tbb::execution::sync_wait(std::move(future)).value()) == 42);
  {
    auto const forgotten = ex::spawn_future(ex::schedule(s) | ex::then([] {}), group_token(group));
  }
  group.wait();
  auto associated = ex::associate(ex::schedule(s) | ex::then([] { return 1; }), group_token(group));
  CHECK(tbb::execution::sync_wait(std::move(associated)).has_value());
  group.cancel();
  auto refused = ex::associate(ex::schedule(s) | ex::then([] { return 1; }), group_token(group));
  CHECK_FALSE(tbb::execution::sync_wait(std::move(refused)).has_value());
  CHECK(group.wait() == tbb::canceled);
}
