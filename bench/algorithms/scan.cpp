// SPDX-License-Identifier: Apache-2.0
// Inclusive prefix sum of int by parallel_scan; one unit is one element.
#include <tbb/blocked_range.h>
#include <tbb/parallel_scan.h>

#include <bench/tbb_peer.h>

#include <bench/sampler.h>
#include <bench/two_pass_scan.h>

#include <vector>

namespace {

using range = tbb::blocked_range<long>;

// The same sums by two threads without a library.
int measure_floor(bench::options const& o) {
  long const n = o.size > 0 ? o.size : 10000000;
  bench::report r(o, "ns/element");
  std::vector<int> const in(static_cast<std::size_t>(n), 1);
  std::vector<int> out(static_cast<std::size_t>(n));
  int const* const from = in.data();
  int* const to = out.data();
  auto const scan = [=](long i, long end, int sum) {
    for (; i < end; ++i) to[i] = sum += from[i];
    return sum;
  };
  auto const add = [=](long i, long end) {
    int sum = 0;
    for (; i < end; ++i) sum += from[i];
    return sum;
  };
  constexpr long chunk = 131072;
  bench::two_pass_scan<int> passes(n, chunk, chunk, chunk);
  bench::spinning_pair pair;
  auto work = [&] { passes.run(pair, 0, scan, add); };
  r.ops(static_cast<double>(n));
  bench::take_samples(r, work, static_cast<double>(n), 1e9);
  bool right = true;
  for (long i = 0; i < n; ++i) right = right && out[static_cast<std::size_t>(i)] == i + 1;
  r.check(right, "prefix sums");
  return r.finish();
}

int measure(bench::options const& o) {
  if (bench::is_row(o, "floor")) return measure_floor(o);
  long const n = o.size > 0 ? o.size : 10000000;
  bench::report r(o, "ns/element");
  std::vector<int> const in(static_cast<std::size_t>(n), 1);
  std::vector<int> out(static_cast<std::size_t>(n));
  int const* const from = in.data();
  int* const to = out.data();
  bool right = true;
  auto work = [&] {
    int const all = tbb::parallel_scan(
        range(0, n), 0,
        [=](range const& part, int sum, bool is_final) {
          if (is_final) {
            for (long i = part.begin(); i < part.end(); ++i) to[i] = sum += from[i];
          } else {
            for (long i = part.begin(); i < part.end(); ++i) sum += from[i];
          }
          return sum;
        },
        [](int a, int b) { return a + b; });
    right = right && all == n && out.back() == n;
  };
  r.ops(static_cast<double>(n));
  if (o.count) {
    bench::counted_section(work);
  } else {
    bench::take_samples(r, work, static_cast<double>(n), 1e9);
  }
  for (long i = 0; i < n; ++i) right = right && out[static_cast<std::size_t>(i)] == i + 1;
  r.check(right, "prefix sums");
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  return bench::with_threads(o.threads, [&] { return measure(o); });
}
