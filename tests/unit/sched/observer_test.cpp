// SPDX-License-Identifier: Apache-2.0
// task_scheduler_observer: who is told of whom, and the worker hooks.
#include "support/death.h"
#include "support/eventually.h"
#include "support/thread_team.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_init.h>
#include <tbb/task_scheduler_observer.h>

#include <ashlar/sched/market/worker_hooks.h>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace {

using test::eventually;

class counter : public tbb::task_scheduler_observer {
 public:
  using tbb::task_scheduler_observer::task_scheduler_observer;
  ~counter() override { observe(false); }
  void on_scheduler_entry(bool worker) override {
    ++(worker ? workers_in : others_in);
    inside = true;
  }
  void on_scheduler_exit(bool worker) override {
    ++(worker ? workers_out : others_out);
    if (!inside) ++unannounced;
    inside = false;
  }
  std::atomic<int> workers_in{0};
  std::atomic<int> workers_out{0};
  std::atomic<int> others_in{0};
  std::atomic<int> others_out{0};
  std::atomic<int> unannounced{0};
  static thread_local bool inside;
};
thread_local bool counter::inside = false;

void meet(int wanted) {
  std::atomic<int> begun{0};
  tbb::parallel_for(
      0, wanted,
      [&](int) {
        ++begun;
        CHECK(eventually([&] { return begun >= wanted; }));
      },
      tbb::simple_partitioner());
}

}  // namespace

TEST_CASE("an observer is told of those who enter and leave its arena") {
  test::thread_team const limit(3);
  tbb::task_arena a(3);
  counter c(a);
  CHECK_FALSE(c.is_observing());
  c.observe();
  CHECK(c.is_observing());
  CHECK(c.others_in == 0);
  for (int i = 1; i <= 5; ++i) {
    a.execute([&] {
      CHECK(c.others_in == i);
      CHECK(counter::inside);
      meet(3);
    });
    CHECK(c.others_out == i);
  }
  CHECK(c.workers_in >= 2);
  CHECK(eventually([&] { return c.workers_in == c.workers_out; }));
  CHECK(c.unannounced == 0);
  c.observe(false);
  a.execute([] {});
  CHECK(c.others_in == 5);
  // Elsewhere nothing is told.
  c.observe(true);
  meet(3);
  CHECK(c.others_in == 5);
}

TEST_CASE("an observer without arena takes the one of the thread that activates it") {
  std::thread([] {
    tbb::task_arena a(2);
    counter c(true);
    a.execute([&] {
      c.observe(true);
      CHECK(c.others_in == 1);
      meet(1);
    });
    CHECK(c.others_out == 1);
    tbb::parallel_for(0, 10, [](int) {});
    CHECK(c.others_in == 1);
  }).join();
}

TEST_CASE("a global observer is told of each thread once") {
  counter c(false);
  c.observe(true);
  int const before = c.others_in;
  std::thread([] {
    tbb::parallel_for(0, 100, [](int) {});
    tbb::task_arena a(2);
    for (int i = 0; i < 3; ++i) a.execute([] { tbb::parallel_for(0, 100, [](int) {}); });
  }).join();
  CHECK(c.others_in == before + 1);
  CHECK(eventually([&] { return c.others_out == 1; }));
  c.observe(false);
}

TEST_CASE("threads that are inside already are told before their next stolen task") {
  test::thread_team const limit(2);
  tbb::task_arena a(2);
  counter c(a);
  a.execute([&] {
    meet(2);
    c.observe(true);
    CHECK(c.others_in == 1);
    meet(2);
    CHECK(c.workers_in >= 1);
  });
}

TEST_CASE("observers come and go while threads do") {
  test::thread_team const limit(4);
  tbb::task_arena a(4);
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    while (!stop) a.execute([] { tbb::parallel_for(0, 20, [](int) {}, tbb::simple_partitioner()); });
  });
  for (int i = 0; i < 300; ++i) {
    counter c(a);
    c.observe(true);
    if (i % 10 == 0) std::this_thread::yield();
    c.observe(false);
    CHECK(c.unannounced == 0);
  }
  stop = true;
  worker.join();
}

TEST_CASE("an observer may stop itself in a callback") {
  struct once : tbb::task_scheduler_observer {
    using tbb::task_scheduler_observer::task_scheduler_observer;
    void on_scheduler_entry(bool) override {
      ++calls;
      observe(false);
    }
    std::atomic<int> calls{0};
  };
  tbb::task_arena a(1);
  once o(a);
  o.observe(true);
  for (int i = 0; i < 3; ++i) a.execute([] {});
  CHECK(o.calls == 1);
}

TEST_CASE("an observer that throws ends the process" * doctest::skip(ASHLAR_TSAN)) {
  struct thrower : tbb::task_scheduler_observer {
    using tbb::task_scheduler_observer::task_scheduler_observer;
    void on_scheduler_entry(bool) override { throw std::runtime_error("observer"); }
  };
  test::death const child = test::run_in_child([] {
    std::set_terminate([] { std::_Exit(7); });
    tbb::task_arena a(1);
    thrower o(a);
    o.observe(true);
    a.execute([] {});
    std::_Exit(0);
  });
  CHECK(child.exited);
  CHECK(child.code == 7);
}

TEST_CASE("each worker calls the hooks") {
  static std::atomic<int> begun{0};
  static std::atomic<int> ended{0};
  tbb::task_scheduler_handle handle{tbb::attach()};
  REQUIRE(tbb::finalize(handle, std::nothrow));
  ashlar::sched::set_worker_hooks([](void*) noexcept { ++begun; }, [](void*) noexcept { ++ended; }, nullptr);
  {
    test::thread_team const limit(3);
    meet(3);
    CHECK(begun == 2);
    CHECK(ended == 0);
    handle = tbb::task_scheduler_handle{tbb::attach()};
    CHECK(tbb::finalize(handle, std::nothrow));
    CHECK(ended == 2);
  }
  ashlar::sched::set_worker_hooks(nullptr, nullptr, nullptr);
}

TEST_CASE("an observer of the thread's own arena goes on to see its workers when a limit comes or goes") {
  static thread_local int entered = 0;
  struct watch : tbb::task_scheduler_observer {
    ~watch() override { observe(false); }
    void on_scheduler_entry(bool) override { ++entered; }
    void on_scheduler_exit(bool) override { --entered; }
  };
  auto const unseen = [] {
    std::atomic<int> n{0};
    std::atomic<int> begun{0};
    tbb::parallel_for(
        0, 64,
        [&](int) {
          if (entered <= 0) ++n;
          ++begun;
          eventually([&] { return begun >= 2; });
          std::this_thread::yield();
        },
        tbb::simple_partitioner());
    return n.load();
  };
  std::thread([&] {
    tbb::task_scheduler_init const slots(8);
    watch w;
    w.observe(true);
    CHECK(unseen() == 0);
    for (std::size_t const threads : {2, 4, 8}) {
      tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, threads);
      CHECK(unseen() == 0);
    }
    CHECK(unseen() == 0);
  }).join();
}
