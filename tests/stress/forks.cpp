// SPDX-License-Identifier: Apache-2.0
// fork() at any moment: two threads repeat one kind of rare call while a third one forks. The child runs in parallel,
// in the thread that forked or in a new one, and makes the same rare calls; it ends by itself.
//
// ASHLAR_STRESS_FORKS: forks beside each kind (default 10). With 1000 it prints the figures of each kind, too.
#include "support/emulator.h"

#include <ashlar/sched/core/statistics.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/memory_pool.h>
#include <tbb/parallel_for.h>
#include <tbb/scalable_allocator.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include <doctest/doctest.h>

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

// ThreadSanitizer ends a child that starts threads if its parent had some.
doctest::skip const no_fork_under_tsan(ASHLAR_TSAN);

constexpr int patience_ms = 60'000;  // for one child

int forks_of_each_kind() {
  char const* const asked = std::getenv("ASHLAR_STRESS_FORKS");
  return asked != nullptr ? std::atoi(asked) : 10;
}

void small_loop() {
  std::atomic<int> sum{0};
  tbb::parallel_for(0, 10, [&](int i) { sum += i; });
}

// Both processes use these, which are made before the first fork: a child would wait for ever for another thread's
// initialisation of a local static.
tbb::task_arena& shared_arena() {
  static tbb::task_arena arena(4);
  return arena;
}
using thread_texts = tbb::enumerable_thread_specific<std::string>;
thread_texts& shared_texts() {
  static thread_texts texts;
  return texts;
}

struct rare_call {
  char const* name;
  void (*make)();
};

struct observer : tbb::task_scheduler_observer {
  observer() { observe(true); }
  ~observer() { observe(false); }
};

constexpr rare_call rare_calls[] = {
    {"threads",
     [] {
       std::thread other(small_loop);
       other.join();
     }},
    {"elements of threads",
     [] {
       std::thread other([] {
         thread_texts own("own");
         own.local() += shared_texts().local().assign(40, 'x');
       });
       other.join();
     }},
    {"arenas",
     [] {
       static std::atomic<int> pending{0};  // arenas that are made faster than they end fill the memory
       tbb::task_arena arena(2);
       arena.execute(small_loop);
       if (pending > 1000) return;
       ++pending;
       arena.enqueue([] { --pending; });
     }},
    {"observers",
     [] {
       observer const all;
       small_loop();
     }},
    {"cancellation",
     [] {
       tbb::task_group_context context;
       tbb::parallel_for(0, 10, [](int) {}, context);
       context.cancel_group_execution();
       tbb::task_group group;
       group.run([] {});
       group.cancel();
       group.wait();
     }},
    {"controls",
     [] {
       tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 3);
       static_cast<void>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
     }},
    {"enqueue",
     [] {
       static std::atomic<int> pending{0};
       for (int i = 0; i < 100 && pending < 5000; ++i) {
         ++pending;
         shared_arena().enqueue([] { --pending; });
       }
       small_loop();
     }},
    {"pools",
     [] {
       tbb::memory_pool<tbb::scalable_allocator<char>> pool;
       void* objects[20];
       for (void*& object : objects) object = pool.malloc(1000);
       for (void* const object : objects) pool.free(object);
     }},
    {"statistics",
     [] {
       ashlar::sched::observe_statistics(true);
       small_loop();
       static_cast<void>(ashlar::sched::read_statistics());
       ashlar::sched::observe_statistics(false);
     }},
};

// The child's part: 0 if all goes well. Who waits here for ever is ended by the parent.
int use_the_library(rare_call const& call) {
  std::atomic<int> sum{0};
  tbb::parallel_for(0, 1000, [&](int i) { sum += i; });
  if (sum != 499500) return 1;
  // Two threads meet, so there is a worker.
  tbb::task_arena(2).execute([] {
    std::atomic<bool> met{false};
    tbb::task_group group;
    group.run([&] { met = true; });
    while (!met) std::this_thread::yield();
    group.wait();
  });
  for (int i = 0; i < 3; ++i) call.make();
  std::atomic<bool> enqueued{false};
  shared_arena().enqueue([&] { enqueued = true; });
  while (!enqueued) std::this_thread::yield();
  return 0;
}

[[noreturn]] void be_the_child(rare_call const& call, bool in_new_thread) {
  int result = 2;
  if (in_new_thread) {
    std::thread other([&] { result = use_the_library(call); });
    other.join();
  } else {
    result = use_the_library(call);
  }
  _exit(result);
}

struct tally {
  int right = 0, hung = 0, crashed = 0, wrong = 0;

  std::string text() const {
    char line[120];
    std::snprintf(line, sizeof line, "%d right, %d hung, %d crashed, %d wrong", right, hung, crashed, wrong);
    return line;
  }
};

void await(pid_t child, tally& result) {
  int const handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd end{handle, POLLIN, 0};
  bool hung = false;
  if (handle >= 0) {
    hung = poll(&end, 1, patience_ms) == 0;
    close(handle);
  }
  if (hung && std::getenv("ASHLAR_STRESS_FORKS_KEEP") != nullptr) {
    std::fprintf(stderr, "the child %d hangs\n", child);
    pause();
  }
  if (hung) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  ++(hung                       ? result.hung
     : WIFSIGNALED(status)      ? result.crashed
     : WEXITSTATUS(status) == 0 ? result.right
                                : result.wrong);
}

tally fork_beside(rare_call const& call, int times) {
  tally result;
  std::atomic<bool> over{false};
  auto const repeat = [&] {
    while (!over) call.make();
  };
  std::thread first(repeat);
  std::thread second(repeat);
  unsigned random = 1;
  std::atomic<unsigned> spun{0};
  for (int i = 0; i < times && result.hung < 5; ++i) {
    random = random * 1664525 + 1013904223;
    for (unsigned pause = random >> 16; pause != 0; --pause) ++spun;  // another moment each time
    pid_t const child = fork();
    if (child == 0) be_the_child(call, i % 2 != 0);
    await(child, result);
  }
  over = true;
  first.join();
  second.join();
  return result;
}

// Before the first use: the threads' own arenas have four slots on a machine with fewer processors, too.
[[maybe_unused]] int const slots_are_set = setenv("ASHLAR_NUM_THREADS", "4", 1);

}  // namespace

TEST_CASE("a child that was forked beside a rare call works" * no_fork_under_tsan) {
  tbb::global_control const threads(tbb::global_control::max_allowed_parallelism, 4);
  small_loop();
  shared_arena().enqueue([] {});
  shared_texts().local() = "made";
  int const times = forks_of_each_kind();
  for (rare_call const& call : rare_calls) {
    char const* const only = std::getenv("ASHLAR_STRESS_FORKS_KIND");
    if (only != nullptr && std::string(only) != call.name) continue;
    // support/emulator.h tells why.
    if (test::emulated && std::string(call.name) == "threads") continue;
    SUBCASE(call.name) {  // each has the time of a test case
      tally const result = fork_beside(call, times);
      if (times >= 1000) std::printf("forks beside %s: %s\n", call.name, result.text().c_str());
      CHECK_MESSAGE(result.right == times, result.text());
    }
  }
}
