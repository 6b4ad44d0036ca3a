// SPDX-License-Identifier: Apache-2.0
#include "support/death.h"
#include "support/thread_team.h"

#include <ashlar/sched/core/running_above.h>

#include <tbb/collaborative_call_once.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace {

using suspend_point = tbb::task::suspend_point;

// A thread that resumes what it is given, in the order of arrival.
class resumer {
 public:
  resumer() : thread_([this] { work(); }) {}
  ~resumer() {
    {
      std::lock_guard guard(lock_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void add(suspend_point p) {
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
      suspend_point const p = points_.front();
      points_.erase(points_.begin());
      guard.unlock();
      tbb::task::resume(p);
      guard.lock();
    }
  }
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<suspend_point> points_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace

TEST_CASE("what the layer above keeps for the running stack stays with it") {
  int outer = 0;
  int inner = 0;
  void* meanwhile = &outer;
  void* afterwards = nullptr;
  tbb::task_group group;
  group.run_and_wait([&] {
    ashlar::sched::running_above = &outer;
    tbb::task::suspend([&](suspend_point p) {
      meanwhile = std::exchange(ashlar::sched::running_above, &inner);
      tbb::task::resume(p);
    });
    afterwards = std::exchange(ashlar::sched::running_above, nullptr);
  });
  CHECK(meanwhile == nullptr);
  CHECK(afterwards == &outer);
}

TEST_CASE("suspend-aware storage belongs to the stack") {
  tbb::enumerable_thread_specific<int, tbb::cache_aligned_allocator<int>, tbb::ets_suspend_aware> storage(0);
  tbb::task_group group;
  int meanwhile = -1;
  int afterwards = -1;
  group.run_and_wait([&] {
    storage.local() = 1;
    tbb::task::suspend([&](suspend_point p) {
      meanwhile = std::exchange(storage.local(), 2);
      tbb::task::resume(p);
    });
    afterwards = storage.local();
  });
  CHECK(meanwhile == 0);
  CHECK(afterwards == 1);
  CHECK(storage.size() == 2);
}

TEST_CASE("suspend-aware storage belongs to the stack in functions of other arenas, too") {
  tbb::enumerable_thread_specific<int, tbb::cache_aligned_allocator<int>, tbb::ets_suspend_aware> storage(0);
  tbb::task_arena other(1);
  tbb::task_group group;
  int* task = nullptr;
  int* other_stack = nullptr;
  group.run_and_wait([&] {
    task = &storage.local();
    other.execute([&] { CHECK(&storage.local() == task); });
    tbb::task::suspend([&](suspend_point p) {
      other_stack = &storage.local();
      other.execute([&] {
        CHECK(&storage.local() == other_stack);
        tbb::task_group inner;
        inner.run_and_wait([&] { tbb::task::suspend([](suspend_point q) { tbb::task::resume(q); }); });
        CHECK(&storage.local() == other_stack);
      });
      CHECK(&storage.local() == other_stack);
      tbb::task::resume(p);
    });
    CHECK(&storage.local() == task);
  });
  CHECK(task != other_stack);
}

TEST_CASE("a task that is resumed by the function it suspends with goes on") {
  tbb::task_group group;
  int steps = 0;
  group.run([&] {
    for (int i = 0; i < 1000; ++i) {
      tbb::task::suspend([](suspend_point p) { tbb::task::resume(p); });
      ++steps;
    }
  });
  CHECK(group.wait() == tbb::complete);
  CHECK(steps == 1000);
}

TEST_CASE("a thread's outermost code is suspended and goes on, on the same thread") {
  resumer other;
  std::thread::id const me = std::this_thread::get_id();
  for (int i = 0; i < 100; ++i) {
    tbb::task::suspend([&](suspend_point p) { other.add(p); });
    CHECK(std::this_thread::get_id() == me);
  }
}

TEST_CASE("the thread works while its task is suspended") {
  tbb::task_group group;
  std::atomic<int> ran{0};
  std::atomic<suspend_point> left{nullptr};
  group.run([&] {
    tbb::task::suspend([&](suspend_point p) {
      left = p;
      // Only this thread may be there to run it.
      group.run([&] {
        ++ran;
        tbb::task::resume(left);
      });
    });
    ++ran;
  });
  CHECK(group.wait() == tbb::complete);
  CHECK(ran == 2);
}

TEST_CASE("many tasks of a loop are suspended at the same time") {
  resumer other;
  std::atomic<int> ran{0};
  tbb::parallel_for(
      0, 200,
      [&](int) {
        tbb::task::suspend([&](suspend_point p) { other.add(p); });
        ++ran;
      },
      tbb::simple_partitioner());
  CHECK(ran == 200);
}

TEST_CASE("stacks are used again") {
  resumer other;
  tbb::task_arena arena(2);
  std::mutex lock;
  std::set<std::uintptr_t> stacks;
  std::atomic<int> ran{0};
  for (int round = 0; round < 100; ++round) {
    arena.execute([&] {
      tbb::parallel_for(
          0, 20,
          [&](int) {
            char here = 0;
            {
              std::lock_guard const guard(lock);
              stacks.insert(reinterpret_cast<std::uintptr_t>(&here) >> 16);
            }
            tbb::task::suspend([&](suspend_point p) { other.add(p); });
            ++ran;
          },
          tbb::simple_partitioner());
    });
  }
  CHECK(ran == 2000);
  CHECK(stacks.size() < 150);  // some of them begin within 64 KiB, and twenty tasks are suspended at a time
}

TEST_CASE("all tasks wait for the last one to arrive") {
  constexpr int n = 50;
  std::mutex lock;
  std::vector<suspend_point> points;
  std::atomic<int> ran{0};
  tbb::task_group group;
  for (int i = 0; i < n; ++i) {
    group.run([&] {
      tbb::task::suspend([&](suspend_point p) {
        std::lock_guard guard(lock);
        points.push_back(p);
        if (points.size() < n) return;
        for (suspend_point const each : points) tbb::task::resume(each);
      });
      ++ran;
    });
  }
  CHECK(group.wait() == tbb::complete);
  CHECK(ran == n);
}

TEST_CASE("a thread that leaves an arena waits for what it has suspended there, and leaves when that is over") {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 1);
  tbb::task_arena arena(1);
  tbb::task_group outer, inner;
  std::atomic<tbb::task::suspend_point> first{nullptr}, second{nullptr};
  std::atomic<bool> leaves{false};
  bool over = false;
  std::thread others([&] {
    while (second == nullptr) std::this_thread::yield();
    tbb::task::resume(first);
    while (!leaves) std::this_thread::yield();
    tbb::task::resume(second);
  });
  arena.execute([&] {
    outer.run([&] {
      tbb::task::suspend([&](tbb::task::suspend_point p) { second = p; });
      over = true;
    });
    // While this one is suspended, the loop in its place begins the other.
    inner.run([&] { tbb::task::suspend([&](tbb::task::suspend_point p) { first = p; }); });
    inner.wait();
    CHECK(!over);
    leaves = true;
  });
  CHECK(over);
  others.join();
  outer.wait();
}

TEST_CASE("waits of suspended tasks, nested") {
  resumer other;
  std::atomic<int> ran{0};
  tbb::parallel_for(
      0, 20,
      [&](int) {
        tbb::task_group inner;
        for (int i = 0; i < 5; ++i) {
          inner.run([&] {
            tbb::task::suspend([&](suspend_point p) { other.add(p); });
            tbb::parallel_for(0, 10, [&](int) { ++ran; });
          });
        }
        tbb::task::suspend([&](suspend_point p) { other.add(p); });
        inner.wait();
      },
      tbb::simple_partitioner());
  CHECK(ran == 20 * 5 * 10);
}

TEST_CASE("exceptions: thrown after a resumption, and kept while others are handled on other stacks") {
  resumer other;
  tbb::task_group group;
  std::atomic<int> right{0};
  for (int i = 0; i < 20; ++i) {
    group.run([&, i] {
      try {
        throw i;
      } catch (int) {
        tbb::task::suspend([&](suspend_point p) { other.add(p); });
        try {
          throw;
        } catch (int j) {
          if (i == j) ++right;
        }
      }
    });
  }
  CHECK(group.wait() == tbb::complete);
  CHECK(right == 20);
  group.run([&] {
    tbb::task::suspend([&](suspend_point p) { other.add(p); });
    throw std::runtime_error("late");
  });
  CHECK_THROWS_AS(group.wait(), std::runtime_error);
}

TEST_CASE("a suspended task knows its group and its isolation afterwards") {
  resumer other;
  tbb::task_group_context context;
  tbb::parallel_for(
      0, 50,
      [&](int) {
        tbb::task_group_context* const before = tbb::task::current_context();
        tbb::task::suspend([&](suspend_point p) { other.add(p); });
        CHECK(tbb::task::current_context() == before);
      },
      tbb::simple_partitioner(), context);
}

// What an iteration has spawned on the stack that went on meanwhile lies above the jobs of the stack that is resumed.
// If the resumed call's loop took it for its own, the thread would begin a call that waits for the one below it.
TEST_CASE("a call that suspended itself doesn't run its thread's other iterations") {
  resumer other;
  for (int round = 0; round < 300; ++round) {
    tbb::collaborative_once_flag once;
    std::atomic<int> calls{0}, parts{0};
    tbb::parallel_for(0, 18, [&](int) {
      tbb::collaborative_call_once(once, [&] {
        ++calls;
        tbb::parallel_for(0, 4, [&](int) {
          tbb::task::suspend([&](suspend_point p) { other.add(p); });
          ++parts;
        });
      });
    });
    REQUIRE(calls == 1);
    REQUIRE(parts == 4);
  }
}

// The same with one thread, step by step: the call is left with jobs in the deque; the outer stack goes on below them,
// puts its own there and is left in turn; when the call goes on, what lies above its base is not its own.
TEST_CASE("a call that suspended itself doesn't run what lies where its own jobs lay") {
  tbb::task_arena one(1);
  one.execute([] {
    tbb::collaborative_once_flag once;
    std::atomic<int> calls{0}, joined{0};
    suspend_point outer{}, call{};
    tbb::task_group caller, others;
    caller.run([&] {
      tbb::collaborative_call_once(once, [&] {
        tbb::task_group parts;
        for (int i = 0; i < 3; ++i) parts.run([] {});
        tbb::task::suspend([&](suspend_point p) {
          call = p;
          tbb::task::resume(outer);
        });
        parts.wait();
        ++calls;
      });
    });
    tbb::task::suspend([&](suspend_point p) { outer = p; });
    for (int i = 0; i < 3; ++i) {
      others.run([&] {
        tbb::collaborative_call_once(once, [&] { ++calls; });
        ++joined;
      });
    }
    tbb::task::suspend([&](suspend_point p) {
      outer = p;
      tbb::task::resume(call);
      others.run([&] { tbb::task::resume(outer); });
    });
    others.wait();
    caller.wait();
    CHECK(calls == 1);
    CHECK(joined == 3);
  });
}

// The call waits, aside, for a part that only its own isolated region may run; the thread's other stack waits for the
// call.
TEST_CASE("stacks that wait in different isolated regions take turns") {
  tbb::task_arena one(1);
  one.execute([] {
    tbb::collaborative_once_flag once;
    std::atomic<int> calls{0}, parts{0};
    suspend_point outer{}, call{};
    tbb::task_group caller;
    caller.run([&] {
      tbb::collaborative_call_once(once, [&] {
        tbb::this_task_arena::isolate([&] {
          tbb::task_group inner;
          inner.run([&] { ++parts; });
          tbb::task::suspend([&](suspend_point p) {
            call = p;
            tbb::task::resume(outer);
          });
          inner.wait();
        });
        ++calls;
      });
    });
    tbb::task::suspend([&](suspend_point p) { outer = p; });
    tbb::task::suspend([&](suspend_point p) {
      tbb::task::resume(call);
      tbb::task::resume(p);
    });
    tbb::collaborative_call_once(once, [&] { ++calls; });
    caller.wait();
    CHECK(calls == 1);
    CHECK(parts == 1);
  });
}

// Only its own thread goes on with a stack, so the threads must share such tasks while these begin: a thread that has
// more than its share leaves the others for 500 us after another thread came or took one. On a busy machine all may be
// late for that: how often, of so many tries, one thread was hasty.
namespace {

int hasty_of(int tries, int threads, tbb::task_arena& arena) {
  using clock = std::chrono::steady_clock;
  int const tasks = 16 * threads;
  int hasty = 0;
  for (int i = 0; i < tries; ++i) {
    std::vector<std::atomic<int>> begun(static_cast<std::size_t>(threads));
    std::vector<suspend_point> points(static_cast<std::size_t>(tasks));
    std::atomic<int> left{tasks};
    auto const start = clock::now();
    auto half = clock::time_point::max();  // when one thread began more than a half of them
    arena.execute([&] {
      tbb::task_group group;
      for (int t = 0; t < tasks; ++t) {
        group.run([&, t] {
          if (++begun[static_cast<std::size_t>(tbb::this_task_arena::current_thread_index())] == tasks / 2 + 1) {
            half = clock::now();
          }
          tbb::task::suspend([&, t](suspend_point p) {
            points[static_cast<std::size_t>(t)] = p;
            if (--left == 0) {
              for (suspend_point const point : points) tbb::task::resume(point);
            }
          });
        });
      }
      group.wait();
    });
    hasty += half != clock::time_point::max() && half - start < std::chrono::microseconds(400);
  }
  return hasty;
}

}  // namespace

TEST_CASE("tasks that suspend themselves at once are spread over the threads") {
  constexpr int threads = 4, tries = 10;
  test::thread_team const allow(threads);
  tbb::task_arena arena(threads);
  // A thread that is interrupted on its way into the arena, or out of a task, is not waited for. Where nobody waits,
  // one is hasty in all series.
  int least = tries;
  for (int series = 0; series < 20 && least > tries / 2; ++series) {
    least = std::min(least, hasty_of(tries, threads, arena));
  }
  CHECK(least <= tries / 2);
}

TEST_CASE("a classic task suspends itself") {
  struct sleeper : tbb::task {
    resumer& other;
    int& seen;
    sleeper(resumer& o, int& s) : other(o), seen(s) {}
    task* execute() override {
      suspend([&](suspend_point p) { other.add(p); });
      seen = &self() == this ? 1 : 2;
      return nullptr;
    }
  };
  resumer other;
  int seen = 0;
  tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) sleeper(other, seen));
  CHECK(seen == 1);
}

TEST_CASE("resuming twice is detected" * doctest::skip(ASHLAR_TSAN)) {
  CHECK(test::run_in_child([] {
          tbb::task::suspend([](suspend_point p) {
            tbb::task::resume(p);
            tbb::task::resume(p);
          });
        }).by_signal(SIGABRT));
}
