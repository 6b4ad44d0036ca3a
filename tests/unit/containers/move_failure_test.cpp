// SPDX-License-Identifier: Apache-2.0
// Elements are moved one by one between containers of unequal allocators, and one of them throws: no container may
// keep, or look at, an element that was moved from.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>

#include <doctest/doctest.h>

#include <support/numbered_allocator.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace {

int copies_until_throw = -1;
int hollow_keys_seen = 0;

// What it moves from is hollow. A map copies its keys, so that the copies throw as well.
struct key {
  std::unique_ptr<int> value;

  explicit key(int n) : value(std::make_unique<int>(n)) {}
  key(key const& other) : value(std::make_unique<int>(other.number())) { count(); }
  key(key&& other) : value((count(), std::move(other.value))) {}  // NOLINT: throws on purpose
  key& operator=(key const& other) {
    value = std::make_unique<int>(other.number());
    return *this;
  }
  key& operator=(key&&) = default;
  ~key() = default;

  int number() const {
    hollow_keys_seen += value == nullptr ? 1 : 0;
    return value == nullptr ? 0 : *value;
  }
  static void count() {
    if (copies_until_throw >= 0 && copies_until_throw-- == 0) throw std::runtime_error("no more copies");
  }
};
struct hash {
  std::size_t operator()(key const& k) const { return static_cast<std::size_t>(k.number()); }
};
struct equal {
  bool operator()(key const& a, key const& b) const { return a.number() == b.number(); }
};
struct less {
  bool operator()(key const& a, key const& b) const { return a.number() < b.number(); }
};
struct hash_compare {
  std::size_t hash(key const& k) const { return static_cast<std::size_t>(k.number()); }
  bool equal(key const& a, key const& b) const { return a.number() == b.number(); }
};

using keys = test::numbered_allocator<key>;
using pairs = test::numbered_allocator<std::pair<key const, int>>;
using set = tbb::concurrent_set<key, less, keys>;
using multiset = tbb::concurrent_multiset<key, less, keys>;
using map = tbb::concurrent_map<key, int, less, pairs>;
using multimap = tbb::concurrent_multimap<key, int, less, pairs>;
using unordered_set = tbb::concurrent_unordered_set<key, hash, equal, keys>;
using unordered_multiset = tbb::concurrent_unordered_multiset<key, hash, equal, keys>;
using unordered_map = tbb::concurrent_unordered_map<key, int, hash, equal, pairs>;
using unordered_multimap = tbb::concurrent_unordered_multimap<key, int, hash, equal, pairs>;
using hash_map = tbb::concurrent_hash_map<key, int, hash_compare, pairs>;
using queue = tbb::concurrent_queue<key, keys>;
using bounded_queue = tbb::concurrent_bounded_queue<key, keys>;
using priority_queue = tbb::concurrent_priority_queue<key, less, keys>;

template <typename Container>
constexpr bool is_queue = std::is_same_v<Container, queue> || std::is_same_v<Container, bounded_queue> ||
                          std::is_same_v<Container, priority_queue>;

template <typename Container>
void add(Container& c, int n) {
  if constexpr (is_queue<Container>) {
    c.push(key(n));
  } else if constexpr (std::is_same_v<typename Container::value_type, key>) {
    c.insert(key(n));
  } else {
    c.insert({key(n), n});
  }
}

template <typename Container>
void check_source(Container& source) {
  hollow_keys_seen = 0;
  CHECK(source.empty());
  for (int i = 0; i != 20; ++i) add(source, i);
  if constexpr (is_queue<Container>) {
    key k(-1);
    for (int i = 0; i != 20; ++i) {
      CHECK(source.try_pop(k));
      CHECK(k.number() == (std::is_same_v<Container, priority_queue> ? 19 - i : i));
    }
    CHECK(!source.try_pop(k));
  } else {
    CHECK(source.size() == 20);
  }
  CHECK(hollow_keys_seen == 0);
}

}  // namespace

TEST_CASE_TEMPLATE("a move between unequal allocators that throws leaves no element that was moved from", Container,
                   set, multiset, map, multimap, unordered_set, unordered_multiset, unordered_map, unordered_multimap,
                   hash_map, queue, bounded_queue, priority_queue) {
  using allocator = typename Container::allocator_type;
  for (bool const construct : {true, false}) {
    CAPTURE(construct);
    Container source(allocator(1));
    Container target(allocator(2));
    for (int i = 0; i != 12; ++i) add(source, i);
    copies_until_throw = 6;
    hollow_keys_seen = 0;
    std::optional<Container> made;
    if (construct) {
      CHECK_THROWS_AS(made.emplace(std::move(source), allocator(3)), std::runtime_error);
    } else {
      CHECK_THROWS_AS(target = std::move(source), std::runtime_error);
    }
    copies_until_throw = -1;
    CHECK(hollow_keys_seen == 0);
    check_source(source);
  }
}
