// SPDX-License-Identifier: Apache-2.0
// Inclusive prefix sum of int by parallel_scan; one unit is one element.
#include <tbb/blocked_range.h>
#include <tbb/parallel_scan.h>

#include <bench/tbb_peer.h>

#include <bench/sampler.h>
#include <bench/spinning_pair.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace {

using range = tbb::blocked_range<long>;

// The same sums by two threads that know all beforehand. In each group of three chunks the first thread scans the first
// one while the other one sums up the second, then they scan the third and the second. More can't be scanned only once:
// of two threads, the one that is further right needs the sum of what the other one has not written yet.
int measure_floor(bench::options const& o) {
  long const n = o.size > 0 ? o.size : 10000000;
  bench::report r(o, "ns/element");
  std::vector<int> const in(static_cast<std::size_t>(n), 1);
  std::vector<int> out(static_cast<std::size_t>(n));
  int const* const from = in.data();
  int* const to = out.data();
  constexpr long chunk = 131072;
  long const groups = n / (3 * chunk) + 1;
  struct hand_over {
    alignas(128) std::atomic<long> first{0};  // the round in which the sum in front of the second chunk was known
    alignas(128) std::atomic<long> second{0};  // and that in front of the third
    int before_second = 0;
    int before_third = 0;
  };
  std::vector<hand_over> sums(static_cast<std::size_t>(groups));
  auto const scan = [=](long i, long end, int sum) {
    for (end = std::min(end, n); i < end; ++i) to[i] = sum += from[i];
    return sum;
  };
  auto const add = [=](long i, long end) {
    int sum = 0;
    for (end = std::min(end, n); i < end; ++i) sum += from[i];
    return sum;
  };
  long round = 0;
  bench::spinning_pair pair;
  auto const body = [&](int thread) {
    int sum = 0;
    for (long g = 0; g < groups; ++g) {
      hand_over& h = sums[static_cast<std::size_t>(g)];
      long const at = 3 * chunk * g;
      if (thread == 0) {
        h.before_second = scan(at, at + chunk, sum);
        h.first.store(round, std::memory_order_release);
        bench::spinning_pair::await(h.second, round);
        sum = scan(at + 2 * chunk, at + 3 * chunk, h.before_third);
      } else {
        int const second = add(at + chunk, at + 2 * chunk);
        bench::spinning_pair::await(h.first, round);
        h.before_third = h.before_second + second;
        h.second.store(round, std::memory_order_release);
        scan(at + chunk, at + 2 * chunk, h.before_second);
      }
    }
  };
  auto work = [&] {
    ++round;
    pair.run(body);
  };
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
