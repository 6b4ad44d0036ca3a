// SPDX-License-Identifier: Apache-2.0
// Loop bodies that cost the same with every library.
#pragma once

namespace bench {

// An iteration that does nothing but can't be removed: the value has to be in a register. The loop around it
// keeps its counter, compare and branch, 3 instructions and about one cycle per iteration, in every program
// and for every peer; without it a compiler deletes the whole chunk where it can see it.
template <typename T>
inline __attribute__((always_inline)) void keep(T const& value) {
  __asm__ volatile("" : : "r"(value));
}

// Work of about 28 ns per call: a dependent chain of multiplications. A fixed number of steps, not a calibrated
// time, so that two runs do the same. Successive calls depend on one another as well (`last` is the result of
// the call before, though it doesn't change the result), else the processor would overlap them.
class chain_28ns {
 public:
  chain_28ns() { __asm__ volatile("" : "+r"(zero_)); }

  unsigned operator()(unsigned x) {
    x += last_ & zero_;
    for (int step = 0; step < steps; ++step) {
      x = x * 2654435761u + 1u;
      __asm__ volatile("" : "+r"(x));
    }
    last_ = x;
    return x;
  }

 private:
  static constexpr int steps = 28;  // 4 cycles each
  unsigned zero_ = 0;               // opaque to the compiler
  unsigned last_ = 0;
};

}  // namespace bench
