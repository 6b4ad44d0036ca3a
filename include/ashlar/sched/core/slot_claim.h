// SPDX-License-Identifier: Apache-2.0
// Who occupies a slot.
//
// Threads    claim: any. leave: the occupant.
// Ordering   [A1] leave: occupant store -> [A2] claim: occupant exchange (the slot's state)
//            [A8] leave: occupant store, light fence, slot_waiters load <-> [A9] slot waiter: counted and listed, heavy
//            fence, occupant load
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
  static constexpr std::uintptr_t worker = 1;

  bool claim(std::uintptr_t who) noexcept {
    std::uintptr_t nobody = 0;
    return occupant_.load(mo::relaxed) == 0 &&
           occupant_.compare_exchange(nobody, who, mo::acquire, mo::relaxed);  // [A2]
  }
  bool is_free() const noexcept { return occupant_.load(mo::relaxed) == 0; }
  bool held_by_worker() const noexcept { return (occupant_.load(mo::relaxed) & worker) != 0; }
  bool held_by_application() const noexcept {
    std::uintptr_t const who = occupant_.load(mo::relaxed);
    return who != 0 && (who & worker) == 0;
  }
  std::uintptr_t occupant_word() const noexcept { return occupant_.load(mo::relaxed) & ~worker; }
  void leave() noexcept {
    occupant_.store(0, mo::release);  // [A1] [A8]
    fence_asymmetric();               // [A8]
  }
  // After a fork.
  void forget_occupant() noexcept { occupant_.store(0, mo::relaxed); }

 private:
  atomic<std::uintptr_t> occupant_{0};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
