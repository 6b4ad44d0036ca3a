// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/core/context_job.h>
#include <ashlar/sched/core/own_jobs.h>

#include "sched/core/observed.h"

#include <cstddef>
#include <new>
#include <vector>

namespace ashlar::inline v1::sched {

std::uint32_t new_isolation_tag() noexcept {
  constexpr std::uint32_t block = 1u << 12;
  static atomic<std::uint32_t> blocks{0};
  static ASHLAR_INITIAL_EXEC __thread std::uint32_t next = 0;
  if (next % block == 0) next = blocks.fetch_add(block, mo::relaxed) + 1;
  return next++;
}

bool own_jobs::include(job const& what, job_key key) const noexcept {
  if ((key & key_of_context) == 0 || (region != 0 && isolation_of(key) != region)) return false;
  context const* c = static_cast<context_job const&>(what).group;
  while (c != nullptr && c != &of) c = c->parent();
  return c != nullptr;
}

slot::region own_region::begin(slot& s) noexcept { return s.begin_region(new_isolation_tag()); }

void own_region::end(slot& s, slot::region const& outer) noexcept {
  s.end_region(outer);
  s.end_inner_region();
}

void own_region::gather() noexcept {
  slot& s = slot_;
  s.keep_jobs(outer_.base);
  struct entry {
    job* what;
    job_key key;
    bool own;
  };
  std::vector<entry> jobs;  // the newest first
  try {
    jobs.reserve(static_cast<std::size_t>(s.has_spawned() ? s.bottom() - s.base() : 0));
  } catch (std::bad_alloc const&) {
  }
  std::uint32_t const tag = s.isolation();
  while (jobs.size() < jobs.capacity() && s.has_spawned()) {
    entry e{};
    e.what = s.pop(e.key);
    if (e.what == nullptr) break;
    e.own = isolation_of(e.key) == tag || jobs_.include(*e.what, e.key);
    if (e.own) e.key = key_in_region(e.key, tag);
    jobs.push_back(e);
  }
  // The jobs go back in their old order, the own ones last. There was room for them before.
  for (bool const own : {false, true}) {
    if (own) s.keep_jobs();
    for (std::size_t i = jobs.size(); i-- > 0;) {
      if (jobs[i].own == own) spawn_again(s, *jobs[i].what, jobs[i].key);
    }
  }
}

}  // namespace ashlar::inline v1::sched
