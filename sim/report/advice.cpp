// SPDX-License-Identifier: Apache-2.0
// What to change, from what the report has found.
#include "program/format.h"
#include "report/scalability.h"

#include <fmt/format.h>

#include <algorithm>

namespace ashlar::sim {

namespace {

constexpr double worth_telling = 1.2;

// The policy that gains most at one of the numbers of threads.
void advise_policy(scalability const& s, std::vector<std::string>& lines) {
  auto const base = std::find_if(s.policies.begin(), s.policies.end(),
                                 [](policy_row const& r) { return r.victim == "by_size" && r.wait == "any"; });
  if (base == s.policies.end()) return;
  double most = worth_telling;
  std::string line;
  for (policy_row const& r : s.policies) {
    bool const waits = r.wait != "any";
    if (!waits && r.victim.find('+') != std::string::npos) continue;  // a candidate of the simulator's
    for (std::size_t i = 0; i < s.policy_threads.size(); ++i) {
      double const gain = base->speedups[i] == 0 ? 0 : r.speedups[i] / base->speedups[i];
      if (gain < most) continue;
      most = gain;
      std::string const how = !waits ? fmt::format("the victim policy {} (ASHLAR_VICTIM_POLICY)", r.victim)
                              : r.wait == "leapfrog"
                                  ? "the wait rule leapfrog (ASHLAR_WAIT_POLICY)"
                                  : "tasks that don't block in waits (continuations, or algorithms in their place)";
      line = fmt::format("On {} threads {} would give a speed-up of {} instead of {}.", s.policy_threads[i], how,
                         number_text(r.speedups[i]), number_text(base->speedups[i]));
    }
  }
  if (!line.empty()) lines.push_back(line);
}

}  // namespace

std::vector<std::string> advice(scalability const& s) {
  std::vector<std::string> lines;
  if (!s.regions.empty() && s.regions.front().path * 2 > s.plain.span &&
      s.recommended_threads < s.curve.back().threads) {
    region_share const& first = s.regions.front();
    lines.push_back(fmt::format(
        "No number of threads speeds the program up more than {} times: that is its work divided by its span, the "
        "{} that have to be done one after the other. '{}' makes up {:.0f} % of them ({}): shorten it, or split it "
        "into tasks.",
        number_text(s.parallelism()), time_text(s.plain.span), first.name,
        100 * scalability::ratio(first.path, s.plain.span), time_text(first.path)));
  }
  if (s.small_tasks * 2 > s.tasks) {
    lines.push_back(fmt::format(
        "{} of {} tasks take less than {}: larger ones (a grain size, a cutoff) would spend less on scheduling.",
        s.small_tasks, s.tasks, time_text(s.smallest_grain)));
  }
  advise_policy(s, lines);
  return lines;
}

}  // namespace ashlar::sim
