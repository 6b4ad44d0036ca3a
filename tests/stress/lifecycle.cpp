// SPDX-License-Identifier: Apache-2.0
// Pipelines whose filters are suspended, in arenas that come and go, under observers that come and go, some of which
// stop themselves, while other threads finalize the scheduler again and again. Every token passes once and in order,
// every suspended filter goes on once, and in the end the scheduler ends.
//
// ASHLAR_STRESS_LIFECYCLE: rounds of each thread (default 25).
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace {

int rounds() {
  char const* const asked = std::getenv("ASHLAR_STRESS_LIFECYCLE");
  return asked != nullptr ? std::atoi(asked) : 25;
}

// Resumes what is left with it, from a thread of its own.
class resumer {
 public:
  resumer() : thread_([this] { work(); }) {}
  ~resumer() {
    over_ = true;
    thread_.join();
  }
  void add(tbb::task::suspend_point p) {
    std::lock_guard const guard(lock_);
    points_.push_back(p);
  }

 private:
  void work() {
    for (;;) {
      bool const last = over_;  // whoever adds more has ended before
      std::vector<tbb::task::suspend_point> taken;
      {
        std::lock_guard const guard(lock_);
        taken.swap(points_);
      }
      for (auto const p : taken) tbb::task::resume(p);
      if (last && taken.empty()) return;
      std::this_thread::yield();
    }
  }

  std::mutex lock_;
  std::vector<tbb::task::suspend_point> points_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

struct totals {
  std::atomic<long> wrong{0};
  std::atomic<long> finalized{0};
  std::atomic<long> refused{0};
};

// Stops itself at its n-th call, if n isn't 0.
class balance : public tbb::task_scheduler_observer {
 public:
  balance(tbb::task_arena& a, int stops_at) : task_scheduler_observer(a), left_(stops_at) { observe(true); }
  ~balance() override { observe(false); }
  void on_scheduler_entry(bool) override {
    ++inside;
    if (--left_ == 0) observe(false);
  }
  void on_scheduler_exit(bool) override { --inside; }
  int seen() const { return inside; }

 private:
  std::atomic<int> inside{0};
  std::atomic<int> left_;
};

void line(totals& sum, resumer& others, std::mt19937& random) {
  constexpr int tokens = 60;
  unsigned const mode = random();
  int made = 0;
  int next = 0;
  std::atomic<int> resumed{0};
  int suspended = 0;
  tbb::parallel_pipeline(
      4, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
           if (made == tokens) control.stop();
           return made++;
         }) & tbb::make_filter<int, int>(tbb::filter_mode::parallel, [&](int i) {
           if ((static_cast<unsigned>(i) + mode) % 7 == 0) {
             tbb::task::suspend([&](tbb::task::suspend_point p) { others.add(p); });
             ++resumed;
           }
           if (i % 9 == 0) tbb::parallel_for(0, 20, [](int) {});
           return i;
         }) & tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [&](int i) {
           if (i != next++) ++sum.wrong;
         }));
  for (int i = 0; i < tokens; ++i) suspended += (static_cast<unsigned>(i) + mode) % 7 == 0;
  if (next != tokens || resumed != suspended) ++sum.wrong;
}

void visit(totals& sum, resumer& others, std::mt19937& random, tbb::task_arena& shared) {
  tbb::task_arena own(1 + static_cast<int>(random() % 3), random() % 2);
  tbb::task_arena& a = random() % 2 == 0 ? own : shared;
  balance watch(a, static_cast<int>(random() % 6));
  a.execute([&] { line(sum, others, random); });
  // Nobody leaves that did not enter.
  if (watch.seen() < 0) ++sum.wrong;
  if (random() % 2 == 0) a.enqueue([] {});
}

void finalize(totals& sum) {
  tbb::task_scheduler_handle handle{tbb::attach()};
  if (tbb::finalize(handle, std::nothrow)) {
    ++sum.finalized;
  } else {
    ++sum.refused;
  }
}

void group(totals& sum, resumer& others) {
  std::atomic<int> done{0};
  tbb::task_group g;
  for (int i = 0; i < 10; ++i) {
    g.run([&] {
      tbb::task::suspend([&](tbb::task::suspend_point p) { others.add(p); });
      ++done;
    });
  }
  g.wait();
  if (done != 10) ++sum.wrong;
}

}  // namespace

TEST_CASE("pipelines, suspended tasks, observers and finalize from eight threads") {
  test::thread_team const eight(8);
  totals sum;
  {
    resumer others;
    tbb::task_arena shared(3, 1);
    std::vector<std::thread> threads;
    for (unsigned id = 0; id < 8; ++id) {
      threads.emplace_back([&, id] {
        test::thread_team const own(8);
        std::mt19937 random(id);
        for (int i = 0; i < rounds(); ++i) {
          switch (random() % 4) {
            case 0:
              finalize(sum);
              break;
            case 1:
              group(sum, others);
              break;
            default:
              visit(sum, others, random, shared);
          }
        }
      });
    }
    for (std::thread& t : threads) t.join();
  }
  CHECK(sum.wrong == 0);
  CHECK(sum.finalized + sum.refused > 0);
  // When everybody has left, nothing is in the way.
  tbb::task_scheduler_handle handle{tbb::attach()};
  CHECK(tbb::finalize(handle, std::nothrow));
}
