// SPDX-License-Identifier: Apache-2.0
// The memory of concurrent_hash_map: erased elements' memory serves whoever inserts next, and goes back to the system
// when most of a large map is gone.
#include <tbb/concurrent_hash_map.h>

#include <doctest/doctest.h>
#include <support/process_memory.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tracked.h"

namespace {

template <typename T>
using counting = test::counting_allocator<T>;
using small_map =
    tbb::concurrent_hash_map<long, long, tbb::tbb_hash_compare<long>, counting<std::pair<long const, long>>>;

// Each key in turn is inserted by one of the `inserters` and then erased by one of the `erasers`, at most `live` later.
long bytes_after(small_map& m, test::memory_record const& record, int inserters, int erasers, long keys) {
  constexpr long live = 1000;
  std::atomic<long> inserted{0};
  std::atomic<long> erased{0};
  std::vector<std::thread> team;
  for (int t = 0; t != inserters; ++t) {
    team.emplace_back([&] {
      for (long i; (i = inserted++) < keys;) {
        while (i - erased > live) std::this_thread::yield();
        m.insert({i, i});
      }
    });
  }
  for (int t = 0; t != erasers; ++t) {
    team.emplace_back([&] {
      for (long i; (i = erased++) < keys;) {
        while (!m.erase(i)) std::this_thread::yield();
      }
    });
  }
  for (std::thread& t : team) t.join();
  REQUIRE(m.empty());
  return record.bytes;
}

TEST_CASE("memory of elements that other threads erase serves those that insert") {
  struct shape {
    int inserters;
    int erasers;
  };
  for (shape const s : {shape{1, 1}, shape{1, 3}, shape{3, 1}, shape{2, 2}}) {
    test::memory_record record;
    {
      small_map m{counting<std::pair<long const, long>>(record)};
      bytes_after(m, record, s.inserters, s.erasers, 500'000);
      // 1000 elements of 24 bytes, two and a half times, and the groups.
      CHECK(record.bytes < 128 * 1024);
    }
    CHECK(record.bytes == 0);
    CHECK(record.blocks == 0);
  }
}

TEST_CASE("in a ring of threads each erases what the one before it has inserted") {
  test::memory_record record;
  constexpr int threads = 4;
  constexpr long live = 200;
  small_map m{counting<std::pair<long const, long>>(record)};
  std::atomic<long> inserted[threads] = {};
  std::atomic<long> erased[threads] = {};
  std::vector<std::thread> team;
  for (int t = 0; t != threads; ++t) {
    team.emplace_back([&, t] {
      int const next = (t + 1) % threads;
      for (long i = 0; i != 50'000;) {
        if (inserted[t] - erased[t] < live) {
          m.insert({i++ * threads + t, 0});
          ++inserted[t];
        }
        while (erased[next] < inserted[next]) m.erase(erased[next]++ * threads + next);
      }
      while (erased[next] != 50'000) {
        while (erased[next] < inserted[next]) m.erase(erased[next]++ * threads + next);
        std::this_thread::yield();
      }
    });
  }
  for (std::thread& t : team) t.join();
  CHECK(m.empty());
  CHECK(record.bytes < 300 * 1024);
}

TEST_CASE("allocations that fail at each place lose no node while threads give nodes to each other") {
  int failures = 0;
  for (int n = 0;; ++n) {
    test::memory_record record;
    bool failed = false;
    {
      small_map m{counting<std::pair<long const, long>>(record)};
      record.countdown = n;
      long inserted = 0;
      for (long i = 0; i != 3000; ++i) {
        try {
          inserted += m.insert({i, i}) ? 1 : 0;
        } catch (std::bad_alloc const&) {
          failed = true;
        }
        if (i % 500 == 499) {
          std::thread([&] {
            for (long k = i - 499; k != i; ++k) inserted -= m.erase(k) ? 1 : 0;
          }).join();
        }
      }
      record.countdown = -1;
      CHECK(m.size() == static_cast<std::size_t>(inserted));
      long met = 0;
      for (auto const& v : m) met += v.first == v.second ? 1 : 0;
      CHECK(met == inserted);
    }
    CHECK(record.bytes == 0);
    CHECK(record.blocks == 0);
    if (!failed) break;
    ++failures;
  }
  CHECK(failures > 5);
}

// Whole pages only count where nothing else keeps memory.
#if !ASHLAR_TSAN && !ASHLAR_ASAN
constexpr long many = 3'000'000;
constexpr std::size_t node_bytes = 24;

template <typename Map>
void fill_and_empty(Map& m, int threads, long step) {
  auto const each = [&](auto const& f) {
    std::vector<std::thread> team;
    for (int t = 0; t != threads; ++t) {
      team.emplace_back([&, t] {
        for (long i = t; i < many; i += threads) f(i * step % many);
      });
    }
    for (std::thread& t : team) t.join();
  };
  each([&](long i) { m.insert({i, i}); });
  std::size_t const full = test::resident();
  each([&](long i) {
    if (i % (many / 10) != 0) m.erase(i);
  });
  for (long i = 0; i != 1000; ++i) {
    m.insert({many + i, i});
    m.erase(many + i);
  }
  std::size_t const left = test::resident();
  CHECK(m.size() == 10);
  CHECK(full - left > many * node_bytes * 85 / 100);
  long met = 0;
  for (auto const& v : m) met += v.first == v.second && v.first % (many / 10) == 0 ? 1 : 0;
  CHECK(met == 10);
  CHECK(test::resident() < left + many * node_bytes / 20);  // a walk through what has gone back takes no memory
}

TEST_CASE("a large map that becomes small gives its memory back, and grows again") {
  tbb::concurrent_hash_map<long, long> m;
  for (int threads = 1; threads != 3; ++threads) {
    fill_and_empty(m, threads, threads == 1 ? 1 : 1'000'003);
  }
  for (long i = 0; i != many; ++i) m.insert({i, i});
  CHECK(m.size() == many);
  long met = 0;
  for (auto const& v : m) met += v.first == v.second ? 1 : 0;
  CHECK(met == many);
}

TEST_CASE("with an allocator of the program's own, too") {
  test::memory_record record;
  {
    small_map m{counting<std::pair<long const, long>>(record)};
    fill_and_empty(m, 1, 1);
  }
  CHECK(record.bytes == 0);
  CHECK(record.blocks == 0);
}
#endif

}  // namespace
