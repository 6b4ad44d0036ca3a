// SPDX-License-Identifier: Apache-2.0
// The suite's short form, a test: `check quality` and `check counts` end with 1 if a limit is not kept. The limits are
// far above what a good schedule needs, because they have to hold on a loaded machine, and each scenario has several
// tries, each with sleeps twice as long: delays by others matter less then, while a schedule that is bad by its rule
// stays as bad.
#include "all_scenarios.h"
#include "episode.h"
#include "system_calls.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>

namespace {

using threads::team;

constexpr int tries = 5;

struct limit {
  char const* scenario;
  int threads;
  double most;  // makespan / ideal
};

// A loop that keeps what it could share needs 2 rounds with 4 threads, 3 with 16, and 11 with 64.
constexpr limit limits[] = {
    {"loop", 4, 1.7},
    {"reduce", 4, 1.7},
    {"each-vector", 4, 1.7},
    {"arenas-in-turn", 4, 1.7},
    {"loop", 16, 2.2},
    {"loop-50", 16, 2.2},
    {"loop-rising", 16, 2.2},
    {"reduce", 16, 2.2},
    {"each-vector", 16, 2.2},
    {"group", 16, 2.2},
    {"loop", 64, 3},
    {"loop-long", 64, 4},
    {"loop-2d", 64, 4},
    {"loop-simple", 64, 3},
    {"loop-static", 64, 3},
    {"loop-affinity", 64, 3},
    {"group-of-loops", 64, 2.5},
    {"reduce-8", 64, 4},
    {"each-vector", 64, 3},
    {"each-list", 64, 3},
    {"each-feeder", 64, 3},
    {"invoke", 64, 3},
    {"enqueue", 64, 3},
    {"pipeline", 64, 4},
    {"arenas-beside", 64, 3},
};

// The best of several tries; infinite if one of them computed something wrong.
double best_of(threads::scenario const& scenario, team& t, double enough) {
  double best = std::numeric_limits<double>::infinity();
  threads::slow_motion() = 1;
  for (int i = 0; i < tries && best > enough; ++i, threads::slow_motion() *= 2) {
    threads::outcome const found = scenario.run(t);
    if (!found.right) return std::numeric_limits<double>::infinity();
    best = std::min(best, found.value);
  }
  return best;
}

bool kept(limit const& l, team& t) {
  threads::scenarios const all = threads::all_scenarios();
  auto const scenario =
      std::find_if(all.begin(), all.end(), [&](auto const& s) { return std::strcmp(s.name, l.scenario) == 0; });
  double const best = scenario == all.end() ? std::numeric_limits<double>::quiet_NaN() : best_of(*scenario, t, l.most);
  bool const good = best <= l.most;
  std::printf("%-14s %3d threads: %5.2f of the ideal, at most %.2f%s\n", l.scenario, l.threads, best, l.most,
              good ? "" : "  MISSED");
  return good;
}

bool quality() {
  bool good = true;
  std::unique_ptr<team> t;
  for (limit const& l : limits) {
    if (!t || t->size() != l.threads) {
      t.reset();
      t = std::make_unique<team>(l.threads);
    }
    good = kept(l, *t) && good;
  }
  return good;
}

// Going to sleep and waking up must not cost a process-wide fence for each thread. The suite's own limit is 4 calls
// with any number of threads; these leave room for load, and a fence for each sleeper exceeds them: 9, 39 and 20 calls.
struct fence_limit {
  int threads;
  double pause;
  double most;
};
constexpr fence_limit fence_limits[] = {
    {8, threads::short_pause, 5}, {32, threads::long_pause, 12}, {128, threads::short_pause, 14}};

bool few_fences(fence_limit const& l) {
  constexpr int episodes = 10;
  auto const [size, pause, most] = l;
  team t(size);
  t.warm();
  double best = std::numeric_limits<double>::infinity();
  bool right = true;
  for (int i = 0; i < 3 && best > most; ++i) {
    long const before = threads::counted().membarriers;
    for (int k = 0; k < episodes; ++k) right = threads::episode(t, pause) == 4 * size && right;
    best = std::min(best, static_cast<double>(threads::counted().membarriers - before) / episodes);
  }
  bool const good = right && best <= most;
  std::printf("%3d threads, pauses of %2.0f ms: %5.1f membarrier calls an episode, at most %.0f%s\n", size, pause * 1e3,
              best, most, good ? "" : "  MISSED");
  return good;
}

bool counts() {
  bool good = true;
  for (fence_limit const& l : fence_limits) good = few_fences(l) && good;
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  threads::want_exact_sleeps();
  char const* const what = argc == 2 ? argv[1] : "";
  try {
    if (std::strcmp(what, "quality") == 0) return quality() ? 0 : 1;
    if (std::strcmp(what, "counts") == 0) return counts() ? 0 : 1;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "check: %s\n", error.what());
    return 1;
  }
  std::fprintf(stderr, "check: quality or counts\n");
  return 2;
}
