// SPDX-License-Identifier: Apache-2.0
// How long one allocation or one deallocation takes ("malloc", "free"), in nanoseconds, the clock's own 20 to 30
// included. The threads share a table of blocks: each puts a new block in the place of an old one and frees that, which
// another thread may have allocated.
#include <tbb/scalable_allocator.h>

#include <bench/tbb_peer.h>

#include <bench/latencies.h>
#include <bench/sampler.h>

#include <atomic>
#include <thread>
#include <vector>

#include "pace.h"

namespace {

constexpr std::size_t places = 4096;

// From 16 bytes to 4 KB, each power of two as often as the next; one block in three hundred has 64 KB.
std::size_t size_from(std::uint32_t bits) {
  if (bits % 300 == 0) return 65536;
  std::size_t const least = std::size_t{16} << (bits >> 8) % 8;
  return least + (bits >> 16) % least;
}

int measure(bench::options const& o) {
  bench::report r(o, "ns");
  bool const allocations = bench::is_row(o, "malloc");
  if (!allocations && !bench::is_row(o, "free")) bench::usage("unknown row", o.row);
  long const n = o.size ? o.size : 200'000;  // of each thread
  std::vector<std::atomic<char*>> table(places);
  std::atomic<bool> right{true};
  bench::latencies found(n * o.threads);
  auto const series = [&](int t, long count, bool warm) {
    bench::random_gaps random(1, 100 + static_cast<unsigned>(t));
    for (long i = 0; i < count; ++i) {
      std::uint32_t const bits = random.bits();
      double const begun = bench::wall_now();
      char* const fresh = static_cast<char*>(scalable_malloc(size_from(bits)));
      double const allocated = bench::wall_now();
      if (fresh == nullptr) std::abort();
      *fresh = static_cast<char>(reinterpret_cast<std::uintptr_t>(fresh) >> 4);
      char* const old = table[random.bits() % places].exchange(fresh);
      if (old != nullptr && *old != static_cast<char>(reinterpret_cast<std::uintptr_t>(old) >> 4)) right = false;
      double const before = bench::wall_now();
      if (old != nullptr) scalable_free(old);
      double const freed = bench::wall_now();
      if (!warm) found.set(t * n + i, 1e9 * (allocations ? allocated - begun : freed - before));
    }
  };
  auto const all = [&](long count, bool warm) {
    std::vector<std::thread> team;
    for (int t = 1; t < o.threads; ++t) team.emplace_back(series, t, count, warm);
    series(0, count, warm);
    for (std::thread& t : team) t.join();
  };
  all(n / 4, true);
  bench::bystanders const others;
  all(n, false);
  r.foreign(others);
  for (auto& place : table) {
    if (place.load() != nullptr) scalable_free(place.load());
  }
  r.check(right, "what the blocks hold");
  found.into(r);
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  return bench::with_threads(o.threads, [&] { return measure(o); });  // also makes the linker keep libtbb
}
