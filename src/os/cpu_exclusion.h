// SPDX-License-Identifier: Apache-2.0
// Wakes a thread on another CPU than the waker's. Under a hypervisor Linux takes a CPU that
// is asleep for one that was taken away, and puts a woken thread on its waker's CPU, where the two take turns until the
// scheduler looks again, 3 to 4 ms later. There is no system call that asks for another CPU; the thread's affinity mask
// does it: the waker takes its own CPU out, and the thread puts the mask back when it runs.
//
// One object a thread. `begin` is the waker's while the thread sleeps, `end` the thread's own; the wake-up orders them.
// A change of the mask by a third thread in between is lost.
#pragma once

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace os {

class cpu_exclusion {
 public:
  // Excludes `cpu` for the thread, whose last CPU was `last`. Two system calls, 4 us together.
  void begin(int thread, unsigned cpu, unsigned last) noexcept;
  // The thread may use all its CPUs again. Nothing, if none is excluded.
  void end() noexcept;
  bool active() const noexcept { return bytes_ != 0; }

 private:
  struct mask {
    unsigned long bits[8192 / (8 * sizeof(unsigned long))];  // Linux's limit on x86 is 8192 CPUs
  };

  mask before_;
  std::size_t bytes_ = 0;  // of before_; 0: nothing is excluded
};

}  // namespace os
}  // namespace v1
}  // namespace ashlar
