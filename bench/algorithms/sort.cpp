// SPDX-License-Identifier: Apache-2.0
// parallel_sort of int; one unit is one element. Each run copies its input first, except where it is sorted; the copy
// (a tenth of a nanosecond) is part of the figure.
#include <tbb/parallel_sort.h>

#include <bench/tbb_peer.h>

#include <bench/sampler.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

std::vector<int> input(bench::options const& o, std::size_t n) {
  std::vector<int> v(n);
  unsigned long long state = 88172645463325252ull;
  for (std::size_t i = 0; i < n; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if (bench::is_row(o, "random")) {
      v[i] = static_cast<int>(state >> 32);
    } else if (bench::is_row(o, "distinct16")) {
      v[i] = static_cast<int>(state >> 60);
    } else if (bench::is_row(o, "sorted")) {
      v[i] = static_cast<int>(i);
    } else {
      bench::usage("unknown row", o.row);
    }
  }
  return v;
}

int measure(bench::options const& o) {
  std::size_t const n = o.size > 0 ? static_cast<std::size_t>(o.size) : 4000000;
  bench::report r(o, "ns/element");
  std::vector<int> const source = input(o, n);
  std::vector<int> v(n);
  bool const in_order = bench::is_row(o, "sorted");
  if (in_order) v = source;
  auto work = [&] {
    if (!in_order) std::memcpy(v.data(), source.data(), n * sizeof(int));
    tbb::parallel_sort(v.begin(), v.end());
  };
  r.ops(static_cast<double>(n));
  if (o.count) {
    bench::counted_section(work);
  } else {
    bench::take_samples(r, work, static_cast<double>(n), 1e9);
  }
  r.check(std::is_sorted(v.begin(), v.end()), "order");
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  return bench::with_threads(o.threads, [&] { return measure(o); });
}
