// SPDX-License-Identifier: Apache-2.0
// The system behind the simulated one: system calls by the processor's own instruction, because the C library's
// functions are simulated.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace ashlar::sim::product {

struct arguments {
  long a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
};

inline long real_call(long number, arguments const& with) noexcept {
  register long r10 __asm__("r10") = with.d;
  register long r8 __asm__("r8") = with.e;
  register long r9 __asm__("r9") = with.f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(with.a), "S"(with.b), "d"(with.c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

// A real thread's turn: who waits for it goes on when somebody gives it.
class turn {
 public:
  void give() noexcept {
    word_.store(1, std::memory_order_release);
    real_call(SYS_futex, {reinterpret_cast<long>(&word_), FUTEX_WAKE_PRIVATE, 1});
  }
  void take() noexcept {
    while (word_.load(std::memory_order_acquire) == 0) {
      real_call(SYS_futex, {reinterpret_cast<long>(&word_), FUTEX_WAIT_PRIVATE, 0});
    }
    word_.store(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint32_t> word_{0};
};

}  // namespace ashlar::sim::product
