// SPDX-License-Identifier: Apache-2.0
// What a team calls when it wakes up, works and goes to sleep again, 50 times. Counts, not times; each value is per
// episode. On a machine with fewer processors than threads a short pause does not let all fall asleep; the row `long`
// has longer ones.
#include "episode.h"
#include "system_calls.h"

#include <bench/report.h>

#if __has_include(<ashlar/sched/core/statistics.h>)
#include <ashlar/sched/core/statistics.h>
#endif

#include <exception>
#include <utility>
#include <vector>

namespace {

constexpr int episodes = 50;

using counts = std::vector<std::pair<char const*, double>>;

counts everything() {
  threads::call_counts const& c = threads::counted();
  counts found = {{"membarriers", c.membarriers},
                  {"futexes", c.futex_sleeps + c.futex_wakes},
                  {"futex_sleeps", c.futex_sleeps},
                  {"futex_wakes", c.futex_wakes},
                  {"yields", c.yields},
                  {"mutex_locks", c.mutex_locks},
                  {"mutex_waits", c.mutex_waits}};
#if __has_include(<ashlar/sched/core/statistics.h>)
  ashlar::sched::scheduler_statistics const s = ashlar::sched::read_statistics();
  std::pair<char const*, std::uint64_t> const own[] = {{"parks", s.parks},
                                                       {"wakes", s.wakes},
                                                       {"stolen", s.stolen},
                                                       {"failed_steals", s.failed_steals},
                                                       {"conflicts", s.conflicts}};
  for (auto const& [name, value] : own) found.emplace_back(name, static_cast<double>(value));
#endif
  return found;
}

int measure(bench::options const& o) {
  bench::report r(o, "calls/episode");
  double const pause = bench::is_row(o, "long") ? threads::long_pause : threads::short_pause;
  threads::team t(o.threads);
  t.warm();
  int chunks = 0;
  counts const before = everything();
  for (int i = 0; i < episodes; ++i) chunks += threads::episode(t, pause);
  counts const after = everything();
  for (std::size_t i = 0; i < after.size(); ++i) {
    r.value(after[i].first, (after[i].second - before[i].second) / episodes);
  }
  r.add({(after[0].second - before[0].second) / episodes, 0});
  r.check(chunks == episodes * 4 * o.threads, "chunks");
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  if (!bench::is_row(o, "episodes") && !bench::is_row(o, "long")) bench::usage("unknown row", o.row);
  threads::want_exact_sleeps();
  try {
    return measure(o);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", o.row, error.what());
    return 1;
  }
}
