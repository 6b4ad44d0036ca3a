// SPDX-License-Identifier: Apache-2.0
// The study's tables: medians of the seeds, as bench/paper takes them. The papers' numbers are the only constants here;
// bench/paper judges their claims.
#include "study/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ashlar::sim {

namespace {

// A NaN if there are no values.
double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  std::size_t const half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Null if it has not been run.
study_outcome const* find(study_results const& r, study_cell const& c, unsigned seed) {
  auto const it = r.find(with_seed(c, seed).key());
  return it != r.end() ? &it->second : nullptr;
}

// Of the seeds that have been run.
template <typename Get>
std::vector<double> values_of(study_results const& r, study_cell const& c, Get get) {
  std::vector<double> values;
  for (unsigned seed = 1; seed <= study_seeds; ++seed) {
    if (study_outcome const* const o = find(r, c, seed)) values.push_back(get(*o));
  }
  return values;
}

template <typename Get>
double median_of(study_results const& r, study_cell const& c, Get get) {
  return median(values_of(r, c, get));
}

// Nothing over nothing is no difference. A NaN if one of both has not been run.
template <typename Get>
double ratio_of_seed(study_results const& r, study_cell const& of, study_cell const& to, unsigned seed, Get get) {
  study_outcome const* const above = find(r, of, seed);
  study_outcome const* const below = find(r, to, seed);
  if (above == nullptr || below == nullptr) return std::numeric_limits<double>::quiet_NaN();
  double const divisor = get(*below);
  double const value = get(*above);
  return value == divisor ? 1 : value / divisor;
}

// Over the seeds that have been run of both, seed by seed. So bench/paper forms ratios.
template <typename Get>
double ratio(study_results const& r, study_cell const& of, study_cell const& to, Get get) {
  std::vector<double> values;
  for (unsigned seed = 1; seed <= study_seeds; ++seed) {
    double const value = ratio_of_seed(r, of, to, seed, get);
    if (!std::isnan(value)) values.push_back(value);
  }
  return median(std::move(values));
}

double time_of(study_results const& r, study_cell const& c) {
  return median_of(r, c, [](study_outcome const& o) { return o.milliseconds; });
}

// The percentage by which a policy's value lies above random's.
template <typename Get>
double change(study_results const& r, study_section s, std::string const& program, char const* policy, unsigned workers,
              Get get) {
  return 100 * (ratio(r, cell_of(s, program, policy, workers), cell_of(s, program, "random", workers), get) - 1);
}

auto const the_time = [](study_outcome const& o) { return o.milliseconds; };
auto const the_energy = [](study_outcome const& o) { return o.joules; };
auto const the_failures = [](study_outcome const& o) { return static_cast<double>(o.failed); };
auto const the_overhead = [](study_outcome const& o) { return 100 * o.scheduling; };

struct paper_row {
  char const* program;
  double value[9];  // occupancy, scan1, steal1, each at 16, 25, 32 cores: by how many percent faster than random
};
constexpr paper_row iiswc[] = {{"Bitcounter", {2.5, 2.5, 2.7, 2.4, 2.8, 3.7, 4.7, 6.9, 7.8}},
                               {"LU", {10, 4.1, 9.7, 10.2, 4.6, 8.0, 16, 10.4, 20.6}},
                               {"Matmult", {9.5, 6, 19, 9.8, 7.0, 21.1, 10.8, 9.8, 28.7}}};
constexpr char const* iiswc_policies[] = {"occupancy", "scan1", "steal1"};
constexpr unsigned iiswc_workers[] = {16, 25, 32};

}  // namespace

std::string iiswc_tables(study_results const& r) {
  constexpr auto s = study_section::iiswc2008;
  std::string out =
      "By how many percent faster than random (random's time / time - 1, as in ./dev paper), the paper's / ours:\n\n"
      "| | occupancy 16 | 25 | 32 | 1-cycle scan 16 | 25 | 32 | 1-cycle scan and steal 16 | 25 | 32 |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n";
  for (paper_row const& row : iiswc) {
    out += fmt::format("| {} |", row.program);
    for (std::size_t i = 0; i < 9; ++i) {
      char const* policy = iiswc_policies[i / 3];
      unsigned const workers = iiswc_workers[i % 3];
      double const gain =
          ratio(r, cell_of(s, row.program, "random", workers), cell_of(s, row.program, policy, workers), the_time);
      out += fmt::format(" {} / {:.2f} |", row.value[i], 100 * (gain - 1));
    }
    out += "\n";
  }
  out +=
      "\nSpeed-up, and scheduling time over work (overhead) under random, in percent:\n\n| | 16 | 25 | 32 "
      "|\n|---|---|---|---|\n";
  for (std::string const& program : iiswc_programs) {
    double const one = time_of(r, cell_of(s, program, "random", 1));
    out += fmt::format("| {} |", program);
    for (unsigned const workers : iiswc_workers) {
      study_cell const c = cell_of(s, program, "random", workers);
      out += fmt::format(" {:.1f}x, {:.0f} % |", one / time_of(r, c), median_of(r, c, the_overhead));
    }
    out += "\n";
  }
  return out;
}

std::string jsa_tables(study_results const& r) {
  constexpr auto s = study_section::jsa2015;
  std::string out =
      "Under random: speed-up, failed steals, overhead in percent. Then the change of time / energy / failed steals in "
      "percent.\n\n"
      "| | random | pseudo-random | occupancy | oracle | hybrid |\n|---|---|---|---|---|---|\n";
  for (std::string const& program : jsa_programs) {
    double const one = time_of(r, cell_of(s, program, "random", 1));
    for (unsigned const workers : jsa_workers) {
      if (workers == 1) continue;
      study_cell const c = cell_of(s, program, "random", workers);
      out += fmt::format("| {} P={} | {:.2f}x, {:.0f}, {:.1f} |", program, workers, one / time_of(r, c),
                         median_of(r, c, the_failures), median_of(r, c, the_overhead));
      for (char const* policy : {"pseudo_random", "occupancy", "oracle", "hybrid"}) {
        double const failures = change(r, s, program, policy, workers, the_failures);
        out += fmt::format(" {:+.1f} / {:+.1f} / {} |", change(r, s, program, policy, workers, the_time),
                           change(r, s, program, policy, workers, the_energy),
                           std::isfinite(failures) ? fmt::format("{:+.0f}", failures) : "from 0");
      }
      out += "\n";
    }
  }
  return out;
}

namespace {

// Those of which all policies have been run.
std::vector<std::string> compared(study_results const& r, unsigned workers) {
  std::vector<std::string> programs;
  for (std::string const& program : beyond_programs) {
    bool const all = std::all_of(beyond_policies.begin(), beyond_policies.end(), [&](std::string const& policy) {
      return std::isfinite(time_of(r, cell_of(study_section::beyond, program, policy, workers)));
    });
    if (all && program != "swaptions") programs.push_back(program);
  }
  return programs;
}

// The least and the greatest time of a policy over the programs, random's being 1.
std::string range_of_times(study_results const& r, std::string const& policy, unsigned workers) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::string const& program : compared(r, workers)) {
    double const ratio = 1 + change(r, study_section::beyond, program, policy.c_str(), workers, the_time) / 100;
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  return most == 0 ? "not run" : fmt::format("{:.2f} to {:.2f}", least, most);
}

// Of each seed that all these programs have been run with, the geometric mean of a policy's values, random's being 1.
template <typename Get>
std::vector<double> means(study_results const& r, std::string const& policy, unsigned workers, Get get) {
  constexpr auto s = study_section::beyond;
  std::vector<std::string> const programs = compared(r, workers);
  std::vector<double> values;
  for (unsigned seed = 1; seed <= beyond_seeds; ++seed) {
    double sum = 0;
    for (std::string const& program : programs) {
      sum += std::log(
          ratio_of_seed(r, cell_of(s, program, policy, workers), cell_of(s, program, "random", workers), seed, get));
    }
    if (!std::isnan(sum) && !programs.empty()) values.push_back(std::exp(sum / static_cast<double>(programs.size())));
  }
  return values;
}

// The median, and from where to where the seeds reach, if that can be seen.
std::string with_spread(std::vector<double> const& values, int digits) {
  if (values.empty()) return "not run";
  auto const [least, most] = std::minmax_element(values.begin(), values.end());
  auto const text = [digits](double value) { return fmt::format("{:.{}f}", value, digits); };
  std::string const middle = text(median(values));
  if (text(*least) == text(*most)) return middle;
  return fmt::format("{} ({} to {})", middle, text(*least), text(*most));
}

}  // namespace

std::string beyond_tables(study_results const& r) {
  constexpr auto s = study_section::beyond;
  constexpr unsigned range_at = 256;
  std::string out = fmt::format(
      "{} seeds a cell: the median, in brackets the least and the greatest. Geometric mean: time / energy against "
      "random, seed by seed. Of the programs but swaptions, whose waits are the next table",
      beyond_seeds);
  for (unsigned const p : beyond_workers) {
    auto const programs = compared(r, p);
    if (programs.size() + 1 != beyond_programs.size()) {
      out += fmt::format("; at {} cores of {} only", p, fmt::join(programs, ", "));
    }
  }
  out += ".\n\n| policy |";
  for (unsigned const p : beyond_workers) out += fmt::format(" P={} |", p);
  out += fmt::format(" times at {} |\n|---|---|---|---|---|---|---|\n", range_at);
  for (std::string const& policy : beyond_policies) {
    out += fmt::format("| {} |", policy);
    for (unsigned const workers : beyond_workers) {
      out += fmt::format(" {} / {:.3f} |", with_spread(means(r, policy, workers, the_time), 3),
                         median(means(r, policy, workers, the_energy)));
    }
    out += fmt::format(" {} |\n", range_of_times(r, policy, range_at));
  }
  out +=
      "\nSpeed-up by wait rule (victim policy distance):\n\n| | any | depth | leapfrog | continuation "
      "|\n|---|---|---|---|---|\n";
  for (char const* program : {"swaptions", "nqueens"}) {
    double const one = time_of(r, cell_of(s, program, "random", 1));
    for (unsigned const workers : beyond_workers) {
      out += fmt::format("| {} P={} |", program, workers);
      for (char const* wait : {"any", "depth", "leapfrog", "continuation"}) {
        study_cell c = cell_of(s, program, "distance", workers);
        c.wait = wait;
        out += fmt::format(" {} |",
                           with_spread(values_of(r, c, [one](auto const& o) { return one / o.milliseconds; }), 1));
      }
      out += "\n";
    }
  }
  return out;
}

}  // namespace ashlar::sim
