// SPDX-License-Identifier: Apache-2.0
// The waiting and waking of rw_mutex; the word and its invariants are described in ashlar/sync/rw_mutex.h.
#include <ashlar/sync/rw_mutex.h>

#include "sync/contend.h"

#include <ashlar/sync/wait_on.h>

namespace ashlar::inline v1::sync {
namespace {

using word = rw_word::word;
using state_word = atomic<word>;

// Three kinds of sleepers, three keys.
void const* writers_of(state_word const& s) noexcept { return &s; }
void const* readers_of(state_word const& s) noexcept { return reinterpret_cast<char const*>(&s) + 1; }
void const* upgrader_of(state_word const& s) noexcept { return reinterpret_cast<char const*>(&s) + 2; }

word readers_in(word s) noexcept { return s / rw_word::one_reader; }

// Sets a note in the word as long as cond(word) holds; false if it does not.
template <typename Condition>
bool note(state_word& state, word bit, Condition cond) noexcept {
  word s = state.load(mo::relaxed);
  while (cond(s)) {
    if ((s & bit) || state.compare_exchange(s, s | bit, mo::relaxed, mo::relaxed)) return true;
  }
  return false;
}

bool is_busy(word s) noexcept { return (s & rw_word::busy) != 0; }
bool keeps_readers_out(word s) noexcept { return (s & rw_word::no_entry) != 0; }

}  // namespace

void rw_word::lock(atomic<word>& state) noexcept {
  word inherited = 0;  // RW-I3
  word seen = state.load(mo::relaxed);
  auto const enter = [&]() noexcept {
    // Behind a writer it looks by writing: a look by reading would fetch the line a second time to take a free lock.
    word s = (seen & writer) ? 0 : state.load(mo::relaxed);
    while (!is_busy(s)) {
      word const mine = (s & ~word{pending}) | writer | inherited;
      if (state.compare_exchange(s, mine, mo::acquire, mo::relaxed)) return true;  // [RW2] [RW4]
    }
    seen = s;
    // Only readers need to be kept out; a writer that comes again at once is best left alone.
    if (!(s & (pending | writer))) state.compare_exchange(s, s | pending, mo::relaxed, mo::relaxed);
    return false;
  };
  if (!is_busy(seen) && enter()) return;
  while (!contend(enter)) {
    if (!note(state, writers_asleep, is_busy)) continue;
    wait_while(
        writers_of(state),
        [&state]() noexcept {
          word const s = state.load(mo::relaxed);
          return (s & writers_asleep) && is_busy(s);
        },
        wait_kind::noted);
    inherited = writers_asleep;
  }
}

void rw_word::lock_shared(atomic<word>& state) noexcept {
  auto const enter = [&]() noexcept { return try_lock_shared(state); };
  while (!contend(enter)) {
    if (!note(state, readers_asleep, keeps_readers_out)) continue;
    wait_while(
        readers_of(state),
        [&state]() noexcept {
          word const s = state.load(mo::relaxed);
          return (s & readers_asleep) && keeps_readers_out(s);
        },
        wait_kind::noted);
  }
}

bool rw_word::upgrade(atomic<word>& state) noexcept {
  word s = state.load(mo::relaxed);
  do {
    if (s & writer) {
      // Another reader upgrades and waits for this one to leave.
      unlock_shared(state);
      if (!try_lock(state)) lock(state);
      return false;
    }
  } while (!state.compare_exchange(s, s | writer, mo::acquire, mo::relaxed));  // [RW2]
  auto const alone = [&]() noexcept { return readers_in(state.load(mo::acquire)) == 1; };  // [RW4]
  bool slept = false;
  while (!alone() && !contend(alone)) {
    slept = true;
    state.fetch_or(upgrader_asleep, mo::relaxed);
    wait_while(
        upgrader_of(state), [&state]() noexcept { return readers_in(state.load(mo::relaxed)) != 1; }, wait_kind::noted);
  }
  state.fetch_sub(one_reader, mo::relaxed);
  if (slept) state.fetch_and(~word{upgrader_asleep}, mo::relaxed);
  return true;
}

void rw_word::downgrade(atomic<word>& state) noexcept {
  word s = state.fetch_add(word{one_reader} - writer, mo::release);  // [RW1]
  if (!(s & (writers_asleep | readers_asleep))) return;
  // As when the writer leaves, since the reader that it is now won't (RW-I2). Who goes on sleeping notes it again.
  s = state.fetch_and(~(word{writers_asleep} | readers_asleep), mo::relaxed);
  wake_after_writer(state, s);
}

void rw_word::wake_after_writer(atomic<word>& state, word before) noexcept {
  if (before & writers_asleep) wake_one(writers_of(state));
  if (before & readers_asleep) wake_all(readers_of(state));
}

void rw_word::wake_after_reader(atomic<word>& state, word before) noexcept {
  word const left = readers_in(before) - 1;
  if (before & upgrader_asleep) {
    if (left == 1) wake_one(upgrader_of(state));
  } else if (left == 0 && !(before & writer)) {
    wake_one(writers_of(state));
  }
}

}  // namespace ashlar::inline v1::sync
