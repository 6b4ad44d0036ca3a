// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/task_group.h>

#include "obs/trace.h"
#include "os/membarrier.h"

namespace ashlar {
inline namespace v1 {
namespace sched {

atomic<std::uint32_t> foreign_group_waiters{0};

void group_counter::finish_elsewhere() noexcept {
  // After the addition the group may be gone: only its address is used, and only if somebody sleeps there.
  if (done_elsewhere_.fetch_add(one, mo::acq_rel) & 1) wake_waiters(this);  // [N1]
}

bool group_counter::announce() noexcept {
  done_elsewhere_.fetch_or(1, mo::acq_rel);  // [N2]
  os::heavy_fence();                         // [N6]
  return !done();
}

void group_counter::wait(slot& s) noexcept {
  if (done()) return obs::trace(obs::trace_event::wait_end, nullptr);
  bool const foreign = &s != owner_;
  if (foreign) foreign_group_waiters.fetch_add(1, mo::seq_cst);  // [N6]
  wait_target target{};
  target.what = "a task group";
  target.address = this;
  target.object = this;
  target.done = [](wait_target const& t) noexcept { return static_cast<group_counter const*>(t.object)->done(); };
  target.announce = [](wait_target const& t) noexcept {
    return static_cast<group_counter*>(const_cast<void*>(t.object))->announce();
  };
  s.wait(target);
  if (foreign) foreign_group_waiters.fetch_sub(1, mo::relaxed);
  if (done_elsewhere_.load(mo::relaxed) & 1) {
    // Completions that follow need not look for sleepers; one that sleeps still looks for itself and announces anew.
    done_elsewhere_.fetch_and(~std::int64_t{1}, mo::relaxed);
    wake_waiters(this);
  }
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
