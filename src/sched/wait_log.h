// SPDX-License-Identifier: Apache-2.0
// What a thread waits for at the moment, for the hang report. Kept only while statistics or the hang report are on.
//
// Threads: the owner writes; the report reads under the lock that keeps the thread's data (relaxed: what it prints may
// be a moment old). Waits end in any order, because those of suspended tasks share their thread.
#pragma once

#include "os/clock.h"

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

class wait_log {
 public:
  static constexpr unsigned most = 12;  // beyond, the innermost waits are not told

  struct entry {
    atomic<char const*> what{nullptr};  // null: free
    atomic<void const*> address{nullptr};
    atomic<std::uint64_t> since{0};      // nanoseconds of os::now_ns
    atomic<std::uint64_t> job_since{0};  // when it took the job that it runs meanwhile; 0: none
  };

  entry* begin(char const* what, void const* address) noexcept {
    for (entry& e : entries_) {
      if (e.what.load(mo::relaxed) != nullptr) continue;
      e.address.store(address, mo::relaxed);
      e.job_since.store(0, mo::relaxed);
      e.since.store(os::now_ns(), mo::relaxed);
      e.what.store(what, mo::relaxed);
      return &e;
    }
    return nullptr;
  }
  entry const* entries() const noexcept { return entries_; }

 private:
  entry entries_[most];
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

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
