// SPDX-License-Identifier: Apache-2.0
// What the choice of victims costs with many processors: makespan / ideal of programs with bodies of 2 to 20 us that
// compute, after all threads have come. Only for simulated processors (simulated_compute); the command line is
// that of bench/threads/quality.cpp; --size is the number of cache lines of data that a body writes.
#include "team.h"

#include <bench/report.h>

#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include <cstdint>
#include <cstring>
#include <exception>

namespace {

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x7FB5D329728EA185u;
  x ^= x >> 27;
  return x * 0x81DADEF4BC2DD44Du;
}

// How much has been computed in all, in nanoseconds, by whichever thread; the simulation runs one at a time.
std::uint64_t computed = 0;

void compute(std::uint64_t nanoseconds) {
  computed += nanoseconds;
  simulated_compute(nanoseconds);
}
// Half as long to half as long again.
void compute_about(std::uint64_t nanoseconds, std::uint64_t which) {
  compute(nanoseconds / 2 + mixed(which + 1) % nanoseconds);
}

// The lines of a block, each fetched from whoever wrote it last; a processor that fetches several at once has that many
// times as many lines in the same time. Only the addresses are used.
long lines_of_data = 0;
char const* data(std::uint64_t block) {
  constexpr std::uint64_t blocks = 1 << 17, most_lines = 64, line = 64;
  static char store[blocks * most_lines * line];
  return &store[block % blocks * most_lines * line];
}
void write_data(std::uint64_t block) {
  for (long i = 0; i < lines_of_data; ++i) simulated_write(data(block) + 64 * i);
}
void read_data(std::uint64_t block) {
  for (long i = 0; i < lines_of_data; ++i) simulated_read(data(block) + 64 * i);
}

// A binary tree with 256 leaves of about 5 us for each thread; a node leaves data to its children.
void tree(int leaves, std::uint64_t which) {
  write_data(which / 2);
  if (leaves <= 1) return compute_about(5'000, which);
  tbb::parallel_invoke([=] { tree(leaves / 2, 2 * which); }, [=] { tree(leaves - leaves / 2, 2 * which + 1); });
}
void whole_tree(int threads) { tree(256 * threads, 1); }

// A node of about 3 us with four children or none, as chance has it: of unknown and uneven depth. It changes its
// parent's data.
void uneven(tbb::task_group& all, std::uint64_t which, std::uint64_t parent, int depth) {
  write_data(parent);
  compute_about(3'000, which);
  if (depth == 0 || (depth < 100 && mixed(which) % 1000 >= 243)) return;
  for (std::uint64_t child = 0; child < 4; ++child) {
    all.run([&all, which, child, depth] { uneven(all, mixed(4 * which + child), which, depth - 1); });
  }
}
void uneven_tree(int threads) {
  tbb::task_group all;
  for (int root = 0; root < 4 * threads; ++root) uneven(all, mixed(static_cast<std::uint64_t>(root) + 7), 0, 100);
  all.wait();
}

// Twenty loops, one after the other, of 32 iterations of about 20 us for each thread; each over the same data.
void loops(int threads) {
  for (std::uint64_t loop = 0; loop < 20; ++loop) {
    tbb::parallel_for(0, 32 * threads, [=](int i) {
      write_data(static_cast<std::uint64_t>(i));
      compute_about(20'000, 1000 * loop + static_cast<std::uint64_t>(i));
    });
  }
}

// Fifty loops with four iterations of about 5 us for each thread, over the same data: the program is at their ends most
// of the time.
void short_loops(int threads) {
  for (std::uint64_t loop = 0; loop < 50; ++loop) {
    tbb::parallel_for(0, 4 * threads, [=](int i) {
      write_data(static_cast<std::uint64_t>(i));
      compute_about(5'000, 1000 * loop + static_cast<std::uint64_t>(i));
    });
  }
}

// Loops of 64 iterations of about 10 us in a loop, two for each thread; the inner ones read what the outer one wrote.
void nested(int threads) {
  tbb::parallel_for(0, 2 * threads, [](int outer) {
    write_data(static_cast<std::uint64_t>(outer));
    tbb::parallel_for(0, 64, [=](int i) {
      read_data(static_cast<std::uint64_t>(outer));
      compute_about(10'000, static_cast<std::uint64_t>(64 * outer + i));
    });
  });
}

// A thousand jobs of some nanoseconds, 5 us apart, each awaited at once: mostly whoever is called for one finds
// nothing.
void lone_jobs(int) {
  tbb::task_group group;
  for (int i = 0; i < 1000; ++i) {
    compute(5'000);
    group.run([] {});
    group.wait();
  }
}

struct program {
  char const* name;
  void (*run)(int threads);
};
constexpr program programs[] = {{"tree", whole_tree},         {"uneven-tree", uneven_tree}, {"loops", loops},
                                {"short-loops", short_loops}, {"nested", nested},           {"lone-jobs", lone_jobs}};

int measure(bench::options const& o, threads::team& t) {
  for (program const& p : programs) {
    if (!bench::is_row(o, p.name)) continue;
    bench::report r(o, "makespan/ideal");
    for (int i = 0; i < o.samples; ++i) {
      t.warm();
      computed = 0;
      double const cpu = bench::cpu_now(), start = bench::wall_now();
      t.arena().execute([&] { p.run(t.size()); });
      double const taken = bench::wall_now() - start;
      r.add({taken * t.size() / (1e-9 * static_cast<double>(computed)), (bench::cpu_now() - cpu) / taken});
    }
    r.check(computed != 0, p.name);
    return r.finish();
  }
  bench::usage("unknown row", o.row);
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  try {
    lines_of_data = o.size;
    if (lines_of_data < 0 || lines_of_data > 64) bench::usage("--size: at most 64 lines", o.row);
    threads::team t(o.threads);
    return measure(o, t);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", o.row, error.what());
    return 1;
  }
}
