// SPDX-License-Identifier: Apache-2.0
// Where threads wait until somebody else has changed something: the consumers of an empty queue, the producers of a
// full one. Whoever changes it pays one load while nobody sleeps.
//
// Threads    any.
// Ordering   [WG1] sleeper counts itself, then looks at the condition <-> [WG2] opener changes the condition, then
//                 looks at the count: one of the two sees the other, if all four accesses are sequentially consistent
// Model      tests/model/bounded_queue_model.cpp
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sync {

class wait_gate {
 public:
  /// After a sequentially consistent change that lets one waiter go on.
  void open_one() noexcept {
    if (ASHLAR_UNLIKELY(asleep_.load(mo::seq_cst) != 0)) wake(false);  // [WG2]
  }
  /// After one that concerns all of them.
  void open_all() noexcept {
    if (asleep_.load(mo::seq_cst) != 0) wake(true);  // [WG2]
  }

  /// For ready(), a predicate that doesn't throw and makes sequentially consistent loads. spin() looks, ever more
  /// rarely, then yields; true once ready() is, false when it is time to sleep(), which returns once ready() is true.
  template <typename Ready>
  bool spin(Ready const& ready) noexcept {
    return spin(look<Ready>, &ready);
  }
  template <typename Ready>
  void sleep(Ready const& ready) noexcept {
    sleep(look<Ready>, &ready);
  }

 private:
  template <typename Ready>
  static bool look(void const* ready) noexcept {
    return (*static_cast<Ready const*>(ready))();
  }
  ASHLAR_EXPORT ASHLAR_COLD static bool spin(bool (*ready)(void const*) noexcept, void const* context) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD void sleep(bool (*ready)(void const*) noexcept, void const* context) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD void wake(bool all) noexcept;

  // Sleepers; a waker takes off those that it wakes.
  atomic<std::uint32_t> asleep_{0};
};

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
