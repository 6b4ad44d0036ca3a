// SPDX-License-Identifier: Apache-2.0
// Costs of the queues, per element that goes in and comes out. A row is "<queue>/<what>":
//   pair    one thread pushes an element and pops it
//   flow    half of the threads push, half pop, `size` elements in all; threads are pinned round robin
//   work    the same with mixed pushes and pops by every thread (priority queue, 1000 elements in it)
//   memory  resident bytes per element of 8 bytes
// queue: concurrent_queue, an empty one is polled with sched_yield. bounded: concurrent_bounded_queue of 1024,
// blocking.
#include <bench/pinned_team.h>
#include <bench/sampler.h>

#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <functional>

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

// Resident memory of the process, in bytes.
double resident() {
  long total = 0;
  long pages = 0;
  if (std::FILE* const f = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(f, "%ld %ld", &total, &pages) != 2) pages = 0;
    std::fclose(f);
  }
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

using element = std::uint64_t;

struct polled : tbb::concurrent_queue<element> {
  void take(element& e) {
    while (!try_pop(e)) sched_yield();
  }
};
struct bounded : tbb::concurrent_bounded_queue<element> {
  bounded() { set_capacity(1024); }
  void take(element& e) { pop(e); }
};
struct prioritised : tbb::concurrent_priority_queue<element> {
  void take(element& e) {
    while (!try_pop(e)) sched_yield();
  }
};

template <typename Queue>
int measure_pair(bench::options const& o) {
  constexpr long pairs = 100'000;
  bench::report r(o, "ns/element");
  Queue q;
  bool right = true;
  auto const work = [&] {
    element e = 0;
    for (long i = 0; i < pairs; ++i) {
      q.push(static_cast<element>(i));
      q.take(e);
      right = right & (e == static_cast<element>(i));
    }
  };
  bench::take_samples(r, work, pairs, 1e9);
  r.check(right, "order");
  return r.finish();
}

template <typename Queue>
int measure_flow(bench::options const& o) {
  bench::report r(o, "ns/element");
  long const pairs_of_threads = o.threads / 2;
  long const each = o.size / pairs_of_threads;
  bool right = true;
  bench::pinned_team team(o.threads);
  auto const work = [&] {
    Queue q;
    std::atomic<element> sum{0};
    team.run([&](int thread) {
      element mine = 0;
      for (long i = 0; i < each; ++i) {
        element e = static_cast<element>(i);
        if (thread % 2 == 0) {
          q.push(e);
        } else {
          q.take(e);
          mine += e;
        }
      }
      sum.fetch_add(mine);
    });
    right = right & (sum.load() == static_cast<element>(each * (each - 1) / 2 * pairs_of_threads));
  };
  bench::take_samples(r, work, static_cast<double>(each * pairs_of_threads), 1e9);
  r.check(right, "sum");
  return r.finish();
}

int measure_mixed(bench::options const& o) {
  bench::report r(o, "ns/element");
  constexpr element standing = 1000;
  long const each = o.size / o.threads;
  bool right = true;
  bench::pinned_team team(o.threads);
  auto const work = [&] {
    prioritised q;
    for (element e = 0; e < standing; ++e) q.push(e * 0x9E3779B97F4A7C15u);
    team.run([&](int thread) {
      element x = static_cast<element>(thread) + 1;
      for (long i = 0; i < each; ++i) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        q.push(x);
        element e;
        q.take(e);
      }
    });
    right = right & (static_cast<element>(q.size()) == standing);
  };
  bench::take_samples(r, work, static_cast<double>(each * o.threads), 1e9);
  r.check(right, "size");
  return r.finish();
}

template <typename Queue>
int measure_memory(bench::options const& o) {
  bench::report r(o, "bytes/element");
  double const before = resident();
  Queue q;
  for (long i = 0; i < o.size; ++i) q.push(static_cast<element>(i));
  double const taken = resident() - before;
  r.add({taken / static_cast<double>(o.size), 1});
  r.check(taken > 0, "resident memory");
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  auto const is = [&](char const* row) { return std::strcmp(o.row, row) == 0; };
  if (is("queue/pair")) return measure_pair<polled>(o);
  if (is("bounded/pair")) return measure_pair<bounded>(o);
  if (is("queue/flow")) return measure_flow<polled>(o);
  if (is("bounded/flow")) return measure_flow<bounded>(o);
  if (is("priority/work")) return measure_mixed(o);
  if (is("queue/memory")) return measure_memory<polled>(o);
  if (is("bounded/memory")) return measure_memory<tbb::concurrent_bounded_queue<element>>(o);
  if (is("priority/memory")) return measure_memory<prioritised>(o);
  bench::usage("no such row", o.row);
}
