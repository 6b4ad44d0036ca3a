// SPDX-License-Identifier: Apache-2.0
// The lock of the slow paths: spins briefly, then sleeps in the kernel, because its holder may be preempted inside
// a system call. It is a plain word, usable before constructors ran, and a forked child resets it.
//
// Ordering: [AL1] unlock -> [AL2] the next lock.
#pragma once

#include "os/word_sleep.h"

#include <ashlar/base/atomic.h>

#include <cerrno>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace alloc {

class slow_lock {
 public:
  bool try_lock() noexcept {
    std::uint32_t expected = 0;
    return word_.compare_exchange(expected, 1, mo::acquire, mo::relaxed);  // [AL2]
  }
  void lock() noexcept {
    if (!try_lock()) {
      wait();
    }
  }
  void unlock() noexcept {
    if (word_.exchange(0, mo::release) == 2) {  // [AL1]
      int const saved = errno;
      os::wake_one(word_);
      errno = saved;
    }
  }
  void reset_in_child() noexcept { word_.store(0, mo::relaxed); }

 private:
  ASHLAR_NOINLINE void wait() noexcept {
    for (int i = 0; i < 100; ++i) {
      cpu_pause();
      if (word_.load(mo::relaxed) == 0 && try_lock()) {
        return;
      }
    }
    int const saved = errno;
    while (word_.exchange(2, mo::acquire) != 0) {  // [AL2]
      os::sleep_on(word_, 2);
    }
    errno = saved;
  }

  atomic<std::uint32_t> word_{0};  // 0 free, 1 held, 2 held and somebody may sleep
};

class slow_guard {
 public:
  explicit slow_guard(slow_lock& l) noexcept : lock_(l) { l.lock(); }
  ~slow_guard() { lock_.unlock(); }
  slow_guard(slow_guard const&) = delete;
  slow_guard& operator=(slow_guard const&) = delete;

 private:
  slow_lock& lock_;
};

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
