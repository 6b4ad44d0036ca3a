// SPDX-License-Identifier: Apache-2.0
#include "sched/api/constraints.h"

#include "sched/market/thread_limit.h"

#include <ashlar/base/assert.h>
#include <ashlar/base/atomic.h>

#include <ashlar/sched/api/info.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ashlar::inline v1::sched {

namespace {

// The CPUs that are in one of the chosen groups too.
template <typename Chosen>
void restrict_to(std::vector<unsigned>& cpus, std::vector<os::cpu_group> const& groups, Chosen const& chosen) {
  std::vector<unsigned> wanted;
  for (os::cpu_group const& g : groups) {
    if (chosen(g.id)) wanted.insert(wanted.end(), g.cpus.begin(), g.cpus.end());
  }
  std::sort(wanted.begin(), wanted.end());
  std::vector<unsigned> both;
  std::set_intersection(cpus.begin(), cpus.end(), wanted.begin(), wanted.end(), std::back_inserter(both));
  // A constraint that leaves nothing is ignored.
  if (!both.empty()) cpus = std::move(both);
}

std::size_t write_ids(std::vector<os::cpu_group> const& groups, int* to, std::size_t room) {
  for (std::size_t i = 0; i < std::min(groups.size(), room); ++i) to[i] = groups[i].id;
  if (groups.empty() && room > 0) *to = automatic_setting;
  return std::max(groups.size(), std::size_t{1});
}

bool names_processors(constraints const& c) noexcept {
  return c.numa_id >= 0 || c.core_type >= 0 || c.max_threads_per_core > 0;
}

}  // namespace

machine_view::machine_view(os::topology const& topology, std::vector<unsigned> allowed_cpus)
    : machine(topology),
      allowed(std::move(allowed_cpus)),
      nodes(os::numa_groups(machine, allowed)),
      kinds(os::core_kinds(machine, allowed)) {}

// [X3] the first view -> [X4] everybody
machine_view const& machine_view::here() {
  // The view is never destroyed: static destructors may make arenas. Two threads may both look: the first view stays.
  // There is no static guard: a fork would leave it taken in the child.
  static atomic<machine_view const*> known{nullptr};
  machine_view const* here = known.load(mo::acquire);  // [X4]
  if (here != nullptr) return *here;
  auto* const seen = new machine_view(os::machine(), os::allowed_cpus());
  if (known.compare_exchange(here, seen, mo::acq_rel, mo::acquire)) return *seen;  // [X3] [X4]
  delete seen;
  return *here;
}

std::vector<unsigned> constrained_cpus(constraints const& c, machine_view const& m) {
  std::vector<unsigned> cpus = m.allowed;
  if (c.numa_id >= 0) restrict_to(cpus, m.nodes, [&](int id) { return id == c.numa_id; });
  if (c.core_type >= 0) restrict_to(cpus, m.kinds, [&](int id) { return has_core_type(c.core_type, id); });
  if (c.max_threads_per_core > 0) {
    cpus = os::limited_per_core(m.machine, cpus, static_cast<unsigned>(c.max_threads_per_core));
  }
  return cpus;
}

std::vector<unsigned> binding_of(constraints const& c) {
  if (!names_processors(c)) return {};
  machine_view const& m = machine_view::here();
  std::vector<unsigned> cpus = constrained_cpus(c, m);
  if (cpus == m.allowed) cpus.clear();
  return cpus;
}

int constrained_concurrency(constraints const& c) {
  bool const any = c.max_threads_per_core == automatic_setting || c.max_threads_per_core > 0;
  if (!any) tell_of_bad_argument("task_arena::constraints", "max_threads_per_core > 0", "the constraint is ignored");
  if (c.max_concurrency > 0) return c.max_concurrency;
  auto const most = static_cast<int>(default_concurrency());
  if (!names_processors(c)) return most;
  return std::clamp(static_cast<int>(constrained_cpus(c, machine_view::here()).size()), 1, most);
}

std::size_t machine_numa_nodes(tbb::numa_node_id* to, std::size_t room) {
  return write_ids(machine_view::here().nodes, to, room);
}
std::size_t machine_core_types(tbb::core_type_id* to, std::size_t room) {
  return write_ids(machine_view::here().kinds, to, room);
}

}  // namespace ashlar::inline v1::sched
