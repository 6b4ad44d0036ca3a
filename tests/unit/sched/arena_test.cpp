// SPDX-License-Identifier: Apache-2.0
// Arenas and the market: limits hold, workers are shared by demand, idle ones come back.
#include "sched/arena/arena.h"
#include "os/clock.h"
#include "sched/market/load.h"
#include "sched/market/market.h"
#include "sched/policy/occupancy.h"
#include "support/again.h"
#include "support/death.h"
#include "support/eventually.h"
#include "support/thread_team.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

using steady = std::chrono::steady_clock;

using test::eventually;

// Counts the threads that are in some body at the same time; a nested body of the same thread counts once.
class occupancy {
 public:
  class visit {
   public:
    explicit visit(occupancy& o) : of_(o), outermost_(depth()++ == 0) {
      if (!outermost_) return;
      int const now = ++of_.inside_;
      int most = of_.most_;
      while (now > most && !of_.most_.compare_exchange_weak(most, now)) {
      }
    }
    ~visit() {
      --depth();
      if (outermost_) --of_.inside_;
    }

   private:
    static int& depth() {
      thread_local int d = 0;
      return d;
    }
    occupancy& of_;
    bool outermost_;
  };
  int most() const { return most_; }

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> most_{0};
};

void nested_work(occupancy& o) {
  tbb::parallel_for(
      0, 20,
      [&](int) {
        occupancy::visit const outer(o);
        tbb::parallel_for(
            0, 20,
            [&](int) {
              occupancy::visit const inner(o);
              std::this_thread::yield();
            },
            tbb::simple_partitioner());
      },
      tbb::simple_partitioner());
}

}  // namespace

TEST_CASE("nested parallelism never uses more threads than allowed") {
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    test::thread_team const limit(threads);
    // Workers of the case before may still be on their way out.
    REQUIRE(eventually([] {
      ashlar::sched::arena& a = ashlar::sched::this_slot().home();
      return a.active.load(ashlar::mo::relaxed) == 0;
    }));
    occupancy o;
    for (int i = 0; i < 20; ++i) nested_work(o);
    CHECK(o.most() <= static_cast<int>(threads));
    CHECK(o.most() >= 1);
  }
}

TEST_CASE("application threads with arenas of their own share one set of workers") {
  test::thread_team const limit(4);
  constexpr int applications = 3;
  occupancy o;
  std::atomic<int> begun{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < applications; ++t) {
    threads.emplace_back([&] {
      test::thread_team const own(4);
      // None has to wait for another one's end.
      tbb::parallel_for(0, 1, [&](int) {
        occupancy::visit const here(o);
        ++begun;
        CHECK(eventually([&] { return begun == applications; }));
      });
      for (int i = 0; i < 20; ++i) nested_work(o);
    });
  }
  for (auto& t : threads) t.join();
  CHECK(o.most() <= applications + 3);
  CHECK(o.most() >= applications);
}

TEST_CASE("workers go where the demand is") {
  test::thread_team const limit(3);
  // Two arenas, two workers: each gets one, for both wait until somebody else has begun their second half.
  std::atomic<int> begun{0};
  auto const counted = [&] {
    test::thread_team const own(3);
    tbb::parallel_invoke(
        [&] {
          ++begun;
          CHECK(eventually([&] { return begun >= 4; }));
        },
        [&] {
          ++begun;
          CHECK(eventually([&] { return begun >= 4; }));
        });
  };
  std::thread first(counted);
  std::thread second(counted);
  first.join();
  second.join();
  CHECK(begun == 4);
}

namespace {

// Keeps an arena busy from a thread of its own, as long as it lives: more work than there are threads.
class flood {
 public:
  explicit flood(tbb::task_arena& a)
      : thread_([this, &a] {
          a.execute([this] {
            while (!over_) {
              tbb::parallel_for(0, 64, [](int) { std::this_thread::yield(); }, tbb::simple_partitioner());
            }
          });
        }) {}
  ~flood() {
    over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};

// The library's own side of the object.
ashlar::sched::arena& arena_of(tbb::task_arena& a) { return reinterpret_cast<ashlar::sched::arena_holder&>(a).get(); }

unsigned workers_in(tbb::task_arena& a) { return arena_of(a).active.load(ashlar::mo::relaxed); }

}  // namespace

TEST_CASE("workers leave an arena for one of higher priority, and come back when that has no more work") {
  // Two application threads and three workers: more threads are allowed than there are processors, so that busy
  // application threads send no worker away.
  test::thread_team const limit(4);
  using priority = tbb::task_arena::priority;
  for (auto const& [lower, higher] : {std::pair{priority::low, priority::normal},
                                      {priority::normal, priority::high},
                                      {priority::low, priority::high}}) {
    tbb::task_arena below(4, 1, lower);
    tbb::task_arena above(4, 1, higher);
    below.initialize();
    above.initialize();
    flood const first(below);
    CHECK(eventually([&] { return workers_in(below) != 0; }));
    {
      flood const second(above);
      CHECK(eventually([&] { return workers_in(below) == 0 && workers_in(above) != 0; }));
      // The work above needs two threads at a time, and gets them.
      std::atomic<int> begun{0};
      auto const half = [&] {
        ++begun;
        CHECK(eventually([&] { return begun == 2; }));
      };
      above.execute([&] { tbb::parallel_invoke(half, half); });
    }
    CHECK(eventually([&] { return workers_in(below) != 0 && workers_in(above) == 0; }));
  }
}

TEST_CASE("workers that found nothing to do in an arena and went to another one come back when there is work") {
  test::thread_team const limit(4);
  tbb::task_arena above(4, 1, tbb::task_arena::priority::high);
  tbb::task_arena below(4, 1, tbb::task_arena::priority::low);
  std::atomic<bool> pause{false}, over{false};
  std::atomic<int> enqueued{0};
  std::thread by([&] {
    above.execute([&] {
      while (!over) {
        if (pause) {
          std::this_thread::yield();
        } else {
          tbb::parallel_for(0, 64, [](int) { std::this_thread::yield(); }, tbb::simple_partitioner());
        }
      }
    });
  });
  CHECK(eventually([&] { return workers_in(above) != 0; }));
  below.initialize();
  flood const other(below);
  for (int i = 0; i < 20; ++i) {
    above.enqueue([&] { ++enqueued; });
    CHECK(eventually([&] { return workers_in(above) != 0; }));
    pause = true;
    CHECK(eventually([&] { return workers_in(above) == 0 && workers_in(below) != 0; }));
    above.enqueue([&] { ++enqueued; });  // nobody but a worker runs it
    CHECK(eventually([&] { return enqueued == 2 * i + 2; }));
    CHECK(eventually([&] { return workers_in(above) == 0 && workers_in(below) != 0; }));
    pause = false;
  }
  over = true;
  by.join();
}

TEST_CASE("arenas of one priority share the workers in proportion to what they can use") {
  // Four or five workers, as the application threads take up the processors; one arena can use two, the other six.
  test::thread_team const limit(6);
  tbb::task_arena narrow(3, 1);
  tbb::task_arena wide(7, 1);
  narrow.initialize();
  wide.initialize();
  flood const first(narrow);
  flood const second(wide);
  auto const allotted = [](tbb::task_arena& a) { return arena_of(a).allotted.load(ashlar::mo::relaxed); };
  CHECK(eventually([&] { return allotted(narrow) >= 1 && allotted(narrow) <= 2 && allotted(wide) >= 3; }));
  CHECK(eventually([&] { return workers_in(narrow) >= 1 && workers_in(narrow) <= 2 && workers_in(wide) >= 3; }));
}

TEST_CASE("idle workers leave the arena") {
  test::thread_team const limit(4);
  occupancy o;
  nested_work(o);
  ashlar::sched::arena& a = ashlar::sched::this_slot().home();
  CHECK(eventually([&] { return a.active.load(ashlar::mo::relaxed) == 0; }));
  CHECK(eventually([&] { return a.searching() == 0; }));
  CHECK_FALSE(a.has_visible_work());
}

TEST_CASE("what application threads take up is told from their processor time") {
  using ashlar::sched::occupancy;
  occupancy load;
  std::atomic<int> enrolled{0};
  std::atomic<bool> burn{true}, end{false};
  std::atomic<std::uint64_t> own[2] = {};  // what each thread knows of its processor time
  occupancy::thread shares[2];
  auto const body = [&](int i) {
    static std::mutex lock;
    {
      std::lock_guard guard(lock);
      load.enroll(shares[i], ashlar::os::now_ns());
    }
    ++enrolled;
    while (!end) {
      if (!burn) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      timespec t{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
      own[i] = static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
    }
  };
  std::uint64_t const start = ashlar::os::now_ns();
  std::thread first(body, 0);
  CHECK(eventually([&] { return enrolled == 1; }));
  CHECK(!load.due(ashlar::os::now_ns(), occupancy::observer::asleep));  // it competes with nobody
  std::thread second(body, 1);
  CHECK(eventually([&] { return enrolled == 2; }));
  auto const look = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    std::uint64_t const now = ashlar::os::now_ns();
    if (!load.due(now, occupancy::observer::asleep)) return 0u;
    load.measure(now, occupancy::observer::asleep);
    return load.processors(now);
  };

  // The threads' own clocks are read, however much of the machine others have.
  bool right = true;
  CHECK(eventually([&] {
    std::uint64_t const before[2] = {own[0], own[1]};
    look();
    std::uint64_t const elapsed = ashlar::os::now_ns() - start;
    for (int i = 0; i < 2; ++i) right = right && shares[i].used >= before[i] && shares[i].used <= elapsed;
    return shares[0].used > 5'000'000 && shares[1].used > 5'000'000;
  }));
  CHECK(right);

  // A clock that never stops is that of a thread that never waits: what such threads take up doesn't depend on how busy
  // the machine is.
  ashlar::os::cpu_clock const real[2] = {shares[0].clock, shares[1].clock};
  shares[0].clock = shares[1].clock = {CLOCK_MONOTONIC};
  look();
  CHECK(eventually([&] { return look() == 2; }));
  CHECK(load.processors(ashlar::os::now_ns() + 1'000'000'000) == 0);  // too old
  burn = false;
  shares[1].clock = real[1];
  look();
  CHECK(eventually([&] { return look() == 1; }));
  shares[0].clock = real[0];
  look();
  CHECK(eventually([&] { return look() == 0; }));
  end = true;
  first.join();
  second.join();
  load.dismiss(shares[0]);
  CHECK(load.threads() == 1);
  CHECK(load.processors(ashlar::os::now_ns()) <= 1);
}

TEST_CASE("an application thread counts from the first loop that it shares") {
  ashlar::sched::load all;
  ashlar::sched::occupancy::thread others, own;
  all.dismiss(others);  // it has never shared one
  CHECK_FALSE(own.enrolled);
  all.count_caller(own);
  all.count_caller(own);
  CHECK(own.enrolled);
  all.count_caller(others);
  CHECK(others.enrolled);
  all.dismiss(others);
  CHECK_FALSE(others.enrolled);
  CHECK_FALSE(all.due(ashlar::sched::occupancy::observer::asleep));  // one thread competes with nobody
  all.dismiss(own);
}

TEST_CASE("an application thread that comes, or shares a loop again, counts as busy until it is measured") {
  using ashlar::sched::occupancy;
  constexpr auto by = occupancy::observer::running;
  constexpr ashlar::os::cpu_clock never{-1};  // no clock: of a thread that does nothing
  occupancy load;
  occupancy::thread spinner, idle;
  std::uint64_t now = ashlar::os::now_ns();
  load.enroll(spinner, now);
  CHECK(load.processors(now) == 1);
  spinner.clock = {CLOCK_MONOTONIC};
  spinner.used = now;
  load.wake(spinner, now);  // it counts already
  CHECK(load.processors(now) == 1);
  load.enroll(idle, now);
  idle.clock = never;
  CHECK(load.processors(now) == 2);
  load.measure(now + 100'000, by);
  CHECK(load.processors(now + 100'000) == 2);  // too soon to tell
  auto const later = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    now = ashlar::os::now_ns();
    load.measure(now, by);
    return load.processors(now);
  };
  CHECK(eventually([&] { return later() == 1; }));  // a long sleep says nothing
  load.wake(idle, now);
  CHECK(load.processors(now) == 2);
  load.dismiss(idle);  // takes its share with it, and no other
  CHECK(load.processors(now) == 1);
  load.enroll(idle, now);
  idle.clock = never;
  CHECK(eventually([&] { return later() == 1; }));  // a long sleep says nothing
  load.dismiss(idle);
  CHECK(load.processors(now) == 1);
}

TEST_CASE("application threads that fill the processors, waiting for their other halves, get a worker") {
  test::thread_team const two(2);
  auto const series = [] {
    test::thread_team const own(2);
    for (int i = 0; i < 20; ++i) {
      std::atomic<bool> begun{false};
      tbb::parallel_invoke(
          [&] {
            while (!begun.load()) std::this_thread::yield();
          },
          [&] { begun = true; });
      // Long enough to be measured.
      auto const until = steady::now() + std::chrono::milliseconds(1);
      while (steady::now() < until) tbb::parallel_for(0, 8, [](int) {});
    }
  };
  std::thread others[2];
  for (auto& t : others) t = std::thread(series);
  for (auto& t : others) t.join();
}

TEST_CASE("of two bits that are raised together one may be up already") {
  namespace sched = ashlar::sched;
  sched::slot& s = sched::this_slot();
  s.home().lower(sched::attention_wake);
  s.home().raise(sched::attention_observe);
  s.home().raise(sched::attention_observe | sched::attention_wake);
  CHECK((s.attention_bits() & sched::attention_wake) != 0);
  s.home().lower(sched::attention_observe);
}

// In a process of its own: with more workers than places they take turns.
TEST_CASE("workers come back (run by the test of their places)" * doctest::skip()) {
  constexpr int threads = 4;
  tbb::global_control const control(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(threads);
  std::map<std::thread::id, int> places;
  std::mutex lock;
  for (int round = 0; round != 20; ++round) {
    std::atomic<int> inside{0};
    arena.execute([&] {
      tbb::parallel_for(
          0, threads,
          [&](int) {
            ++inside;
            while (inside < threads) std::this_thread::yield();
            std::lock_guard<std::mutex> const guard(lock);
            int const here = tbb::this_task_arena::current_thread_index();
            CHECK(places.emplace(std::this_thread::get_id(), here).first->second == here);
          },
          tbb::simple_partitioner());
    });
    // From time to time long enough for the workers to go to sleep.
    if (round % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(places.size() == threads);
}

TEST_CASE("a worker comes back to its place in an arena") {
  test::death const end =
      test::run_in_child([] { test::start_again({"--no-skip", "--test-case=workers come back*"}); });
  CHECK(end.exited);
  CHECK_MESSAGE(end.code == 0, end.errors);
}
