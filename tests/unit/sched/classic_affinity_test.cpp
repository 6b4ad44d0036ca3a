// SPDX-License-Identifier: Apache-2.0
// Affinity: what note_affinity tells, and that mail arrives.
#include <tbb/task.h>
#include <tbb/task_scheduler_init.h>

#include <ashlar/sched/core/statistics.h>

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

using tbb::task;

namespace {

template <typename F>
void with_threads(int n, F f) {
  std::thread([&] {
    tbb::task_scheduler_init init(n);
    f();
  }).join();
}

struct noting : task {
  std::function<void(noting&)> body;
  affinity_id noted = 0;
  explicit noting(std::function<void(noting&)> b) : body(std::move(b)) {}
  void note_affinity(affinity_id id) override { noted = id; }
  task* execute() override {
    body(*this);
    return nullptr;
  }
};

// Runs one task on another thread and returns its number there.
task::affinity_id number_of_a_worker() {
  std::atomic<task::affinity_id> number{0};
  tbb::empty_task& parent = *new (task::allocate_root()) tbb::empty_task;
  parent.set_ref_count(2);
  task::spawn(*new (parent.allocate_child()) noting([&](noting& t) {
    CHECK(t.is_stolen_task());
    number = t.noted;
  }));
  // This thread leaves it to the worker.
  while (number == 0) std::this_thread::yield();
  parent.wait_for_all();
  task::destroy(parent);
  return number;
}

}  // namespace

TEST_CASE("a task that its own thread runs is not told") {
  with_threads(1, [] {
    task::affinity_id noted = 99;
    task::spawn_root_and_wait(*new (task::allocate_root()) noting([&](noting& t) {
      noted = t.noted;
      CHECK(t.affinity() == 0);
      t.set_affinity(7);
      CHECK(t.affinity() == 7);
      t.set_affinity(0);
    }));
    CHECK(noted == 0);
  });
}

TEST_CASE("a task with an affinity that runs elsewhere is told where") {
  with_threads(1, [] {
    task::affinity_id noted = 0;
    tbb::empty_task& parent = *new (task::allocate_root()) tbb::empty_task;
    parent.set_ref_count(2);
    noting& t = *new (parent.allocate_child()) noting([&](noting& self) { noted = self.noted; });
    t.set_affinity(5);
    task::spawn(t);
    parent.wait_for_all();
    CHECK(noted == 1);
    parent.set_ref_count(2);
    noting& direct = *new (parent.allocate_child()) noting([&](noting& self) { noted = self.noted; });
    direct.set_affinity(6);
    noted = 0;
    parent.spawn_and_wait_for_all(direct);
    CHECK(noted == 1);
    task::destroy(parent);
  });
}

TEST_CASE("a stolen task is told its thread, and mail to that thread arrives") {
  with_threads(2, [] {
    auto const before = ashlar::sched::read_statistics().mailed;
    task::affinity_id const there = number_of_a_worker();
    CHECK(there == 2);
    // The worker is busy, so that mail can pile up in front of other work, which it would steal instead.
    std::atomic<int> arrived{0};
    std::atomic<bool> busy{false}, go{false};
    tbb::empty_task& parent = *new (task::allocate_root()) tbb::empty_task;
    parent.set_ref_count(12);
    task::spawn(*new (parent.allocate_child()) noting([&](noting&) {
      busy = true;
      while (!go) std::this_thread::yield();
    }));
    while (!busy) std::this_thread::yield();
    for (int i = 0; i < 10; ++i) {
      noting& t = *new (parent.allocate_child()) noting([&, i](noting& self) {
        CHECK(self.is_stolen_task());
        CHECK(self.noted == there);
        CHECK(arrived == i);  // first in, first out
        ++arrived;
      });
      t.set_affinity(there);
      task::spawn(t);
    }
    go = true;
    while (arrived < 10) std::this_thread::yield();
    parent.wait_for_all();
    task::destroy(parent);
    CHECK(ashlar::sched::read_statistics().mailed - before >= 1);
  });
}

TEST_CASE("tasks sent to all threads, existing or not, run exactly once") {
  for (int threads : {1, 2, 6}) {
    with_threads(threads, [] {
      for (int round = 0; round < 30; ++round) {
        std::vector<std::atomic<int>> runs(200);
        tbb::empty_task& parent = *new (task::allocate_root()) tbb::empty_task;
        parent.set_ref_count(201);
        for (int i = 0; i < 200; ++i) {
          noting& t = *new (parent.allocate_child()) noting([&runs, i](noting&) { ++runs[i]; });
          t.set_affinity(static_cast<task::affinity_id>(i % 9));
          task::spawn(t);
        }
        parent.wait_for_all();
        task::destroy(parent);
        for (auto& n : runs) REQUIRE(n == 1);
      }
    });
  }
}

TEST_CASE("a continuation with an affinity is sent, too") {
  with_threads(2, [] {
    for (int round = 0; round < 100; ++round) {
      std::atomic<int> ran{0};
      task::spawn_root_and_wait(*new (task::allocate_root()) noting([&](noting& t) {
        noting& c = *new (t.allocate_continuation()) noting([&](noting&) { ++ran; });
        c.set_affinity(2);
        c.set_ref_count(2);
        for (int i = 0; i < 2; ++i) task::spawn(*new (c.allocate_child()) tbb::empty_task);
      }));
      REQUIRE(ran == 1);
    }
  });
}
