// SPDX-License-Identifier: Apache-2.0
#include "sched/policy/small_loops.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <support/eventually.h>
#include <support/thread_team.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

using ashlar::sched::small_loop_trial;

namespace {

constexpr ashlar::os::tuning usual(2.5), slow(0.025);

// An owner whose loops take so many ticks alone and with help, and a thief that looks every 1000 ticks, or every 10 of
// a counter that is a hundred times slower.
struct scene {
  std::uint64_t alone;
  std::uint64_t helped;
  ashlar::os::tuning const& tuned = usual;
  std::uint64_t step = &tuned == &slow ? 10 : 1000;
  std::uint64_t now = 1'000'000;
  double loops = 0;
  std::uint64_t help = 0;  // ticks in which the thief helped
  small_loop_trial trial{tuned};
  int owner = 0;

  void run(std::uint64_t ticks) {
    for (std::uint64_t const end = now + ticks; now < end; now += step) {
      bool const helps = trial.take(&owner, [&] { return static_cast<std::uint32_t>(loops); }, now);
      loops += static_cast<double>(step) / static_cast<double>(helps ? helped : alone);
      if (helps) help += step;
    }
  }
};

constexpr std::uint64_t ms = 2'500'000;  // at 2.5 GHz

}  // namespace

TEST_CASE("a thief goes on helping where that makes small loops faster") {
  scene s{2000, 1500};
  s.run(20 * ms);
  CHECK(s.help > 19 * ms);
  CHECK(s.trial.helping());
}

TEST_CASE("a thief sees the same on a slow counter") {
  constexpr std::uint64_t slow_ms = ms / 100;
  scene worth{20, 15, slow}, not_worth{20, 20, slow};
  worth.run(20 * slow_ms);
  not_worth.run(20 * slow_ms);
  CHECK(worth.help > 19 * slow_ms);
  CHECK(worth.trial.helping());
  CHECK(not_worth.help < 2 * slow_ms);
}

TEST_CASE("where it doesn't, the thief leaves them alone nearly always") {
  scene s{2000, 4000};
  s.run(20 * ms);
  CHECK(s.help < ms);
  s.help = 0;
  s.run(100 * ms);
  CHECK(s.help < 3 * ms);
  CHECK(s.help > 0);
}

TEST_CASE("a thief hears of it when help begins or ceases to pay") {
  scene s{2000, 1500};
  s.run(5 * ms);
  s.helped = 2500;  // the processors are far from each other now
  s.help = 0;
  s.run(20 * ms);
  CHECK(s.help < 2 * ms);
  s.helped = 1500;
  s.run(200 * ms);
  s.help = 0;
  s.run(5 * ms);
  CHECK(s.help > 4 * ms);
}

TEST_CASE("a period of few loops is measured as exactly as one of many") {
  for (std::uint64_t const loop : {12'000, 15'000, 20'000, 24'000}) {
    CAPTURE(loop);
    scene equal{loop, loop}, worth{loop, loop * 8 / 10};
    equal.run(100 * ms);
    worth.run(100 * ms);
    CHECK(equal.help < 10 * ms);
    CHECK(worth.help > 90 * ms);
  }
}

TEST_CASE("a thief that sleeps is due again when help pays, or when the next trial is") {
  scene s{2000, 1500};
  CHECK(s.trial.due(s.now + 4 * ms));  // nothing is known
  s.run(5 * ms);
  CHECK(s.trial.due(s.now + 1));
  CHECK(s.trial.due(s.now + 1000 * ms));

  scene equal{2000, 2000};  // trials cost nothing, but to get up does
  equal.run(20 * ms);
  CHECK_FALSE(equal.trial.due(equal.now + ms));
  CHECK(equal.trial.due(equal.now + 4 * ms));

  scene not_worth{2000, 8000};
  not_worth.run(20 * ms);
  while (!not_worth.trial.helping()) not_worth.run(not_worth.step);
  while (not_worth.trial.helping()) not_worth.run(not_worth.step);
  CHECK_FALSE(not_worth.trial.due(not_worth.now));
  CHECK_FALSE(not_worth.trial.due(not_worth.now + 3 * ms + ms / 2));
  std::uint64_t const woken = not_worth.now + 20 * ms;  // a trial costs three periods, and is made each 64 x 3
  CHECK(not_worth.trial.due(woken));
  not_worth.now = woken;
  not_worth.help = 0;
  not_worth.run(ms / 10);
  CHECK(not_worth.help > 0);
}

TEST_CASE("a thief's periods are those of the counter's rate when they begin") {
  ashlar::os::tuning guess(2.5);
  scene s{20, 15, guess, 10};
  guess = slow;
  s.run(20 * ms / 100);
  CHECK(s.help > 19 * ms / 100);
}

TEST_CASE("an owner that is preempted while it is watched is not taken for slow") {
  scene s{2000, 3500};
  s.run(20'000);  // the watch goes on
  s.alone = 1'000'000;
  s.run(100'000);
  s.alone = 2000;
  s.run(2 * ms);
  CHECK(s.help > 0);
  CHECK(s.help < ms / 5);
}

TEST_CASE("loops with long breaks between them get no help") {
  scene s{80'000, 40'000};
  s.run(20 * ms);
  CHECK(s.help == 0);
}

TEST_CASE("small loops that follow each other are right, whoever helps") {
  test::thread_team const limit(8);
  std::atomic<long> sum{0};
  auto const self = std::this_thread::get_id();
  std::atomic<long> elsewhere{0};
  long n = 0;
  for (auto const end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
       std::chrono::steady_clock::now() < end; ++n) {
    tbb::parallel_for(tbb::blocked_range<int>(0, 4, 1), [&](tbb::blocked_range<int> const& r) {
      for (int i = r.begin(); i != r.end(); ++i) {
        for (std::atomic<int> steps{0}; ++steps < 100;) {
        }
        sum += i;
      }
      if (std::this_thread::get_id() != self) ++elsewhere;
    });
  }
  CHECK(sum == 6 * n);
  MESSAGE(elsewhere.load() << " parts of " << n << " loops were run by other threads");
}

namespace {

// One place in the program: its loops are small, and then there is one whose iterations wait for each other.
void loop_of(int n, std::function<void(int)> const& body) { tbb::parallel_for(0, n, body); }

}  // namespace

TEST_CASE("a site whose loops were small gets all its threads for a barrier") {
  for (int const threads : {2, 4, 8}) {
    test::thread_team const limit(static_cast<std::size_t>(threads));
    for (int round = 0; round < 5; ++round) {
      for (int i = 0; i < 50; ++i) loop_of(100, [](int) {});
      std::atomic<int> arrived{0};
      loop_of(threads, [&](int) {
        ++arrived;
        CHECK(test::eventually([&] { return arrived == threads; }));
      });
    }
  }
}

namespace {

struct told_job : ashlar::sched::job {
  std::atomic<bool> ran{false};

  told_job() : job{&run_it} {}
  static job* run_it(job* self, ashlar::sched::slot&) noexcept {
    static_cast<told_job*>(self)->ran = true;
    return nullptr;
  }
};

}  // namespace

// There is no room for a second worker, so nobody but the thread that waits for the worker can come. That thread sleeps
// when the job is reserved, and nobody is called then: the watchdog has to wake it. A worker of another arena is on
// watch for some time after it has fallen asleep.
TEST_CASE("a worker's reserved job gets the thread that waits in its arena") {
  test::thread_team const limit(4);
  std::atomic<int> awake{0};
  loop_of(4, [&](int) {
    ++awake;
    CHECK(test::eventually([&] { return awake == 4; }));  // all workers exist
  });
  tbb::task_arena arena(2, 1), other(2, 0);
  auto const spin = [](std::chrono::microseconds time) {
    auto const end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
  };
  for (int round = 0; round < 100; ++round) {
    arena.execute([&] {
      tbb::task_group group;
      std::atomic<bool> begun{false};
      group.run([&] {
        begun = true;
        spin(std::chrono::milliseconds(3));  // the waiting thread falls asleep
        std::atomic<bool> elsewhere{false};
        other.enqueue([&elsewhere] { elsewhere = true; });
        CHECK(test::eventually([&] { return elsewhere.load(); }));
        spin(std::chrono::microseconds(20 * round));
        ashlar::sched::slot& here = ashlar::sched::this_slot();
        told_job reserved;
        here.offer(reserved, here.child_key());
        CHECK(test::eventually([&] { return reserved.ran.load(); }));
      });
      CHECK(test::eventually([&] { return begun.load(); }));  // by a worker
      group.wait();
    });
  }
}
