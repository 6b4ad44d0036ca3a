// SPDX-License-Identifier: Apache-2.0
// A program that links src/execution/parallel_scheduler.cpp.
#include "stop_points.h"
#include "throw_kept.h"

#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
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
  CHECK_THROWS_AS(ex::sync_wait(ex::schedule(ex::get_parallel_scheduler()) | ex::then([] { throw_kept(""); })),
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

TEST_CASE("a stop comes at every point of its loops") {
  for_each_loop(ex::get_parallel_scheduler(),
                [](auto const& make, int steps) { stop_at_all_points(with_receiver(), make, steps); });
}

TEST_CASE("its threads sleep while there is nothing to do") {
  ex::sync_wait(ex::schedule(ex::get_parallel_scheduler()) |
                ex::bulk(ex::par, 1000, [](int) { std::this_thread::yield(); }));
  // How often the library's threads have waited for something.
  auto const waits = [] {
    long sum = 0;
    for (auto const& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream status(thread.path() / "status");
      bool ours = false;
      for (std::string word; status >> word;) {
        if (word == "Name:" && status >> word) ours = word.starts_with("ashlar");
        if (long n; ours && word == "voluntary_ctxt_switches:" && status >> n) sum += n;
      }
    }
    return sum;
  };
  std::this_thread::sleep_for(std::chrono::seconds(1));
  long const before = waits();
  CHECK(before > 0);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  CHECK(waits() - before == 0);
}
