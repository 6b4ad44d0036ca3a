// SPDX-License-Identifier: Apache-2.0
// Loops of the library beside other users of the same processors. Each round is one loop of each party, 1 ms of one
// thread's work, and each row a fixed number of rounds; the named values are wall and CPU milliseconds per round, of
// all parties together.
//   alone       nobody else
//   turns       the same thread calls the library's loop and then an OpenMP loop
//   openmp      another thread calls OpenMP loops all the time
//   pool        as many std::threads as the library has, each with pieces of work and pauses of 1 ms
//   process     a second process with the same loops
//   threads-N   N application threads, each with loops
#include "loops.h"

#include <bench/tbb_peer.h>

#include <bench/sampler.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>

namespace {

using bench::options;

struct parties {
  explicit parties(options const& o) : threads(o.threads), rounds(o.size ? o.size : 600) {}

  void library_loops() {
    for (long i = 0; i < rounds; ++i) bench::tbb_loop(done);
    expected += rounds * bench::pieces;
  }
  void openmp_loop() {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int i = 0; i < bench::pieces; ++i) {
      bench::piece();
      done.fetch_add(1, std::memory_order_relaxed);
    }
    expected += bench::pieces;
  }
  void pool_thread() {
    for (long i = 0; i < rounds / threads; ++i) {
      for (int k = 0; k < bench::pieces; ++k) bench::piece();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  int const threads;
  long const rounds;
  std::atomic<long> done{0};
  std::atomic<long> expected{0};
};

void beside(std::vector<std::thread> others, std::function<void()> const& own) {
  own();
  for (std::thread& t : others) t.join();
}

bool run_child(parties& p, char const* self) {
  pid_t const child = fork();
  if (child < 0) return false;
  if (child == 0) {
    std::string const threads = std::to_string(p.threads), rounds = std::to_string(p.rounds);
    if (!std::freopen("/dev/null", "w", stdout)) _exit(126);
    execl(self, self, "alone", "--threads", threads.c_str(), "--size", rounds.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  p.library_loops();
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// False if the other party failed.
bool run(parties& p, options const& o, char const* self) {
  auto const loops = [&] { p.library_loops(); };
  std::vector<std::thread> others;
  if (bench::is_row(o, "turns")) {
    for (long i = 0; i < p.rounds; ++i) {
      bench::tbb_loop(p.done);
      p.openmp_loop();
    }
    p.expected += p.rounds * bench::pieces;
    return true;
  }
  if (bench::is_row(o, "process")) return run_child(p, self);
  if (bench::is_row(o, "openmp")) {
    others.emplace_back([&] {
      for (long i = 0; i < p.rounds; ++i) p.openmp_loop();
    });
  } else if (bench::is_row(o, "pool")) {
    for (int t = 0; t < p.threads; ++t) others.emplace_back([&] { p.pool_thread(); });
  } else if (std::strncmp(o.row, "threads-", 8) == 0) {
    int const users = static_cast<int>(bench::number("threads", o.row + 8, 2, 64));
    for (int t = 1; t < users; ++t) others.emplace_back(loops);
  } else if (!bench::is_row(o, "alone")) {
    bench::usage("unknown row", o.row);
  }
  beside(std::move(others), loops);
  return true;
}

double children_cpu() {
  rusage u{};
  getrusage(RUSAGE_CHILDREN, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

int measure(options const& o) {
  bench::report r(o, "ms/round");
  parties p(o);
  bench::bystanders const others;
  double const cpu = bench::cpu_now() + children_cpu(), wall = bench::wall_now();
  bool const right = run(p, o, "/proc/self/exe");
  r.value("wall", (bench::wall_now() - wall) / static_cast<double>(p.rounds) * 1e3);
  r.value("cpu", (bench::cpu_now() + children_cpu() - cpu) / static_cast<double>(p.rounds) * 1e3);
  if (!bench::is_row(o, "process")) r.foreign(others);  // a child is not a bystander
  r.check(right && p.done == p.expected, "pieces of all parties");
  return r.finish();
}

}  // namespace

// Not in an arena of its own: each application thread is to have the implicit one.
int main(int argc, char** argv) {
  options const o = bench::parse(argc, argv);
#if TBB_INTERFACE_VERSION < 12000
  tbb::task_scheduler_init const limit(o.threads);
#else
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(o.threads));
#endif
  return measure(o);
}
