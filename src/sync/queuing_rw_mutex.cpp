// SPDX-License-Identifier: Apache-2.0
// The waiting of queuing_rw_mutex; the word and its invariants are described in ashlar/sync/queuing_rw_mutex.h.
#include <ashlar/sync/queuing_rw_mutex.h>

#include "sync/contend.h"
#include "sync/queue_turn.h"

#include <ashlar/sync/wait_on.h>

namespace ashlar::inline v1::sync {
namespace {

using core = queuing_rw;
using word = core::word;
using node = queuing_node;
using mutex_word = atomic<word>;

constexpr word address_bits = ~(word{core::lowest_address_bit} - 1);
constexpr word list_bits = address_bits | core::open | core::head_asleep;

// The waiter's address, or 0 if it has too many bits.
word as_bits(node const* n) noexcept {
  word const address = reinterpret_cast<std::uintptr_t>(n);
  word const shifted = address >> 3 << core::address_shift;
  return shifted >> core::address_shift << 3 == address ? shifted : 0;
}
node* last_waiter(word w) noexcept {
  return reinterpret_cast<node*>(static_cast<std::uintptr_t>((w & address_bits) >> core::address_shift << 3));
}
word readers_in(word w) noexcept { return (w & core::all_readers) / core::one_reader; }

bool is_free(word w) noexcept { return !(w & (core::writer | core::upgrading | core::all_readers)); }
bool may_enter(word w, bool write) noexcept {
  if (write) return is_free(w);
  return !(w & (core::writer | core::upgrading)) && (w & core::all_readers) != core::all_readers;
}
word with_me(word w, bool write) noexcept { return write ? w | core::writer : w + core::one_reader; }

void const* upgrader_of(mutex_word const& m) noexcept { return reinterpret_cast<char const*>(&m) + 1; }

void sleep_as_head(mutex_word& mutex, bool write) noexcept {
  mutex.fetch_or(core::open | core::head_asleep, mo::relaxed);
  wait_while(
      &mutex,
      [&mutex, write]() noexcept {
        word const w = mutex.load(mo::relaxed);
        return (w & core::head_asleep) && !may_enter(w, write);
      },
      wait_kind::noted);
  mutex.fetch_and(~(word{core::open} | core::head_asleep), mo::relaxed);
}

// Enters and leaves the list; false if the lock doesn't allow it any more.
bool enter_as_head(mutex_word& mutex, node& me, bool write, word w) noexcept {
  bool last;
  do {
    if (!may_enter(w, write)) return false;
    last = last_waiter(w) == &me;
  } while (!mutex.compare_exchange(w, with_me(w & ~(last ? list_bits : list_bits & ~address_bits), write), mo::acquire,
                                   mo::relaxed));  // [QR2]
  if (last) return true;
  if (node* const sleeper = hand_over(me)) {
    mutex.fetch_or(core::open, mo::relaxed);
    if (write) {
      me.next.store(sleeper, mo::relaxed);  // leave_writer() wakes it
    } else {
      os::futex_wake(sleeper->state, 1);  // it may be a reader, which can enter now
    }
  }
  return true;
}

// Appends the node; false if the thread entered instead, because the lock allowed it.
bool enlist(mutex_word& mutex, node& me, bool write, bool overtake) noexcept {
  for (word w = mutex.load(mo::relaxed);;) {
    node* const last = last_waiter(w);
    if (last ? (w & core::open) && overtake && is_free(w) : may_enter(w, write)) {
      word const entered = with_me(last ? w : w & ~list_bits, write);
      if (mutex.compare_exchange(w, entered, mo::acquire, mo::relaxed)) return false;  // [QR2]
      continue;
    }
    word const kept = w & ~(last ? address_bits : list_bits);
    if (!mutex.compare_exchange(w, kept | as_bits(&me), mo::acq_rel, mo::relaxed)) continue;  // [QR3] [QR4]
    if (last) {
      last->next.store(&me, mo::release);  // [QM3]
      if (wait_for_turn(me)) mutex.fetch_and(~word{core::open}, mo::relaxed);
    }
    return true;
  }
}

}  // namespace

void queuing_rw::acquire(atomic<word>& mutex, queuing_node& me, bool write) noexcept {
  if (!as_bits(&me)) {
    enter_unlisted(mutex, write);
    return;
  }
  me.state.store(node::waiting, mo::relaxed);
  if (!enlist(mutex, me, write, my_overtaking.allowed(&mutex))) return;
  my_overtaking.end();
  for (patience p;;) {
    word const w = mutex.load(mo::relaxed);
    if (may_enter(w, write)) {
      if (enter_as_head(mutex, me, write, w)) return;
    } else if (!p.spin()) {
      sleep_as_head(mutex, write);
      p = patience();
    }
  }
}

bool queuing_rw::try_acquire(atomic<word>& mutex, bool write) noexcept {
  word w = mutex.load(mo::relaxed);
  while (!last_waiter(w) && may_enter(w, write)) {
    if (mutex.compare_exchange(w, with_me(w & ~list_bits, write), mo::acquire, mo::relaxed)) return true;  // [QR2]
  }
  return false;
}

void queuing_rw::enter_unlisted(atomic<word>& mutex, bool write) noexcept {
  word w = mutex.load(mo::relaxed);
  for (backoff wait;;) {
    if (!may_enter(w, write)) {
      wait.pause();
      w = mutex.load(mo::relaxed);
    } else if (mutex.compare_exchange(w, with_me(w, write), mo::acquire, mo::relaxed)) {  // [QR2]
      return;
    }
  }
}

bool queuing_rw::upgrade(atomic<word>& mutex, queuing_node& me) noexcept {
  word w = mutex.load(mo::relaxed);
  do {
    if (w & upgrading) {
      // Another reader upgrades and waits for this one to leave.
      leave_reader(mutex);
      acquire(mutex, me, true);
      return false;
    }
  } while (!mutex.compare_exchange(w, w | upgrading, mo::acquire, mo::relaxed));  // [QR2]
  auto const alone = [&mutex]() noexcept { return readers_in(mutex.load(mo::acquire)) == 1; };  // [QR2]
  while (!alone() && !contend(alone)) {
    mutex.fetch_or(upgrader_asleep, mo::relaxed);
    wait_while(
        upgrader_of(mutex), [&mutex]() noexcept { return readers_in(mutex.load(mo::relaxed)) != 1; }, wait_kind::noted);
  }
  w = mutex.load(mo::relaxed);
  while (!mutex.compare_exchange(w, (w - one_reader) ^ (w & (upgrading | upgrader_asleep)) ^ writer, mo::relaxed,
                                 mo::relaxed)) {
  }
  return true;
}

void queuing_rw::downgrade(atomic<word>& mutex, queuing_node& me) noexcept {
  node* const successor = me.next.load(mo::relaxed);
  word w = mutex.load(mo::relaxed);
  while (!mutex.compare_exchange(w, ((w & ~(word{writer} | head_asleep)) + one_reader), mo::release,
                                 mo::relaxed)) {  // [QR1]
  }
  me.next.store(nullptr, mo::relaxed);
  if ((w & head_asleep) || successor != nullptr) wake_after_writer(mutex, w, successor);
}

void queuing_rw::wake_after_writer(atomic<word>& mutex, word before, queuing_node* successor) noexcept {
  if (before & head_asleep) wake_one(&mutex);
  if (successor != nullptr) os::futex_wake(successor->state, 1);
}

void queuing_rw::wake_after_reader(atomic<word>& mutex, word before) noexcept {
  word const left = readers_in(before) - 1;
  if (before & upgrading) {
    if (left == 1 && (before & upgrader_asleep)) wake_one(upgrader_of(mutex));
  } else if ((before & head_asleep) && (left == 0 || (before & all_readers) == all_readers)) {
    wake_one(&mutex);  // in the second case it may be a reader that the count had no room for
  }
}

}  // namespace ashlar::inline v1::sync
