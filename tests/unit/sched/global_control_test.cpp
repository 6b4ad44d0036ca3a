// SPDX-License-Identifier: Apache-2.0
#include <tbb/detail/_assert.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_init.h>

#include <doctest/doctest.h>

#include "support/death.h"
#include "support/thread_team.h"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <set>
#include <stdexcept>
#include <thread>

using tbb::global_control;

namespace {

// The number of threads that take part in a loop whose iterations wait for each other as long as it may take.
int threads_seen(int iterations) {
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  tbb::parallel_for(
      0, iterations,
      [&](int) {
        int const now = ++inside;
        int seen = most.load();
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        for (int spin = 0; spin < 20000; ++spin) {
          if (most.load() > now) break;
        }
        --inside;
      },
      tbb::simple_partitioner());
  return most;
}

}  // namespace

TEST_CASE("max_allowed_parallelism takes the smallest of all values and holds") {
  auto const standard = global_control::active_value(global_control::max_allowed_parallelism);
  {
    test::thread_team const four(4);
    CHECK(global_control::active_value(global_control::max_allowed_parallelism) == 4);
    {
      global_control one(global_control::max_allowed_parallelism, 1);
      CHECK(global_control::active_value(global_control::max_allowed_parallelism) == 1);
      CHECK(threads_seen(200) == 1);
    }
    CHECK(global_control::active_value(global_control::max_allowed_parallelism) == 4);
    global_control three(global_control::max_allowed_parallelism, 3);
    for (int i = 0; i < 20; ++i) CHECK(threads_seen(100) <= 3);
  }
  CHECK(global_control::active_value(global_control::max_allowed_parallelism) == standard);
}

TEST_CASE("workers that have come before a limit of one thread take nothing that is spawned after it") {
  std::atomic<int> elsewhere{0};
  auto const self = std::this_thread::get_id();
  for (int i = 0; i < 300; ++i) {
    tbb::parallel_for(
        0, 20,
        [](int) {
          std::atomic<int> steps{0};
          while (++steps < 300) {
          }
        },
        tbb::simple_partitioner());
    // The worker is awake now, and looks for more.
    global_control one(global_control::max_allowed_parallelism, 1);
    tbb::task_group group;
    for (int k = 0; k < 20; ++k) group.run([&] { elsewhere += std::this_thread::get_id() != self; });
    group.wait();
  }
  CHECK(elsewhere == 0);
}

TEST_CASE("more threads than processors are started if they are asked for") {
  global_control eight(global_control::max_allowed_parallelism, 8);
  std::atomic<int> arrived{0};
  tbb::task_arena(8).execute([&] {
    tbb::parallel_for(
        0, 8,
        [&](int) {
          ++arrived;
          while (arrived < 8) std::this_thread::yield();
        },
        tbb::simple_partitioner());
  });
  CHECK(arrived == 8);
}

TEST_CASE("a limit above the processors gives no more slots to a thread's own arena, nor to an automatic one") {
  int const standard = tbb::info::default_concurrency();
  for (bool const used_before : {false, true}) {
    std::thread([&] {
      if (used_before) tbb::parallel_for(0, 2, [](int) {});
      global_control const more(global_control::max_allowed_parallelism, static_cast<std::size_t>(standard) + 6);
      CHECK(tbb::this_task_arena::max_concurrency() == standard);
      CHECK(threads_seen(200) <= standard);
      CHECK(tbb::this_task_arena::max_concurrency() == standard);
      tbb::task_arena automatic;
      CHECK(automatic.max_concurrency() == standard);
    }).join();
  }
  std::thread([&] {
    global_control const more(global_control::max_allowed_parallelism, static_cast<std::size_t>(standard) + 6);
    tbb::task_scheduler_init const scope(standard + 3);
    CHECK(tbb::this_task_arena::max_concurrency() == standard + 3);
  }).join();
}

TEST_CASE("thread_stack_size takes the largest of all values") {
  auto const standard = global_control::active_value(global_control::thread_stack_size);
  CHECK(standard > 0);
  {
    global_control a(global_control::thread_stack_size, 1 << 20);
    global_control b(global_control::thread_stack_size, 8 << 20);
    CHECK(global_control::active_value(global_control::thread_stack_size) == (8 << 20));
  }
  CHECK(global_control::active_value(global_control::thread_stack_size) == standard);
}

TEST_CASE("bad parameters are refused") {
  CHECK_THROWS_AS(global_control(global_control::max_allowed_parallelism, 0), std::invalid_argument);
  CHECK_THROWS_AS(global_control(global_control::parameter_max, 1), std::invalid_argument);
  CHECK_THROWS_AS(global_control::active_value(static_cast<global_control::parameter>(99)), std::invalid_argument);
}

TEST_CASE("terminate_on_exception is on as long as an object says so") {
  CHECK(global_control::active_value(global_control::terminate_on_exception) == 0);
  {
    global_control on(global_control::terminate_on_exception, 1);
    CHECK(global_control::active_value(global_control::terminate_on_exception) == 1);
  }
  CHECK(global_control::active_value(global_control::terminate_on_exception) == 0);
  CHECK_THROWS_AS(tbb::parallel_for(0, 10, [](int) { throw 1; }), int);
  CHECK_THROWS_AS(tbb::parallel_for(10, 20, -2, [](int) {}), std::invalid_argument);
}

TEST_CASE("terminate_on_exception holds for what the library throws itself" * doctest::skip(ASHLAR_TSAN)) {
  test::death const child = test::run_in_child([] {
    std::set_terminate([] { std::_Exit(std::current_exception() ? 7 : 8); });
    global_control const strict(global_control::terminate_on_exception, 1);
    try {
      tbb::parallel_for(10, 20, -2, [](int) {});
    } catch (std::invalid_argument const&) {
    }
  });
  CHECK(child.exited);
  CHECK(child.code == 7);
}

TEST_CASE("a bad argument is told to the program's assertion handler, which may throw") {
  struct told {};
  tbb::ext::assertion_handler_type const before =
      tbb::ext::set_assertion_handler([](char const* location, int line, char const* expression, char const* comment) {
        if (location != nullptr && line > 0 && expression != nullptr && comment != nullptr) throw told();
      });
  CHECK_THROWS_AS(global_control(global_control::max_allowed_parallelism, 0), told);
  CHECK_THROWS_AS(global_control(global_control::parameter_max, 1), told);
  CHECK_THROWS_AS(tbb::info::default_concurrency(tbb::task_arena::constraints().set_max_threads_per_core(0)), told);
  tbb::ext::set_assertion_handler([](char const*, int, char const*, char const*) {});
  CHECK_THROWS_AS(global_control(global_control::max_allowed_parallelism, 0), std::invalid_argument);
  tbb::ext::set_assertion_handler(before);
  CHECK_THROWS_AS(global_control(global_control::max_allowed_parallelism, 0), std::invalid_argument);
}

TEST_CASE("a limit that comes or goes leaves the thread's arena to what the program has bound to it") {
  std::thread([] {
    tbb::parallel_for(0, 2, [](int) {});
    tbb::task_arena joined{tbb::task_arena::attach()};
    ashlar::sched::arena const* const before = &ashlar::sched::this_slot().home();
    {
      global_control const limit(global_control::max_allowed_parallelism, 5);
      CHECK(&ashlar::sched::this_slot().home() == before);
    }
    CHECK(&ashlar::sched::this_slot().home() == before);
  }).join();
  std::thread([] {
    tbb::this_task_arena::start_parallel_phase();
    ashlar::sched::arena const* const before = &ashlar::sched::this_slot().home();
    global_control const limit(global_control::max_allowed_parallelism, 5);
    CHECK(&ashlar::sched::this_slot().home() == before);
    tbb::this_task_arena::end_parallel_phase();
  }).join();
}
