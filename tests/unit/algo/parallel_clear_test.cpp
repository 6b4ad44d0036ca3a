// SPDX-License-Identifier: Apache-2.0
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/global_control.h>
#include <tbb/parallel_clear.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>

namespace {

struct counted {
  static inline std::atomic<int> live{0};
  counted() { ++live; }
  counted(counted const&) { ++live; }
  ~counted() { --live; }
};
// A key; several have the same value.
struct counted_key {
  int value;
  counted lives;
  explicit counted_key(int v) : value(v) {}
  friend bool operator==(counted_key const& a, counted_key const& b) { return a.value == b.value; }
  friend bool operator<(counted_key const& a, counted_key const& b) { return a.value < b.value; }
};
struct key_hash {
  std::size_t operator()(counted_key const& k) const { return std::hash<int>()(k.value); }
};
struct key_hash_compare : key_hash {
  std::size_t hash(counted_key const& k) const { return (*this)(k); }
  bool equal(counted_key const& a, counted_key const& b) const { return a == b; }
};

template <typename C>
void add(C& c, int i) {
  if constexpr (std::is_same_v<typename C::key_type, typename C::value_type>) {
    c.emplace(i);
  } else {
    c.emplace(counted_key(i), counted());
  }
}

TEST_CASE("parallel_clear destroys every element once and keeps the memory") {
  for (int const n : {0, 1, 9, 5000}) {
    tbb::concurrent_vector<counted> v;
    for (int i = 0; i != n; ++i) v.emplace_back();
    CHECK(counted::live == n);
    std::size_t const room = v.capacity();
    tbb::parallel_clear(v);
    CHECK(counted::live == 0);
    CHECK(v.empty());
    CHECK(v.capacity() == room);
    v.grow_by(3);
    CHECK(counted::live == 3);
  }
  CHECK(counted::live == 0);
}

TEST_CASE("parallel_clear is complete in a cancelled group") {
  tbb::concurrent_vector<counted> v(3000);
  tbb::task_group group;
  group.run_and_wait([&] {
    group.cancel();
    tbb::parallel_clear(v);
  });
  CHECK(counted::live == 0);
  CHECK(v.empty());
}

// Its constructor throws when `left` are made. A vector fills the places of those that were not made with zero bytes.
struct scarce {
  static inline int left = 0;
  bool made = false;
  scarce() {
    if (left == 0) throw std::runtime_error("none is left");
    --left;
    made = true;
    ++counted::live;
  }
  ~scarce() {
    if (made) --counted::live;
  }
};

TEST_CASE("parallel_clear destroys what a constructor that threw has left") {
  tbb::concurrent_vector<scarce> v;
  scarce::left = 2000;
  CHECK_THROWS_AS(v.grow_by(3000), std::runtime_error);
  CHECK(counted::live == 2000);
  tbb::parallel_clear(v);
  CHECK(counted::live == 0);
  CHECK(v.empty());
  scarce::left = 3;
  v.grow_by(3);
  CHECK(counted::live == 3);
}

struct destroyed_at_home {
  static inline std::thread::id home;
  static inline std::atomic<int> elsewhere{0};
  counted lives;
  ~destroyed_at_home() {
    if (std::this_thread::get_id() != home) ++elsewhere;
  }
};

TEST_CASE("parallel_clear works with one thread, the caller") {
  tbb::global_control const one(tbb::global_control::max_allowed_parallelism, 1);
  destroyed_at_home::home = std::this_thread::get_id();
  tbb::concurrent_vector<destroyed_at_home> v(5000);
  tbb::parallel_clear(v);
  CHECK(counted::live == 0);
  CHECK(destroyed_at_home::elsewhere == 0);
}

TEST_CASE_TEMPLATE("parallel_clear empties maps and sets", Container,
                   tbb::concurrent_hash_map<counted_key, counted, key_hash_compare>,
                   tbb::concurrent_unordered_map<counted_key, counted, key_hash>,
                   tbb::concurrent_unordered_multimap<counted_key, counted, key_hash>,
                   tbb::concurrent_unordered_set<counted_key, key_hash>,
                   tbb::concurrent_unordered_multiset<counted_key, key_hash>, tbb::concurrent_map<counted_key, counted>,
                   tbb::concurrent_multimap<counted_key, counted>, tbb::concurrent_set<counted_key>,
                   tbb::concurrent_multiset<counted_key>) {
  for (int const n : {0, 1, 300, 5000}) {
    Container c;
    for (int i = 0; i != n; ++i) add(c, i % 4000 * 7);
    CHECK(c.size() >= static_cast<std::size_t>(n < 4000 ? n : 4000));
    CHECK(counted::live >= static_cast<int>(c.size()));
    tbb::parallel_clear(c);
    CHECK(counted::live == 0);
    CHECK(c.empty());
    CHECK_UNARY(c.begin() == c.end());
    for (int i = 0; i != 100; ++i) add(c, i);
    CHECK(c.size() == 100);
  }
  CHECK(counted::live == 0);
}

}  // namespace

// Parallel algorithms meet every element of a map's range once; make_range may tell a grain size.
template <typename Map, typename MakeRange>
void sum_in_parallel(MakeRange const& make_range, std::size_t most_in_a_part) {
  Map m;
  long expected = 0;
  for (int i = 0; i < (ASHLAR_TSAN ? 4000 : 20000); ++i) {
    m.insert({i, i % 7});
    expected += i % 7;
  }
  std::atomic<int> too_large{0};
  long const sum = tbb::parallel_reduce(
      make_range(static_cast<Map const&>(m)), 0L,
      [&](auto const& r, long s) {
        std::size_t n = 0;
        for (auto const& v : r) {
          s += v.second;
          ++n;
        }
        if (n > most_in_a_part) ++too_large;
        return s;
      },
      std::plus<>(), tbb::simple_partitioner());
  CHECK(sum == expected);
  CHECK(too_large == 0);
}

TEST_CASE("maps are walked by parallel algorithms") {
  for (std::size_t const grain : {1, 100, 100000}) {
    sum_in_parallel<tbb::concurrent_hash_map<int, int>>([grain](auto const& m) { return m.range(grain); }, grain);
  }
  auto const whole = [](auto const& m) { return m.range(); };
  sum_in_parallel<tbb::concurrent_unordered_map<int, int>>(whole, 1);
  sum_in_parallel<tbb::concurrent_map<int, int>>(whole, 1000);
}
