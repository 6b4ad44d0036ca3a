// SPDX-License-Identifier: Apache-2.0
// Where threads wait until somebody else has changed something: the consumers of an empty queue, the producers of a
// full one. Whoever changes it pays one load while nobody sleeps.
//
// Threads    any.
// Ordering   [WG1] sleeper counts itself, then looks at the condition <-> [WG2] opener changes the condition, then
// looks
//                  at the count: one of the two sees the other, if all four accesses are sequentially consistent
// Model      tests/model/bounded_queue_model.cpp
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sync {

class wait_gate {
 public:
  // After a sequentially consistent change that lets one waiter go on.
  void open_one() noexcept {
    if (ASHLAR_UNLIKELY(asleep_.load(mo::seq_cst) != 0)) wake(false);  // [WG2]
  }
  // After one that concerns all of them.
  void open_all() noexcept {
    if (asleep_.load(mo::seq_cst) != 0) wake(true);  // [WG2]
  }

  // Returns once ready() is true: a predicate that doesn't throw and makes sequentially consistent loads. Spins, then
  // yields, then sleeps.
  template <typename Ready>
  void wait(Ready const& ready) noexcept {
    wait([](void const* r) noexcept { return (*static_cast<Ready const*>(r))(); }, &ready);
  }

 private:
  ASHLAR_EXPORT ASHLAR_COLD void wait(bool (*ready)(void const*) noexcept, void const* context) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD void wake(bool all) noexcept;

  // Sleepers; a waker takes off those that it wakes.
  atomic<std::uint32_t> asleep_{0};
};

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
