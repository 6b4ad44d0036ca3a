// SPDX-License-Identifier: Apache-2.0
// Ordered, handed-over, enqueued, suspended and resumed tasks and coroutines in nested groups, arenas and loops, on
// more threads than processors. Every function that is run is called once, and nobody is forgotten.
//
// ASHLAR_STRESS_TASKS: number of rounds (default 60).
#include <tbb/coroutine.h>
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

int rounds() {
  char const* const asked = std::getenv("ASHLAR_STRESS_TASKS");
  return asked != nullptr ? std::atoi(asked) : 60;
}

unsigned dice() {
  thread_local unsigned state = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(&state)) | 1u;
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

// Threads from outside that resume what is left with them, newest or oldest first.
class outside {
 public:
  outside() {
    for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { work(); });
  }
  ~outside() {
    {
      std::lock_guard guard(lock_);
      over_ = true;
    }
    changed_.notify_all();
    for (std::thread& t : threads_) t.join();
  }
  void add(tbb::task::suspend_point p) {
    {
      std::lock_guard guard(lock_);
      points_.push_back(p);
    }
    changed_.notify_one();
  }

 private:
  void work() {
    std::unique_lock guard(lock_);
    for (;;) {
      changed_.wait(guard, [&] { return over_ || !points_.empty(); });
      if (points_.empty()) return;
      auto const which = dice() % 2 == 0 ? points_.begin() : points_.end() - 1;
      tbb::task::suspend_point const p = *which;
      points_.erase(which);
      guard.unlock();
      tbb::task::resume(p);
      guard.lock();
    }
  }
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<tbb::task::suspend_point> points_;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

void nap(outside& others) {
  switch (dice() % 3) {
    case 0:
      return tbb::task::suspend([](tbb::task::suspend_point p) { tbb::task::resume(p); });
    case 1:
      return tbb::task::suspend([&](tbb::task::suspend_point p) { others.add(p); });
    default:
      return;
  }
}

}  // namespace

TEST_CASE("suspended tasks of nested loops and groups all go on") {
  test::thread_team const threads(8);
  outside others;
  for (int round = 0; round < rounds(); ++round) {
    std::atomic<int> ran{0};
    tbb::parallel_for(
        0, 16,
        [&](int) {
          nap(others);
          tbb::task_group inner;
          for (int i = 0; i < 4; ++i) {
            inner.run([&] {
              nap(others);
              tbb::parallel_for(0, 8, [&](int) { ++ran; }, tbb::simple_partitioner());
              nap(others);
            });
          }
          nap(others);
          inner.wait();
        },
        tbb::simple_partitioner());
    REQUIRE(ran == 16 * 4 * 8);
  }
}

TEST_CASE("ordered tasks run after their predecessors, also suspended ones; completions are handed over") {
  test::thread_team const threads(8);
  outside others;
  for (int round = 0; round < rounds(); ++round) {
    constexpr int layers = 12;
    constexpr int width = 12;
    tbb::task_group group;
    std::vector<std::atomic<int>> over(layers * width);
    std::vector<tbb::task_handle> handles;
    std::vector<tbb::task_completion_handle> completions;
    std::atomic<int> wrong{0};
    std::vector<std::vector<std::size_t>> before(layers * width);
    for (std::size_t i = 0; i < layers * width; ++i) {
      if (i >= width) {
        for (int k = 0; k < 3; ++k) before[i].push_back((i / width - 1) * width + dice() % width);
      }
      handles.push_back(group.defer([&, i] {
        for (std::size_t const b : before[i]) wrong += over[b] == 0;
        nap(others);
        if (dice() % 4 != 0) {
          ++over[i];
          return;
        }
        tbb::task_handle rest = group.defer([&, i] {
          nap(others);
          ++over[i];
        });
        tbb::task_group::transfer_this_task_completion_to(rest);
        group.run(std::move(rest));
      }));
      completions.push_back(handles.back());
      for (std::size_t const b : before[i]) {
        if (handles[b] != nullptr) {
          tbb::task_group::set_task_order(handles[b], handles[i]);
        } else {
          tbb::task_group::set_task_order(completions[b], handles[i]);
        }
      }
      if (dice() % 3 == 0) {
        std::size_t const j = dice() % (i + 1);
        if (handles[j] != nullptr) group.run(std::move(handles[j]));
      }
    }
    for (tbb::task_handle& h : handles) {
      if (h != nullptr) group.run(std::move(h));
    }
    REQUIRE(group.wait_for_task(completions[layers * width - 1]) == tbb::task_complete);
    REQUIRE(group.wait() == tbb::complete);
    REQUIRE(wrong == 0);
    for (std::atomic<int> const& o : over) REQUIRE(o == 1);
  }
}

TEST_CASE("threads wait for one task while others drop and order it") {
  for (int round = 0; round < rounds() * 10; ++round) {
    tbb::task_group group;
    std::atomic<int> ran{0};
    tbb::task_handle first = group.defer([&] { ++ran; });
    tbb::task_completion_handle waited = first;
    tbb::task_handle second = group.defer([&] { ++ran; });
    tbb::task_group::set_task_order(first, second);
    std::thread waiter([&] { group.wait_for_task(waited); });
    std::thread dropper([h = std::move(second), round, &group]() mutable {
      if (round % 2 == 0) return;
      group.run(std::move(h));
    });
    std::thread runner([&] { group.run(std::move(first)); });
    dropper.join();
    runner.join();
    group.wait();
    waiter.join();
    REQUIRE(ran == 1 + round % 2);
  }
}

// Another thread may take the first task, and hands the second one on as soon as the wait is over.
TEST_CASE("a wait for one task does not run the successor that waits for it") {
  tbb::task_arena arena(8);
  tbb::task_arena elsewhere(4);
  arena.execute([&] {
    for (int round = 0; round < rounds() * 1000; ++round) {
      tbb::task_group group;
      std::atomic<bool> back{false};
      tbb::task_handle first = group.defer([&group] {
        tbb::task_handle rest = group.defer([] {});
        tbb::task_group::transfer_this_task_completion_to(rest);
        group.run(std::move(rest));
      });
      tbb::task_handle second = group.defer([&back] {
        while (!back) std::this_thread::yield();
      });
      tbb::task_group::set_task_order(first, second);
      if (round % 4 == 0) {
        elsewhere.enqueue(std::move(second));
      } else if (round % 4 == 1) {
        arena.enqueue(std::move(second));
      } else {
        group.run(std::move(second));
      }
      group.run_and_wait_for_task(std::move(first));
      back = true;
      group.wait();
    }
  });
}

namespace {

// A tree of coroutines whose nodes wait for groups that others fill, for deferred tasks, and for their children.
tbb::co_task<int> grow(int depth, tbb::task_group& shared, outside& others) {
  shared.run([] {});
  if (depth == 0) co_return 1;
  tbb::task_group own;
  int left = 0;
  tbb::co_run(own, [](int& result, int d, tbb::task_group& g, outside& o) -> tbb::co_task<> {
    result = co_await grow(d, g, o);
  }(left, depth - 1, shared, others));
  if (dice() % 2 == 0) co_await own.defer([&others] { nap(others); });
  if (dice() % 4 == 0) co_await own;
  int const right = co_await grow(depth - 1, shared, others);
  if (dice() % 4 == 0) co_await shared;
  co_await own;
  co_return left + right;
}

}  // namespace

TEST_CASE("coroutines wait for groups, tasks and each other") {
  test::thread_team const threads(8);
  outside others;
  tbb::task_arena arena(8);
  for (int round = 0; round < rounds(); ++round) {
    tbb::task_group shared;
    REQUIRE(arena.execute([&] { return tbb::co_wait(grow(6, shared, others)); }) == 64);
    shared.wait();
  }
}

TEST_CASE("tasks are enqueued into arenas, ordered across them, and waited for in isolated groups") {
  test::thread_team const threads(8);
  for (int round = 0; round < rounds(); ++round) {
    tbb::task_arena first(4), second(3, 0);
    std::atomic<int> ran{0};
    first.execute([&] {
      tbb::parallel_for(
          0, 8,
          [&](int) {
            tbb::isolated_task_group group;
            tbb::task_group ordered;
            for (int i = 0; i < 8; ++i) {
              group.run([&] { ++ran; });
              tbb::task_handle before = ordered.defer([&] { ++ran; });
              tbb::task_handle after = ordered.defer([&] { ++ran; });
              tbb::task_group::set_task_order(before, after);
              (dice() % 2 == 0 ? first : second).enqueue(std::move(after));
              (dice() % 2 == 0 ? first : second).enqueue(std::move(before));
            }
            group.wait();
            ordered.wait();
          },
          tbb::simple_partitioner());
    });
    REQUIRE(ran == 8 * 8 * 3);
  }
}

TEST_CASE("threads that wait for one group while a task throws share out one exception") {
  constexpr int waiters = 3;
  tbb::task_group group;
  std::atomic<int> round{0}, out{0}, caught{0};
  std::atomic<bool> over{false};
  auto const wait = [&] {
    try {
      group.wait();
    } catch (int) {
      ++caught;
    }
    ++out;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < waiters; ++i) {
    threads.emplace_back([&] {
      for (int seen = 0; !over;) {
        if (round == seen) {
          std::this_thread::yield();
          continue;
        }
        seen = round;
        wait();
      }
    });
  }
  for (int r = 1; r <= 40 * rounds(); ++r) {
    out = caught = 0;
    std::atomic<bool> go{false};
    for (int i = 0; i < 2; ++i) {
      group.run([&go, i] {
        while (!go) std::this_thread::yield();
        if (i == 0) throw 1;
      });
    }
    round = r;
    std::this_thread::yield();
    go = true;
    while (out != waiters) std::this_thread::yield();
    wait();
    REQUIRE(caught == 1);
    std::atomic<int> ran{0};
    for (int i = 0; i < 3; ++i) group.run([&] { ++ran; });
    REQUIRE(group.wait() == tbb::complete);
    REQUIRE(ran == 3);
  }
  over = true;
  for (std::thread& t : threads) t.join();
}
