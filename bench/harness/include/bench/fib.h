// SPDX-License-Identifier: Apache-2.0
// Measures one parallel form of the Fibonacci recursion; shared by the fork-join programs.
#pragma once

#include <bench/sampler.h>

namespace bench {

inline long fib_by_addition(int n) {
  long a = 0, b = 1;
  for (int i = 0; i < n; ++i) {
    long const c = a + b;
    a = b;
    b = c;
  }
  return a;
}
// Calls that the recursion makes for n, leaves included.
inline double fib_calls(int n) { return 2.0 * static_cast<double>(fib_by_addition(n + 1)) - 1.0; }

template <typename Fib>
int measure_fib(options const& o, Fib fib) {
  int const n = o.size ? static_cast<int>(o.size) : 27;
  long const expected = fib_by_addition(n);
  report r(o, "ns/call");
  bool right = true;
  auto work = [&] { right = right & (fib(n) == expected); };
  r.ops(fib_calls(n));
  if (o.count) {
    counted_section(work);
  } else {
    take_samples(r, work, fib_calls(n), 1e9);
  }
  r.check(right, "fib");
  return r.finish();
}

}  // namespace bench
