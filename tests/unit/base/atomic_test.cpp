// SPDX-License-Identifier: Apache-2.0
#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace mo = ashlar::mo;

TEST_CASE("an atomic starts at zero or at its argument") {
  CHECK(ashlar::atomic<int>().load(mo::relaxed) == 0);
  CHECK(ashlar::atomic<std::uint64_t>(5).load(mo::seq_cst) == 5);
  CHECK(ashlar::atomic<int*>().load(mo::acquire) == nullptr);
  CHECK_FALSE(std::is_copy_constructible_v<ashlar::atomic<int>>);
  CHECK_FALSE(std::is_copy_assignable_v<ashlar::atomic<int>>);
  CHECK(sizeof(ashlar::atomic<char>) == 1);
}

TEST_CASE("the operations return what std::atomic's do") {
  ashlar::atomic<int> x(1);
  x.store(2, mo::release);
  CHECK(x.exchange(3, mo::acq_rel) == 2);
  CHECK(x.fetch_add(4, mo::relaxed) == 3);
  CHECK(x.fetch_sub(1, mo::relaxed) == 7);
  CHECK(x.fetch_or(9, mo::relaxed) == 6);
  CHECK(x.fetch_and(3, mo::relaxed) == 15);
  CHECK(x.load(mo::relaxed) == 3);
  int expected = 4;
  CHECK_FALSE(x.compare_exchange(expected, 5, mo::acq_rel, mo::acquire));
  CHECK(expected == 3);
  CHECK(x.compare_exchange(expected, 5, mo::acq_rel, mo::acquire));
  CHECK(*x.address() == 5);
}

TEST_CASE("enumerations, booleans and pointers are atomic, too") {
  enum class colour : unsigned char { red, green };
  ashlar::atomic<colour> c(colour::red);
  CHECK(c.exchange(colour::green, mo::relaxed) == colour::red);
  ashlar::atomic<bool> flag;
  CHECK_FALSE(flag.exchange(true, mo::relaxed));
  int values[2] = {};
  ashlar::atomic<int*> p(&values[0]);
  int* seen = &values[0];
  CHECK(p.compare_exchange(seen, &values[1], mo::relaxed, mo::relaxed));
  CHECK(p.load(mo::relaxed) == &values[1]);
}

TEST_CASE("concurrent additions are not lost") {
  ashlar::atomic<long> sum;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50000; ++i) {
        sum.fetch_add(1, mo::relaxed);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  CHECK(sum.load(mo::relaxed) == 200000);
}

TEST_CASE("of two threads that fence between store and load, one sees the other's store") {
  constexpr int rounds = 10000;
  struct cell {
    alignas(ashlar::no_sharing) ashlar::atomic<int> x;
    alignas(ashlar::no_sharing) ashlar::atomic<int> y;
  };
  std::vector<cell> cells(rounds);
  std::vector<int> seen_by_a(rounds);
  std::vector<int> seen_by_b(rounds);
  ashlar::atomic<int> arrivals;
  // Both threads arrive before either goes on to the next round.
  auto meet = [&](int round) {
    arrivals.fetch_add(1, mo::acq_rel);
    for (int spins = 0; arrivals.load(mo::acquire) < 2 * (round + 1); ++spins) {
      spins < 100 ? ashlar::cpu_pause() : std::this_thread::yield();
    }
  };
  std::thread a([&] {
    for (int i = 0; i < rounds; ++i) {
      meet(i);
      cells[static_cast<std::size_t>(i)].x.store(1, mo::relaxed);
      ashlar::fence_seq_cst();
      seen_by_a[static_cast<std::size_t>(i)] = cells[static_cast<std::size_t>(i)].y.load(mo::relaxed);
    }
  });
  for (int i = 0; i < rounds; ++i) {
    meet(i);
    cells[static_cast<std::size_t>(i)].y.store(1, mo::relaxed);
    ashlar::fence_seq_cst();
    seen_by_b[static_cast<std::size_t>(i)] = cells[static_cast<std::size_t>(i)].x.load(mo::relaxed);
  }
  a.join();
  int both_missed = 0;
  for (int i = 0; i < rounds; ++i) {
    both_missed += seen_by_a[static_cast<std::size_t>(i)] == 0 && seen_by_b[static_cast<std::size_t>(i)] == 0;
  }
  CHECK(both_missed == 0);
}

TEST_CASE("objects that must not share a line are two lines apart") {
  CHECK(ashlar::no_sharing % ashlar::cache_line == 0);
  CHECK(ashlar::no_sharing >= ashlar::cache_line);
}
