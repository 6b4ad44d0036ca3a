// SPDX-License-Identifier: Apache-2.0
// A container that was moved from keeps its hash, equality or comparison: a program may fill the container again.
// std::function shows it, as it is empty and throws after a move.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>

#include <doctest/doctest.h>

#include <support/numbered_allocator.h>

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace {

using hash = std::function<std::size_t(int)>;
using relation = std::function<bool(int, int)>;
struct hash_compare {
  std::function<std::size_t(int)> hash;
  relation equal;
};

hash const a_hash = [](int n) { return static_cast<std::size_t>(n) * 3; };
relation const a_less = [](int a, int b) { return a < b; };
relation const an_equal = [](int a, int b) { return a == b; };
hash_compare const a_hash_compare{a_hash, an_equal};

template <bool P>
using ints = test::numbered_allocator<int, P>;
template <bool P>
using pairs = test::numbered_allocator<std::pair<int const, int>, P>;
template <bool P>
using set = tbb::concurrent_set<int, relation, ints<P>>;
template <bool P>
using multiset = tbb::concurrent_multiset<int, relation, ints<P>>;
template <bool P>
using map = tbb::concurrent_map<int, int, relation, pairs<P>>;
template <bool P>
using multimap = tbb::concurrent_multimap<int, int, relation, pairs<P>>;
template <bool P>
using unordered_set = tbb::concurrent_unordered_set<int, hash, relation, ints<P>>;
template <bool P>
using unordered_multiset = tbb::concurrent_unordered_multiset<int, hash, relation, ints<P>>;
template <bool P>
using unordered_map = tbb::concurrent_unordered_map<int, int, hash, relation, pairs<P>>;
template <bool P>
using unordered_multimap = tbb::concurrent_unordered_multimap<int, int, hash, relation, pairs<P>>;
template <bool P>
using hash_map = tbb::concurrent_hash_map<int, int, hash_compare, pairs<P>>;
template <bool P>
using priority_queue = tbb::concurrent_priority_queue<int, relation, ints<P>>;

template <typename Container>
Container made(int number) {
  typename Container::allocator_type const memory(number);
  if constexpr (std::is_constructible_v<Container, hash_compare, decltype(memory)>) {
    return Container(a_hash_compare, memory);
  } else if constexpr (std::is_constructible_v<Container, std::size_t, hash, relation, decltype(memory)>) {
    return Container(0, a_hash, an_equal, memory);
  } else {
    return Container(a_less, memory);
  }
}

template <typename Container>
void add(Container& c, int n) {
  if constexpr (std::is_same_v<Container, priority_queue<true>> || std::is_same_v<Container, priority_queue<false>>) {
    c.push(n);
  } else if constexpr (std::is_same_v<typename Container::value_type, int>) {
    c.insert(n);
  } else {
    c.insert({n, n});
  }
}

template <typename Container>
void fill_and_check(Container& c) {
  for (int i = 0; i != 20; ++i) add(c, i);
  CHECK(c.size() == 20);
}

template <typename Container>
void check() {
  using allocator = typename Container::allocator_type;
  for (int const other : {1, 2}) {
    CAPTURE(other);
    Container source = made<Container>(1);
    fill_and_check(source);
    Container constructed(std::move(source), allocator(other));
    CHECK(constructed.size() == 20);
    CHECK(source.empty());
    fill_and_check(source);
    Container assigned = made<Container>(other);
    assigned = std::move(source);
    CHECK(assigned.size() == 20);
    CHECK(source.empty());
    fill_and_check(source);
    Container plain(std::move(source));
    CHECK(plain.size() == 20);
    CHECK(source.empty());
    fill_and_check(source);
    assigned.clear();
    fill_and_check(assigned);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("a container that was moved from keeps its functions", Container, set<false>, multiset<false>,
                   map<false>, multimap<false>, unordered_set<false>, unordered_multiset<false>, unordered_map<false>,
                   unordered_multimap<false>, hash_map<false>, priority_queue<false>) {
  check<Container>();
}

TEST_CASE_TEMPLATE("a container that was moved from with its allocator keeps its functions", Container, set<true>,
                   multiset<true>, map<true>, multimap<true>, unordered_set<true>, unordered_multiset<true>,
                   unordered_map<true>, unordered_multimap<true>, hash_map<true>, priority_queue<true>) {
  check<Container>();
}
