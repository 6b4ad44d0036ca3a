// SPDX-License-Identifier: Apache-2.0
// The paper's parallel_for (figure 7): an empty body over 100 million integers, with grain 100, grain 10,000,000
// and the auto_partitioner. The library's own parallel_for and, over classic tasks, the switchable one.
#include <atomic>
#include <cstdint>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include "common/driver.h"
#include "common/library.h"
#include "parallel_for/empty_loop.h"

#if KERNEL_CLASSIC_TASKS
#include "common/switchable_parallel_for.h"
#endif

namespace {

using range = tbb::blocked_range<int>;

struct empty_body {
  void operator()(range const& r) const { kernels::empty_loop(r.begin(), r.end()); }
};

// An empty body leaves no result. This body runs once per case, untimed, and proves that the same loop passes
// every integer exactly once: number, sum and sum of squares (mod 2^64) of the integers are those of [0, n), which
// a lost and a doubled chunk would all have to keep.
class counting_body {
 public:
  void operator()(range const& r) const {
    std::uint64_t sum = 0, squares = 0;
    for (int i = r.begin(); i != r.end(); ++i) {
      auto const v = static_cast<std::uint64_t>(i);
      sum += v;
      squares += v * v;
    }
    count_.fetch_add(r.size(), std::memory_order_relaxed);
    sum_.fetch_add(sum, std::memory_order_relaxed);
    squares_.fetch_add(squares, std::memory_order_relaxed);
  }
  bool counted_each_once(int n) const {
    auto const m = static_cast<unsigned __int128>(n);
    return count_ == static_cast<std::uint64_t>(m) && sum_ == static_cast<std::uint64_t>(m * (m - 1) / 2) &&
           squares_ == static_cast<std::uint64_t>(m * (m - 1) * (2 * m - 1) / 6);
  }

 private:
  mutable std::atomic<std::uint64_t> count_{0}, sum_{0}, squares_{0};
};

struct setting {
  std::string name;
  int grain;
  bool automatic;
};

// tbb::parallel_for copies its body, so that a body with state is handed over by reference.
template <typename Body>
struct by_reference {
  Body const& body;
  void operator()(range const& r) const { body(r); }
};

template <typename Body>
void library_loop(setting const& s, int n, Body const& body) {
  if (s.automatic) {
    tbb::parallel_for(range(0, n), by_reference<Body>{body}, tbb::auto_partitioner());
  } else {
    tbb::parallel_for(range(0, n, static_cast<std::size_t>(s.grain)), by_reference<Body>{body},
                      tbb::simple_partitioner());
  }
}

#if KERNEL_CLASSIC_TASKS
template <typename Body>
void own_loop(kernels::style style, setting const& s, int n, int threads, Body const& body) {
  if (s.automatic) {
    kernels::switchable_parallel_for(style, range(0, n), body, kernels::split_on_demand{4 * threads});
  } else {
    kernels::switchable_parallel_for(style, range(0, n, static_cast<std::size_t>(s.grain)), body,
                                     kernels::split_to_grain());
  }
}
#endif

template <typename Loop>
void measure(kernels::driver& d, std::string const& style, setting const& s, int n, int threads, Loop const& loop) {
  if (!d.wanted(style)) {
    return;
  }
  counting_body counted;
  loop(counted);
  bool const right = counted.counted_each_once(n);
  d.parallel(style, s.name, threads, [&] { loop(empty_body()); }, [right] { return right; });
}

void measure_all(kernels::driver& d, setting const& s, int n, int threads) {
  measure(d, "parallel_for", s, n, threads, [&](auto const& body) { library_loop(s, n, body); });
#if KERNEL_CLASSIC_TASKS
  for (kernels::style style : kernels::all_styles) {
    measure(d, kernels::paper_name(style), s, n, threads,
            [&](auto const& body) { own_loop(style, s, n, threads, body); });
  }
#endif
}

}  // namespace

int main(int argc, char** argv) {
  kernels::driver d("parallel_for", "a parallel loop with an empty body", kernels::this_library());
  int n = 100000000;
  std::vector<int> grains{100, 10000000};
  d.option("--n", n, "iterations (default 100000000)", 1, 2000000000);
  d.option("--grains", grains, "grain sizes beside the automatic one (default 100,10000000)", 1, 2000000000);
  d.parse(argc, argv);
  d.parameter("n", std::to_string(n));

  std::vector<setting> settings;
  for (int g : grains) {
    settings.push_back({"grain " + std::to_string(g), g, false});
  }
  settings.push_back({"auto", 1, true});
  counting_body counted;
  counted(range(0, n));
  bool const right = counted.counted_each_once(n);
  for (setting const& s : settings) {
    d.serial(s.name, [n] { kernels::empty_loop(0, n); }, [right] { return right; });
  }
  for (int threads : d.threads()) {
    kernels::with_threads(threads, [&] {
      for (setting const& s : settings) {
        measure_all(d, s, n, threads);
      }
    });
  }
  return d.finish();
}
