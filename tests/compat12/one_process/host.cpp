// SPDX-License-Identifier: Apache-2.0
// A host that is compiled with our headers calls a plugin that is compiled with oneTBB's: one pool of workers, one
// numbering of threads, one tree of groups. Prints what it found; exit code 1 if that is not so. Unloads the plugin at
// the end, which oneTBB's library doesn't stand, unless it is told to keep the plugin. Usage: host PLUGIN [keep]
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include <dirent.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

static void* plugin;
static int failures = 0;
template <typename F>
static F function(char const* name) {
  void* const f = dlsym(plugin, name);
  if (f == nullptr) std::exit((std::puts(dlerror()), 2));
  return reinterpret_cast<F>(f);
}
static void check(char const* what, bool good, long value) {
  std::printf("%s: %ld%s\n", what, value, good ? "" : "  WRONG");
  failures += !good;
}

static long threads() {
  long count = 0;
  DIR* const d = opendir("/proc/self/task");
  while (dirent const* const e = readdir(d)) count += e->d_name[0] != '.';
  closedir(d);
  return count;
}

struct watcher : tbb::task_scheduler_observer {
  std::atomic<long> entries{0};
  void on_scheduler_entry(bool) override { ++entries; }
};

int main(int argc, char** argv) {
  plugin = dlopen(argc > 1 ? argv[1] : "./plugin.so", RTLD_NOW);
  if (plugin == nullptr) return std::puts(dlerror()), 2;
  auto const sum = function<long (*)(long)>("plugin_sum");
  auto const index = function<int (*)()>("plugin_index");
  auto const loop = function<long (*)(long)>("plugin_slow_loop");
  auto const limit = function<long (*)()>("plugin_limit");
  auto const cancelling = function<int (*)()>("plugin_is_canceling");
  auto const fails = function<void (*)()>("plugin_throws");

  constexpr long limited = 3;
  tbb::global_control const control(tbb::global_control::max_allowed_parallelism, limited);
  check("limit seen by the plugin", limit() == limited, limit());

  std::atomic<long> total{0}, mismatches{0};
  long most = 0;
  for (int round = 0; round < 20; ++round) {
    tbb::parallel_for(0, 64, [&](int) {
      if (index() != tbb::this_task_arena::current_thread_index()) ++mismatches;
      total += sum(20000);
    });
    most = std::max(most, threads());
  }
  check("threads", most <= limited, most);
  check("index mismatches", mismatches == 0, mismatches);
  check("sum", total == 20 * 64 * sum(20000), total);

  // Cancellation from outside reaches the plugin's loop.
  tbb::task_group group;
  std::atomic<long> ran{-1};
  std::atomic<bool> begun{false};
  group.run([&] {
    begun = true;
    ran = loop(2000);
  });
  std::thread canceller([&] {
    while (!begun) usleep(1000);
    usleep(50000);
    group.cancel();
  });
  group.wait();
  canceller.join();
  check("bodies before the cancel", ran < 2000, ran);

  // An exception of the plugin's passes through both.
  bool caught = false;
  try {
    tbb::parallel_for(0, 10, [&](int) { fails(); });
  } catch (std::exception const&) {
    caught = true;
  }
  check("exception", caught, caught);
  check("no group", cancelling() == 0, cancelling());

  // Isolation and arenas of the host hold in the plugin.
  tbb::task_arena arena(2);
  watcher seen;
  seen.observe();
  check("arena", arena.execute([&] { return index() >= 0 && index() < 2; }), arena.execute([&] { return index(); }));
  seen.observe(false);

  // A child of fork has workers of its own, for both.
  std::fflush(stdout);
  pid_t const child = fork();
  if (child == 0) {
    std::atomic<long> n{0};
    tbb::parallel_for(0, 100, [&](int) { n += sum(100) != 0; });
    _exit(n == 100 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  check("child", status == 0, status);

  if (argc <= 2) dlclose(plugin);
  std::atomic<long> after{0};
  tbb::parallel_for(0, 1000, [&](int) { ++after; });
  check("after dlclose", after == 1000, after);
  return failures != 0;
}
