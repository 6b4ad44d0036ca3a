// SPDX-License-Identifier: Apache-2.0
// Who occupies a slot. To claim a slot costs one locked instruction. To leave costs none: it is a plain store, after
// which the arena may be gone. Whoever has to know of it (a thread that waits for a slot, a handle that goes) requests
// an exit notice, makes the heavy fence and looks whether the occupant will find the request.
//
// Threads    claim: any. leave, leave_notifying: the occupant. request_exit_notice, exit_notice_due: whoever holds the
//            arena's lock of notices.
// Invariants T1 who leaves takes all requests away, or there was none when the slot became free.
// Ordering   [A1] leave: occupant release    -> [A2] claim: occupant acquire (the slot's state)
//            [A1] leave: occupant release    -> [A13] exit_notice_due: occupant acquire (what the stay did in the
//            arena) [A6] leave: leaving, light fence, requests load <-> [A7] request, heavy fence, occupant load [A8]
//            claim: occupant exchange, slot_waiters load  <-> [A9] slot waiter: counted, occupant load
// Model      tests/model/full_arena_model.cpp
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

// A line of its own in the slot: others write to it.
class alignas(no_sharing) slot_claim {
 public:
  // Of an occupant, a pointer to something aligned to 8 bytes.
  static constexpr std::uintptr_t worker = 1;  // keeps the arena by itself

  bool claim(std::uintptr_t who) noexcept {
    std::uintptr_t nobody = 0;
    return occupant_.load(mo::relaxed) == 0 &&
           occupant_.compare_exchange(nobody, who, mo::seq_cst, mo::relaxed);  // [A2] [A8]
  }
  bool is_free() const noexcept { return occupant_.load(mo::relaxed) == 0; }
  std::uintptr_t occupant_word() const noexcept { return occupant_.load(mo::relaxed) & ~flags; }

  // From now on the occupant has to notify of its exit, for which the arena counts a reference. `external`: an
  // application thread occupies a slot that a worker could have.
  void notify_on_exit(bool external) noexcept {
    must_notify_on_exit_ = true;
    external_ = external;
  }
  bool held_by_external() const noexcept { return external_; }

  // False: the occupant must notify somebody, and the stay goes on.
  ASHLAR_ALWAYS_INLINE bool leave() noexcept {
    if (ASHLAR_UNLIKELY(must_notify_on_exit_)) return false;
    std::uintptr_t const who = occupant_.load(mo::relaxed);
    occupant_.store(who | leaving, mo::relaxed);
    fence_asymmetric();  // [A6]
    if (ASHLAR_UNLIKELY(requests_.load(mo::relaxed) != 0)) {
      occupant_.store(who, mo::relaxed);
      return false;
    }
    occupant_.store(0, mo::release);  // [A1]
    return true;
  }
  // The same under the lock of notices. Returns how many references are to be given back.
  std::uint32_t leave_notifying() noexcept {
    std::uint32_t const n = requests_.load(mo::relaxed) + must_notify_on_exit_;
    requests_.store(0, mo::relaxed);
    must_notify_on_exit_ = external_ = false;
    occupant_.store(0, mo::release);  // [A1]
    return n;
  }

  // False if nobody is there, or, for `workers` = false, only a worker. The heavy fence has to follow.
  bool request_exit_notice(bool workers) noexcept {
    std::uintptr_t const who = occupant_.load(mo::seq_cst);  // [A9]
    if (who == 0 || ((who & worker) != 0 && !workers)) return false;
    requests_.store(requests_.load(mo::relaxed) + 1, mo::relaxed);
    return true;
  }
  // After that fence: whether the occupant will find the request. If not, the request is taken back: the occupant has
  // left. `wait` is called while the occupant is about to decide which of the two it is: that takes a few instructions.
  template <typename Wait>
  bool exit_notice_due(Wait const& wait) noexcept {
    std::uintptr_t who;
    while (((who = occupant_.load(mo::acquire)) & leaving) != 0) wait();  // [A13]
    if (who != 0) return true;
    requests_.store(requests_.load(mo::relaxed) - 1, mo::relaxed);
    return false;
  }

  // After a fork.
  void forget_occupant() noexcept {
    occupant_.store(0, mo::relaxed);
    requests_.store(0, mo::relaxed);
    must_notify_on_exit_ = external_ = false;
  }

 private:
  static constexpr std::uintptr_t leaving = 2;  // is about to read the requests
  static constexpr std::uintptr_t flags = worker | leaving;

  atomic<std::uintptr_t> occupant_{0};
  atomic<std::uint32_t> requests_{0};
  bool must_notify_on_exit_ = false;  // the occupant's
  bool external_ = false;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
