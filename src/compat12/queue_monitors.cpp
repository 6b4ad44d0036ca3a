// SPDX-License-Identifier: Apache-2.0
// Where the threads of a foreign program wait that push into a full concurrent_bounded_queue (monitor 0) or pop from an
// empty one (monitor 1). Each waits for its ticket: whoever makes room or brings an element tells up to which ticket,
// and wakes these only.
//
// The program's question may throw (when the queue is aborted), so it is never asked under a lock.
//
// Threads    any. The list is guarded by the lock; a sleeper is unlinked by whoever wakes it, or by itself.
// Ordering   [MQ1] a sleeper counts itself, then asks its question <-> [MQ2] a waker, whose change of the queue came
//                  before, looks at the count: one of the two sees the other
// Model      tests/model/compat12_waits_model.cpp
#include "contract.h"

#include <ashlar/os/memory.h>
#include <ashlar/os/ticks.h>
#include <ashlar/os/tuning.h>
#include <ashlar/sync/backoff.h>
#include <ashlar/sync/spin_mutex.h>
#include <ashlar/sync/wait_on.h>

namespace ashlar::inline v1::compat12 {

class queue_monitor {
 public:
  using question = tbb::detail::d1::delegate_base;  // true: the ticket has to wait

  void wait(std::ptrdiff_t ticket, question const& must_wait) {
    sync::backoff pause;
    for (std::uint64_t const end = ticks() + os::tuned.lock_spin; ticks() < end; pause.pause()) {
      if (!must_wait()) return;
    }
    for (;;) {
      sleeper me(*this, ticket);
      fence_seq_cst();  // [MQ1]
      if (!must_wait()) return;
      while (!me.woken.load(mo::relaxed)) {
        sync::wait_while(&me, [&me]() noexcept { return !me.woken.load(mo::relaxed); }, sync::wait_kind::noted);
      }
      if (!must_wait()) return;
    }
  }

  // Those with tickets up to this one.
  void wake(std::ptrdiff_t last) noexcept {
    fence_seq_cst();  // [MQ2]
    if (ASHLAR_LIKELY(count_.load(mo::relaxed) == 0)) return;
    tbb::spin_mutex::scoped_lock const guard(lock_);
    for (sleeper** at = &first_; *at != nullptr;) {
      sleeper& s = **at;
      if (s.ticket > last) {
        at = &s.next;
        continue;
      }
      *at = s.next;
      count_.fetch_sub(1, mo::relaxed);
      void const* const key = &s;
      s.woken.store(true, mo::relaxed);  // the sleeper takes the lock before its end
      sync::wake_all(key);
    }
  }

 private:
  struct sleeper {
    sleeper(queue_monitor& where, std::ptrdiff_t t) noexcept : monitor(where), ticket(t) {
      tbb::spin_mutex::scoped_lock const guard(monitor.lock_);
      next = monitor.first_;
      monitor.first_ = this;
      monitor.count_.fetch_add(1, mo::relaxed);
    }
    ~sleeper() {
      tbb::spin_mutex::scoped_lock const guard(monitor.lock_);
      if (woken.load(mo::relaxed)) return;
      sleeper** at = &monitor.first_;
      while (*at != this) at = &(*at)->next;
      *at = next;
      monitor.count_.fetch_sub(1, mo::relaxed);
    }

    queue_monitor& monitor;
    std::ptrdiff_t const ticket;
    sleeper* next;
    atomic<bool> woken{false};
  };

  tbb::spin_mutex lock_;
  sleeper* first_ = nullptr;
  atomic<std::uint32_t> count_{0};
};

}  // namespace ashlar::inline v1::compat12

namespace tbb::detail::r1 {

using ashlar::compat12::queue_monitor;

static constexpr std::size_t monitors_per_queue = 2;
static constexpr std::ptrdiff_t last_ticket = PTRDIFF_MAX;

static queue_monitor* monitors_of(concurrent_monitor* m) noexcept { return reinterpret_cast<queue_monitor*>(m); }

// The queue's own part, and the monitors directly behind it.
ASHLAR_EXPORT std::uint8_t* allocate_bounded_queue_rep(std::size_t bytes) {
  auto* const place =
      static_cast<std::uint8_t*>(ashlar::allocate_cache_aligned(bytes + monitors_per_queue * sizeof(queue_monitor)));
  for (std::size_t i = 0; i < monitors_per_queue; ++i) new (place + bytes + i * sizeof(queue_monitor)) queue_monitor;
  return place;
}
ASHLAR_EXPORT void deallocate_bounded_queue_rep(std::uint8_t* place, std::size_t bytes) {
  for (std::size_t i = 0; i < monitors_per_queue; ++i) {
    std::launder(reinterpret_cast<queue_monitor*>(place + bytes))[i].~queue_monitor();
  }
  ashlar::deallocate_cache_aligned(place);
}

ASHLAR_EXPORT void wait_bounded_queue_monitor(concurrent_monitor* monitors, std::size_t which, std::ptrdiff_t ticket,
                                              d1::delegate_base& must_wait) {
  monitors_of(monitors)[which].wait(ticket, must_wait);
}
ASHLAR_EXPORT void notify_bounded_queue_monitor(concurrent_monitor* monitors, std::size_t which, std::size_t ticket) {
  monitors_of(monitors)[which].wake(static_cast<std::ptrdiff_t>(ticket));
}
ASHLAR_EXPORT void abort_bounded_queue_monitors(concurrent_monitor* monitors) {
  for (std::size_t i = 0; i < monitors_per_queue; ++i) monitors_of(monitors)[i].wake(last_ticket);
}

}  // namespace tbb::detail::r1
