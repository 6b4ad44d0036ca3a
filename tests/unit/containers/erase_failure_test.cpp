// SPDX-License-Identifier: Apache-2.0
// Equal elements, or a range of elements, are erased while the comparison, the hash or the equality throws: all of them
// go, or none.
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

int calls_until_throw = -1;

void count_call() {
  if (calls_until_throw >= 0 && calls_until_throw-- == 0) throw std::runtime_error("no more calls");
}
struct less {
  bool operator()(int a, int b) const {
    count_call();
    return a < b;
  }
};
struct hash {
  std::size_t operator()(int n) const {
    count_call();
    return static_cast<std::size_t>(n);
  }
};
struct equal {
  bool operator()(int a, int b) const {
    count_call();
    return a == b;
  }
};

using set = tbb::concurrent_set<int, less>;
using multiset = tbb::concurrent_multiset<int, less>;
using map = tbb::concurrent_map<int, int, less>;
using multimap = tbb::concurrent_multimap<int, int, less>;
using unordered_set = tbb::concurrent_unordered_set<int, hash, equal>;
using unordered_multiset = tbb::concurrent_unordered_multiset<int, hash, equal>;
using unordered_map = tbb::concurrent_unordered_map<int, int, hash, equal>;
using unordered_multimap = tbb::concurrent_unordered_multimap<int, int, hash, equal>;

template <typename Container>
int key_of(typename Container::value_type const& v) {
  if constexpr (std::is_same_v<typename Container::value_type, int>) {
    return v;
  } else {
    return v.first;
  }
}

template <typename Container>
std::vector<int> keys_of(Container const& c) {
  std::vector<int> result;
  for (auto const& v : c) result.push_back(key_of<Container>(v));
  return result;
}

// Eight equal elements of each of seven keys, where the container takes those.
template <typename Container>
Container filled() {
  Container c;
  for (int i = 0; i != 56; ++i) {
    if constexpr (std::is_same_v<typename Container::value_type, int>) {
      c.insert(i % 7);
    } else {
      c.insert({i % 7, i});
    }
  }
  return c;
}

// Erases with a throw at every call in turn, until there is none.
template <typename Container, typename Erase>
void check(Erase const& erase, std::size_t expected) {
  for (int calls = 0;; ++calls) {
    Container c = filled<Container>();
    std::vector<int> const before = keys_of(c);
    bool thrown = false;
    calls_until_throw = calls;
    try {
      erase(c);
    } catch (std::runtime_error const&) {
      thrown = true;
    }
    calls_until_throw = -1;
    std::size_t const gone = before.size() - c.size();
    CHECK(gone == (thrown ? 0 : expected));
    CHECK(keys_of(c).size() == c.size());
    if (thrown) CHECK(keys_of(c) == before);
    for (int key : before) c.unsafe_erase(key);
    CHECK(c.empty());
    CHECK(c.begin() == c.end());
    if (!thrown) return;
    REQUIRE(calls < 10000);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("equal elements are erased together or not at all", Container, set, multiset, map, multimap,
                   unordered_set, unordered_multiset, unordered_map, unordered_multimap) {
  std::size_t const equal_elements = filled<Container>().count(3);
  check<Container>([](Container& c) { c.unsafe_erase(3); }, equal_elements);
  check<Container>(
      [](Container& c) {
        auto const range = c.equal_range(3);
        c.unsafe_erase(range.first, range.second);
      },
      equal_elements);
  check<Container>([](Container& c) { c.unsafe_erase(c.begin(), c.end()); }, filled<Container>().size());
  check<Container>([](Container& c) { c.unsafe_erase(std::next(c.begin(), 2), std::next(c.begin(), 5)); }, 3);
  check<Container>([](Container& c) { c.unsafe_erase(c.begin(), c.begin()); }, 0);
  check<Container>([](Container& c) { c.unsafe_extract(3); }, 1);
}
