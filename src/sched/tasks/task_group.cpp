// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/tasks/task_group.h>

#include "obs/trace.h"
#include "os/membarrier.h"

#include <utility>

namespace ashlar::inline v1::sched {

atomic<std::uint32_t> foreign_group_waiters{0};

void group_counter::finish_elsewhere() noexcept {
  // After the addition the group may be gone: only its address is used, and only if somebody sleeps there.
  if (done_elsewhere_.fetch_add(one, mo::acq_rel) & 1) wake_waiters(this);  // [N1]
}

bool group_counter::announce(bool foreign) noexcept {
  done_elsewhere_.fetch_or(1, mo::acq_rel);  // [N2]
  if (foreign) os::heavy_fence();            // [N6]
  return !done();
}

template <typename Done, typename Announce>
inline void group_counter::wait_for(slot& s, Done const& done_now, Announce const& sleeps) noexcept {
  bool const foreign = &s != owner_;
  if (foreign) foreign_group_waiters.fetch_add(1, mo::seq_cst);  // [N6]
  s.wait(wait_until(this, "a task group", done_now, [&] { return sleeps(foreign); }));
  if (foreign) foreign_group_waiters.fetch_sub(1, mo::relaxed);
  if (done_elsewhere_.load(mo::relaxed) & 1) {
    // Completions that follow need not look for sleepers; one that sleeps still looks for itself and announces anew.
    done_elsewhere_.fetch_and(~std::int64_t{1}, mo::relaxed);
    wake_waiters(this);
  }
}

void group_counter::wait_for_all(slot& s) noexcept {
  if (done()) return obs::trace(obs::trace_event::wait_end, nullptr);
  std::int64_t ended = ended_here();
  auto const done_now = [&] {
    // The owner asks by done_after() while it has own jobs.
    bool const busy = &s == owner_ && s.has_spawned();
    return busy ? done_after(std::exchange(ended, ended_here())) : done();
  };
  wait_for(s, done_now, [this](bool foreign) { return announce(foreign); });
}

void group_counter::wait_but_for(number others, void const* of, slot& s) noexcept {
  auto const done_now = [&] { return done_but_for(others, of); };
  if (done_now()) return;
  wait_for(s, done_now, [&](bool foreign) {
    announce(foreign);
    return !done_now();
  });
}

}  // namespace ashlar::inline v1::sched
