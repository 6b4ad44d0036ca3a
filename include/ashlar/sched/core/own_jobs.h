// SPDX-License-Identifier: Apache-2.0
// Waits that take only their own tasks: which jobs these are, and the region in which the thread waits for them.
// src/sched/README.md, 'Waits for own tasks'.
//
// Threads    the slot's occupant; include(): who has claimed the job.
#pragma once

#include <ashlar/sched/core/slot.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

// Not 0, and not in use: a thread draws 2^12 of the 2^32 at a time.
ASHLAR_EXPORT std::uint32_t new_isolation_tag() noexcept;

// The jobs of a context, and of all contexts below it, that have been spawned without knowing of the wait.
struct own_jobs {
  context const& of;
  std::uint32_t region;  // the isolated region in which the wait was called; 0: none

  // `what` has been claimed, so that it can't go.
  ASHLAR_EXPORT bool include(job const& what, job_key key) const noexcept;
};

// A scope in which the calling thread's waits take only what is spawned in the scope and, if they ask for it, the jobs
// of a context. What the scope leaves is for everybody.
class own_region {
 public:
  own_region(slot& s, context const& of) noexcept : slot_(s), jobs_{of, s.isolation()}, outer_(begin(s)) {}
  ~own_region() { end(slot_, outer_); }
  own_region(own_region const&) = delete;
  own_region& operator=(own_region const&) = delete;

  own_jobs const& jobs() const noexcept { return jobs_; }
  // Brings the context's jobs among those of the calling frame to the newest end of the deque, where a wait in the
  // region pops them first. Where there is no memory for that it does nothing: waits find the jobs all the same. O(jobs
  // of the frame).
  ASHLAR_EXPORT void gather() noexcept;

  // Entering and leaving a region.
  ASHLAR_EXPORT static slot::region begin(slot& s) noexcept;
  ASHLAR_EXPORT static void end(slot& s, slot::region const& outer) noexcept;

 private:
  slot& slot_;
  own_jobs const jobs_;
  slot::region const outer_;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
