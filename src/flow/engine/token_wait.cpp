// SPDX-License-Identifier: Apache-2.0
#include "flow/engine/token_wait.h"

#include <ashlar/flow/engine/message.h>
#include <ashlar/sched/park/wait_target.h>

#include <exception>
#include <new>

namespace ashlar::inline v1::flow {

void graph_core::wait_for_token(wait_token& t) {
  slot& s = *sched::current_slot;  // it has made the token
  sched::group_counter& uses = t.uses();
  try {
    if (works_in_arena(s)) {
      // The message has just been put. If it is not over, the thread's newest job most likely belongs to it: the wait
      // begins with that job, and looks at what others have done only after that.
      constexpr std::int64_t none = -1;
      if (!run_own_jobs_after(none, uses, s)) wait_for_uses(uses, s);
    } else if (!uses.done()) {
      t.let_others_wait();
      wait_from_outside(uses);
    }
  } catch (std::bad_alloc const&) {
    wait_for_uses(uses, s);  // no help for the others, but the token may not end before its uses
  }
  if (ASHLAR_UNLIKELY(cancelled(s))) throw_stored();
}

// As long as the arena is full the thread has no part in what ends the wait but for this: it wakes when the message is
// over, as who holds the arena's slots need not run anything any more, and when the graph is cancelled, and gives back
// what nodes keep. Bodies may hold other uses, and jobs that nobody but this thread runs.
void graph_core::wait_from_outside(sched::group_counter& uses) {
  auto run = [this, &uses] {
    slot& here = sched::this_slot();
    if (!run_own_jobs(uses, here)) wait_for_uses(uses, here);
  };
  sched::wait_until const end(
      &uses, "a message of a flow graph", [this, &uses] { return uses.done() || ends_waits(); },
      [&uses] { return uses.announce(false); });
  do {
    token_wait const known(*this, uses);
    if (sched::call_in_arena_unless(end, *arena_, run) || uses.done()) return;
  } while (!forget_tokens());
  if (!uses.done()) sched::call_in_arena(*arena_, run);
}

void graph_core::throw_stored() {
  std::exception_ptr thrown;
  {
    // Another thread may be about to take it out of the graph's wait.
    guard const held(ending_lock_);
    try {
      group_.rethrow();
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

// What bodies and activations hold comes back by itself.
void graph_core::wait_for_uses(sched::group_counter& uses, slot& s) noexcept {
  token_wait const known(*this, uses);
  do {
    if (uses.wait_unless(s, group_, "a message of a flow graph")) return;
  } while (!forget_tokens());
  uses.wait(s);
}

bool graph_core::forget_tokens() noexcept {
  guard const ending(ending_lock_);  // after the end of the graph's wait others wait anew
  if (!ends_waits()) return false;
  guard const held(nodes_lock_);
  for (node_base* n = first_; n != nullptr; n = n->next_) {
    if (n->is_complete()) n->forget_tokens();
  }
  return true;
}

}  // namespace ashlar::inline v1::flow
