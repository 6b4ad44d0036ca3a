// SPDX-License-Identifier: Apache-2.0
// What is easily lost where a library doesn't know the program's bodies: loops and tasks of nothing, and long tasks
// after a pause in which the workers fell asleep.
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <bench/sampler.h>
#include <bench/tbb_peer.h>
#include <bench/work.h>

#include <unistd.h>

#include <atomic>
#include <vector>

namespace {

int measure_loop(bench::options const& o) {
  bench::report r(o, "ns/loop");
  std::vector<long> ran(4);
  long loops = 0;
  auto work = [&] {
    ++loops;
    tbb::parallel_for(0, 4, [&](int i) { ++ran[static_cast<std::size_t>(i)]; });
  };
  bench::take_samples(r, work, 1, 1e9);
  r.check(ran == std::vector<long>(4, loops), "each iteration once");
  return r.finish();
}

int measure_flat(bench::options const& o) {
  constexpr int tasks = 20000;
  bench::report r(o, "ns/task");
  std::vector<unsigned char> ran(tasks);
  auto work = [&] {
    tbb::task_group group;
    for (int i = 0; i < tasks; ++i) group.run([&ran, i] { ran[static_cast<std::size_t>(i)] ^= 1; });
    group.wait();
  };
  bench::take_samples(r, work, tasks, 1e9);
  r.check(ran == std::vector<unsigned char>(tasks, ran[0]), "each task once");
  return r.finish();
}

// Two tasks of 200 us each; the pauses are not counted.
int measure_cold(bench::options const& o) {
  int const pairs = o.size ? static_cast<int>(o.size) : 1000;
  constexpr useconds_t pause = 3000;
  constexpr double seconds = 200e-6;
  bench::report r(o, "us/pair");
  std::atomic<int> ran{0};
  auto task = [&ran] {
    double const end = bench::wall_now() + seconds;
    while (bench::wall_now() < end) {
    }
    ++ran;
  };
  bench::bystanders const others;
  for (int sample = 0; sample < o.samples; ++sample) {
    double sum = 0;
    for (int i = 0; i < pairs; ++i) {
      usleep(pause);
      double const begin = bench::wall_now();
      tbb::task_group group;
      group.run(task);
      group.run(task);
      group.wait();
      sum += bench::wall_now() - begin;
    }
    r.add({1e6 * sum / pairs, 0});
  }
  r.foreign(others);
  r.check(ran == 2 * pairs * o.samples, "each task once");
  return r.finish();
}

int measure(bench::options const& o) {
  if (bench::is_row(o, "loop")) return measure_loop(o);
  if (bench::is_row(o, "flat")) return measure_flat(o);
  if (bench::is_row(o, "cold")) return measure_cold(o);
  bench::usage("unknown row", o.row);
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  return bench::with_threads(o.threads, [&o] { return measure(o); });
}
