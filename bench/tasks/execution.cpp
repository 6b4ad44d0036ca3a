// SPDX-License-Identifier: Apache-2.0
// libstdc++'s parallel algorithms on 4 million 64-bit numbers, milliseconds a call. Its code is the same with every
// peer: what differs is the scheduler below, and parallel_for and parallel_scan.
#include <bench/sampler.h>
#include <bench/spinning_pair.h>
#include <bench/tbb_peer.h>
#include <bench/two_pass_scan.h>

#include <algorithm>
#include <cstdint>
#include <execution>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace {

using number = std::uint64_t;

std::vector<number> random_numbers(std::size_t n) {
  std::vector<number> v(n);
  number x = 88172645463325252u;
  for (number& e : v) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    e = x;
  }
  return v;
}

// The left (0) or right (1) half.
template <typename Vector>
auto halves(Vector& v, int which) {
  auto const middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  return which == 0 ? std::make_pair(v.begin(), middle) : std::make_pair(middle, v.end());
}

template <typename Work, typename Baseline>
void sample(bench::report& r, bench::options const& o, Work work, Baseline baseline) {
  if (o.count) {
    bench::counted_section(work);
  } else {
    bench::take_samples(r, work, 1, 1e3, baseline);
  }
}
double nothing() { return 0.0; }

// A sort that needs its input afresh: the copy is timed beside it and subtracted.
template <typename Sort>
void sample_sort(bench::report& r, bench::options const& o, std::vector<number> const& source,
                 std::vector<number>& work_on, Sort sort) {
  auto const copy = [&] {
    double const start = bench::wall_now();
    std::copy(source.begin(), source.end(), work_on.begin());
    return bench::wall_now() - start;
  };
  auto work = [&] {
    copy();
    sort();
  };
  sample(r, o, work, copy);
  r.check(std::is_sorted(work_on.begin(), work_on.end()), o.row);
}

// libstdc++'s parallel sort without tasks: leaves of 500 elements, merged from array to array. The result is in `to`.
void merge_sort(number* from, number* to, std::size_t n, bool in_from) {
  if (n <= 500) {
    std::sort(from, from + n);
    if (!in_from) std::copy(from, from + n, to);
    return;
  }
  std::size_t const left = n / 2;
  merge_sort(from, to, left, !in_from);
  merge_sort(from + left, to + left, n - left, !in_from);
  number* const source = in_from ? to : from;
  std::merge(source, source + left, source + left, source + n, in_from ? from : to);
}

// Each of two bare threads sorts a half, then they merge the halves, each its part of the result.
void sort_by_two(bench::spinning_pair& pair, std::vector<number>& v, std::vector<number>& other) {
  std::size_t const n = v.size();
  std::size_t const half = n / 2;
  pair.run([&](int which) {
    std::size_t const at = which == 0 ? 0 : half;
    merge_sort(v.data() + at, other.data() + at, which == 0 ? half : n - half, false);
  });
  number const* const left = other.data();
  number const* const right = left + half;
  std::size_t const cut = half / 2;
  std::size_t const below = static_cast<std::size_t>(std::lower_bound(right, left + n, left[cut]) - right);
  pair.run([&](int which) {
    if (which == 0) {
      std::merge(left, left + cut, right, right + below, v.data());
    } else {
      std::merge(left + cut, right, right + below, left + n, v.data() + cut + below);
    }
  });
}

int measure_sort_floor(bench::options const& o) {
  bench::report r(o, "ms");
  std::vector<number> const source = random_numbers(o.size != 0 ? static_cast<std::size_t>(o.size) : 4000000);
  std::vector<number> work_on = source;
  std::vector<number> other(source.size());
  bench::spinning_pair pair;
  r.ops(1);
  sample_sort(r, o, source, work_on, [&] { sort_by_two(pair, work_on, other); });
  return r.finish();
}

int measure(bench::options const& o) {
  if (bench::is_row(o, "sort-floor")) return measure_sort_floor(o);
  bench::report r(o, "ms");
  std::vector<number> const source = random_numbers(o.size != 0 ? static_cast<std::size_t>(o.size) : 4000000);
  std::vector<number> work_on = source;
  bool right = true;
  r.ops(1);
  if (bench::is_row(o, "sort")) {
    sample_sort(r, o, source, work_on, [&] { std::sort(std::execution::par, work_on.begin(), work_on.end()); });
  } else if (bench::is_row(o, "for_each")) {
    auto work = [&] { std::for_each(std::execution::par, work_on.begin(), work_on.end(), [](number& e) { e += 3; }); };
    sample(r, o, work, nothing);
    right = (work_on.back() - source.back()) % 3 == 0;
  } else if (bench::is_row(o, "exclusive_scan")) {
    auto work = [&] {
      std::exclusive_scan(std::execution::par, source.begin(), source.end(), work_on.begin(), number{1});
    };
    sample(r, o, work, nothing);
    right = work_on.back() + source.back() == std::accumulate(source.begin(), source.end(), number{1});
  } else if (bench::is_row(o, "for_each-floor")) {
    bench::spinning_pair pair;
    auto work = [&] {
      pair.run([&](int half) {
        auto const [first, last] = halves(work_on, half);
        std::for_each(first, last, [](number& e) { e += 3; });
      });
    };
    sample(r, o, work, nothing);
    right = (work_on.back() - source.back()) % 3 == 0;
  } else if (bench::is_row(o, "exclusive_scan-bare")) {
    auto const begin = source.begin();
    auto const scan = [&](long i, long end, number sum) {
      if (i == end) return sum;
      std::exclusive_scan(begin + i, begin + end, work_on.begin() + i, sum);
      return work_on[static_cast<std::size_t>(end) - 1] + source[static_cast<std::size_t>(end) - 1];
    };
    auto const add = [&](long i, long end) { return std::accumulate(begin + i, begin + end, number{0}); };
    constexpr long quarter = 16384;
    bench::two_pass_scan<number> passes(static_cast<long>(source.size()), 4 * quarter, 5 * quarter, 5 * quarter);
    bench::spinning_pair pair;
    sample(r, o, [&] { passes.run(pair, 1, scan, add); }, nothing);
    right = work_on.back() + source.back() == std::accumulate(source.begin(), source.end(), number{1});
  } else if (bench::is_row(o, "exclusive_scan-floor")) {
    // As if the sum of the left half were known beforehand.
    number const all_left = std::accumulate(source.begin(), source.begin() + work_on.size() / 2, number{1});
    bench::spinning_pair pair;
    auto work = [&] {
      pair.run([&](int half) {
        auto const [first, last] = halves(source, half);
        std::exclusive_scan(first, last, work_on.begin() + (first - source.begin()), half == 0 ? number{1} : all_left);
      });
    };
    sample(r, o, work, nothing);
    right = work_on.back() + source.back() == std::accumulate(source.begin(), source.end(), number{1});
  } else {
    bench::usage("unknown row", o.row);
  }
  r.check(right, o.row);
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  return bench::with_threads(o.threads, [&o] { return measure(o); });
}
