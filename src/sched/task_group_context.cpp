// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/task_group_context.h>

#include "os/fp_control.h"
#include "sched/process_locks.h"

#include <mutex>

namespace ashlar::sched {

fp_settings capture_fp() noexcept {
  os::fp_control const words = os::read_fp_control();
  return {words.mxcsr, words.x87};
}

void bind_context(context& node, context* parent, bool own_fp, atomic<bool>& settled) noexcept {
  std::lock_guard guard(process_locks::bindings);  // once in a context's life
  if (settled.load(mo::relaxed)) return;
  if (parent != nullptr) {
    node.bind(parent);
    if (!own_fp) node.set_fp(parent->fp());
  }
  settled.store(true, mo::release);  // [G1]
}

}  // namespace ashlar::sched
