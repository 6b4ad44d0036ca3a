// SPDX-License-Identifier: Apache-2.0
// Who sits in a slot. To sit down costs one locked instruction. To leave costs none: it is a plain store, after which
// the arena may be gone. Whoever has to know of it (a thread that waits for a seat, a handle that goes) leaves a note
// at the seat, makes the heavy fence and looks whether the occupant will find the note.
//
// Threads    take: any. leave, leave_noted: the occupant. note, stands: whoever holds the arena's lock of notes.
// Invariants T1 who leaves takes all notes away, or there was none when the seat became free.
// Ordering   [A1] leave: occupant release    -> [A2] take: occupant acquire (the slot's state)
//            [A1] leave: occupant release    -> [A13] stands: occupant acquire (what the stay did in the arena)
//            [A6] leave: leaving, light fence, notes load <-> [A7] note, heavy fence, occupant load
//            [A8] take: occupant exchange, slot_waiters load   <-> [A9] slot waiter: counted, occupant load
// Model      tests/model/full_arena_model.cpp
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

class seat {
 public:
  // Of an occupant, a pointer to something aligned to 8 bytes.
  static constexpr std::uintptr_t worker = 1;  // keeps the arena by itself

  bool take(std::uintptr_t who) noexcept {
    std::uintptr_t nobody = 0;
    return occupant_.load(mo::relaxed) == 0 &&
           occupant_.compare_exchange(nobody, who, mo::seq_cst, mo::relaxed);  // [A2] [A8]
  }
  bool free() const noexcept { return occupant_.load(mo::relaxed) == 0; }
  std::uintptr_t occupant() const noexcept { return occupant_.load(mo::relaxed) & ~flags; }

  // From now on the occupant has to tell of its leaving, for which the arena counts a reference. `external`: an
  // application thread sits where a worker could.
  void promise(bool external) noexcept {
    must_notify_on_exit_ = true;
    external_ = external;
  }
  bool external() const noexcept { return external_; }

  // False: there is a note or a promise, and the stay goes on.
  ASHLAR_ALWAYS_INLINE bool leave() noexcept {
    if (ASHLAR_UNLIKELY(must_notify_on_exit_)) return false;
    std::uintptr_t const who = occupant_.load(mo::relaxed);
    occupant_.store(who | leaving, mo::relaxed);
    fence_asymmetric();  // [A6]
    if (ASHLAR_UNLIKELY(notes_.load(mo::relaxed) != 0)) {
      occupant_.store(who, mo::relaxed);
      return false;
    }
    occupant_.store(0, mo::release);  // [A1]
    return true;
  }
  // The same under the lock of notes. Returns how many references notes and promise counted.
  std::uint32_t leave_noted() noexcept {
    std::uint32_t const n = notes_.load(mo::relaxed) + must_notify_on_exit_;
    notes_.store(0, mo::relaxed);
    must_notify_on_exit_ = external_ = false;
    occupant_.store(0, mo::release);  // [A1]
    return n;
  }

  // Leaves a note unless nobody is there, or, for `workers` = false, only a worker. The heavy fence has to follow.
  bool note(bool workers) noexcept {
    std::uintptr_t const who = occupant_.load(mo::seq_cst);  // [A9]
    if (who == 0 || ((who & worker) != 0 && !workers)) return false;
    notes_.store(notes_.load(mo::relaxed) + 1, mo::relaxed);
    return true;
  }
  // After that fence: whether the occupant will find the note. If not, the note is taken back: the occupant has left.
  // `wait` is called while the occupant is about to tell which of the two it is: that takes a few instructions.
  template <typename Wait>
  bool stands(Wait const& wait) noexcept {
    std::uintptr_t who;
    while (((who = occupant_.load(mo::acquire)) & leaving) != 0) wait();  // [A13]
    if (who != 0) return true;
    notes_.store(notes_.load(mo::relaxed) - 1, mo::relaxed);
    return false;
  }

  // After a fork.
  void forget() noexcept {
    occupant_.store(0, mo::relaxed);
    notes_.store(0, mo::relaxed);
    must_notify_on_exit_ = external_ = false;
  }

 private:
  static constexpr std::uintptr_t leaving = 2;  // is about to read the notes
  static constexpr std::uintptr_t flags = worker | leaving;

  atomic<std::uintptr_t> occupant_{0};
  atomic<std::uint32_t> notes_{0};
  bool must_notify_on_exit_ = false;  // the occupant's
  bool external_ = false;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
