// SPDX-License-Identifier: Apache-2.0
// Arenas that come and go, full and half full, bound and free, entered from many threads and from one another, with
// work enqueued into them and left behind, under changing limits. Everything is counted: nothing is lost or done twice.
//
// ASHLAR_STRESS_ROUNDS: rounds of each thread (default: as many as take about a second).
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

int rounds() {
  char const* const asked = std::getenv("ASHLAR_STRESS_ROUNDS");
  return asked != nullptr ? std::atoi(asked) : 150;
}

struct tally {
  std::atomic<long> due{0};
  std::atomic<long> done{0};
  void loop(int n) {
    due += n;
    tbb::parallel_for(0, n, [this](int) { done.fetch_add(1, std::memory_order_relaxed); });
  }
  template <typename Arena>
  void enqueue(Arena& a) {
    ++due;
    a.enqueue([this] { ++done; });
  }
  void settle() const {
    while (done.load() != due.load()) std::this_thread::yield();
  }
};

struct counting_observer : tbb::task_scheduler_observer {
  explicit counting_observer(tbb::task_arena& a) : task_scheduler_observer(a) { observe(true); }
  ~counting_observer() override { observe(false); }
  void on_scheduler_entry(bool) override { ++inside; }
  void on_scheduler_exit(bool) override { --inside; }
  std::atomic<int> inside{0};
};

using shared_arenas = std::vector<std::unique_ptr<tbb::task_arena>>;

// Each arena from one before it, lest threads wait for each other's slots.
void nest(tally& t, shared_arenas& arenas, std::mt19937& random, std::size_t from) {
  std::size_t const here = from + random() % (arenas.size() - from);
  tbb::task_arena& a = *arenas[here];
  a.execute([&] {
    t.loop(static_cast<int>(random() % 40));
    if (random() % 4 == 0) t.enqueue(a);
    if (here + 1 < arenas.size()) nest(t, arenas, random, here + 1);
    tbb::this_task_arena::isolate([&] { t.loop(5); });
  });
}

void throw_through(tally& t, tbb::task_arena& a) {
  try {
    a.execute([&] {
      t.loop(10);
      throw std::runtime_error("through");
    });
    std::abort();
  } catch (std::runtime_error const&) {
  }
}

// An arena of the thread's own that ends while work is in it.
void short_life(tally& t, std::mt19937& random) {
  tbb::task_arena::constraints c;
  c.set_max_concurrency(1 + static_cast<int>(random() % 4));
  if (random() % 2 == 0) c.set_max_threads_per_core(1);
  tbb::task_arena a(c, static_cast<unsigned>(random() % 3));
  if (random() % 2 == 0) {
    counting_observer o(a);
    a.execute([&] { t.loop(20); });
    t.enqueue(a);
  }
  for (unsigned i = random() % 4; i > 0; --i) t.enqueue(a);
  if (random() % 3 == 0) a.terminate();
  tbb::task_group group;
  a.execute([&] {
    ++t.due;
    group.run([&] { ++t.done; });
  });
  a.wait_for(group);
}

void series(tally& t, shared_arenas& arenas, unsigned seed) {
  test::thread_team const own(8);
  std::mt19937 random(seed);
  for (int i = 0; i < rounds(); ++i) {
    switch (random() % 6) {
      case 0:
        nest(t, arenas, random, 0);
        break;
      case 1:
        throw_through(t, *arenas[random() % arenas.size()]);
        break;
      case 2:
        short_life(t, random);
        break;
      case 3:
        t.enqueue(*arenas[random() % arenas.size()]);
        break;
      case 4: {
        tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 1 + random() % 8);
        t.loop(50);
        break;
      }
      default: {
        tbb::task_arena::parallel_phase const phase(*arenas[random() % arenas.size()]);
        t.loop(100);
      }
    }
  }
}

}  // namespace

TEST_CASE("eight threads in and out of arenas of one to four slots") {
  test::thread_team const eight(8);
  tally t;
  {
    shared_arenas arenas;
    for (int slots = 1; slots <= 4; ++slots) {
      arenas.push_back(std::make_unique<tbb::task_arena>(slots, static_cast<unsigned>(slots % 2),
                                                         static_cast<tbb::task_arena::priority>(slots % 3)));
    }
    counting_observer watch(*arenas[3]);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 8; ++i) threads.emplace_back([&, i] { series(t, arenas, i); });
    for (auto& thread : threads) thread.join();
    CHECK(watch.inside >= 0);
  }
  t.settle();
  CHECK(t.done == t.due);
}
