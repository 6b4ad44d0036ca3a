// SPDX-License-Identifier: Apache-2.0
// The counters of all threads, those that have ended included; printed at exit if ASHLAR_STATS=1.
#pragma once

#include "obs/counters.h"

#include <ashlar/sched/core/statistics.h>

#include <mutex>

namespace ashlar {
inline namespace v1 {
namespace sched {

class thread_data;

class statistics {
 public:
  static statistics& get() noexcept;

  obs::counters& add_thread(thread_data const& t, bool worker);
  void remove_thread(obs::counters& c) noexcept;
  // Switches counting of frequent events and times on for the process, or off if there is no other reason for it.
  enum class reason : unsigned { counting = 1, hang_watch = 2, tracing = 4, sanitizer = 8 };
  void observe(reason why, bool on) noexcept;
  // True if `found` returns true for one of the threads; it is called for no further ones then. Under the lock.
  template <typename Found>
  bool any_thread(Found const& found) noexcept {
    std::lock_guard guard(lock_);
    for (record* r = first_; r != nullptr; r = r->next) {
      if (r->user != nullptr && found(*r->user)) return true;
    }
    return false;
  }
  // Calls take(counters, worker, number) for each thread, under the lock; numbers count from 1 among each kind.
  template <typename Take>
  void each_thread(Take const& take) noexcept {
    std::lock_guard guard(lock_);
    unsigned numbers[2] = {};
    for (record* r = first_; r != nullptr; r = r->next) take(r->values, r->worker, ++numbers[r->worker ? 1 : 0]);
  }
  std::uint64_t total(obs::counter what) noexcept;
  void reset() noexcept;
  // On stderr, in one piece.
  void print(statistics_form form) noexcept;

  // The lock is held while the process forks; then only this thread is left (null: none that is counted).
  void before_fork() noexcept { lock_.lock(); }
  void after_fork() noexcept { lock_.unlock(); }
  void forget_threads(thread_data const* survivor) noexcept;

 private:
  struct record {
    obs::counters values;
    bool worker = false;
    thread_data const* user = nullptr;  // null: to be used by the next thread of the kind
    thread_data const* lost =
        nullptr;  // of a thread that a fork left behind: nobody frees it, and no leak check need tell
    record* next = nullptr;
  };
  std::mutex lock_;
  record* first_ = nullptr;
  record** end_ = &first_;
  unsigned reasons_ = 0;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
