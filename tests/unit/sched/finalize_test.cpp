// SPDX-License-Identifier: Apache-2.0
// task_scheduler_handle and finalize; limits that fall again; leave policies and phases.
#include "sched/api/application_thread.h"
#include "sched/core/thread_data.h"
#include "sched/market/market.h"
#include "sched/policy/idle.h"
#include "support/eventually.h"
#include "support/thread_team.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_init.h>

#include <ashlar/base/exceptions.h>

#include <ashlar/sched/core/statistics.h>
#include <ashlar/sched/policy/policy.h>

#include <doctest/doctest.h>

#include <dirent.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

using test::eventually;

unsigned workers() { return ashlar::sched::market::get().workers_created(); }

void meet(int wanted) {
  std::atomic<int> begun{0};
  tbb::parallel_for(
      0, wanted,
      [&](int) {
        ++begun;
        CHECK(eventually([&] { return begun >= wanted; }));
      },
      tbb::simple_partitioner());
}

bool finalize_now() {
  tbb::task_scheduler_handle handle{tbb::attach()};
  return tbb::finalize(handle, std::nothrow);
}

}  // namespace

TEST_CASE("finalize ends all workers, and the next use makes new ones") {
  REQUIRE(finalize_now());  // other tests' workers
  test::thread_team const limit(3);
  for (int i = 0; i < 20; ++i) {
    meet(3);
    CHECK(workers() == 2);
    tbb::task_scheduler_handle handle{tbb::attach()};
    CHECK(handle);
    CHECK(tbb::global_control::active_value(tbb::global_control::scheduler_handle) == 1);
    tbb::finalize(handle);
    CHECK_FALSE(handle);
    CHECK(workers() == 0);
    CHECK(tbb::finalize(handle, std::nothrow));
  }
  CHECK(tbb::global_control::active_value(tbb::global_control::scheduler_handle) == 0);
}

// With the policy `spin` a worker that finds nothing searches for ever, unless it is told to end.
TEST_CASE("finalize ends all workers with each idle policy, in a parallel phase, too") {
  char const* const before = ashlar::sched::get_idle_policy();
  test::thread_team const limit(4);
  for (char const* policy : ashlar::sched::idle_policy_names) {
    CAPTURE(policy);
    REQUIRE(ashlar::sched::set_idle_policy(policy));
    for (int i = 0; i < 5; ++i) {
      tbb::this_task_arena::start_parallel_phase();
      meet(4);
      CHECK(finalize_now());
      CHECK(workers() == 0);
      meet(4);
      tbb::this_task_arena::end_parallel_phase();
      CHECK(finalize_now());
      CHECK(workers() == 0);
    }
  }
  CHECK(ashlar::sched::set_idle_policy(before));
}

TEST_CASE("finalize fails while there are other handles, and in tasks") {
  meet(1);
  tbb::task_scheduler_handle first{tbb::attach()};
  tbb::task_scheduler_handle second{tbb::attach()};
  CHECK_FALSE(tbb::finalize(first, std::nothrow));
  tbb::task_scheduler_handle moved(std::move(second));
  CHECK_FALSE(second);
  CHECK(moved);
  moved.release();
  CHECK_FALSE(moved);
  tbb::parallel_for(0, 4, [](int) {
    tbb::task_scheduler_handle inner{tbb::attach()};
    CHECK_THROWS_AS(tbb::finalize(inner), tbb::unsafe_wait);
  });
  {
    tbb::task_arena a(2);
    a.execute([] { CHECK_FALSE(finalize_now()); });
    CHECK_FALSE(finalize_now());
  }
  CHECK(finalize_now());
}

TEST_CASE("finalize fails while another thread that has used the scheduler lives, and succeeds where nobody has") {
  tbb::task_arena const never_initialized(2);
  REQUIRE(finalize_now());
  {
    tbb::task_scheduler_handle first{tbb::attach()};
    tbb::task_scheduler_handle second{tbb::attach()};
    CHECK(tbb::finalize(first, std::nothrow));
    CHECK(tbb::finalize(second, std::nothrow));
  }
  meet(1);
  std::thread([] {
    CHECK_FALSE(finalize_now());
    meet(1);
    CHECK_FALSE(finalize_now());
  }).join();
  CHECK(finalize_now());
  std::thread([] { meet(1); }).join();
  CHECK(finalize_now());
}

TEST_CASE("finalize fails while another thread's work is under way, and does that no harm") {
  test::thread_team const limit(2);
  std::atomic<int> begun{0};
  std::atomic<bool> go{false};
  std::thread other([&] {
    test::thread_team const own(2);
    tbb::parallel_for(
        0, 2,
        [&](int) {
          ++begun;
          CHECK(eventually([&] { return go.load(); }));
        },
        tbb::simple_partitioner());
  });
  REQUIRE(eventually([&] { return begun == 2; }));
  CHECK_FALSE(finalize_now());
  go = true;
  other.join();
  CHECK(finalize_now());
}

TEST_CASE("finalize waits for enqueued work that nobody waits for") {
  for (unsigned threads : {1u, 3u}) {
    test::thread_team const limit(threads);
    std::atomic<int> done{0};
    for (int i = 0; i < 50; ++i) tbb::this_task_arena::enqueue([&] { ++done; });
    {
      tbb::task_arena a(2);
      for (int i = 0; i < 50; ++i) a.enqueue([&] { ++done; });
    }
    CHECK(finalize_now());
    CHECK(done == 100);
  }
}

TEST_CASE("the limit falls when a scope that raised it ends") {
  std::thread([] {
    auto const value = [] { return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism); };
    std::size_t const standard = value();
    {
      tbb::task_scheduler_init const init(static_cast<int>(standard) + 6);
      CHECK(value() == standard + 6);
      std::thread([&] {
        tbb::task_scheduler_init const more(static_cast<int>(standard) + 8);
        CHECK(value() == standard + 8);
      }).join();
      CHECK(value() == standard + 6);
      // A scope that is never closed ends with its thread.
      alignas(tbb::task_scheduler_init) static unsigned char place[sizeof(tbb::task_scheduler_init)];
      std::thread([&] { new (place) tbb::task_scheduler_init(static_cast<int>(standard) + 9); }).join();
      CHECK(value() == standard + 6);
    }
    CHECK(value() == standard);
  }).join();
}

TEST_CASE("leave policies and phases change no results") {
  test::thread_team const limit(2);
  {
    tbb::global_control const fast(tbb::global_control::leave_policy, tbb::task_arena::leave_policy::fast);
    CHECK(tbb::global_control::active_value(tbb::global_control::leave_policy) == 1);
    for (int i = 0; i < 50; ++i) meet(2);
  }
  tbb::task_arena a(2, 1, tbb::task_arena::priority::normal, tbb::task_arena::leave_policy::fast);
  for (int i = 0; i < 50; ++i) a.execute([] { meet(2); });
  tbb::task_arena b(2);
  {
    tbb::task_arena::parallel_phase phase(b, tbb::task_arena::parallel_phase::end_flag_fast_leave{});
    for (int i = 0; i < 50; ++i) b.execute([] { meet(2); });
    phase.end();
    phase = tbb::task_arena::parallel_phase(a);
    for (int i = 0; i < 50; ++i) a.execute([] { meet(2); });
  }
  b.start_parallel_phase();
  b.execute([] { meet(2); });
  b.end_parallel_phase();
  tbb::this_task_arena::start_parallel_phase();
  meet(2);
  tbb::this_task_arena::end_parallel_phase();
}

namespace {

// How often workers have parked.
std::uint64_t parks_of_workers() {
  return ashlar::sched::read_statistics().parks -
         ashlar::sched::this_thread_data().counters.get(ashlar::obs::counter::parks);
}

// True if it happens in one of many tries that a worker, of which a loop in the arena has need, parks (or doesn't)
// before the arena has been idle for so long. Where there is one processor the worker may park before this thread goes
// on.
bool worker_parks(bool parks, tbb::task_arena& a, std::chrono::microseconds idle) {
  for (int i = 0; i < 2000; ++i) {
    // After many short pauses a worker expects the next one to be as short, until one was long.
    if (i % 50 == 49) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::uint64_t const before = parks_of_workers();
    a.execute([] { meet(2); });
    auto const until = std::chrono::steady_clock::now() + idle;
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
    if ((parks_of_workers() != before) == parks) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("workers stay in a phase, leave after a while without one, and at once with the fast policy") {
  using std::chrono::microseconds;
  if (tbb::info::default_concurrency() == 1) {
    MESSAGE("skipped: how long a worker is awake depends on who shares the only processor with it");
    return;
  }
  test::thread_team const limit(2);
  tbb::task_arena ordinary(2);
  CHECK(worker_parks(false, ordinary, microseconds(3)));
#if !ASHLAR_ASAN && !ASHLAR_TSAN  // there the rounds before the worker parks take longer
  CHECK(worker_parks(true, ordinary, microseconds(400)));
#endif
  ordinary.start_parallel_phase();
  CHECK(worker_parks(false, ordinary, microseconds(400)));
  CHECK(worker_parks(true, ordinary, microseconds(5000)));
  ordinary.end_parallel_phase();
  tbb::task_arena fast(2, 1, tbb::task_arena::priority::normal, tbb::task_arena::leave_policy::fast);
  CHECK(worker_parks(true, fast, microseconds(40)));
}

TEST_CASE("a job that is enqueued while the workers end is run, and finalize doesn't wait for ever") {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 4);
  constexpr int jobs = 1500;
  std::atomic<int> ran{0};
  std::atomic<bool> over{false};
  auto const keep_finalizing = [&] {
    while (!over) finalize_now();
  };
  std::thread first(keep_finalizing), second(keep_finalizing);
  bool all = true;
  for (int i = 0; i < jobs && all; ++i) {
    {
      tbb::task_arena gone(2, i % 2);
      gone.enqueue([&] { ++ran; });
    }
    all = eventually([&] { return ran == i + 1; });
  }
  CHECK(all);
  over = true;
  first.join();
  second.join();
}

#if defined(__linux__)
namespace {

int threads_of_process() {
  int n = 0;
  DIR* const tasks = opendir("/proc/self/task");
  REQUIRE(tasks != nullptr);
  while (dirent const* const entry = readdir(tasks)) n += entry->d_name[0] != '.';
  closedir(tasks);
  return n;
}

}  // namespace

TEST_CASE("when finalize has succeeded the system has no worker's thread any more") {
  REQUIRE(finalize_now());
  int const before = threads_of_process();
  test::thread_team const limit(8);
  for (int i = 0; i < 100; ++i) {
    meet(8);
    REQUIRE(finalize_now());
    REQUIRE(threads_of_process() == before);
  }
}
#endif
