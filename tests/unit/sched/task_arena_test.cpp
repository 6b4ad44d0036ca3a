// SPDX-License-Identifier: Apache-2.0
// tbb::task_arena and this_task_arena: entering, leaving work, limits, isolation.
#include "support/eventually.h"
#include "support/thread_team.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using test::eventually;

int index() { return tbb::this_task_arena::current_thread_index(); }

}  // namespace

TEST_CASE("settings are kept until the first use makes the arena") {
  tbb::task_arena a(3, 2, tbb::task_arena::priority::high);
  CHECK_FALSE(a.is_active());
  CHECK(a.max_concurrency() == 3);
  a.initialize();
  CHECK(a.is_active());
  a.initialize(7);
  CHECK(a.max_concurrency() == 3);
  tbb::task_arena copy(a);
  CHECK_FALSE(copy.is_active());
  CHECK(copy.max_concurrency() == 3);
  a.terminate();
  CHECK_FALSE(a.is_active());
  a.initialize(5, 0);
  CHECK(a.max_concurrency() == 5);
  CHECK(tbb::task_arena().max_concurrency() == tbb::task_arena(tbb::task_arena::automatic).max_concurrency());
  CHECK(tbb::task_arena(tbb::task_arena::constraints().set_max_concurrency(2)).max_concurrency() == 2);
}

TEST_CASE("attach refers to the arena of the thread") {
  std::thread([] {
    // No arena yet: default settings.
    tbb::task_arena none{tbb::task_arena::attach()};
    CHECK_FALSE(none.is_active());
    CHECK(index() == tbb::task_arena::not_initialized);
    tbb::task_arena three(3);
    three.execute([] {
      tbb::task_arena same{tbb::attach()};
      CHECK(same.is_active());
      CHECK(same.max_concurrency() == 3);
      int const at = index();
      same.execute([at] { CHECK(index() == at); });
    });
    CHECK(index() == tbb::task_arena::not_initialized);
  }).join();
}

TEST_CASE("execute returns values, references and exceptions") {
  tbb::task_arena a(2);
  CHECK(a.execute([] { return 7; }) == 7);
  int x = 1;
  int& r = a.execute([&]() -> int& { return x; });
  CHECK(&r == &x);
  CHECK(a.execute([] { return std::make_unique<std::string>("moved"); })->size() == 5);
  CHECK_THROWS_AS(a.execute([] { throw std::runtime_error("from inside"); }), std::runtime_error);
  auto const in_a_loop = [] {
    tbb::parallel_for(0, 100, [](int i) {
      if (i == 50) throw std::out_of_range("loop");
    });
  };
  CHECK_THROWS_AS(a.execute(in_a_loop), std::out_of_range);
  std::atomic<int> n{0};
  a.execute([&] { tbb::parallel_for(0, 1000, [&](int) { ++n; }); });
  CHECK(n == 1000);
}

TEST_CASE("an inner call of execute is not cancelled with the outer group") {
  tbb::task_arena a(2);
  auto const nested = [&] {
    tbb::task_group_context context;
    std::atomic<int> ran{0};
    tbb::parallel_for(
        0, 1,
        [&](int) {
          context.cancel_group_execution();
          CHECK(tbb::is_current_task_group_canceling());
          a.execute([&] {
            CHECK_FALSE(tbb::is_current_task_group_canceling());
            tbb::parallel_for(0, 100, [&](int) { ++ran; });
          });
          CHECK(tbb::is_current_task_group_canceling());
        },
        context);
    CHECK(ran == 100);
  };
  nested();
  a.execute(nested);
}

TEST_CASE("no more threads than the limit work in an arena") {
  test::thread_team const limit(8);
  for (int concurrency : {1, 2, 3}) {
    tbb::task_arena a(concurrency);
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::atomic<int> bad_index{0};
    auto const body = [&](int) {
      int const now = ++inside;
      int seen = most;
      while (seen < now && !most.compare_exchange_weak(seen, now)) {
      }
      if (index() < 0 || index() >= concurrency) ++bad_index;
      std::this_thread::yield();
      --inside;
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) a.execute([&] { tbb::parallel_for(0, 30, body, tbb::simple_partitioner()); });
      });
    }
    for (auto& t : threads) t.join();
    CHECK(most <= concurrency);
    CHECK(bad_index == 0);
  }
}

TEST_CASE("a thread enters a full arena in which it is, through another one") {
  for (unsigned const reserved : {0u, 1u}) {
    tbb::task_arena inner(1, reserved), between(2);
    auto const self = std::this_thread::get_id();
    int sum = 0;
    inner.execute([&] {
      tbb::task_group before;
      before.run([&] { sum += 1; });
      between.execute([&] {
        inner.execute([&] {
          CHECK(std::this_thread::get_id() == self);
          CHECK(index() == 0);
          CHECK(tbb::this_task_arena::max_concurrency() == 1);
          tbb::parallel_for(0, 10, [&](int) { sum += 10; });
          before.wait();
        });
        CHECK(tbb::this_task_arena::max_concurrency() == 2);
      });
      CHECK(tbb::this_task_arena::max_concurrency() == 1);
      before.run([&] { sum += 100; });
      before.wait();
    });
    CHECK(sum == 201);
    // The slot is free again.
    std::thread([&] { inner.execute([&] { ++sum; }); }).join();
    CHECK(sum == 202);
  }
}

TEST_CASE("a call in a full arena is made by a thread in it, or when a slot is free") {
  tbb::task_arena a(1);
  std::atomic<bool> entered{false};
  std::atomic<bool> leave{false};
  std::thread holder([&] {
    a.execute([&] {
      entered = true;
      while (!leave) std::this_thread::yield();
    });
  });
  REQUIRE(eventually([&] { return entered.load(); }));
  SUBCASE("slot becomes free") {
    std::atomic<int> results{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t) {
      callers.emplace_back([&, t] { results += a.execute([t] { return t + 1; }); });
    }
    leave = true;
    for (auto& c : callers) c.join();
    CHECK(results == 10);
  }
  SUBCASE("exception") {
    std::thread caller(
        [&] { CHECK_THROWS_AS(a.execute([]() -> int { throw std::logic_error("delegated"); }), std::logic_error); });
    leave = true;
    caller.join();
  }
  leave = true;
  holder.join();
}

TEST_CASE("enqueued functions run, in order where one thread runs them") {
  tbb::task_arena a(1);
  std::vector<int> order;
  std::atomic<int> done{0};
  for (int i = 0; i < 100; ++i) {
    a.enqueue([&order, &done, i] {
      order.push_back(i);
      ++done;
    });
  }
  REQUIRE(eventually([&] { return done == 100; }));
  a.debug_wait_until_empty();
  REQUIRE(order.size() == 100);
  for (int i = 0; i < 100; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("enqueued functions run although no worker is allowed or has a place") {
  for (unsigned limit : {1u, 2u}) {
    test::thread_team const threads(limit);
    std::atomic<int> done{0};
    tbb::task_arena one(1, 1);
    one.execute([&] {
      tbb::this_task_arena::enqueue([&] { ++done; });
      CHECK(eventually([&] { return done == 1; }));
    });
    tbb::task_arena all_reserved(2, 2);
    all_reserved.enqueue([&] { ++done; });
    CHECK(eventually([&] { return done == 2; }));
    // In the thread's own arena.
    tbb::this_task_arena::enqueue([&] { ++done; });
    CHECK(eventually([&] { return done == 3; }));
    {
      tbb::task_arena short_lived(2, 0);
      for (int i = 0; i < 10; ++i) short_lived.enqueue([&] { ++done; });
    }
    CHECK(eventually([&] { return done == 13; }));
  }
}

TEST_CASE("an arena that all threads have left keeps no jobs back") {
  test::thread_team const limit(2);
  std::atomic<int> done{0};
  for (int i = 0; i < 200; ++i) {
    auto a = std::make_unique<tbb::task_arena>(2);
    a->execute([&] { tbb::this_task_arena::enqueue([&] { ++done; }); });
    a.reset();
  }
  CHECK(eventually([&] { return done == 200; }));
}

TEST_CASE("an arena that is destroyed while a thread is in it goes on") {
  std::atomic<int> done{0};
  for (int i = 0; i < 50; ++i) {
    auto a = std::make_unique<tbb::task_arena>(2);
    a->initialize();
    std::atomic<bool> inside{false};
    std::atomic<bool> gone{false};
    std::thread visitor([&] {
      a->execute([&] {
        inside = true;
        while (!gone) std::this_thread::yield();
        tbb::parallel_for(0, 100, [&](int) { ++done; });
        tbb::this_task_arena::enqueue([&] { ++done; });
      });
    });
    REQUIRE(eventually([&] { return inside.load(); }));
    a.reset();
    gone = true;
    visitor.join();
  }
  CHECK(eventually([&] { return done == 50 * 101; }));
}

TEST_CASE("a group is waited for in the arena") {
  tbb::task_arena a(4);
  tbb::task_group group;
  std::atomic<int> n{0};
  a.execute([&] {
    for (int i = 0; i < 100; ++i) group.run([&] { ++n; });
  });
  CHECK(a.wait_for(group) == tbb::complete);
  CHECK(n == 100);
}

TEST_CASE("isolate keeps unrelated tasks away from a waiting thread") {
  test::thread_team const limit(4);
  thread_local int busy = 0;
  std::atomic<int> met{0};
  auto const outer = [&](int) {
    busy = 1;
    int const value = tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(0, 50, [&](int) { std::this_thread::yield(); }, tbb::simple_partitioner());
      return 5;
    });
    if (value != 5) ++met;
    busy = 0;
  };
  auto const watched = [&](int i) {
    if (busy != 0) ++met;
    outer(i);
  };
  tbb::parallel_for(0, 200, watched, tbb::simple_partitioner());
  CHECK(met == 0);
  // Tasks that the enclosing task spawned before are not taken either.
  tbb::task_group group;
  std::atomic<bool> in_isolation{false};
  std::thread::id const me = std::this_thread::get_id();
  for (int i = 0; i < 10; ++i) {
    group.run([&] {
      if (in_isolation && std::this_thread::get_id() == me) ++met;
    });
  }
  tbb::this_task_arena::isolate([&] {
    in_isolation = true;
    tbb::task_group inner;
    for (int i = 0; i < 10; ++i) inner.run([] { std::this_thread::yield(); });
    inner.wait();
    in_isolation = false;
  });
  group.wait();
  CHECK(met == 0);
}

TEST_CASE("other threads help with isolated work, and a sleeping isolated one keeps no job from others") {
  test::thread_team const limit(4);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> begun{0};
    tbb::this_task_arena::isolate([&] {
      auto const half = [&] {
        ++begun;
        CHECK(eventually([&] { return begun == 2; }));
      };
      tbb::parallel_invoke(half, half);
    });
    CHECK(begun == 2);
  }
}

TEST_CASE("arenas of a higher priority get the workers first") {
  test::thread_team const limit(2);
  std::atomic<bool> go{false};
  std::atomic<int> done{0};
  std::vector<int> order;
  tbb::task_arena blocker(1, 0);
  std::atomic<bool> blocked{false};
  blocker.enqueue([&] {
    blocked = true;
    while (!go) std::this_thread::yield();
  });
  REQUIRE(eventually([&] { return blocked.load(); }));
  // The only worker is busy; both arenas wait for it.
  tbb::task_arena low(1, 0, tbb::task_arena::priority::low);
  tbb::task_arena high(1, 0, tbb::task_arena::priority::high);
  low.enqueue([&] { order.push_back(0), ++done; });
  high.enqueue([&] { order.push_back(1), ++done; });
  go = true;
  REQUIRE(eventually([&] { return done == 2; }));
  CHECK(order == std::vector<int>{1, 0});
}

TEST_CASE("classic: enqueue with priority") {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 1);
  tbb::task_arena a(1);
  std::atomic<bool> go{false};
  std::atomic<int> done{0};
  std::vector<int> order;
  std::atomic<bool> blocked{false};
  a.enqueue([&] {
    blocked = true;
    while (!go) std::this_thread::yield();
  });
  REQUIRE(eventually([&] { return blocked.load(); }));
  a.enqueue([&] { order.push_back(1), ++done; }, tbb::priority_low);
  a.enqueue([&] { order.push_back(3), ++done; }, tbb::priority_high);
  a.enqueue([&] { order.push_back(2), ++done; });
  go = true;
  REQUIRE(eventually([&] { return done == 3; }));
  CHECK(order == std::vector<int>{3, 2, 1});
}

TEST_CASE("a worker that comes to a full arena for an enqueued function sees one more thread there, whomever it asks") {
  tbb::task_arena a(1);
  a.execute([&] {
    std::atomic<int> here{0}, there{0};
    std::thread([&] {
      a.enqueue([&] {
        there = a.max_concurrency();
        here = tbb::this_task_arena::max_concurrency();
      });
    }).join();
    CHECK(eventually([&] { return here != 0; }));
    CHECK(here == 2);
    CHECK(there == 2);
    CHECK(a.max_concurrency() == 1);
  });
}

// The jobs belong to who waits for them, and not to a worker beyond the limit.
TEST_CASE("a handle that goes leaves the jobs of an arena of one slot to the thread in it") {
  tbb::task_arena(2).execute([] { tbb::parallel_for(0, 100, [](int) { std::this_thread::yield(); }); });
  tbb::task_arena a(1);
  a.execute([] {
    auto const here = std::this_thread::get_id();
    std::atomic<int> elsewhere{0};
    tbb::task_group group;
    for (int i = 0; i < 100; ++i) {
      group.run([&] {
        if (std::this_thread::get_id() != here) ++elsewhere;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      });
    }
    {
      tbb::task_arena const same{tbb::task_arena::attach()};
    }
    group.wait();
    CHECK(elsewhere == 0);
  });
}

TEST_CASE("an arena that was joined is known with all of its settings") {
  tbb::task_arena const outer(3, 2, tbb::task_arena::priority::high, tbb::task_arena::leave_policy::fast);
  tbb::task_arena made(outer);
  made.execute([&] {
    tbb::task_arena joined{tbb::task_arena::attach()};
    tbb::task_arena copy(joined);
    copy.initialize();
    ashlar::sched::arena_settings found;
    copy.execute([&] { found = ashlar::sched::settings_of_arena(ashlar::sched::this_slot().home()); });
    CHECK(found.where.max_concurrency == 3);
    CHECK(found.reserved == 2);
    CHECK(found.priority == 2);
    CHECK(found.fast_leave);
  });
}

// The arena's worker is busy until the waiting thread has run a job itself: the arena is empty while that is taken.
TEST_CASE("a wait for an empty arena runs the last job that lies there") {
  test::thread_team const limit(2);
  tbb::task_arena a(2);
  std::atomic<bool> begun{false};
  std::atomic<bool> ran{false};
  a.enqueue([&] {
    begun = true;
    eventually([&] { return ran.load(); });
  });
  REQUIRE(eventually([&] { return begun.load(); }));
  a.enqueue([&] { ran = true; });
  a.debug_wait_until_empty();
  CHECK(ran);
}

// The waiting thread runs the job itself, and the worker that was called for it is still on its way. It would take the
// only place, and run the call.
TEST_CASE("after a wait for an empty arena no worker comes until there is work") {
  test::thread_team const limit(2);
  for (int round = 0; round < 500; ++round) {
    tbb::task_arena a(1, 0);
    std::atomic<bool> ran{false};
    a.enqueue([&] { ran = true; });
    a.debug_wait_until_empty();
    CHECK(ran);
    std::thread([&] {
      std::thread::id const own = std::this_thread::get_id();
      a.execute([&] { CHECK(std::this_thread::get_id() == own); });
    }).join();
  }
}

// An enqueued function may wait for the thread that waits in a function of the arena's.
TEST_CASE("a wait in a function of an arena leaves enqueued functions to workers") {
  test::thread_team const limit(2);
  for (int threads = 1; threads <= 2; ++threads) {
    tbb::task_arena a(threads);
    for (int round = 0; round < 50; ++round) {
      std::atomic<bool> left{false};
      std::atomic<int> over{0};
      a.execute([&] {
        tbb::task_group group;
        tbb::task_handle h = group.defer([] {});
        std::atomic<bool> begun{false};
        a.enqueue([&] {
          begun = true;
          over = eventually([&] { return left.load(); }) ? 1 : -1;
        });
        std::thread ends([&] {
          while (!begun) std::this_thread::yield();
          a.execute([&] { group.run(std::move(h)); });
        });
        // A full arena is entered by this thread: it makes the call while it waits.
        group.wait();
        left = true;
        ends.join();
      });
      REQUIRE(eventually([&] { return over != 0; }));
      REQUIRE(over == 1);
    }
  }
}
