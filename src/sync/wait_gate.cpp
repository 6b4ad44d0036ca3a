// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sync/wait_gate.h>

#include "sync/contend.h"

#include <ashlar/sync/wait_on.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

void wait_gate::wait(bool (*ready)(void const*) noexcept, void const* context) noexcept {
  auto const go = [=]() noexcept { return ready(context); };
  auto const stay = [&go]() noexcept { return !go(); };
  while (!contend(go)) {
    asleep_.fetch_add(1, mo::seq_cst);  // [WG1]
    if (wait_while(this, stay, wait_kind::noted) == wait_result::refused) {
      asleep_.fetch_sub(1, mo::relaxed);
      return;
    }
  }
}

void wait_gate::wake(bool all) noexcept {
  std::size_t const woken = all ? wake_all(this) : wake_one(this);
  if (woken != 0) asleep_.fetch_sub(static_cast<std::uint32_t>(woken), mo::relaxed);
}

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
