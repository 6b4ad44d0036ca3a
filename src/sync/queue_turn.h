// SPDX-License-Identifier: Apache-2.0
// What the two queuing locks share: a waiter waits for the head's role, a head hands it over.
//
// Ordering   [QM5] head's role handed over -> [QM6] waiter reads its state
#pragma once

#include "os/futex.h"
#include "sync/patience.h"

#include <ashlar/sync/backoff.h>
#include <ashlar/sync/queuing_node.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

// Until the predecessor has handed over the head's role. True if this thread slept: the lock is open then.
inline bool wait_for_turn(queuing_node& me) noexcept {
  for (patience p; p.spin();) {
    if (me.state.load(mo::acquire) == queuing_node::head) return false;  // [QM6]
  }
  std::uint32_t seen = queuing_node::waiting;
  if (!me.state.compare_exchange(seen, queuing_node::parked, mo::acquire, mo::acquire)) return false;  // [QM6]
  while (me.state.load(mo::acquire) != queuing_node::head) {                                           // [QM6]
    os::futex_wait(me.state, queuing_node::parked);
  }
  return true;
}

// A waiter has put itself behind `me`, though its link may not be visible yet. Returns it if it sleeps: then it is
// still to be woken, with futex_wake on its state.
inline queuing_node* hand_over(queuing_node& me) noexcept {
  queuing_node* successor;
  for (backoff wait; !(successor = me.next.load(mo::acquire)); wait.pause()) {  // [QM4]
  }
  me.next.store(nullptr, mo::relaxed);
  bool const sleeps =
      successor->state.exchange(queuing_node::head, mo::acq_rel) == queuing_node::parked;  // [QM5] [QM6]
  return sleeps ? successor : nullptr;
}

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
