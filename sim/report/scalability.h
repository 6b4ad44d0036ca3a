// SPDX-License-Identifier: Apache-2.0
// How a recorded program will scale: work and span, the simulated curve between their bounds, where the time goes at
// each number of threads, and what to change.
#pragma once

#include "engine/simulate.h"
#include "report/run_picture.h"
#include "report/what_if.h"
#include "trace/critical_path.h"

#include <memory>
#include <string>
#include <vector>

namespace ashlar::sim {

struct curve_point {
  unsigned threads = 0;
  double work_law = 0, span_law = 0, burdened_law = 0;  // upper bounds of the speed-up
  result simulated;
  double speedup = 0;
};

struct region_share {
  std::string name;
  picoseconds work = 0;
  picoseconds path = 0;  // on the critical path
  std::uint64_t tasks = 0;
};

struct policy_row {
  std::string victim, wait;
  std::vector<double> speedups;  // at policy_threads
};

struct scalability {
  std::string trace_file, program;
  std::string machine;                     // its name, or "assumed: …"
  std::shared_ptr<run_picture const> run;  // null in reports that are made up
  std::vector<std::string> names;          // of regions, by number
  bool complete = false;
  // The recorded run.
  unsigned recorded_threads = 0;
  std::vector<std::string> complaints;  // about names
  std::uint64_t cut_off = 0;            // bytes of the file, if it ends inside a chunk
  std::uint64_t events = 0;
  // What takes less time may be known in sum only: in the figures of the program, and in the simulations. 0: nothing
  // is.
  picoseconds largest_part = 0, simulated_part = 0;
  std::uint64_t tasks = 0, steals = 0, parks = 0, buried_waits = 0, migrated = 0;
  picoseconds recorded_time = 0, preempted = 0, blocked = 0, recorder_time = 0, buried_time = 0;
  picoseconds predicted_time = 0;  // simulated with as many threads
  // The program.
  path_analysis plain, burdened;
  picoseconds burden = 0;
  picoseconds median_grain = 0, smallest_grain = 0;
  std::uint64_t small_tasks = 0;      // below smallest_grain
  std::vector<region_share> regions;  // by their part of the critical path
  std::vector<curve_point> curve;
  std::vector<unsigned> policy_threads;
  std::vector<policy_row> policies;
  what_if_answers what_if;
  unsigned recommended_threads = 1;  // beyond it, no doubling gains 10 %

  // How much of their time the recorded threads had no processor.
  double preempted_share() const { return ratio(preempted, recorded_time * recorded_threads); }
  curve_point const& recommended() const;
  curve_point const& best() const;
  double parallelism() const { return ratio(plain.work, plain.span); }
  double burdened_parallelism() const { return ratio(plain.work, burdened.span); }
  static double ratio(picoseconds a, picoseconds b) {
    return b == 0 ? 1 : static_cast<double>(a) / static_cast<double>(b);
  }
};

inline constexpr double much_preempted = 0.02;

struct report_settings {
  unsigned most_threads = 1024;
  machine on;
  bool assumed = false;              // nobody has said that this is the machine
  bool progress = false;             // on stderr, if that is a terminal
  std::vector<std::string> what_if;  // questions (report/what_if.h)
};

scalability analyse_scalability(trace const& t, report_settings const& s);

// The sentences that every report carries: what the model knows nothing of, and what disturbs this trace.
std::vector<std::string> left_out();
std::vector<std::string> warnings(scalability const& s);
// What to change first; none if nothing would gain much.
std::vector<std::string> advice(scalability const& s);

std::string to_text(scalability const& s);
std::string to_json(scalability const& s);
// One page without references to anything outside.
std::string to_html(scalability const& s);

}  // namespace ashlar::sim
