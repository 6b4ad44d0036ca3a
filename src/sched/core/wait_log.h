// SPDX-License-Identifier: Apache-2.0
// What a thread waits for at the moment, and the tasks that it runs, for the hang report. Waits are kept while
// statistics or the watch are on, tasks while the watch is.
//
// Threads: the owner writes; the report reads under the lock that keeps the thread's data (relaxed: what it prints may
// be a moment old). Waits and tasks end in any order, because those of suspended tasks share their thread.
#pragma once

#include "os/clock.h"

#include <ashlar/base/atomic.h>
#include <ashlar/base/stack_identity.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

// The watch for hangs, or the signal that asks for a report, is on: tasks are noted, and suspensions.
extern atomic<bool> tasks_are_logged;
ASHLAR_ALWAYS_INLINE bool logs_tasks() noexcept { return ASHLAR_UNLIKELY(tasks_are_logged.load(mo::relaxed)); }

class wait_log {
 public:
  static constexpr unsigned most = 12;  // beyond, the innermost waits are not told

  struct entry {
    atomic<char const*> what{nullptr};  // null: free
    atomic<void const*> address{nullptr};
    atomic<std::uintptr_t> stack{0};     // on which it waits (base/stack_identity.h)
    atomic<std::uint64_t> since{0};      // nanoseconds of os::now_ns
    atomic<std::uint64_t> job_since{0};  // when it took the job that it runs meanwhile; 0: none
  };

  entry* begin(char const* what, void const* address) noexcept {
    for (entry& e : entries_) {
      if (e.what.load(mo::relaxed) != nullptr) continue;
      e.address.store(address, mo::relaxed);
      e.stack.store(stack_identity(), mo::relaxed);
      e.job_since.store(0, mo::relaxed);
      e.since.store(os::now_ns(), mo::relaxed);
      e.what.store(what, mo::relaxed);
      return &e;
    }
    return nullptr;
  }
  entry const* entries() const noexcept { return entries_; }

  // On which stack the thread is now: its other stacks wait, too, and it goes on with none of their waits.
  void come_to(std::uintptr_t identity) noexcept { stack_.store(identity, mo::relaxed); }
  std::uintptr_t stack() const noexcept { return stack_.load(mo::relaxed); }

 private:
  entry entries_[most];
  atomic<std::uintptr_t> stack_{0};
};

// A wait of the calling thread.
class logged_wait {
 public:
  logged_wait(wait_log& log, bool on, char const* what, void const* address) noexcept
      : entry_(ASHLAR_UNLIKELY(on) ? log.begin(what, address) : nullptr) {}
  ~logged_wait() {
    if (ASHLAR_UNLIKELY(entry_ != nullptr)) entry_->what.store(nullptr, mo::relaxed);
  }
  logged_wait(logged_wait const&) = delete;
  logged_wait& operator=(logged_wait const&) = delete;

  void job_begins() noexcept {
    if (ASHLAR_UNLIKELY(entry_ != nullptr)) entry_->job_since.store(os::now_ns(), mo::relaxed);
  }
  void job_ends() noexcept {
    if (ASHLAR_UNLIKELY(entry_ != nullptr)) entry_->job_since.store(0, mo::relaxed);
  }

 private:
  wait_log::entry* const entry_;
};

class task_log {
 public:
  static constexpr unsigned most = 12;  // beyond, the innermost tasks are not told

  struct entry {
    atomic<void const*> kind{nullptr};  // address of its code or virtual table; null: free
    atomic<void const*> task{nullptr};  // only compared
    atomic<std::uintptr_t> stack{0};    // on which it runs (base/stack_identity.h)
    atomic<std::uint64_t> since{0};     // nanoseconds of os::now_ns
  };

  entry* begin(void const* kind, void const* task) noexcept {
    for (entry& e : entries_) {
      if (e.kind.load(mo::relaxed) != nullptr) continue;
      e.task.store(task, mo::relaxed);
      e.stack.store(stack_identity(), mo::relaxed);
      e.since.store(os::now_ns(), mo::relaxed);
      e.kind.store(kind, mo::relaxed);
      return &e;
    }
    return nullptr;
  }
  entry const* entries() const noexcept { return entries_; }
  // The innermost task of this stack; null if there is none.
  entry const* newest(std::uintptr_t stack) const noexcept {
    entry const* found = nullptr;
    for (entry const& e : entries_) {
      if (e.kind.load(mo::relaxed) == nullptr || e.stack.load(mo::relaxed) != stack) continue;
      if (found == nullptr || e.since.load(mo::relaxed) >= found->since.load(mo::relaxed)) found = &e;
    }
    return found;
  }

 private:
  entry entries_[most];
};

// A task that the calling thread runs; `kind` null: nobody wants to know.
class logged_task {
 public:
  logged_task(task_log& log, void const* kind, void const* task) noexcept
      : entry_(ASHLAR_UNLIKELY(kind != nullptr) ? log.begin(kind, task) : nullptr) {}
  ~logged_task() {
    if (ASHLAR_UNLIKELY(entry_ != nullptr)) entry_->kind.store(nullptr, mo::relaxed);
  }
  logged_task(logged_task const&) = delete;
  logged_task& operator=(logged_task const&) = delete;

 private:
  task_log::entry* const entry_;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
