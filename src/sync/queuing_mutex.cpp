// SPDX-License-Identifier: Apache-2.0
// The waiting of queuing_mutex; the list and its invariants are described in ashlar/sync/queuing_mutex.h.
#include <ashlar/sync/queuing_mutex.h>

#include "sync/queue_turn.h"

#include <ashlar/sync/wait_on.h>

namespace ashlar::inline v1::sync {
namespace {

using node = queuing_node;
using core = queuing;
using word = core::word;

node* last_waiter(word w) noexcept { return reinterpret_cast<node*>(w & ~word{core::all_bits}); }

void sleep_as_head(atomic<word>& mutex) noexcept {
  mutex.fetch_or(core::open | core::head_asleep, mo::relaxed);
  wait_while(
      &mutex,
      [&mutex]() noexcept {
        word const w = mutex.load(mo::relaxed);
        return (w & core::head_asleep) && (w & core::held);
      },
      wait_kind::noted);
  mutex.fetch_and(~word{core::open | core::head_asleep}, mo::relaxed);
}

// Takes the released lock and leaves the list; false if somebody else was faster.
bool take_as_head(atomic<word>& mutex, node& me, word w) noexcept {
  if (last_waiter(w) == &me) return mutex.compare_exchange(w, core::held, mo::acquire, mo::relaxed);  // [QM2]
  do {
    if (w & core::held) return false;
  } while (!mutex.compare_exchange(w, (w & ~word{core::all_bits}) | core::held, mo::acquire, mo::relaxed));  // [QM2]
  if (node* const sleeper = hand_over(me)) {
    mutex.fetch_or(core::open, mo::relaxed);
    me.next.store(sleeper, mo::relaxed);  // release() wakes it
  }
  return true;
}

}  // namespace

void queuing::acquire(atomic<word>& mutex, queuing_node& me) noexcept {
  bool const overtake = my_overtaking.allowed(&mutex);
  me.state.store(node::waiting, mo::relaxed);
  for (word w = mutex.load(mo::relaxed);;) {
    node* const last = last_waiter(w);
    if (!(w & held) && (last == nullptr || ((w & open) && overtake))) {
      if (mutex.compare_exchange(w, last ? w | held : word{held}, mo::acquire, mo::relaxed)) return;  // [QM2]
      continue;
    }
    word const kept = w & (last ? word{all_bits} : word{held});
    word const mine = reinterpret_cast<word>(&me) | kept;
    if (!mutex.compare_exchange(w, mine, mo::acq_rel, mo::relaxed)) continue;  // [QM3] [QM4]
    if (last != nullptr) {
      last->next.store(&me, mo::release);  // [QM3]
      if (wait_for_turn(me)) mutex.fetch_and(~word{open}, mo::relaxed);
    }
    break;
  }
  my_overtaking.end();
  for (patience p;;) {
    word const w = mutex.load(mo::relaxed);
    if (!(w & held)) {
      if (take_as_head(mutex, me, w)) return;
    } else if (!p.spin()) {
      sleep_as_head(mutex);
      p = patience();
    }
  }
}

// Once the lock is released the mutex is an address and is not touched any more.
void queuing::release(atomic<word>& mutex, queuing_node* successor) noexcept {
  word const before = mutex.fetch_and(~word{held | head_asleep}, mo::release);  // [QM1]
  if (before & head_asleep) wake_one(&mutex);
  if (successor != nullptr) os::futex_wake(successor->state, 1);
}

}  // namespace ashlar::inline v1::sync
