// SPDX-License-Identifier: Apache-2.0
// What is granted changes while loops run: a control group's CPU quota ("quota") or the affinity of all threads
// ("affinity") falls to one processor and comes back. Named values: loops a second before, while it is scarce (after
// the first 0.7 s, in which it may be noticed) and after; the 99 % of a loop's time while it is scarce, in
// milliseconds; for how many seconds the kernel kept the group from running.
#include "loops.h"

#include <bench/tbb_peer.h>

#include <bench/sampler.h>

#include <cstdlib>
#include <memory>

#include <dirent.h>

#include "cpu_group.h"

namespace {

// Also of those that come later: a new thread inherits the mask of the one that makes it.
void put_all_threads_on(std::vector<int> const& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus) CPU_SET(cpu, &set);
  DIR* const tasks = opendir("/proc/self/task");
  while (dirent const* const entry = tasks != nullptr ? readdir(tasks) : nullptr) {
    int const id = std::atoi(entry->d_name);
    if (id > 0) sched_setaffinity(id, sizeof set, &set);
  }
  if (tasks != nullptr) closedir(tasks);
}

int measure(bench::options const& o) {
  bench::report r(o, "ms");
  bool const quota = bench::is_row(o, "quota");
  if (!quota && !bench::is_row(o, "affinity")) bench::usage("unknown row", o.row);
  std::unique_ptr<bench::cpu_group> const group(quota ? new bench::cpu_group : nullptr);
  std::vector<int> const cpus = bench::allowed_cpus();
  std::atomic<long> done{0};
  bench::bystanders const others;
  long loops = 0;
  auto const loops_for = [&](double seconds) {
    bench::phase found = bench::loops_for(seconds, done);
    loops += static_cast<long>(found.took.size());
    return found;
  };
  loops_for(0.3);
  bench::phase before = loops_for(0.7);
  if (quota) {
    group->limit(1);
  } else {
    put_all_threads_on({cpus.front()});
  }
  loops_for(0.7);
  double const throttled = quota ? group->throttled() : 0;
  bench::phase scarce = loops_for(1.5);
  r.value("throttled", quota ? 1e3 * (group->throttled() - throttled) : 0);
  if (quota) {
    group->unlimited();
  } else {
    put_all_threads_on(cpus);
  }
  loops_for(0.9);
  bench::phase after = loops_for(0.7);
  r.foreign(others);
  r.value("before", before.mean());
  r.value("scarce", scarce.mean());
  r.value("after", after.mean());
  r.value("scarce_p99", scarce.percentile(0.99));
  r.value("scarce_max", scarce.percentile(1));
  r.check(done == loops * bench::pieces, "pieces");
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) { return measure(bench::parse(argc, argv)); }
