// SPDX-License-Identifier: Apache-2.0
// Runs one program of the study at one size, version and thread count, and prints the line of JSON that the runner of
// bench/harness reads: the timed runs in ms with the CPUs that each used, and what the scheduler counted per run.
#include "common/costs.h"
#include "common/counts.h"
#include "common/fixed_team.h"
#include "common/library.h"
#include "common/options.h"
#include "common/study.h"

#include <bench/clock.h>
#include <bench/report.h>
#include <bench/threads.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace study {
namespace {

program const programs[] = {
    {"bitcounter", "parallel_for, simple_partitioner, unbalanced", bitcounter},
    {"lu", "parallel_for in a serial loop, shrinking", lu},
    {"matmult_loop", "parallel_for over blocked_range2d", matmult_loop},
#if KERNEL_CLASSIC_TASKS
    {"matmult_recursive", "recursive tasks, 4 children, two waits", matmult_recursive},
    {"treeadd", "recursive tasks, 2 children", treeadd},
#endif
    {"blackscholes", "parallel_for, affinity_partitioner", blackscholes},
    {"bodytrack", "pipeline with nested parallel_for", bodytrack},
#if KERNEL_CLASSIC_TASKS
    {"fluidanimate", "task_list for each phase", fluidanimate},
    {"streamcluster", "task_list, parallel_for, parallel_reduce, cache_aligned_allocator", streamcluster},
#endif
    {"swaptions", "nested parallel_for, cache_aligned_allocator", swaptions},
};

program const& find(std::string const& name) {
  for (program const& p : programs) {
    if (name == p.name) {
      return p;
    }
  }
  refuse("no program '" + name + "' in this build; --list names them");
}

void run(problem const& p, version how, int threads) {
  if (how == version::serial) {
    p.serial();
  } else if (how == version::fixed) {
    p.fixed(threads);
  } else {
    p.tasks();
  }
}

// Fewer runs of the serial version if it takes long: it is only the measure of the others here.
double serial_ms(problem const& p) {
  std::vector<double> times;
  double const start = bench::wall_now();
  do {
    double const t = bench::wall_now();
    p.serial();
    times.push_back(1e3 * (bench::wall_now() - t));
  } while (times.size() < 5 && bench::wall_now() - start < 0.1);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

class measurement {
 public:
  measurement(options const& o, bench::options const& shown) : options_(o), report_(shown, "ms") {}

  int take(problem const& p) {
    report_.value("serial_ms", serial_ms(p));
    report_.check(p.plausible(), "the serial version");
    warm(p);
    if (options_.pin) {
      pin_teams = options_.how == version::fixed;
      bench::pin_all_threads();
      warm(p);
    }
    observe_counts(options_.observe);
    bench::bystanders const others;
    double const w0 = bench::wall_now();
    std::uint64_t const t0 = ticks();
    for (int i = 0; i < options_.runs; ++i) {
      timed_run(p);
    }
    double const wall = bench::wall_now() - w0;
    double const per_ms = 1e-3 * static_cast<double>(ticks() - t0) / wall;
    report_.foreign(others);
    observe_counts(false);
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      report_.value(count_names[i], counts_[i] / options_.runs);
    }
    report_.value("ticks_per_ms", per_ms);
    report_.value("ticks_per_reading", ticks_per_reading());
    return report_.finish();
  }

 private:
  void warm(problem const& p) {
    double const start = bench::wall_now();
    // Threads that are to be pinned must exist.
    for (bool once = options_.pin; once || bench::wall_now() - start < options_.warm_s; once = false) {
      run(p, options_.how, options_.threads);
    }
  }
  void timed_run(problem const& p) {
    std::vector<double> const before = read_counts();
    double const c = bench::cpu_now();
    double const w = bench::wall_now();
    run(p, options_.how, options_.threads);
    double const wall = bench::wall_now() - w;
    double const cpu = bench::cpu_now() - c;
    std::vector<double> const after = read_counts();
    counts_.resize(after.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      counts_[i] += after[i] - before[i];
    }
    report_.add({1e3 * wall, cpu / wall});
    report_.check(p.right(), "differs from the serial version");
  }

  options const& options_;
  bench::report report_;
  std::vector<double> counts_;
};

int measure(options const& o) {
  program const& p = find(o.program);
  problem const made = p.make(o.size);
  if (o.how == version::fixed && !made.fixed) {
    refuse(o.program + " has no static version");
  }
  std::string const name =
      o.program + "/" + size_names[static_cast<int>(o.size)] + "/" + version_names[static_cast<int>(o.how)];
  bench::options shown;
  shown.row = name.c_str();
  shown.threads = o.threads;
  int status = 1;
  kernels::with_threads(o.threads, [&] { status = measurement(o, shown).take(made); });
  return status;
}

int list() {
  for (program const& p : programs) {
    std::printf("%-18s %s\n", p.name, p.structure);
  }
  return 0;
}

// A version that leaves the result alone is not right either: the serial result is replaced before it by that of the
// other versions, which begin by clearing it.
bool check_program(program const& p, int threads) {
  problem const made = p.make(size_class::test);
  made.serial();
  bool right = made.right() && made.plausible();
  for (int i = 0; i < 2; ++i) {
    made.tasks();
    right = right && made.right();
    if (made.fixed) {
      made.fixed(threads);
      right = right && made.right();
    }
  }
  std::printf("%-18s %s\n", p.name, right ? "right" : "WRONG");
  return right;
}

int check(options const& o) {
  bool right = true;
  kernels::with_threads(o.threads, [&] {
    for (program const& p : programs) {
      right = check_program(p, o.threads) && right;
    }
  });
  return right ? 0 : 1;
}

// The report has the spawn as its sample and the rest as values.
int report_costs() {
  bench::options shown;
  shown.row = "costs";
  bench::report r(shown, "cycles");
  costs found;
  kernels::with_threads(1, [&] { found = measure_costs(); });
  if (!found.known) {
    refuse("this library has no class tbb::task, whose costs these are");
  }
  r.add({found.spawn, 1});
  r.value("allocate", found.allocate);
  r.value("spawn", found.spawn);
  r.value("get_task", found.get_task);
  r.value("wait_for_all", found.wait_for_all);
  r.check(found.spawn > 0 && found.get_task > 0, "an operation took no time");
  return r.finish();
}

}  // namespace
}  // namespace study

int main(int argc, char** argv) {
  study::options const o = study::parse(argc, argv);
  switch (o.what) {
    case study::options::action::list:
      return study::list();
    case study::options::action::check:
      return study::check(o);
    case study::options::action::costs:
      return study::report_costs();
    case study::options::action::measure:
      break;
  }
  return study::measure(o);
}
