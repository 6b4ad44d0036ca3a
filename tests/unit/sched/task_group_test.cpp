// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

TEST_CASE("a group runs every function once and can be used again") {
  tbb::task_group group;
  std::atomic<int> ran{0};
  for (int round = 0; round < 50; ++round) {
    ran = 0;
    for (int i = 0; i < 100; ++i) group.run([&] { ++ran; });
    CHECK(group.wait() == tbb::complete);
    REQUIRE(ran == 100);
  }
  CHECK(group.wait() == tbb::complete);
}

TEST_CASE("a wait leaves the older tasks of another group alone") {
  tbb::task_arena one(1);
  one.execute([] {
    std::vector<int> order;
    tbb::task_group outer, inner;
    outer.run([&] { order.push_back(1); });
    for (int i = 2; i < 5; ++i) inner.run([&, i] { order.push_back(i); });
    inner.wait();
    CHECK(order == std::vector<int>{4, 3, 2});
    outer.wait();
    CHECK(order == std::vector<int>{4, 3, 2, 1});
  });
}

TEST_CASE("after an own task a group asks for stolen ones only if it may be done") {
  using ashlar::sched::group_counter;
  ashlar::sched::slot owner, thief;
  group_counter all_here(owner);
  for (int i = 0; i < 2; ++i) all_here.add(owner);
  all_here.finish(&owner, owner);
  CHECK(!all_here.done_after(0));
  all_here.finish(&owner, owner);
  CHECK(all_here.done_after(1));
  group_counter one_stolen(owner);
  for (int i = 0; i < 2; ++i) one_stolen.add(owner);
  one_stolen.finish(&owner, thief);
  CHECK(!one_stolen.done_after(0));
  one_stolen.finish(&owner, owner);
  CHECK(one_stolen.done());
  CHECK(!one_stolen.done_after(0));  // a job late
  CHECK(one_stolen.done_after(1));
}

TEST_CASE("tasks may run further tasks of their group") {
  tbb::task_group group;
  std::atomic<int> ran{0};
  struct spreader {
    tbb::task_group& group;
    std::atomic<int>& ran;
    int depth;
    void operator()() const {
      ++ran;
      if (depth == 0) return;
      group.run(spreader{group, ran, depth - 1});
      group.run(spreader{group, ran, depth - 1});
    }
  };
  group.run(spreader{group, ran, 12});
  group.wait();
  CHECK(ran == (1 << 13) - 1);
}

TEST_CASE("run_and_wait calls a function that can't be copied") {
  tbb::task_group group;
  struct pinned {
    std::atomic<int>& ran;
    explicit pinned(std::atomic<int>& r) : ran(r) {}
    pinned(pinned const&) = delete;
    void operator()() const { ++ran; }
  };
  std::atomic<int> ran{0};
  pinned const f(ran);
  CHECK(group.run_and_wait(f) == tbb::complete);
  CHECK(ran == 1);
}

TEST_CASE("functions that can only be moved are run") {
  tbb::task_group group;
  auto value = std::make_unique<int>(7);
  int seen = 0;
  group.run([v = std::move(value), &seen] { seen = *v; });
  group.wait();
  CHECK(seen == 7);
}

TEST_CASE("the first exception is rethrown by wait, the rest is dropped, the group is usable again") {
  tbb::task_group group;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 20; ++i) {
      group.run([i] {
        if (i % 3 == 0) throw std::runtime_error("task");
      });
    }
    CHECK_THROWS_AS(group.wait(), std::runtime_error);
    std::atomic<int> ran{0};
    group.run([&] { ++ran; });
    CHECK(group.wait() == tbb::complete);
    CHECK(ran == 1);
  }
  CHECK_THROWS_AS(group.run_and_wait([] { throw 5; }), int);
}

TEST_CASE("a cancelled group drops what has not started and says so once") {
  tbb::task_group group;
  std::atomic<int> ran{0};
  group.cancel();
  for (int i = 0; i < 10; ++i) group.run([&] { ++ran; });
  CHECK(group.wait() == tbb::canceled);
  CHECK(ran == 0);
  group.run([&] { ++ran; });
  CHECK(group.wait() == tbb::complete);
  CHECK(ran == 1);
}

TEST_CASE("a group that nobody waited for throws missing_wait after its tasks are over") {
  std::atomic<int> alive{0};
  struct counted {
    std::atomic<int>& alive;
    explicit counted(std::atomic<int>& a) : alive(a) { ++alive; }
    counted(counted const& other) : alive(other.alive) { ++alive; }
    ~counted() { --alive; }
    void operator()() const {}
  };
  bool caught = false;
  try {
    tbb::task_group group;
    for (int i = 0; i < 10; ++i) group.run(counted(alive));
  } catch (tbb::missing_wait const&) {
    caught = true;
  }
  CHECK(caught);
  CHECK(alive == 0);
  // While another exception is under way the destructor stays silent.
  CHECK_THROWS_AS(
      [&] {
        tbb::task_group group;
        group.run(counted(alive));
        throw 5;
      }(),
      int);
  CHECK(alive == 0);
}

TEST_CASE("a group of a context is cancelled with it") {
  tbb::task_group_context context;
  tbb::task_group group(context);
  std::atomic<int> ran{0};
  context.cancel_group_execution();
  group.run([&] { ++ran; });
  CHECK(group.wait() == tbb::canceled);
  CHECK(ran == 0);
}

TEST_CASE("deferred tasks run when their handle is passed on, or are destroyed with it") {
  tbb::task_group group;
  std::atomic<int> ran{0};
  auto token = std::make_shared<int>(1);
  {
    tbb::task_handle unused = group.defer([token] {});
    CHECK(static_cast<bool>(unused));
    CHECK(unused != nullptr);
    CHECK(token.use_count() == 2);
  }
  CHECK(token.use_count() == 1);
  tbb::task_handle h = group.defer([&] { ++ran; });
  tbb::task_handle moved = std::move(h);
  CHECK(h == nullptr);  // NOLINT: moved-from is empty by contract
  CHECK(ran == 0);
  group.run(std::move(moved));
  group.wait();
  CHECK(ran == 1);
  CHECK(group.run_and_wait(group.defer([&] { ++ran; })) == tbb::complete);
  CHECK(ran == 2);
}

TEST_CASE("another thread may wait for a group, and sleeping waiters are woken") {
  for (int round = 0; round < 50; ++round) {
    tbb::task_group group;
    std::atomic<bool> go{false};
    std::atomic<bool> done{false};
    group.run([&] {
      while (!go) {
      }
      done = true;
    });
    std::thread waiter([&] {
      group.wait();
      CHECK(done);
    });
    go = true;
    group.wait();
    waiter.join();
    CHECK(done);
  }
}

// Whoever comes late finds the group as new.
TEST_CASE("of several threads that wait for a group one gets its exception, and the group can be used again") {
  tbb::task_group group;
  for (int round = 0; round < 300; ++round) {
    std::atomic<int> ready{0};
    std::atomic<int> caught{0};
    auto const wait = [&] {
      try {
        group.wait();
      } catch (std::runtime_error const&) {
        ++caught;
      }
    };
    for (int i = 0; i < 2; ++i) {
      group.run([&] {
        while (ready < 3) std::this_thread::yield();
        throw std::runtime_error("task");
      });
    }
    std::vector<std::thread> waiters;
    for (int t = 0; t < 3; ++t) {
      waiters.emplace_back([&] {
        ++ready;
        wait();
      });
    }
    for (auto& t : waiters) t.join();
    wait();
    REQUIRE(caught == 1);
    std::atomic<int> ran{0};
    for (int i = 0; i < 3; ++i) group.run([&] { ++ran; });
    REQUIRE(group.wait() == tbb::complete);
    REQUIRE(ran == 3);
  }
}

TEST_CASE("many threads run tasks of one group") {
  tbb::task_group group;
  std::atomic<int> ran{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) group.run([&] { ++ran; });
      group.wait();
    });
  }
  for (auto& t : threads) t.join();
  group.wait();
  CHECK(ran == 4000);
}

TEST_CASE("tasks know that their group is being cancelled") {
  tbb::task_group group;
  CHECK_FALSE(tbb::is_current_task_group_canceling());
  bool before = true;
  bool after = false;
  group.run_and_wait([&] {
    before = tbb::is_current_task_group_canceling();
    group.cancel();
    after = tbb::is_current_task_group_canceling();
  });
  CHECK_FALSE(before);
  CHECK(after);
}

TEST_CASE("structured_task_group runs the caller's task objects") {
  std::atomic<int> ran{0};
  auto a = tbb::make_task([&] { ++ran; });
  auto b = tbb::make_task([&] { ran += 10; });
  tbb::structured_task_group group;
  group.run(a);
  CHECK(group.run_and_wait(b) == tbb::complete);
  CHECK(ran == 11);
  group.run(a);
  CHECK(group.wait() == tbb::complete);
  CHECK(ran == 12);
  CHECK(group.run_and_wait([&] { ++ran; }) == tbb::complete);
  CHECK(ran == 13);
  auto bad = tbb::make_task([] { throw std::runtime_error("task"); });
  group.run(bad);
  CHECK_THROWS_AS(group.wait(), std::runtime_error);
  // Scheduled twice: the first is still outstanding on a single-threaded machine, so cancel before looking.
  tbb::structured_task_group twice;
  std::atomic<bool> hold{true};
  auto held = tbb::make_task([&] {
    while (hold) {
    }
  });
  twice.run(held);
  CHECK_THROWS_AS(twice.run(held), tbb::invalid_multiple_scheduling);
  hold = false;
  twice.wait();
}

TEST_CASE("a function that has a const call is called so, and another one as it can be") {
  struct counts {
    int constant = 0;
    int other = 0;
  } n;
  struct both {
    counts& n;
    void operator()() const { ++n.constant; }
    void operator()() { ++n.other; }
  } body{n};
  tbb::task_group group;
  group.run(body);
  group.wait();
  group.run(group.defer(body));
  group.wait();
  group.run_and_wait(body);
  CHECK(n.constant == 3);
  group.run([&n]() mutable { ++n.other; });
  group.wait();
  CHECK(n.other == 1);
}
