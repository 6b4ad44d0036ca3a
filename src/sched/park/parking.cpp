// SPDX-License-Identifier: Apache-2.0
#include "sched/park/parking.h"

#include "os/clock.h"
#include "os/topology.h"

#include <ashlar/os/tuning.h>
#include <ashlar/sync/wait_on.h>

namespace ashlar::sched {

bool sleeper::sleep(std::uint64_t nanoseconds) noexcept {
  if (!parker::sleep(nanoseconds)) return false;
  if (thread_ != 0) settle(sign());
  return true;
}

// After shorter pauses the kernel moves oversubscribed threads better than the affinity mask does (program discs, 8
// threads on 2 CPUs: 263 ms without, 369 ms with the mask); after a long one all CPUs but the waker's sleep (frames:
// 294 and 216 ms).
void sleeper::keep_apart(bool crowded) noexcept {
  if (thread_ == 0 || apart_ == 0) return;
  if (crowded && os::ticks() - asleep_since_ < os::tuned.ticks_of_us(os::long_sleep_us)) return;
  --apart_;
  away_.begin(thread_, os::current_cpu(), cpu_);
}

void sleeper::settle(unsigned wakers_cpu) noexcept {
  if (away_.active()) {
    away_.end();
  } else if (called_for_work_ && os::current_cpu() == wakers_cpu) {
    apart_ = calls_apart;
  }
}

void sleeper::unpark() noexcept { wake(os::current_cpu()); }

namespace {

// The addresses by which threads are found that do not wait for one, or not only.
char const free_workers = 0;
// In an arena: threads that take any work there; some work; those that wait for a seat.
enum arena_key { any_work, some_work, a_seat };
void const* key_of(arena const& a, arena_key what) noexcept { return reinterpret_cast<char const*>(&a) + what; }

}  // namespace

constinit atomic<void (*)(void const*) noexcept> parking_lot::other_waiters{nullptr};

parking_lot& parking_lot::get() noexcept {
  static constinit parking_lot lot;
  return lot;
}

void parking_lot::enter(sleeper& s, void const* kind, void const* address) noexcept {
  s.called_for_work_ = false;
  count_.fetch_add(1, mo::relaxed);
  s.enter(s.for_work_, kind);
  if (address != nullptr) s.enter(s.for_end_, address);
}

void parking_lot::enter_worker(sleeper& s) noexcept {
  if (s.thread_ != 0) {
    s.cpu_ = os::current_cpu();
    s.asleep_since_ = os::ticks();
  }
  enter(s, &free_workers, nullptr);
}

void parking_lot::enter_waiter(sleeper& s, arena& inside, void const* address, bool restricted) noexcept {
  enter(s, key_of(inside, restricted ? some_work : any_work), address);
}

void parking_lot::enter_seeker(sleeper& s, arena& full, void const* address) noexcept {
  enter(s, key_of(full, a_seat), address);
}

bool parking_lot::leave(sleeper& s) noexcept {
  if (s.leave()) {
    leave_count(1);
    return true;
  }
  s.sleep();
  return false;
}

sleeper* parking_lot::take_for(arena& a, bool worker_allowed, bool restricted_allowed) noexcept {
  sync::parker* chosen = sync::choose_newest(key_of(a, any_work));
  if (chosen == nullptr && worker_allowed) chosen = sync::choose_newest(&free_workers);
  if (chosen == nullptr && restricted_allowed) chosen = sync::choose_newest(key_of(a, some_work));
  if (chosen == nullptr) return nullptr;
  leave_count(1);
  auto* const s = static_cast<sleeper*>(chosen);
  s->called_for_work_ = true;
  return s;
}

void parking_lot::wake_seeker(arena& a) noexcept { leave_count(sync::wake_one(key_of(a, a_seat))); }

void parking_lot::wake_worker() noexcept { leave_count(sync::wake_one(&free_workers)); }

void parking_lot::wake_workers() noexcept { leave_count(sync::wake_all(&free_workers)); }

void parking_lot::wake_address(void const* address) noexcept { leave_count(sync::wake_all(address)); }

}  // namespace ashlar::sched
