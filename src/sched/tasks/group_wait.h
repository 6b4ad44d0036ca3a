// SPDX-License-Identifier: Apache-2.0
// How a thread waits for a group: what all of its waits have in common.
//
// Ordering   [N6] see group_counter.h
#pragma once

#include "obs/trace.h"

#include <ashlar/sched/tasks/group_counter.h>

#include <utility>

namespace ashlar::inline v1::sched {

template <typename Done, typename Sleeps>
inline void group_counter::wait_for(slot& s, char const* what, Done const& done_now, Sleeps const& sleeps,
                                    own_jobs const* only) noexcept {
  bool const foreign = &s != owner_;
  if (foreign) foreign_group_waiters.fetch_add(1, mo::seq_cst);  // [N6]
  wait_until target(this, what, done_now, [&] { return sleeps(foreign); });
  target.only = only;
  s.wait(target);
  if (foreign) foreign_group_waiters.fetch_sub(1, mo::relaxed);
  if (done_elsewhere_.load(mo::relaxed) & 1) {
    // Completions that follow need not look for sleepers; one that sleeps still looks for itself and announces anew.
    done_elsewhere_.fetch_and(~std::int64_t{1}, mo::relaxed);
    wake_waiters(this);
  }
}

template <typename Stop, typename MaySleep>
inline void group_counter::wait_or(slot& s, char const* what, Stop stop, MaySleep may_sleep,
                                   own_jobs const* only) noexcept {
  if (done()) return obs::trace(obs::trace_event::wait_end, nullptr);
  std::int64_t ended = ended_here();
  auto const done_now = [&] {
    // The owner asks by done_after() while it has own jobs.
    bool const busy = &s == owner_ && s.has_spawned();
    return stop() || (busy ? done_after(std::exchange(ended, ended_here())) : done());
  };
  wait_for(s, what, done_now, [&](bool foreign) { return announce(foreign) && may_sleep(); }, only);
}

}  // namespace ashlar::inline v1::sched
