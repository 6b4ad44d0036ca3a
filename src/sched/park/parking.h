// SPDX-License-Identifier: Apache-2.0
// How the scheduler's threads sleep in the parking lot (sync/parker.h): free workers, which take any work; threads that
// keep a place in an arena, wait for the completion of something (by address) and take work meanwhile; and threads that
// wait for a slot. Only slow paths come here.
//
// Protocol and the interleaving it prevents: README.md, 'Parking'.
// Model      tests/model/scheduler_model.cpp
#pragma once

#include "os/cpu_exclusion.h"
#include "sync/parker.h"

#include <ashlar/base/atomic.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

class arena;

class sleeper : public sync::parker {
 public:
  bool sleep(std::uint64_t nanoseconds = sync::wait_forever) noexcept;
  // For the thread that has chosen the sleeper. `apart`: the sleeper shall run on another CPU than the caller's. The
  // request is ignored for a sleeper that gave no number, and for one that was not found on its waker's CPU lately.
  void unpark(bool apart) noexcept;
  // For the sleeper's own thread: it may be kept apart from its wakers. `thread`: its number in the system.
  void allow_keeping_apart(int thread) noexcept { thread_ = thread; }
  // After a wake-up: was it for new work? A thread that goes on without looking for that has to call another thread.
  bool called_for_work() const noexcept { return called_for_work_; }

 private:
  friend class parking_lot;
  // After the thread was found on its waker's CPU so many calls keep it apart.
  static constexpr unsigned least_calls_apart = 15, most_calls_apart = 1000;
  // After a wake-up.
  void settle(unsigned wakers_cpu) noexcept;

  sync::wait_place for_work_;
  sync::wait_place for_end_;
  int thread_ = 0;            // 0: none that is kept apart
  unsigned cpu_ = 0;          // where the thread fell asleep
  unsigned calls_apart_ = 0;  // after it was found on its waker's CPU the last time
  unsigned left_apart_ = 0;   // so many of these are left
  bool to_keep_apart_ = false;
  os::cpu_exclusion away_;  // from the waker's CPU
  bool called_for_work_ = false;
};

class parking_lot {
 public:
  static parking_lot& get() noexcept;

  // Registers a free worker, or a thread that waits inside an arena. The thread stops searching after that: README.md,
  // 'Parking'.
  void enter_worker(sleeper& s) noexcept;
  // A thread that waits may enter under further addresses.
  void enter_waiter(sleeper& s, arena& inside, void const* address, bool restricted) noexcept;
  // Registers a thread that waits for a slot in an arena, or for its call to be made there by somebody else.
  void enter_slot_waiter(sleeper& s, arena& full, void const* address) noexcept;
  // Wakes one thread that waits for a slot in the arena.
  void wake_slot_waiter(arena& a) noexcept;
  // Withdraws. If the sleeper has been chosen already, consumes the wake-up and returns false.
  bool leave(sleeper& s) noexcept;

  // Chooses whom to wake for new work in an arena: a thread that waits there unrestricted, else a free worker if
  // `worker_allowed`, else a restricted waiter if `restricted_allowed`. Null if nobody is suitable. The caller unparks
  // it.
  sleeper* take_for(arena& a, bool worker_allowed, bool restricted_allowed) noexcept;
  // Chooses a free worker.
  sleeper* take_worker() noexcept;
  // Wakes one free worker, if there is one, so that it looks around.
  void wake_worker() noexcept;
  // Wakes everybody who waits for this address.
  void wake_address(void const* address) noexcept;
  // Wakes every free worker (so that it sees that it shall end).
  void wake_workers() noexcept;
  // Number of registered sleepers; a guess for other threads.
  unsigned count() const noexcept { return count_.load(mo::relaxed); }

  // For what waits for addresses without a thread; null as long as there has been none. Called by wake_waiters.
  static atomic<void (*)(void const* address) noexcept> other_waiters;

  // In the child of a fork nobody sleeps any more.
  void forget_sleepers() noexcept { count_.store(0, mo::relaxed); }

 private:
  void enter(sleeper& s, void const* kind, void const* address) noexcept;
  sleeper* call(sync::parker* chosen) noexcept;
  void leave_count(std::size_t n) noexcept { count_.fetch_sub(static_cast<unsigned>(n), mo::relaxed); }

  atomic<unsigned> count_{0};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
