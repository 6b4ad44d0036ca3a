// SPDX-License-Identifier: Apache-2.0
// Costs of concurrent_vector and of thread-local storage. Rows:
//   push_back, grow_by (of 100), read (by index), iterate, memory (bytes per element after 1 M push_backs)
//   local, local_instance (ets_key_per_instance), combinable, ets_life (constructor, local, destructor)
//   push_back_floor: what push_back costs bare threads that count in one word and store into memory that exists
// One operation is one element or one call; grow_by's is one call. Threads are pinned, and each does its share.
#include <bench/pinned_team.h>
#include <bench/sampler.h>

#include <tbb/combinable.h>
#include <tbb/concurrent_vector.h>
#include <tbb/enumerable_thread_specific.h>

#include <atomic>
#include <vector>

namespace {

using vector = tbb::concurrent_vector<long>;

template <typename Work>
int sample(bench::report& r, long operations, Work work) {
  r.ops(operations);
  if (r.opts().count) {
    bench::counted_section(work);
  } else {
    bench::take_samples(r, work, static_cast<double>(operations), 1e9);
  }
  return r.finish();
}

int growth(bench::options const& o) {
  bench::report r(o, "ns/op");
  bool const by_100 = bench::is_row(o, "grow_by");
  long const n = (o.size ? o.size : by_100 ? 10'000 : 1'000'000) / o.threads;
  bench::pinned_team team(o.threads);
  return sample(r, n * o.threads, [&] {
    vector v;
    team.run([&](int) {
      for (long i = 0; i < n; ++i) {
        if (by_100) {
          v.grow_by(100);
        } else {
          v.push_back(i);
        }
      }
    });
    r.check(v.size() == static_cast<std::size_t>(n * o.threads * (by_100 ? 100 : 1)), "size");
  });
}

int growth_floor(bench::options const& o) {
  bench::report r(o, "ns/op");
  long const n = (o.size ? o.size : 1'000'000) / o.threads;
  std::vector<long> places(static_cast<std::size_t>(n * o.threads));
  struct alignas(128) {
    std::atomic<long> next{0};
  } counter;
  bench::pinned_team team(o.threads);
  return sample(r, n * o.threads, [&] {
    counter.next.store(0);
    team.run([&](int) {
      for (long i = 0; i < n; ++i) {
        places[static_cast<std::size_t>(counter.next.fetch_add(1, std::memory_order_relaxed))] = i;
      }
    });
    r.check(counter.next.load() == n * o.threads, "size");
  });
}

__attribute__((noinline)) long sum_by_index(vector const& v, std::size_t n) {
  long sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += v[i];
  return sum;
}
__attribute__((noinline)) long sum_by_iterator(vector const& v) {
  long sum = 0;
  for (long const x : v) sum += x;
  return sum;
}

int reading(bench::options const& o) {
  bench::report r(o, "ns/op");
  bool const by_index = bench::is_row(o, "read");
  long const n = o.size ? o.size : 100'000;
  vector v;
  for (long i = 0; i < n; ++i) v.push_back(i);
  return sample(r, n, [&] {
    long const sum = by_index ? sum_by_index(v, static_cast<std::size_t>(n)) : sum_by_iterator(v);
    r.check(sum == n * (n - 1) / 2, "sum");
  });
}

int memory(bench::options const& o) {
  bench::report r(o, "bytes");
  long const n = o.size ? o.size : 1'000'000;
  vector(1, 0);  // what the allocator itself needs belongs to no element
  double const before = static_cast<double>(bench::peak_memory_kib());
  vector v;
  for (long i = 0; i < n; ++i) v.push_back(i);
  double const bytes = (static_cast<double>(bench::peak_memory_kib()) - before) * 1024 / static_cast<double>(n);
  for (int i = 0; i < o.samples; ++i) r.add({bytes, 1.0});
  r.check(v.size() == static_cast<std::size_t>(n), "size");
  return r.finish();
}

template <typename Storage>
__attribute__((noinline)) void increment(Storage& s, long n) {
  for (long i = 0; i < n; ++i) {
    ++s.local();
    __asm__ volatile("" ::: "memory");
  }
}
template <typename Storage>
int locals(bench::options const& o) {
  bench::report r(o, "ns/op");
  long const n = (o.size ? o.size : 10'000'000) / o.threads;
  Storage s;
  bench::pinned_team team(o.threads);
  s.local() = 0;
  r.check(s.local() == 0, "value");
  return sample(r, n * o.threads, [&] { team.run([&](int) { increment(s, n); }); });
}

int life(bench::options const& o) {
  bench::report r(o, "ns/op");
  long const n = o.size ? o.size : 10'000;
  return sample(r, n, [&] {
    for (long i = 0; i < n; ++i) {
      tbb::enumerable_thread_specific<long> e;
      r.check(++e.local() == 1, "value");
    }
  });
}

template <tbb::ets_key_usage_type Key>
using storage = tbb::enumerable_thread_specific<long, tbb::cache_aligned_allocator<long>, Key>;

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  if (bench::is_row(o, "push_back") || bench::is_row(o, "grow_by")) return growth(o);
  if (bench::is_row(o, "push_back_floor")) return growth_floor(o);
  if (bench::is_row(o, "read") || bench::is_row(o, "iterate")) return reading(o);
  if (bench::is_row(o, "memory")) return memory(o);
  if (bench::is_row(o, "local")) return locals<storage<tbb::ets_no_key>>(o);
  if (bench::is_row(o, "local_instance")) return locals<storage<tbb::ets_key_per_instance>>(o);
  if (bench::is_row(o, "combinable")) return locals<tbb::combinable<long>>(o);
  if (bench::is_row(o, "ets_life")) return life(o);
  bench::usage("no such row", o.row ? o.row : "(none)");
}
