// SPDX-License-Identifier: Apache-2.0
#include "fibonacci/serial_fib.h"

namespace kernels {

long serial_fib(long n) { return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2); }

long fib_by_addition(long n) {
  long a = 0, b = 1;
  for (long i = 0; i < n; ++i) {
    long const c = a + b;
    a = b;
    b = c;
  }
  return a;
}

}  // namespace kernels
