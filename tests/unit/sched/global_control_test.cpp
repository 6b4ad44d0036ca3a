// SPDX-License-Identifier: Apache-2.0
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include "support/death.h"

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
    global_control four(global_control::max_allowed_parallelism, 4);
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
  tbb::parallel_for(
      0, 8,
      [&](int) {
        ++arrived;
        while (arrived < 8) std::this_thread::yield();
      },
      tbb::simple_partitioner());
  CHECK(arrived == 8);
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
