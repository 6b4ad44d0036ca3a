// SPDX-License-Identifier: Apache-2.0
#include "os/topology.h"

#include <ashlar/base/atomic.h>

#include <algorithm>
#include <cerrno>
#include <new>

namespace ashlar::inline v1::os {

namespace {

// 0 while unknown. Relaxed: the word carries its whole meaning.
atomic<unsigned> available{0};

}  // namespace

unsigned refresh_available_cpus() noexcept {
  int const saved = errno;
  unsigned const allowed = affinity_cpus();
  unsigned const cpus = allowed > 1 ? std::min(allowed, quota_cpus(allowed)) : 1;
  available.store(cpus, mo::relaxed);
  errno = saved;
  return cpus;
}

unsigned available_cpus() noexcept {
  unsigned const known = available.load(mo::relaxed);
  return known != 0 ? known : refresh_available_cpus();
}

topology::place const topology::nowhere;

unsigned topology::distance(unsigned cpu_a, unsigned cpu_b) const noexcept {
  if (cpu_a == cpu_b) return same_core;
  place const& a = at(cpu_a);
  place const& b = at(cpu_b);
  auto const shared = [&](unsigned place::* level) { return a.*level != unknown && a.*level == b.*level; };
  auto const parted = [&](unsigned place::* level) {
    return a.*level != unknown && b.*level != unknown && a.*level != b.*level;
  };
  if (shared(&place::core)) return same_core;
  if (shared(&place::l2)) return same_l2;
  if (shared(&place::l3)) return same_l3;
  return parted(&place::node) || parted(&place::package) ? other_node : same_node;
}

// [TO1] the first answer -> [TO2] everybody
topology const& machine() noexcept {
  // Never destroyed: workers ask while the process ends. Two threads may both read: the first answer stays. No static
  // guard: a fork would leave it taken in the child.
  static atomic<topology const*> known{nullptr};
  topology const* here = known.load(mo::acquire);  // [TO2]
  if (ASHLAR_LIKELY(here != nullptr)) return *here;
  auto* const read = new (std::nothrow) topology(read_machine());
  if (read == nullptr) {
    static topology const nothing;  // nobody could be told of a lack of memory
    return nothing;
  }
  if (known.compare_exchange(here, read, mo::acq_rel, mo::acquire)) return *read;  // [TO1] [TO2]
  delete read;
  return *here;
}

}  // namespace ashlar::inline v1::os
