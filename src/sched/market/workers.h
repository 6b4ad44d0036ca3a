// SPDX-License-Identifier: Apache-2.0
// The worker threads that there are: making them one by one, and what happens where the system has no thread or no
// memory for another one. Then the demand stays, the next push asks again, and where there is no worker at all,
// application threads do what only workers do otherwise. README.md, 'Creating workers where the system has no thread'
// and 'Ending the workers'.
//
// Threads    under the market's lock but for `start`, `leave`, `alive` and `wait_for_end`.
// Ordering   [M2] the last worker's end -> [M3] alive: acquire
#pragma once

#include <ashlar/base/atomic.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

class workers {
 public:
  // What readers without the lock see. `hint`: the number of workers; `ending`: see below; `none`: there is no worker,
  // and none can be made.
  workers(atomic<unsigned>& hint, atomic<bool>& ending, atomic<bool>& none) noexcept
      : ending_(ending), hint_(hint), none_(none) {}
  workers(workers const&) = delete;
  workers& operator=(workers const&) = delete;

  unsigned count() const noexcept { return count_; }
  // False for a while after the system had no thread for one.
  bool may_create() const noexcept;
  // Counts a worker that is about to be made.
  void reserve() noexcept;
  // Makes the worker. False if the system has no thread for it: then give_up() has to follow. Called without the lock.
  bool start(std::size_t stack_size) noexcept;
  void give_up() noexcept;
  // A worker will take no more work. It is alive until it calls `leave`, as the last thing it does.
  void retire() noexcept { hint_.store(--count_, mo::relaxed); }
  void leave() noexcept;

  // While `ending` is true workers leave an arena as soon as they find no work there, whatever the idle policy, and end
  // instead of going to another one.
  bool ending() const noexcept { return ending_.load(mo::relaxed); }
  void set_ending(bool on) noexcept { ending_.store(on, mo::relaxed); }
  std::uint32_t alive() const noexcept { return alive_.load(mo::acquire); }  // [M3]
  // After alive() was 0: waits until the last worker's thread is gone. A program may rely on it, to fork or to change
  // its namespaces.
  void wait_for_last() noexcept;
  // Waits until one of so many workers has ended, or for a while.
  void wait_for_end(std::uint32_t seen) noexcept;

  // In the child of a fork there is no worker.
  void forget() noexcept;

 private:
  unsigned count_ = 0;
  bool told_of_failure_ = false;
  atomic<bool>& ending_;
  atomic<unsigned>& hint_;
  atomic<bool>& none_;
  atomic<std::uint32_t> alive_{0};   // futex word
  atomic<int> last_to_leave_{0};     // thread number; 0: nobody, or somebody has waited for it
  atomic<std::uint64_t> failed_{0};  // when the system last had no thread for a worker; 0: it had
};

// What a worker does: worker.cpp. Owns its thread_data.
void worker_main(void* data);

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
