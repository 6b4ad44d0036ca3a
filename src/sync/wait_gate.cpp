// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sync/wait_gate.h>

#include "sync/contend.h"

#include <ashlar/os/tuning.h>
#include <ashlar/sync/wait_on.h>

namespace ashlar::inline v1::sync {

// Who comes to an empty or a full queue leaves the other side alone at first.
bool wait_gate::spin(bool (*ready)(void const*) noexcept, void const* context) noexcept {
  return contend([=]() noexcept { return ready(context); }, os::tuned.queue_gap);
}

void wait_gate::sleep(bool (*ready)(void const*) noexcept, void const* context) noexcept {
  auto const go = [=]() noexcept { return ready(context); };
  auto const stay = [&go]() noexcept { return !go(); };
  do {
    asleep_.fetch_add(1, mo::seq_cst);  // [WG1]
    if (wait_while(this, stay, wait_kind::noted) == wait_result::refused) {
      asleep_.fetch_sub(1, mo::relaxed);
      return;
    }
  } while (!contend(go));
}

void wait_gate::wake(bool all) noexcept {
  std::size_t const woken = all ? wake_all(this) : wake_one(this);
  if (woken != 0) asleep_.fetch_sub(static_cast<std::uint32_t>(woken), mo::relaxed);
}

}  // namespace ashlar::inline v1::sync
