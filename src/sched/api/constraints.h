// SPDX-License-Identifier: Apache-2.0
// What the constraints of an arena mean on a machine: which processors its threads may use.
#pragma once

#include "os/cpu_sets.h"

#include <ashlar/sched/arena/arena_settings.h>

#include <vector>

namespace ashlar {
inline namespace v1 {
namespace sched {

// The processors of this process, in the groups that constraints speak of.
struct machine_view {
  // Keeps a reference to `topology`. Throws std::bad_alloc.
  machine_view(os::topology const& topology, std::vector<unsigned> allowed_cpus);
  static machine_view const& here();

  os::topology const& machine;
  std::vector<unsigned> allowed;
  std::vector<os::cpu_group> nodes;
  std::vector<os::cpu_group> kinds;
};

// The CPUs that the constraints leave, ascending. A constraint that would leave none is ignored.
std::vector<unsigned> constrained_cpus(constraints const& c, machine_view const& m);

// Where threads of the arena may run, or nothing if they may run everywhere. Throws std::bad_alloc.
std::vector<unsigned> binding_of(constraints const& c);

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
