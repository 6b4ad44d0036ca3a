// SPDX-License-Identifier: Apache-2.0
// Loop measurements, written once for every library: the cost of a chunk (100 million empty iterations, grain
// 100), of a small loop (1000 empty iterations) and of a loop that is just worth sharing (1000 iterations of
// 28 ns). A library gives
//   static int with_threads(int n, F)     calls F() with n threads
//   static void in_grains(int n, Body)      [0, n) in chunks of at most 100, any thread takes any chunk
//   static void as_usual(int n, Body)       [0, n) as its users write it, with the default schedule
// where Body is called with the first and the last index of a chunk.
#pragma once

#include <atomic>
#include <vector>

#include <bench/fib.h>
#include <bench/sampler.h>
#include <bench/work.h>

namespace bench {

inline __attribute__((noinline)) void empty_iterations(int first, int last) {
  for (int i = first; i != last; ++i) {
    keep(i);
  }
}

// The timed body. The loop is written out here as well, not called, so that a chunk costs no extra call.
struct empty_body {
  void operator()(int first, int last) const {
    for (int i = first; i != last; ++i) {
      keep(i);
    }
  }
};

// The same loop once more, untimed, with a body that proves that each index came exactly once and that counts
// the chunks.
struct coverage {
  explicit coverage(int n) : n_(n) {}

  template <typename Loop>
  void run(Loop const& loop) {
    loop([this](int first, int last) {
      long long sum = 0;
      for (int i = first; i != last; ++i) {
        sum += i;
      }
      sum_.fetch_add(sum, std::memory_order_relaxed);
      indices_.fetch_add(last - first, std::memory_order_relaxed);
      chunks_.fetch_add(1, std::memory_order_relaxed);
    });
  }
  bool right() const { return indices_ == n_ && sum_ == static_cast<long long>(n_) * (n_ - 1) / 2; }
  double chunks() const { return static_cast<double>(chunks_.load()); }

 private:
  int n_;
  std::atomic<long long> sum_{0};
  std::atomic<long> indices_{0};
  std::atomic<long> chunks_{0};
};

inline double serial_seconds(int n, long repeats) {
  auto serial = [n] { empty_iterations(0, n); };
  return time_repeated(serial, repeats).wall / static_cast<double>(repeats);
}

// Row "chunk": what a chunk costs beyond its iterations; row "grain100": the whole loop in ms.
template <typename Library>
int measure_chunks(options const& o, bool whole) {
  int const n = o.size ? static_cast<int>(o.size) : 100000000;
  report r(o, whole ? "ms" : "ns/chunk");
  coverage proof(n);
  proof.run([n](auto const& body) { Library::in_grains(n, body); });
  r.check(proof.right(), "every index once");
  auto work = [n] { Library::in_grains(n, empty_body()); };
  r.value("chunks", proof.chunks());
  r.ops(proof.chunks());
  if (o.count) {
    counted_section(work);
  } else if (whole) {
    r.value("serial_ms", 1e3 * serial_seconds(n, 1));
    take_samples(r, work, 1, 1e3);
  } else {
    take_samples(r, work, proof.chunks(), 1e9, [n] { return serial_seconds(n, 1); });
  }
  return r.finish();
}

template <typename Library>
int measure_small(options const& o) {
  constexpr int n = 1000;
  report r(o, "ns/loop");
  coverage proof(n);
  proof.run([](auto const& body) { Library::as_usual(n, body); });
  r.check(proof.right(), "every index once");
  auto work = [] { Library::as_usual(n, empty_body()); };
  if (o.count) {
    long const repeats = o.size ? o.size : 1000;
    r.ops(static_cast<double>(repeats));
    counted_section(work, repeats);
  } else {
    r.value("serial_ns", 1e9 * serial_seconds(n, 10000));
    take_samples(r, work, 1, 1e9);
  }
  return r.finish();
}

template <typename Library>
int measure_coarse(options const& o) {
  constexpr int n = 1000;
  report r(o, "us/loop");
  std::vector<unsigned> out(n), expected(n);
  auto fill = [](std::vector<unsigned>& v, int first, int last) {
    chain_28ns work;
    for (int i = first; i != last; ++i) {
      v[static_cast<std::size_t>(i)] = work(static_cast<unsigned>(i));
    }
  };
  auto serial = [&] { fill(expected, 0, n); };
  auto work = [&] { Library::as_usual(n, [&](int first, int last) { fill(out, first, last); }); };
  serial();
  r.value("serial_us", 1e6 * time_repeated(serial, 1000).wall / 1000);
  if (o.count) {
    long const repeats = o.size ? o.size : 1000;
    r.ops(static_cast<double>(repeats));
    counted_section(work, repeats);
  } else {
    take_samples(r, work, 1, 1e6);
  }
  r.check(out == expected, "every element");
  return r.finish();
}

template <typename Library>
int measure_row(options const& o) {
  if (is_row(o, "chunk") || is_row(o, "grain100")) {
    return measure_chunks<Library>(o, is_row(o, "grain100"));
  }
  if (is_row(o, "small")) {
    return measure_small<Library>(o);
  }
  if (is_row(o, "coarse")) {
    return measure_coarse<Library>(o);
  }
  usage("unknown row", o.row);
}

template <typename Library>
int loops_main(int argc, char** argv) {
  options const o = parse(argc, argv);
  return Library::with_threads(o.threads, [&o] { return measure_row<Library>(o); });
}

}  // namespace bench
