// SPDX-License-Identifier: Apache-2.0
// Threads that the system does not give: no task is lost, and parallelism comes back. pthread_create of this program
// fails as often as a test says.
#include <doctest/doctest.h>

#include <support/eventually.h>
#include <support/thread_team.h>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <new>
#include <thread>

namespace {

std::atomic<int> failures{0};
std::atomic<int> refused{0};

}  // namespace

extern "C" int pthread_create(pthread_t* thread, pthread_attr_t const* attributes, void* (*start)(void*),
                              void* argument) {
  using function = int (*)(pthread_t*, pthread_attr_t const*, void* (*)(void*), void*);
  static auto const real = reinterpret_cast<function>(dlsym(RTLD_NEXT, "pthread_create"));
  int left = failures.load();
  while (left > 0 && !failures.compare_exchange_weak(left, left - 1)) {
  }
  if (left > 0) {
    ++refused;
    return EAGAIN;
  }
  return real(thread, attributes, start, argument);
}

namespace {

// True if so many threads are inside a loop's body at once, before `rounds` loops are over.
bool all_meet(int threads, int rounds = 1000) {
  std::atomic<bool> met{false};
  for (int i = 0; i < rounds && !met; ++i) {
    std::atomic<int> inside{0};
    tbb::parallel_for(0, threads, [&](int) {
      if (++inside == threads) met = true;
      // Long enough for the others to come, whoever has the processors.
      for (int k = 0; k < 50 && !met; ++k) std::this_thread::sleep_for(std::chrono::microseconds(100));
      --inside;
    });
  }
  return met;
}

// Ends all workers, so that the next ones have to be made.
void end_workers() {
  tbb::task_scheduler_handle handle{tbb::attach{}};
  REQUIRE(tbb::finalize(handle, std::nothrow));
}

}  // namespace

TEST_CASE("an enqueued task runs although the first threads can't be had") {
  for (int const n : {1, 3}) {
    CAPTURE(n);
    end_workers();
    test::thread_team const limit(4);
    failures = n;
    refused = 0;
    std::atomic<int> ran{0};
    tbb::task_arena arena(4);
    for (int i = 0; i < 10; ++i) arena.enqueue([&] { ++ran; });
    CHECK(test::eventually([&] { return ran == 10; }));
    CHECK(refused == n);
    CHECK(all_meet(4));
  }
}

TEST_CASE("a loop gets all threads after one of them could not be had") {
  end_workers();
  test::thread_team const limit(4);
  failures = 2;
  CHECK(all_meet(4));
  CHECK(all_meet(4));
}

TEST_CASE("without any worker, whoever enters an arena or finalizes runs what is enqueued there") {
  end_workers();
  test::thread_team const limit(4);
  failures = 1 << 30;
  std::atomic<int> ran{0};
  tbb::task_arena arena(4), other(2);
  for (int i = 0; i < 20; ++i) arena.enqueue([&] { ++ran; });
  other.enqueue([&] { ran += 100; });
  CHECK(ran == 0);
  arena.execute([] {});
  CHECK(ran == 20);
  arena.terminate();
  other.terminate();
  {
    tbb::task_scheduler_handle handle{tbb::attach{}};
    CHECK(tbb::finalize(handle, std::nothrow));
  }
  CHECK(ran == 120);
  failures = 0;
  CHECK(all_meet(4));  // the threads are back
}
