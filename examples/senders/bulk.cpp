// SPDX-License-Identifier: Apache-2.0
// Parallel algorithms by bulk: a dot product whose two loops are senders, on the calling thread's own arena.
#include <stdexec/execution.hpp>

#include <ashlar/execution.h>
#include <tbb/combinable.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

namespace ex = stdexec;
using tbb::execution::arena_scheduler;

int main() {
  std::size_t const n = 1000000;
  std::vector<double> a(n), b(n);
  tbb::combinable<double> parts([] { return 0.0; });

  auto const fill = [&](std::size_t i) {
    a[i] = 1.0 / double(i + 1);
    b[i] = double(i + 1);
  };
  // A chunk's sum is kept in a register, and added to the thread's once.
  auto const multiply = [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (; begin != end; ++begin) sum += a[begin] * b[begin];
    parts.local() += sum;
  };
  auto product = ex::schedule(arena_scheduler(tbb::attach())) | ex::bulk(ex::par, n, fill) |
                 ex::bulk_chunked(ex::par, n, multiply) | ex::then([&] { return parts.combine(std::plus<>()); });

  auto const [result] = ex::sync_wait(std::move(product)).value();
  std::printf("%.3f\n", result);
  return std::abs(result - double(n)) < 1e-3 ? 0 : 1;
}
