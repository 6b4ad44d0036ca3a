// SPDX-License-Identifier: Apache-2.0
// The statistics as values of threads and as texts, and what `executed` counts.
#include "support/eventually.h"

#include <ashlar/sched/core/statistics.h>

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace ashlar::sched;

// What a program spawns and executes while statistics are on. A worker counts a job after the job has said that it is
// done, so the last one may be counted after the program has ended.
template <typename Program>
scheduler_statistics observe(Program const& program) {
  observe_statistics(true);
  scheduler_statistics const before = read_statistics();
  program();
  scheduler_statistics after;
  test::eventually([&] {
    after = read_statistics();
    after.spawned -= before.spawned;
    after.executed -= before.executed;
    return after.executed >= after.spawned;
  });
  observe_statistics(false);
  return after;
}

long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  tbb::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

TEST_CASE("each task that was spawned counts as executed, also if its spawner takes it back") {
  auto const same = [](scheduler_statistics const& s) {
    CHECK(s.spawned > 100);
    CHECK(s.executed == s.spawned);
  };
  SUBCASE("forks") {
    same(observe([] { CHECK(fib(12) == 144); }));
  }
  SUBCASE("a loop") {
    same(observe(
        [] { tbb::parallel_for(tbb::blocked_range<int>(0, 1000), [](auto const&) {}, tbb::simple_partitioner()); }));
  }
  SUBCASE("a reduction") {
    same(observe([] {
      int const sum = tbb::parallel_reduce(
          tbb::blocked_range<int>(0, 1000), 0, [](auto const& r, int x) { return x + static_cast<int>(r.size()); },
          std::plus<int>(), tbb::simple_partitioner());
      CHECK(sum == 1000);
    }));
  }
  SUBCASE("a group of tasks") {
    same(observe([] {
      tbb::task_group group;
      for (int i = 0; i < 500; ++i) group.run([] {});
      group.wait();
    }));
  }
  SUBCASE("jobs that a wait lays back") {
    same(observe([] {
      tbb::task_group group;
      tbb::isolated_task_group apart;
      for (int i = 0; i < 100; ++i) {
        group.run([] {});
        apart.run([] {});
        group.run([] {});
      }
      apart.wait();
      group.wait();
    }));
  }
}

TEST_CASE("the values of the threads add up to those of all") {
  observe_statistics(true);
  CHECK(fib(15) == 610);
  observe_statistics(false);
  std::vector<thread_statistics> threads(read_statistics_of_threads(nullptr, 0));
  REQUIRE(!threads.empty());
  REQUIRE(read_statistics_of_threads(threads.data(), threads.size()) == threads.size());
  scheduler_statistics const all = read_statistics();
  std::uint64_t executed = 0, parks = 0;
  unsigned application = 0;
  for (thread_statistics const& t : threads) {
    executed += t.did.executed;
    parks += t.did.parks;
    CHECK(t.number >= 1);
    application += t.worker ? 0 : 1;
  }
  CHECK(executed == all.executed);
  CHECK(application >= 1);
  CHECK(parks <= read_statistics().parks);
  CHECK(statistics_ticks_per_ns() > 0.01);
}

TEST_CASE("the table fits a screen, and a text that has no room is cut off") {
  std::vector<char> text(write_statistics(nullptr, 0, statistics_form::table) + 200);
  REQUIRE(write_statistics(text.data(), text.size(), statistics_form::table) < text.size());
  std::string const table = text.data();
  std::size_t lines = 0;
  for (std::size_t begin = 0, to = 0; (to = table.find('\n', begin)) != std::string::npos; begin = to + 1, ++lines) {
    CHECK(to - begin <= 80);
  }
  CHECK(lines <= 30);
  char few[10];
  CHECK(write_statistics(few, sizeof few, statistics_form::json) > sizeof few);
  CHECK(std::strlen(few) == sizeof few - 1);
}

}  // namespace
