// SPDX-License-Identifier: Apache-2.0
// What holds for any number of threads, beyond the processors that there are.
#include <doctest/doctest.h>

#include <support/eventually.h>
#include <support/thread_team.h>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <thread>
#include <vector>

namespace {

struct enough {};

// How many bodies begin after another one has thrown and its group is cancelled; the worst of many loops.
template <typename Sequence>
int late_bodies(Sequence const& items) {
  int worst = 0;
  for (int loop = 0; loop < 100; ++loop) {
    std::atomic<int> calls{0}, late{0};
    auto const body = [&](int) {
      if (tbb::is_current_task_group_canceling()) ++late;
      if (++calls == 100 + loop) throw enough();
      for (int spin = 0; spin < 300; ++spin) std::atomic_signal_fence(std::memory_order_seq_cst);
    };
    CHECK_THROWS_AS(tbb::parallel_for_each(items.begin(), items.end(), body), enough);
    worst = std::max(worst, late.load());
  }
  return worst;
}

}  // namespace

TEST_CASE("few bodies of parallel_for_each begin after an exception") {
  test::thread_team const limit(2);
  CHECK(late_bodies(std::vector<int>(1000)) <= 7);
  CHECK(late_bodies(std::list<int>(1000)) <= 1);
}

// A worker that has taken an urgent task may lose its processor before the task counts itself. Then the next worker
// finds no urgent task, and begins one of the others. So each worker but one may be late with the task that it holds.
TEST_CASE("all tasks of the arena with the high priority come first") {
  for (int const threads : {2, 4}) {
    test::thread_team const limit(static_cast<std::size_t>(threads));
    for (int run = 0; run < 10; ++run) {
      tbb::task_arena low(threads, 0, tbb::task_arena::priority::low),
          high(threads, 0, tbb::task_arena::priority::high), other(threads, 0);
      std::atomic<bool> go{false};
      std::atomic<int> busy{0}, order{0}, late{0}, done{0}, left{0};
      for (int i = 1; i < threads; ++i) {
        other.enqueue([&] {
          ++busy;
          while (!go) std::this_thread::yield();
          ++left;
        });
      }
      REQUIRE(test::eventually([&] { return busy == threads - 1; }));
      auto const task = [&](bool urgent) {
        if (++order > 20 && urgent) ++late;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        ++done;
      };
      for (int i = 0; i < 20; ++i) low.enqueue([&] { task(false); });
      for (int i = 0; i < 20; ++i) high.enqueue([&] { task(true); });
      go = true;
      REQUIRE(test::eventually([&] { return done == 40; }));
      CHECK(late.load() <= threads - 2);
      REQUIRE(test::eventually([&] { return left == threads - 1; }));
    }
  }
}

// The worker waits in a region and may take its jobs only. In the main thread's deque one of them lies below a job of
// another region, and the main thread takes part in nothing until it has run.
TEST_CASE("a thread in an isolated region finds its job below another one's") {
  test::thread_team const limit(2);
  tbb::task_arena arena(2);
  std::atomic<bool> waits{false}, ran{false};
  arena.execute([&] {
    tbb::task_group of_the_worker, of_another, held;
    tbb::task_handle pending = held.defer([] {});
    tbb::this_task_arena::isolate([&] {
      of_the_worker.run([&] {
        waits = true;
        held.wait();  // until the main thread gives the handle up
      });
      REQUIRE(test::eventually([&] { return waits.load(); }));
      tbb::this_task_arena::isolate([&] { of_another.run([] {}); });
      of_the_worker.run([&] { ran = true; });
      CHECK(test::eventually([&] { return ran.load(); }));
      pending = tbb::task_handle();
      of_the_worker.wait();
    });
    of_another.wait();
  });
}

TEST_CASE("work of one arena does not wait for a worker that idles in another") {
  test::thread_team const limit(2);
  tbb::task_arena first(2, 0), second(2, 0);
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> ran{0};
    first.enqueue([&] { ++ran; });
    REQUIRE(test::eventually([&] { return ran == 1; }));
    second.enqueue([&] { ++ran; });
    REQUIRE(test::eventually([&] { return ran == 2; }));
  }
}

// The push that is refused lowers the bit by which pushes ask for workers, and when the limit is raised there is no job
// to see.
TEST_CASE("an arena whose call was refused gets workers for what comes after the limit was raised") {
  tbb::task_arena arena(2);
  arena.execute([&] {
    for (int i = 0; i < 20; ++i) {
      {
        tbb::global_control const one(tbb::global_control::max_allowed_parallelism, 1);
        tbb::task_group nobody_comes;
        nobody_comes.run([] {});
        nobody_comes.wait();
      }
      test::thread_team const two(2);
      tbb::task_group half;
      std::atomic<bool> ran{false};
      half.run([&] { ran = true; });
      REQUIRE(test::eventually([&] { return ran.load(); }));
      half.wait();
    }
  });
}

// The only worker is elsewhere, so the first task stays on record; the thread in the arena runs it, and what it spawns
// takes the wish for a worker back.
TEST_CASE("a task that is enqueued after the wish for a worker was taken back gets one") {
  test::thread_team const limit(2);
  tbb::task_arena other(2, 0), reserved(1, 1);
  for (int round = 0; round < 5; ++round) {
    std::atomic<bool> busy{false}, go{false}, left{false};
    std::atomic<int> ran{0};
    other.enqueue([&] {
      busy = true;
      while (!go) std::this_thread::yield();
      left = true;
    });
    REQUIRE(test::eventually([&] { return busy.load(); }));
    tbb::task_group held, spawned;
    tbb::task_handle pending = held.defer([] {});
    reserved.enqueue([&] {
      ++ran;
      pending = tbb::task_handle();
    });
    reserved.execute([&] {
      held.wait();
      spawned.run([] {});
      spawned.wait();
    });
    REQUIRE(ran == 1);
    go = true;
    REQUIRE(test::eventually([&] { return left.load(); }));
    reserved.enqueue([&] { ++ran; });
    REQUIRE(test::eventually([&] { return ran == 2; }));
  }
}

TEST_CASE("an arena that externals had filled gets workers for what is pushed after they left") {
  test::thread_team const limit(3);
  tbb::task_arena arena(2, 1);
  for (int round = 0; round < 5; ++round) {
    arena.execute([&] {
      std::atomic<bool> inside{false}, go{false};
      std::thread external([&] {
        arena.execute([&] {
          inside = true;
          while (!go) std::this_thread::yield();
        });
      });
      REQUIRE(test::eventually([&] { return inside.load(); }));
      tbb::task_group nobody_comes;
      nobody_comes.run([] {});
      nobody_comes.wait();
      go = true;
      external.join();
      tbb::task_group half;
      std::atomic<bool> ran{false};
      half.run([&] { ran = true; });
      REQUIRE(test::eventually([&] { return ran.load(); }));
      half.wait();
    });
  }
}
