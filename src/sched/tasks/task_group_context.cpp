// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/tasks/task_group_context.h>

#include "os/fp_control.h"
#include "sched/park/process_locks.h"

#include <mutex>

namespace ashlar::inline v1::sched {

fp_settings capture_fp() noexcept {
  os::fp_control const words = os::read_fp_control();
  return {words.mxcsr, words.x87};
}

void bind_context(context& node, context* parent, bool own_fp, atomic<bool>& settled) noexcept {
  if (parent == nullptr) {
    std::lock_guard guard(process_locks::bindings);
    return settled.store(true, mo::release);  // [G1]
  }
  {
    std::lock_guard guard(process_locks::bindings);  // once in a context's life
    if (settled.load(mo::relaxed)) return;
    {
      std::lock_guard no_look(process_locks::cancel_listeners);  // who looks for listeners to call walks to the root
      node.bind(parent);
    }
    if (!own_fp) node.set_fp(parent->fp());
    settled.store(true, mo::release);  // [G1]
  }
  if (ASHLAR_UNLIKELY(node.has_cancelled_listeners())) context::call_listeners();
}

// The part of a context that knows its public object.

int context::find_priority() const noexcept {
  std::uint32_t latest = 2;
  for (context const* c = this; c != nullptr; c = c->parent_) {
    if ((c->state_.load(mo::acquire) & has_priority) == 0) continue;  // [C10]
    std::uint32_t const set = c->facade_->priority_.load(mo::relaxed);
    if (set > latest) latest = set;
  }
  return static_cast<int>(latest & 3);
}

bool context::has_cancelled_listeners() noexcept {
  return (state_.load(mo::relaxed) & has_listeners) != 0 && is_cancelled();
}

void context::retire() noexcept {
  reset();
  if (state_.load(mo::relaxed) & has_listeners) watched_by.load(mo::relaxed)->gone(*this);
  if (state_.load(mo::relaxed) & has_facade) delete facade_;
}

tbb::task_group_context& context::facade() {
  if (state_.load(mo::relaxed) & embedded) return *facade_;
  // Two tasks of the group may ask at the same time; the lock is for this rare call only.
  std::lock_guard guard(process_locks::facades);
  if ((state_.load(mo::relaxed) & has_facade) == 0) {
    facade_ = new tbb::task_group_context(*this);
    state_.fetch_or(has_facade, mo::relaxed);
  }
  return *facade_;
}

}  // namespace ashlar::inline v1::sched
