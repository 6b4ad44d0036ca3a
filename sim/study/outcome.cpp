// SPDX-License-Identifier: Apache-2.0
#include "study/outcome.h"

#include "graphs/catalogue.h"
#include "machine/machine_file.h"

#include <fmt/format.h>

namespace ashlar::sim {

options options_of(study_cell const& c, machine const& m) {
  options o;
  o.workers = c.workers;
  o.victim = parse_victim(c.policy);
  o.wait = parse_wait(c.wait);
  o.idle = parse_idle(c.idle, m.protocol);
  o.seed = c.seed;
  // Pauses and starts differ from seed to seed: else policies without random numbers have one run for all.
  o.jitter = true;
  return o;
}

study_outcome run_cell(study_cell const& c) {
  machine const m = load_machine(c.machine).described;
  result const r = simulate(*make_graph(c.graph), m, options_of(c, m));
  double const work = static_cast<double>(r[activity::work]);
  double const all = static_cast<double>(r.makespan) * r.workers;
  study_outcome out;
  out.milliseconds = static_cast<double>(r.makespan) / millisecond;
  out.joules = r.energy(m);
  out.scheduling = (all - work - static_cast<double>(r[activity::parked])) / work;
  out.parked = static_cast<double>(r[activity::parked]) / all;
  out.steals = r.steals;
  out.failed = r.failed_steals + r.conflicts;
  out.conflicts = r.conflicts;
  out.buried = r.buried_waits;
  out.events = r.events;
  out.hash = r.hash;
  return out;
}

std::string text_of(study_outcome const& o) {
  return fmt::format("{:.9g}\t{:.9g}\t{:.9g}\t{:.9g}\t{}\t{}\t{}\t{}\t{}\t{}", o.milliseconds, o.joules, o.scheduling,
                     o.parked, o.steals, o.failed, o.conflicts, o.buried, o.events, o.hash);
}

}  // namespace ashlar::sim
