// SPDX-License-Identifier: Apache-2.0
// What a worker does that stays awake because its last pause was short.
#include <ashlar/sched/api/task_arena.h>

#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <doctest/doctest.h>

#include <dlfcn.h>

#include <atomic>
#include <chrono>

namespace {

thread_local bool application = false;
// Only in this test: the hang report's tests tell threads that spin by registers that repeat themselves.
std::atomic<bool> counting{false};
std::atomic<long> yields_of_workers{0};

void work_for(std::chrono::microseconds length) {
  auto const until = std::chrono::steady_clock::now() + length;
  while (std::chrono::steady_clock::now() < until) {
  }
}

}  // namespace

// Stands before the C library's.
extern "C" __attribute__((visibility("default"))) int sched_yield() noexcept {
  static auto* const real = reinterpret_cast<int (*)()>(dlsym(RTLD_NEXT, "sched_yield"));
  if (counting && !application) yields_of_workers.fetch_add(1, std::memory_order_relaxed);
  return real();
}

TEST_CASE("short pauses: a worker that stays awake lets others have the processor") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  MESSAGE("skipped: the rounds before it take longer than a short pause in a sanitizer's build");
  return;
#endif
  if (tbb::info::default_concurrency() == 1) {
    MESSAGE("skipped: the loops leave a worker no time on their only processor");
    return;
  }
  application = true;
  counting = true;
  tbb::task_arena arena(2);
  arena.execute([] {
    for (int loop = 0; loop < 2000 && yields_of_workers == 0; ++loop) {
      tbb::parallel_for(0, 2, [](int) { work_for(std::chrono::microseconds(100)); }, tbb::simple_partitioner());
      work_for(std::chrono::microseconds(250));
    }
  });
  CHECK(yields_of_workers > 0);
  counting = false;
  application = false;
}
