// SPDX-License-Identifier: Apache-2.0
// Where threads sleep, each with a futex word of its own: a list of free workers, who take any work, and a list of
// threads that keep a place in an arena, who wait for the completion of something (by address) and take work meanwhile.
// Only slow paths come here.
//
// Protocol and the interleaving it prevents: README.md, 'Parking'.
// Ordering   [P1] unpark: token release -> [P2] sleep: token acquire
// Model      tests/model/parking_model.cpp, tests/model/scheduler_model.cpp
#pragma once

#include "os/cpu_exclusion.h"

#include <ashlar/base/atomic.h>

#include <cstdint>
#include <mutex>

namespace ashlar {
inline namespace v1 {
namespace sched {

class arena;

// Further addresses that a sleeper waits for, beside its own; it changes them only while it isn't in the list.
struct more_waits {
  bool (*contains)(more_waits const& self, void const* address) noexcept;
};

class sleeper {
 public:
  // Blocks until unpark(), or for at most `nanoseconds` if that isn't 0. False on timeout.
  bool sleep(std::uint64_t nanoseconds = 0) noexcept;
  void unpark() noexcept;
  // Before unpark(), by the same thread: the sleeper shall run on another CPU. Nothing for a thread that said no
  // number, nor for one that was not found on its waker's CPU lately. `crowded`: with more threads than processors the
  // CPU is left to the kernel, but for a thread that has slept for a millisecond or more.
  void keep_apart(bool crowded) noexcept;
  // By the sleeper's thread: it may be kept apart from its wakers. `thread`: the system's number of it.
  void allow_keeping_apart(int thread) noexcept { thread_ = thread; }
  // After a wake-up: was it for new work? Whoever goes on without looking for it has to call another thread.
  bool called_for_work() const noexcept { return called_for_work_; }

 private:
  friend class parking_lot;
  struct purpose {
    arena* inside = nullptr;        // keeps a slot of this arena; null: a free worker
    void const* address = nullptr;  // completion waited for
    more_waits const* more = nullptr;
    bool restricted = false;        // may take only some jobs: woken for work last
    bool seeks = false;             // waits for a seat in the arena, takes no work
  };
  // Calls that keep a thread apart after it was found on its waker's CPU.
  static constexpr unsigned calls_apart = 15;
  // After a wake-up.
  void settle(unsigned wakers_cpu) noexcept;

  atomic<std::uint32_t> token_{0};  // 1 + the waker's CPU
  sleeper* next_ = nullptr;
  sleeper* previous_ = nullptr;
  sleeper* also_woken_ = nullptr;   // the waker's
  int thread_ = 0;                  // 0: none that is kept apart
  unsigned cpu_ = 0;                // where the thread fell asleep
  std::uint64_t asleep_since_ = 0;  // in ticks
  unsigned apart_ = 0;              // so many calls more keep it apart
  os::cpu_exclusion away_;          // from the waker's CPU
  bool listed_ = false;
  bool called_for_work_ = false;
  purpose for_;
};

class parking_lot {
 public:
  static parking_lot& get() noexcept;

  // Registers a free worker / a thread that waits inside an arena. Then it stops searching: README.md, 'Parking'.
  void enter_worker(sleeper& s) noexcept;
  void enter_waiter(sleeper& s, arena& inside, void const* address, bool restricted,
                    more_waits const* more = nullptr) noexcept;
  // Registers a thread that waits for a seat in an arena, or for its call to be made there by somebody else.
  void enter_seeker(sleeper& s, arena& full, void const* address) noexcept;
  // Wakes one thread that waits for a seat in the arena.
  void wake_seeker(arena& a) noexcept;
  // Withdraws. If the sleeper has been chosen already, consumes the wake-up and returns false.
  bool leave(sleeper& s) noexcept;

  // Chooses whom to wake for new work in an arena: a thread that waits there unrestricted, else a free worker if
  // `worker_allowed`, else a restricted waiter if `restricted_allowed`. Null if nobody is suitable. The caller unparks
  // it.
  sleeper* take_for(arena& a, bool worker_allowed, bool restricted_allowed) noexcept;
  // Wakes one free worker, if there is one, so that it looks around.
  void wake_worker() noexcept;
  // Wakes everybody who waits for this address.
  void wake_address(void const* address) noexcept;
  // Wakes every free worker (so that it sees that it shall end).
  void wake_workers() noexcept;
  // Whether the thread is registered at the moment.
  bool lists(sleeper const& s) noexcept;
  // Number of registered sleepers; a guess for other threads.
  unsigned count() const noexcept { return count_.load(mo::relaxed); }

  // For what waits for addresses without a thread; null as long as there has been none. Called by wake_waiters.
  static atomic<void (*)(void const* address) noexcept> other_waiters;

  // The lock is held while the process forks; in the child nobody sleeps any more.
  void before_fork() noexcept { lock_.lock(); }
  void after_fork() noexcept { lock_.unlock(); }
  void forget_sleepers() noexcept;

 private:
  // Wakes those of a list that are picked, without the lock.
  template <typename Pick>
  void wake_if(sleeper*& list, Pick pick) noexcept;
  sleeper*& list_of(sleeper const& s) noexcept { return s.for_.inside == nullptr ? workers_ : waiters_; }
  void insert(sleeper& s, sleeper::purpose const& what_for) noexcept;
  void remove(sleeper& s) noexcept;
  sleeper* call(sleeper& s) noexcept;

  std::mutex lock_;
  sleeper* workers_ = nullptr;  // free ones; who fell asleep last is woken first
  sleeper* waiters_ = nullptr;
  atomic<unsigned> count_{0};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
