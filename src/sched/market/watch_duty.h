// SPDX-License-Identifier: Apache-2.0
// The duty of looking after jobs that nobody was called for. One parked worker has it, the watchdog: it looks after
// reserved jobs in the arenas that are watched, and after work that is left to busy threads. README.md,
// 'Reserved jobs'.
//
// Threads    under the market's lock but for `taken`, `take` and the count of refusals.
// Ordering   [E1] see watchdog.h
#pragma once

#include "sched/arena/arena_list.h"

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

class watch_duty {
 public:
  bool taken() const noexcept { return taken_.load(mo::relaxed); }
  // True if the caller is on duty now. Any thread.
  bool take() noexcept { return !taken_.exchange(true, mo::seq_cst); }  // [E1]
  void drop() noexcept { taken_.store(false, mo::seq_cst); }            // [E1]

  // Watches over the arena; false if nobody is on duty.
  bool watch(arena& a) noexcept;
  void forget(arena& a) noexcept;
  bool idle() const noexcept { return watched_.empty(); }
  template <typename Call>
  void for_each(Call const& call) const {
    watched_.for_each(call);
  }
  // Jobs reserved since the last look.
  std::uint32_t look_at_offers() noexcept;
  // Takes arenas off the watch, all or those where nothing was reserved lately, and calls `found` for each that has
  // work. True if there was one.
  template <typename Found>
  bool unwatch(bool all, Found const& found) noexcept {
    if (!lower_guard(all)) return false;
    bool any = false;
    watched_.for_each([&](arena& a) {
      if (a.watched.load(mo::relaxed)) return;
      watched_.remove(a);
      if (!a.has_visible_work()) return;
      found(a);
      any = true;
    });
    return any;
  }

  // The watchdog's looks at which work was left to busy threads, since it last found that no jobs were pushed between
  // two.
  void reset_refusals() noexcept { refusals_.store(0, mo::relaxed); }
  unsigned count_refusal() noexcept { return refusals_.fetch_add(1, mo::relaxed) + 1; }

 private:
  bool lower_guard(bool all) noexcept;

  arena_list<&arena_state::watched> watched_;
  atomic<bool> taken_{false};
  atomic<unsigned> refusals_{0};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
