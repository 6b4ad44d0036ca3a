// SPDX-License-Identifier: Apache-2.0
// What an allocator constructs it destroys, also elements whose destructor does nothing, and nothing else: the
// library's own nodes are none of its business.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_vector.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "faults.h"

namespace {

struct balance {
  static inline long made = 0;
  static inline long gone = 0;
};
template <typename T>
struct telling : std::allocator<T> {
  telling() = default;
  template <typename U>
  telling(telling<U> const&) {}  // NOLINT: implicit
  template <typename U>
  struct rebind {
    using other = telling<U>;
  };
  template <typename U, typename... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
    ++balance::made;
  }
  template <typename U>
  void destroy(U* p) {
    p->~U();
    ++balance::gone;
  }
};

using test::fragile;
struct fragile_hash {
  std::size_t operator()(fragile const& f) const { return static_cast<std::size_t>(f.value); }
};
template <typename Key, typename Hash>
using memory = telling<std::pair<Key const, Key>>;
template <typename Key, typename Hash>
using unordered = tbb::concurrent_unordered_map<Key, Key, Hash, std::equal_to<Key>, memory<Key, Hash>>;
template <typename Key, typename Hash>
using unordered_multi = tbb::concurrent_unordered_multimap<Key, Key, Hash, std::equal_to<Key>, memory<Key, Hash>>;
template <typename Key, typename Hash>
using ordered = tbb::concurrent_map<Key, Key, std::less<Key>, memory<Key, Hash>>;
template <typename Key, typename Hash>
using ordered_multi = tbb::concurrent_multimap<Key, Key, std::less<Key>, memory<Key, Hash>>;

// Elements may throw from any constructor; then what follows it is left out.
template <typename Body>
void check_balance(Body const& body) {
  test::fail_everywhere(fragile::fail_at, fragile::constructions, [&body] {
    balance::made = balance::gone = 0;
    bool failed = false;
    try {
      body();
    } catch (std::runtime_error&) {
      failed = true;
    }
    CHECK(balance::made == balance::gone);
    return failed;
  });
}
template <typename Map>
void map_case() {
  check_balance([] {
    Map m, other;
    for (int i = 0; i < 6; ++i) {
      m.emplace(i, i);
      m.insert({i % 3, i});
      other.emplace(i + 4, i);
    }
    Map copy(m);
    copy = other;
    m.merge(other);
    other.insert(m.unsafe_extract(m.begin()));
    m.unsafe_erase(m.begin());
  });
}

}  // namespace

TEST_CASE_TEMPLATE("maps: an allocator destroys what it has constructed", Map, unordered<fragile, fragile_hash>,
                   unordered<int, std::hash<int>>, unordered_multi<fragile, fragile_hash>,
                   unordered_multi<int, std::hash<int>>, ordered<fragile, fragile_hash>, ordered<int, std::hash<int>>,
                   ordered_multi<fragile, fragile_hash>, ordered_multi<int, std::hash<int>>) {
  map_case<Map>();
}

TEST_CASE("hash map, queues and vector: an allocator destroys what it has constructed") {
  check_balance([] {
    tbb::concurrent_hash_map<int, fragile, tbb::tbb_hash_compare<int>, telling<std::pair<int const, fragile>>> m;
    tbb::concurrent_hash_map<int, int, tbb::tbb_hash_compare<int>, telling<std::pair<int const, int>>> plain;
    for (int i = 0; i < 6; ++i) {
      m.emplace(i / 2, i);
      plain.emplace(i / 2, i);
    }
    m.erase(1);
    plain.erase(1);
    auto const copy(m);
  });
  check_balance([] {
    tbb::concurrent_priority_queue<fragile, std::less<fragile>, telling<fragile>> q;
    tbb::concurrent_priority_queue<int, std::less<int>, telling<int>> plain;
    for (int i = 0; i < 6; ++i) {
      q.emplace(i);
      plain.push(i);
    }
    fragile f;
    q.try_pop(f);
    int i;
    plain.try_pop(i);
    auto const copy(q);
  });
  check_balance([] {
    tbb::concurrent_queue<fragile, telling<fragile>> q;
    tbb::concurrent_bounded_queue<int, telling<int>> plain;
    for (int i = 0; i < 6; ++i) {
      q.emplace(i);
      plain.push(i);
    }
    auto const copy(q);
  });
  balance::made = balance::gone = 0;
  {
    tbb::concurrent_vector<int, telling<int>> v(20);
    v.resize(7);
    v.shrink_to_fit();
  }
  CHECK(balance::made == balance::gone);
}

TEST_CASE("vector: zeroed elements, whose constructors threw, are not destroyed") {
  using vector = tbb::concurrent_vector<fragile, telling<fragile>>;
  check_balance([] {
    vector v;
    v.push_back(1);
    v.grow_by(20);
    v.emplace_back(2);
    v.grow_to_at_least(30, 7);
  });
  check_balance([] {
    vector v(40, 3);
    vector copy(v);
    copy.push_back(1);
    copy.shrink_to_fit();
    v = copy;
    copy.resize(5);
    copy.grow_by(9, 8);
  });
  check_balance([] {
    vector v;
    try {
      v.grow_by(50);
    } catch (std::runtime_error&) {
      fragile::fail_at = -1;
      v.clear();
      v.grow_by(60);
      v.resize(10);
      throw;
    }
  });
}

TEST_CASE("places without an element may be added by several threads, and are left out of each part of the array") {
  constexpr std::size_t count = 4000;
  ::ashlar::containers::place_ranges ranges;
  auto const missing = [](std::size_t i) { return i % 10 < 3 || (i >= 500 && i < 700); };
  std::vector<std::thread> team;
  for (std::size_t t = 0; t != 4; ++t) {
    team.emplace_back([&, t] {
      for (std::size_t i = t * 10; i < count; i += 40) {
        if (i >= 500 && i < 700) {
          ranges.add(i, i + 10);
        } else {
          ranges.add(i, i + 3);
        }
      }
    });
  }
  for (std::thread& t : team) t.join();
  auto const check = [&](std::size_t first, std::size_t last, std::size_t kept) {
    std::vector<int> seen(count);
    ranges.each_outside(first, last, [&](std::size_t from, std::size_t to) {
      REQUIRE(from < to);
      for (; from != to; ++from) ++seen[from];
    });
    for (std::size_t i = 0; i != count; ++i) {
      REQUIRE(seen[i] == (i >= first && i < last && (i >= kept || !missing(i))));
    }
  };
  for (std::size_t const first : {0, 1, 3, 501, 699, 3000}) {
    for (std::size_t const last : {3000, 3001, 3003, 3999, 4000}) check(first, last, count);
  }
  for (std::size_t const kept : {3500, 3001, 555, 5, 0}) {
    ranges.drop_from(kept);
    check(0, count, kept);
  }
}
