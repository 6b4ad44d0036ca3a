// SPDX-License-Identifier: Apache-2.0
// A program that links src/execution/parallel_scheduler.cpp.
#include "recording_receiver.h"

#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace {
int threads_here() { return tbb::this_task_arena::max_concurrency(); }
}  // namespace

TEST_CASE("the parallel scheduler is an arena of the library's, for all who ask") {
  ex::parallel_scheduler const s = ex::get_parallel_scheduler();
  CHECK(s == ex::get_parallel_scheduler());
  auto const here = [] { return std::pair(tbb::this_task_arena::current_thread_index(), threads_here()); };
  auto const [index, threads] = std::get<0>(ex::sync_wait(ex::schedule(s) | ex::then(here)).value());
  CHECK(index != tbb::task_arena::not_initialized);
  CHECK(threads == tbb::info::default_concurrency());
}

TEST_CASE("its bulk algorithms are loops of the library's") {
  std::vector<std::atomic<int>> calls(1000);
  auto const count = [&](std::size_t i) { ++calls[i]; };
  ex::sync_wait(ex::schedule(ex::get_parallel_scheduler()) | ex::bulk(ex::par, calls.size(), count) |
                ex::bulk_unchunked(ex::par, calls.size(), count));
  for (auto const& c : calls) CHECK(c == 2);
}

TEST_CASE("its work stops and fails as other work does") {
  ex::inplace_stop_source source;
  source.request_stop();
  record r;
  auto stopped = ex::connect(ex::schedule(ex::get_parallel_scheduler()), recording_receiver(r, source.get_token()));
  ex::start(stopped);
  r.wait();
  CHECK(r.completed == record::stopped);
  CHECK_THROWS_AS(
      ex::sync_wait(ex::schedule(ex::get_parallel_scheduler()) | ex::then([] { throw std::runtime_error(""); })),
      std::runtime_error);
}

TEST_CASE("many threads wait for many senders of it") {
  std::atomic<int> over{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&over] {
      auto const one = ex::schedule(ex::get_parallel_scheduler()) | ex::then([&over] { ++over; });
      for (int i = 0; i < 200; ++i) ex::sync_wait(one);
    });
  }
  threads.clear();
  CHECK(over == 1600);
}

TEST_CASE("its worker is no limit for the program") {
  ex::sync_wait(ex::schedule(ex::get_parallel_scheduler()));
  auto const limit = static_cast<std::size_t>(tbb::info::default_concurrency()) + 14;
  tbb::global_control const control(tbb::global_control::max_allowed_parallelism, limit);
  CHECK(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) == limit);
}
