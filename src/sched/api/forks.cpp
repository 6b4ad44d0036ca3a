// SPDX-License-Identifier: Apache-2.0
// What the scheduler does when the process forks. Before: every lock is taken, in the order of process_locks.h, and
// what is made at its first use is made. In the child: the locks are free, and what threads that are gone had begun is
// ended.
#include "sched/api/forks.h"

#include "os/clock.h"
#include "os/fork.h"
#include "os/thread.h"
#include "sched/arena/observers.h"
#include "sched/core/thread_data.h"
#include "sched/market/market.h"
#include "sched/park/process_locks.h"
#include "sched/report/hang_watch.h"

namespace ashlar::inline v1::sched {

namespace {

// Locks that are taken while another lock of the scheduler is held come last.
std::mutex* const innermost[] = {&process_locks::facades, &process_locks::bindings, &process_locks::cancel_listeners,
                                 &process_locks::hooks,   &process_locks::orphans,  &process_locks::policies};

void before_fork() noexcept {
  if (market::exists()) os::ticks_per_ns();
  process_locks::controls.lock();
  process_locks::observers.lock();
  fork_part::run(&fork_part::steps::before);
  process_locks::first_use.lock();
  if (market::exists()) market::get().before_fork();
  for (std::mutex* const lock : innermost) lock->lock();
}

// In both processes: the locks belong to the thread that forked.
void release_locks() noexcept {
  for (std::mutex* const lock : innermost) lock->unlock();
  if (market::exists()) market::get().after_fork();
  process_locks::first_use.unlock();
  fork_part::run(&fork_part::steps::after);
  process_locks::observers.unlock();
  process_locks::controls.unlock();
}

void in_child() noexcept {
  if (current_thread != nullptr) {
    current_thread->tid.store(os::thread_id(), mo::relaxed);  // another one than in the parent
  }
  parking_lot::get().forget_sleepers();
  fork_part::run<thread_data const*>(&fork_part::steps::in_child, current_thread);
  forget_observing_threads();
  forget_hang_watch();
  if (market::exists()) market::get().forget_threads(current_thread);
  release_locks();
}

[[maybe_unused]] bool const registered = os::add_fork_hooks({before_fork, release_locks, in_child});

}  // namespace

void link_fork_hooks() noexcept {}

}  // namespace ashlar::inline v1::sched
