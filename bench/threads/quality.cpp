// SPDX-License-Identifier: Apache-2.0
// How well a scheduler shares work out among many threads: makespan / ideal of every scenario, with bodies that sleep.
// ../README.md tells the command line; the row `all` prints every scenario as text:
//   quality all --threads 16 --samples 3
#include "all_scenarios.h"

#include <bench/report.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

namespace {

using threads::all_scenarios;
using threads::outcome;
using threads::scenario;
using threads::team;

int print_all(team& t, int samples) {
  bool right = true;
  for (scenario const& one : all_scenarios()) {
    std::vector<outcome> found;
    for (int i = 0; i < samples; ++i) found.push_back(one.run(t));
    std::sort(found.begin(), found.end(), [](outcome const& a, outcome const& b) { return a.value < b.value; });
    bool ok = true;
    for (outcome const& o : found) ok = ok && o.right;
    right = right && ok;
    std::printf("%-16s T %3d  %6.2f  (%.2f to %.2f)  %3d at once  %s%s\n", one.name, t.size(),
                found[found.size() / 2].value, found.front().value, found.back().value, found.front().at_once, one.what,
                ok ? "" : "  WRONG");
    std::fflush(stdout);
  }
  return right ? 0 : 1;
}

int measure(bench::options const& o, team& t) {
  if (bench::is_row(o, "all")) return print_all(t, o.samples);
  threads::scenarios const all = all_scenarios();
  auto const one = std::find_if(all.begin(), all.end(), [&](scenario const& s) { return bench::is_row(o, s.name); });
  if (one == all.end()) bench::usage("unknown row", o.row);
  bench::report r(o, "makespan/ideal");
  bool right = true;
  int at_once = 0;
  double worst = 0;
  bench::bystanders const others;
  for (int i = 0; i < o.samples; ++i) {
    outcome const found = one->run(t);
    r.add({found.value, 0});
    right = right && found.right;
    at_once = std::max(at_once, found.at_once);
    worst = std::max(worst, found.value);
  }
  r.foreign(others);
  r.value("at_once", at_once);
  r.value("worst", worst);
  r.check(right, one->name);
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  if (o.threads < 2) bench::usage("a team has at least two threads", o.row);
  threads::want_exact_sleeps();
  try {
    team t(o.threads);
    return measure(o, t);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", o.row, error.what());
    return 1;
  }
}
