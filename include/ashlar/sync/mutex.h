// SPDX-License-Identifier: Apache-2.0
// The adaptive lock behind tbb::mutex: one byte; a waiting thread spins, then yields, then sleeps.
//
// Sleepers leave no note in the byte, so that freeing it is a plain store: see wait_on.h about armed buckets. A thread
// that comes along may overtake those that sleep; a sleeper that is woken competes again.
//
// Ordering   [MX1] unlock -> [MX2] lock
// Cost       uncontended: lock 1 locked instruction, unlock 1 store and 1 load.
// Model      tests/model/mutex_model.cpp
#pragma once

#include <ashlar/base/tsan.h>
#include <ashlar/sync/scoped_lock.h>
#include <ashlar/sync/wait_on.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

namespace detail {
/// Returns when it has set the byte. `brief`: the first look comes late enough for several short sections to pass.
ASHLAR_EXPORT ASHLAR_COLD void wait_for_mutex(atomic<bool>& held, bool brief) noexcept;
}  // namespace detail

template <typename Derived, bool Brief>
class basic_adaptive_mutex {
 public:
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = false;

  using scoped_lock = unique_scoped_lock<Derived>;

  constexpr basic_adaptive_mutex() noexcept = default;
  basic_adaptive_mutex(basic_adaptive_mutex const&) = delete;
  basic_adaptive_mutex& operator=(basic_adaptive_mutex const&) = delete;

  void lock() noexcept {
    if (ASHLAR_UNLIKELY(held_.exchange(true, mo::acquire))) {  // [MX2]
      detail::wait_for_mutex(held_, Brief);
      tsan::acquire(&held_);
    }
  }
  bool try_lock() noexcept { return !held_.load(mo::relaxed) && !held_.exchange(true, mo::acquire); }  // [MX2]
  void unlock() noexcept {
    held_.store(false, mo::release);  // [MX1]
    wake_one_if_armed(&held_);
  }

 private:
  atomic<bool> held_{false};
};

class adaptive_mutex : public basic_adaptive_mutex<adaptive_mutex, false> {
 public:
  /// Classic TBB's mutex has it. The compiler shows this line to whoever calls it.
  void native_handle() = delete;  // tbb::mutex is oneTBB's; -DASHLAR_CLASSIC_DIALECT=1 makes it classic TBB's
};
/// For sections of some ten nanoseconds: a waiting thread first leaves the holder alone for several of them.
class brief_mutex : public basic_adaptive_mutex<brief_mutex, true> {};

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
