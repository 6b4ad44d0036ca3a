// SPDX-License-Identifier: Apache-2.0
// The smallest process that uses the library: one parallel_for, checked, then exit. With BENCH_SERIAL it is the
// same process without the library; the difference is what the library adds to every program. Both use the C++
// standard library, as C++ programs do: loading it (0.6 ms here) is not the library's cost.
#include <vector>

#ifndef BENCH_SERIAL
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#endif

namespace {

constexpr int n = 1000;
std::vector<int> squares(n);

void fill(int first, int last) {
  for (int i = first; i != last; ++i) {
    squares[static_cast<std::size_t>(i)] = i * i;
  }
}

}  // namespace

int main() {
#ifdef BENCH_SERIAL
  fill(0, n);
#else
  using range = tbb::blocked_range<int>;
  tbb::parallel_for(range(0, n), [](range const& r) { fill(r.begin(), r.end()); });
#endif
  for (int i = 0; i != n; ++i) {
    if (squares[static_cast<std::size_t>(i)] != i * i) {
      return 1;
    }
  }
  return 0;
}
