// SPDX-License-Identifier: Apache-2.0
// Threads that come and go, frees across threads, late destructors, fork.
#include <ashlar/base/config.h>
#include <doctest/doctest.h>

#include <ashlar/alloc/malloc_stats.h>
#include <support/death.h>
#include <support/emulator.h>
#include <tbb/scalable_allocator.h>

#include <pthread.h>

#include <atomic>
#include <cstring>
#include <ctime>
#include <set>
#include <thread>
#include <vector>

namespace {

ashlar_malloc_stats stats() {
  ashlar_malloc_stats s;
  ashlar_malloc_get_stats(&s);
  return s;
}

// Frees its object when the thread's C++ destructors run, and allocates while it is at it.
struct late_cpp {
  void* p = nullptr;
  ~late_cpp() {
    scalable_free(scalable_malloc(200));
    scalable_free(p);
  }
};
thread_local late_cpp late;

pthread_key_t late_key;
std::atomic<int> late_runs{0};
// Sets itself again, so that it runs in every round, the last one after the heap was given up.
void late_c(void* p) {
  ++late_runs;
  scalable_free(p);
  pthread_setspecific(late_key, scalable_malloc(300));
}

}  // namespace

TEST_CASE("100,000 short threads leave nothing behind") {
  auto const churn = [](int threads) {
    for (int i = 0; i < threads; ++i) {
      std::thread([] {
        void* p[20];
        for (std::size_t k = 0; k < 20; ++k) {
          p[k] = scalable_malloc(16 << (k % 12));
        }
        for (void* q : p) {
          scalable_free(q);
        }
      }).join();
    }
  };
  churn(100);
  ashlar_malloc_stats const before = stats();
  churn(ASHLAR_TSAN ? 2000 : test::emulated ? 3000 : ASHLAR_ASAN ? 10000 : 100000);
  ashlar_malloc_stats const after = stats();
  CHECK(after.heaps == before.heaps);
  CHECK(after.mapped <= before.mapped);
  CHECK(after.metadata == before.metadata);
}

TEST_CASE("objects outlive their thread and are freed by others, without growth") {
  std::size_t mapped = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<void*> objects;
    std::thread([&] {
      for (int i = 0; i < 3000; ++i) {
        objects.push_back(scalable_malloc(static_cast<std::size_t>(16 + i % 700)));
        std::memset(objects.back(), 0x5a, 16);
      }
    }).join();
    for (void* p : objects) {
      scalable_free(p);
    }
    if (round == 100) {
      mapped = stats().mapped;
    }
  }
  CHECK(stats().mapped <= mapped);
}

TEST_CASE("a producer and a consumer reuse the same memory") {
  constexpr std::size_t slots = 64;
  std::atomic<void*> ring[slots] = {};
  constexpr int objects = 300000;
  std::thread consumer([&] {
    for (int i = 0; i < objects; ++i) {
      void* p;
      while (!(p = ring[static_cast<std::size_t>(i) % slots].exchange(nullptr))) {
        std::this_thread::yield();
      }
      scalable_free(p);
    }
  });
  std::size_t mapped = 0;
  for (int i = 0; i < objects; ++i) {
    void* const p = scalable_malloc(500);
    std::memset(p, i, 500);
    while (ring[static_cast<std::size_t>(i) % slots].load()) {
      std::this_thread::yield();
    }
    ring[static_cast<std::size_t>(i) % slots].store(p);
    if (i == objects / 10) {
      mapped = stats().mapped;
    }
  }
  consumer.join();
  CHECK(stats().mapped <= mapped + (1u << 20));
}

TEST_CASE("a thread that settles before it sleeps keeps nobody's objects") {
  constexpr std::size_t count = 100;  // too few to be sent on their own
  std::vector<void*> objects;
  for (std::size_t i = 0; i < count; ++i) {
    objects.push_back(scalable_malloc(64));
  }
  std::atomic<int> step{0};
  std::thread sleeper([&] {
    for (void* p : objects) {
      scalable_free(p);
    }
    ashlar_malloc_settle();
    step = 1;
    while (step.load() != 2) {
      std::this_thread::yield();
    }
  });
  while (step.load() != 1) {
    std::this_thread::yield();
  }
  ashlar_malloc_settle();
  std::set<void*> const freed(objects.begin(), objects.end());
  std::vector<void*> fresh;
  std::size_t again = 0;
  for (int i = 0; i < 3000; ++i) {
    fresh.push_back(scalable_malloc(64));
    again += freed.count(fresh.back());
  }
  step = 2;
  sleeper.join();
  CHECK(again == count);
  for (void* p : fresh) {
    scalable_free(p);
  }
}

TEST_CASE("late destructors of a thread may free and allocate") {
  REQUIRE(pthread_key_create(&late_key, late_c) == 0);
  late_runs = 0;
  std::size_t const heaps = stats().heaps;
  for (int i = 0; i < 50; ++i) {
    std::thread([] {
      late.p = scalable_malloc(100);
      pthread_setspecific(late_key, scalable_malloc(300));
    }).join();
  }
  CHECK(late_runs >= 50 * 3);
  CHECK(stats().heaps <= heaps + 1);
  pthread_key_delete(late_key);
}

// ThreadSanitizer ends a child that starts threads if its parent had some.
TEST_CASE("fork while other threads allocate: the child can go on" * doctest::skip(ASHLAR_TSAN)) {
  std::atomic<bool> stop{false};
  std::atomic<void*> shared[64] = {};
  std::vector<std::thread> team;
  for (unsigned t = 0; t < 3; ++t) {
    team.emplace_back([&, t] {
      unsigned x = t + 1;
      while (!stop.load()) {
        x = x * 1664525 + 1013904223;
        std::size_t const size = (x >> 8) % 100 == 0 ? (x >> 16) * 8 : (x >> 16) % 2000;
        scalable_free(shared[x % 64].exchange(scalable_malloc(size)));
      }
    });
  }
  int hung = 0;
  int failed = 0;
  for (int i = 0; i < 200; ++i) {
    test::death const d = test::run_in_child([&] {
      alarm(400);
      for (int k = 0; k < 1500; ++k) {
        void* const p = scalable_malloc(static_cast<std::size_t>(k * 37 % 40000));
        std::memset(p, 1, 8);
        scalable_free(k % 3 ? p : scalable_realloc(p, 100000));
      }
      // Objects of threads that this process does not have.
      for (std::atomic<void*>& s : shared) {
        scalable_free(s.exchange(nullptr));
      }
      std::thread([] { scalable_free(scalable_malloc(1000)); }).join();
    });
    hung += d.by_signal(SIGALRM);
    failed += !d.exited || d.code != 0;
  }
  stop = true;
  for (std::thread& t : team) {
    t.join();
  }
  for (std::atomic<void*>& s : shared) {
    scalable_free(s.load());
  }
  CHECK(hung == 0);
  CHECK(failed == 0);
}
