// SPDX-License-Identifier: Apache-2.0
// Application threads in numbers: 100,000 one after another, each of which uses the library, and 1000 at once. Every
// one gets its result, and memory does not grow with the number of those that have been.
//
// ASHLAR_STRESS_ROUNDS: the number of threads one after another (default: 100,000; under sanitizers and emulators
// fewer).
#include "support/emulator.h"
#include "support/eventually.h"
#include "support/process_memory.h"

#include <ashlar/base/config.h>
#include <tbb/concurrent_queue.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/scalable_allocator.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <latch>
#include <memory>
#include <vector>

namespace {

// A thread with a small stack, so that 1000 fit anywhere.
class small_thread {
 public:
  explicit small_thread(std::function<void()> body) : body_(std::move(body)) {
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, 512 * 1024);
    REQUIRE(::pthread_create(&thread_, &attributes, run, this) == 0);
    ::pthread_attr_destroy(&attributes);
  }
  small_thread(small_thread const&) = delete;
  small_thread& operator=(small_thread const&) = delete;
  ~small_thread() { ::pthread_join(thread_, nullptr); }

 private:
  static void* run(void* self) {
    static_cast<small_thread*>(self)->body_();
    return nullptr;
  }
  std::function<void()> body_;
  pthread_t thread_{};
};

long resident_kib() { return static_cast<long>(test::resident() / 1024); }

// What thread number i does: each kind leaves something of the thread's own behind. False: a wrong result.
bool use_the_library(int i, std::atomic<int>& enqueued) {
  std::atomic<int> sum{0};
  switch (i % 5) {
    case 0:
      tbb::parallel_for(0, 20, [&](int k) { sum += k; });
      return sum == 190;
    case 1: {
      tbb::task_group group;
      for (int k = 0; k < 5; ++k) group.run([&, k] { sum += k; });
      group.wait();
      return sum == 10;
    }
    case 2: {
      tbb::task_arena arena(2);
      arena.execute([&] { tbb::parallel_for(0, 20, [&](int k) { sum += k; }); });
      arena.enqueue([&] { --enqueued; });
      return sum == 190;
    }
    case 3: {
      auto* const p = static_cast<char*>(scalable_malloc(static_cast<std::size_t>(1 + i % 3000)));
      if (p == nullptr) return false;
      std::memset(p, 1, static_cast<std::size_t>(1 + i % 3000));
      scalable_free(p);
      tbb::enumerable_thread_specific<int> own(7);
      return own.local() == 7;
    }
    default:
      return tbb::parallel_reduce(
                 tbb::blocked_range<int>(0, 100), 0,
                 [](tbb::blocked_range<int> const& r, int s) { return s + static_cast<int>(r.size()); },
                 std::plus<>()) == 100;
  }
}
bool enqueues(int i) { return i % 5 == 2; }

int asked_threads() {
  if (char const* const asked = std::getenv("ASHLAR_STRESS_ROUNDS")) return std::atoi(asked);
#if ASHLAR_TSAN || ASHLAR_ASAN
  return 3000;
#else
  return test::emulated ? 3000 : 100'000;
#endif
}

// Before the first use: the threads' own arenas have four slots on a machine with fewer processors, too.
[[maybe_unused]] int const slots_are_set = setenv("ASHLAR_NUM_THREADS", "4", 1);

}  // namespace

TEST_CASE("threads that use the library one after another get their results, and leave no memory behind") {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 4);
  int const threads = asked_threads();
  std::atomic<int> enqueued{0};
  int wrong = 0;
  long kib = 0;
  for (int i = 0; i < threads; ++i) {
    if (i == threads / 4) kib = resident_kib();
    if (enqueues(i)) {
      // An arena lives until its task has run: those that wait for a worker's processor are no leak.
      REQUIRE(test::eventually([&] { return enqueued < 50; }));
      ++enqueued;
    }
    small_thread const one([&] { wrong += use_the_library(i, enqueued) ? 0 : 1; });
  }
  CHECK(wrong == 0);
  CHECK(test::eventually([&] { return enqueued == 0; }));
  long const grown = resident_kib() - kib;
  MESSAGE("the last three quarters of " << threads << " threads added " << grown << " KiB");
#if !ASHLAR_TSAN && !ASHLAR_ASAN
  if (!test::emulated) CHECK(grown < 4000);
#endif
}

TEST_CASE("1000 threads that use the library at once get their results") {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 4);
  constexpr int threads = 1000;
  std::atomic<int> wrong{0};
  std::atomic<int> enqueued{0};
  std::latch all(threads);
  {
    std::vector<std::unique_ptr<small_thread>> crowd;
    for (int i = 0; i < threads; ++i) {
      crowd.push_back(std::make_unique<small_thread>([&, i] {
        use_the_library(0, enqueued);  // the thread is known to the library while it waits for the others
        all.arrive_and_wait();
        for (int k = i; k < i + 5; ++k) {
          if (enqueues(k)) ++enqueued;
          if (!use_the_library(k, enqueued)) ++wrong;
        }
      }));
    }
  }
  CHECK(wrong == 0);
  CHECK(test::eventually([&] { return enqueued == 0; }));
}
