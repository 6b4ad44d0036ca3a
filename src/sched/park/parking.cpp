// SPDX-License-Identifier: Apache-2.0
#include "sched/park/parking.h"

#include "os/topology.h"

#include <ashlar/sync/wait_on.h>

#include <algorithm>

namespace ashlar::inline v1::sched {

bool sleeper::sleep(std::uint64_t nanoseconds) noexcept {
  if (!parker::sleep(nanoseconds)) return false;
  if (thread_ != 0) settle(sign());
  return true;
}

void sleeper::settle(unsigned wakers_cpu) noexcept {
  if (away_.active()) {
    away_.end();
  } else if (to_keep_apart_) {
    // The trial is repeated ever more rarely while it fails: it may cost some milliseconds.
    calls_apart_ =
        os::current_cpu() != wakers_cpu ? 0 : std::min(2 * calls_apart_ + least_calls_apart, most_calls_apart);
    left_apart_ = calls_apart_;
  }
  to_keep_apart_ = false;
}

void sleeper::unpark(bool apart) noexcept {
  unsigned const cpu = os::current_cpu();
  to_keep_apart_ = apart && thread_ != 0;
  if (to_keep_apart_ && left_apart_ != 0) {
    --left_apart_;
    away_.begin(thread_, cpu, cpu_);
  }
  wake(cpu);
}

namespace {

// The addresses by which threads are found that wait for work or for a slot.
char const free_workers = 0;
// In an arena: threads that take any work there; some work; those that wait for a slot.
enum arena_key { any_work, some_work, free_slot };
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
  if (s.thread_ != 0) s.cpu_ = os::current_cpu();
  enter(s, &free_workers, nullptr);
}

void parking_lot::enter_waiter(sleeper& s, arena& inside, void const* address, bool restricted) noexcept {
  enter(s, key_of(inside, restricted ? some_work : any_work), address);
}

void parking_lot::enter_slot_waiter(sleeper& s, arena& full, void const* address) noexcept {
  enter(s, key_of(full, free_slot), address);
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
  return call(chosen);
}

sleeper* parking_lot::take_worker() noexcept { return call(sync::choose_newest(&free_workers)); }

sleeper* parking_lot::call(sync::parker* chosen) noexcept {
  if (chosen == nullptr) return nullptr;
  leave_count(1);
  auto* const s = static_cast<sleeper*>(chosen);
  s->called_for_work_ = true;
  return s;
}

void parking_lot::wake_slot_waiter(arena& a) noexcept { leave_count(sync::wake_one(key_of(a, free_slot))); }

void parking_lot::wake_worker() noexcept { leave_count(sync::wake_one(&free_workers)); }

void parking_lot::wake_workers() noexcept { leave_count(sync::wake_all(&free_workers)); }

void parking_lot::wake_address(void const* address) noexcept { leave_count(sync::wake_all(address)); }

}  // namespace ashlar::inline v1::sched
