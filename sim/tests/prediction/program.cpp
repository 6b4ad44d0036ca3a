// SPDX-License-Identifier: Apache-2.0
// program KIND TURNS THREADS DEPTH: 2^DEPTH leaves that spin, as a tree of forks, a tree of groups or a loop. Prints
// the wall time in ms and the processors used. measure.py records it.
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_init.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>

namespace {

long turns;

[[gnu::noinline]] void leaf() {
  std::uint64_t x = 1;
  for (long i = 0; i < turns; ++i) {
    x *= 0x9E3779B97F4A7C15u;
    __asm__ __volatile__("" : "+r"(x));
  }
}

void forks(int depth) {
  if (depth == 0) return leaf();
  tbb::parallel_invoke([=] { forks(depth - 1); }, [=] { forks(depth - 1); });
}

void groups(int depth) {
  if (depth == 0) return leaf();
  tbb::task_group g;
  g.run([=] { groups(depth - 1); });
  groups(depth - 1);
  g.wait();
}

void loop(int depth) {
  tbb::parallel_for(
      tbb::blocked_range<long>(0, 1L << depth, 1),
      [](tbb::blocked_range<long> const& r) {
        for (long i = r.begin(); i < r.end(); ++i) leaf();
      },
      tbb::simple_partitioner());
}

double now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  std::string const kind = argv[1];
  turns = std::atol(argv[2]);
  tbb::task_scheduler_init const threads(std::atoi(argv[3]));
  int const depth = std::atoi(argv[4]);
  auto const run = kind == "forks" ? forks : kind == "groups" ? groups : kind == "loop" ? loop : nullptr;
  if (run == nullptr) return 2;
  double const wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
  run(depth);
  double const took = now(CLOCK_MONOTONIC) - wall;
  // The kernel adds another thread's time when that sleeps, or at its next tick. A trace would have it as work.
  if (std::getenv("ASHLAR_TRACE") == nullptr) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::printf("%.4f %.3f\n", took, (now(CLOCK_PROCESS_CPUTIME_ID) - cpu) / took);
}
