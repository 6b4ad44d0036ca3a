// SPDX-License-Identifier: Apache-2.0
// Which policies a simulation may use: the scheduler's own (src/sched/policy/victim.h, compiled unchanged) and those
// that exist only here, because they need what no real scheduler knows or are still candidates.
#pragma once

#include "machine/machine.h"

#include "sched/policy/idle.h"
#include "sched/policy/victim.h"

#include <string>
#include <string_view>
#include <vector>

namespace ashlar::sim {

enum class victim_kind : unsigned {
  runtime,   // one of sched::victim_policy
  oracle,    // a deque with tasks at which the fewest thieves are, known at no cost (Iordan et al., section 3.2)
  scan1,     // the fullest deque, found in one cycle (Contreras & Martonosi)
  steal1,    // the same, and the theft takes one cycle, too
  weighted,  // the last giver, then draws with a weight of 1/(n d^2) for the n victims at distance d
  p2c,       // the fuller of two random ones
  logged,    // the runtime's occupancy, read from an array in which each thread logs what it spawns, steals and takes
             // from its own deque: each costs a write of an entry (Iordan et al., section 3.4)
};

struct victim_choice {
  victim_kind kind = victim_kind::runtime;
  sched::victim_policy runtime = sched::victim_policy::by_size;
  bool half = false;  // takes half of a deque of four tasks or more

  bool is(sched::victim_policy p) const noexcept { return kind == victim_kind::runtime && runtime == p; }
};

// Blocking waits under `continuation` free their thread, as if they were wait_continuation.
enum class wait_rule : unsigned { any, depth, leapfrog, continuation };

// The names as the command line has them: a kind or the runtime's name, "+half" behind it for half a deque. The parsers
// throw bad_input for an unknown one.
std::string name_of(victim_choice const& c);
victim_choice parse_victim(std::string_view name);
std::vector<std::string> victim_names();  // without "+half"
std::string name_of(wait_rule r);
wait_rule parse_wait(std::string_view name);
// "default" is what the machine's scheduler does: tbb41 or park.
sched::idle_policy parse_idle(std::string const& name, steal_protocol protocol);

}  // namespace ashlar::sim
