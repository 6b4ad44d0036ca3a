// SPDX-License-Identifier: Apache-2.0
// What the unordered and the ordered containers promise alike. Map, Multimap, Set and Multiset hold ints; the maps map
// them to Mapped.
#pragma once

#include <doctest/doctest.h>

#include <atomic>
#include <iterator>
#include <memory>
#include <new>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "faults.h"

namespace test {

template <typename Container>
std::size_t walk(Container const& c) {
  std::size_t n = 0;
  for (auto i = c.begin(); i != c.end(); ++i) ++n;
  return n;
}
// What C++20's algorithms ask of a map or set.
template <typename Container>
constexpr bool is_std_range = std::ranges::forward_range<Container> && std::ranges::forward_range<Container const> &&
                              std::ranges::common_range<Container> && std::ranges::sized_range<Container>;

// How often a traversal by recursively split ranges meets elements.
template <typename Range>
std::size_t walk_range(Range r) {
  if (!r.is_divisible()) return static_cast<std::size_t>(std::distance(r.begin(), r.end()));
  Range second(r, tbb::split());
  return walk_range(r) + walk_range(second);
}

template <typename Map>
void unique_map_case() {
  Map m{{1, 10}, {2, 20}};
  CHECK(m.size() == 2);
  CHECK(m.insert({3, 30}).second);
  auto const again = m.insert(typename Map::value_type(3, 31));
  CHECK_FALSE(again.second);
  CHECK(again.first->second == 30);
  CHECK(m.emplace(4, 40).second);
  CHECK_FALSE(m.emplace(4, 41).second);
  CHECK(m.emplace_hint(m.begin(), 5, 50)->second == 50);
  CHECK(m.insert(m.cbegin(), {6, 60})->first == 6);
  m[7] = 70;
  CHECK(m.at(7) == 70);
  CHECK_THROWS_AS(m.at(8), std::out_of_range);
  CHECK(m.contains(7));
  CHECK(m.count(8) == 0);
  CHECK(m.find(8) == m.end());
  m.find(7)->second = 71;
  auto const r = static_cast<Map const&>(m).equal_range(7);
  CHECK(std::distance(r.first, r.second) == 1);
  CHECK(r.first->second == 71);
  CHECK(m.unsafe_erase(7) == 1);
  CHECK(m.unsafe_erase(7) == 0);
  m.unsafe_erase(m.find(6));
  CHECK(walk(m) == 5);

  Map copy(m);
  CHECK(copy == m);
  copy[1] = 11;
  CHECK(copy != m);
  Map moved(std::move(copy));
  CHECK(moved.size() == 5);
  CHECK(copy.empty());
  copy = m;
  CHECK(copy == m);
  copy = {{9, 9}};
  CHECK(copy.size() == 1);
  swap(copy, m);
  CHECK(m.size() == 1);
  m = std::move(copy);
  CHECK(m.size() == 5);
  m.clear();
  CHECK(m.empty());
  CHECK(m.begin() == m.end());
  CHECK(m.range().empty());
}

template <typename Map>
void handle_case() {
  Map a{{1, 10}, {2, 20}}, b{{2, 21}, {3, 30}};
  auto h = a.unsafe_extract(1);
  CHECK(h);
  CHECK(h.key() == 1);
  h.key() = 5;
  h.mapped() = 50;
  auto const done = b.insert(std::move(h));
  CHECK(done.second);
  CHECK(done.first->second == 50);
  CHECK(h.empty());
  CHECK(a.unsafe_extract(77).empty());
  auto second = a.unsafe_extract(a.begin());
  auto const refused = b.insert(std::move(second));
  CHECK_FALSE(refused.second);
  CHECK(second.mapped() == 20);
  Map c{{3, 31}, {4, 40}};
  b.merge(c);
  CHECK(b.size() == 4);
  CHECK(c.size() == 1);
  CHECK(b.at(3) == 30);
}

// Handles pass between maps and multimaps; the allocator has no default.
template <typename Map, typename Multimap, typename Make>
void exchange_case(Make const& make) {
  account books;
  {
    Map m{make(books)};
    Multimap n{make(books)};
    m.insert({1, 10});
    m.insert({2, 20});
    auto h = m.unsafe_extract(1);
    CHECK(h.get_allocator() == n.get_allocator());
    auto empty = m.unsafe_extract(77);
    swap(h, empty);
    CHECK(h.empty());
    auto const into_many = n.insert(std::move(empty));
    CHECK(into_many.second);
    CHECK(into_many.first->second == 10);
    CHECK_FALSE(n.insert(typename Multimap::node_type()).second);
    n.insert({2, 21});
    auto const back = m.insert(n.unsafe_extract(2));
    CHECK_FALSE(back.second);
    CHECK(back.first->second == 20);
    CHECK(m.insert(n.unsafe_extract(1)).second);
    CHECK(n.empty());
    CHECK(m.size() == 2);
  }
  CHECK(books.blocks == 0);
}

template <typename Multimap>
void multimap_case() {
  Multimap m;
  for (int i = 0; i < 600; ++i) CHECK(m.insert({i % 30, i}).second);
  CHECK(m.size() == 600);
  CHECK(walk(m) == 600);
  CHECK(walk_range(m.range()) == 600);
  for (int k = 0; k < 30; ++k) {
    CHECK(m.count(k) == 20);
    auto const r = m.equal_range(k);
    int n = 0;
    for (auto i = r.first; i != r.second; ++i, ++n) CHECK_UNARY(i->first == k);
    CHECK(n == 20);
  }
  Multimap copy(m);
  CHECK(copy == m);
  CHECK(m.unsafe_erase(7) == 20);
  CHECK(copy != m);
  // Erasing while traversing meets every element.
  std::size_t left = 0;
  for (auto i = m.begin(); i != m.end();) {
    if (i->second % 3 == 0) {
      i = m.unsafe_erase(i);
    } else {
      ++i;
      ++left;
    }
  }
  CHECK(m.size() == left);
  for (auto const& v : m) CHECK_UNARY(v.second % 3 != 0);
  m.merge(copy);
  CHECK(copy.empty());
  CHECK(m.size() == left + 600);
  while (!m.empty()) m.unsafe_erase(m.begin());
  CHECK(walk(m) == 0);
}

template <typename Set, typename Multiset>
void set_case() {
  Set s{3, 1, 2, 3};
  CHECK(s.size() == 3);
  CHECK_FALSE(s.insert(1).second);
  static_assert(std::is_same_v<decltype(*s.begin()), int&>);  // as TBB's: what is not part of the key may change
  static_assert(std::is_same_v<decltype(*s.cbegin()), int const&>);
  auto h = s.unsafe_extract(2);
  h.value() = 9;
  CHECK(s.insert(std::move(h)).second);
  CHECK(s.contains(9));
  Multiset m{1, 1, 2};
  CHECK(m.count(1) == 2);
  m.merge(s);
  CHECK(m.size() == 6);
  CHECK(s.empty());
  s.merge(m);
  CHECK(s.size() == 4);
  CHECK(m.size() == 2);
}

// Map maps int to a move-only type, Places to one that can neither be moved nor default-constructed.
template <typename Owners, typename Places>
void types_case() {
  Owners m;
  m.emplace(1, std::make_unique<int>(5));
  m.insert(std::make_pair(2, std::make_unique<int>(6)));
  CHECK_FALSE(m[3]);
  CHECK(*m.at(2) == 6);
  Places p;
  CHECK(p.emplace(1, 2).second);
  CHECK_FALSE(p.emplace(1, 3).second);
  CHECK(p.find(1)->second.value == 2);
}
struct unmovable {
  explicit unmovable(int v) : value(v) {}
  unmovable(unmovable const&) = delete;
  int value;
};

// make(books) returns a container with a counting_allocator.
template <typename Make>
void allocation_failure_case(Make make) {
  account books;
  long const failures = fail_everywhere(books.fail_at, books.calls, [&] {
    bool failed = false;
    {
      auto m = make(books);
      for (int i = 0; i < 100; ++i) {
        try {
          m.insert({i, i});
        } catch (std::bad_alloc&) {
          failed = true;
          CHECK(m.size() == static_cast<std::size_t>(i));
          CHECK(m.count(i) == 0);
          m.insert({i, i});
        }
      }
      for (int i = 0; i < 100; ++i) CHECK_UNARY(m.count(i) == 1);
      try {
        auto const copy(m);
        CHECK(copy.size() == 100);
      } catch (std::bad_alloc&) {
        failed = true;
      }
      failed = failed || books.calls > books.fail_at;  // a failed growth is silent
    }
    CHECK(books.blocks == 0);
    return failed;
  });
  CHECK(failures > 3);
}

template <typename Map>
void constructor_failure_case() {
  long const failures = fail_everywhere(fragile::fail_at, fragile::constructions, [] {
    bool failed = false;
    {
      Map m;
      for (int i = 0; i < 20; ++i) {
        try {
          if (i % 2) {
            m[i];
          } else {
            m.emplace(i, i);
          }
        } catch (std::runtime_error&) {
          failed = true;
          CHECK(m.size() == static_cast<std::size_t>(i));
          CHECK(m.emplace(i, i).second);
        }
      }
      try {
        Map const copy(m);
        CHECK(copy.size() == 20);
      } catch (std::runtime_error&) {
        failed = true;
      }
    }
    CHECK(fragile::alive == 0);
    return failed;
  });
  CHECK(failures >= 40);
}

// Elements, or their keys, are fragile; make(i) tells what to insert.
template <typename Container, typename Make>
void element_failure_case(Make const& make) {
  long const failures = fail_everywhere(fragile::fail_at, fragile::constructions, [&make] {
    bool failed = false;
    auto const attempt = [&failed](auto const& f) {
      try {
        f();
      } catch (std::runtime_error&) {
        failed = true;
        return false;
      }
      return true;
    };
    {
      Container c;
      for (int i = 0; i < 20; ++i) {
        auto const value = make(i);
        auto const insert = [&] { i % 2 ? c.insert(value) : c.emplace(value); };
        if (attempt(insert)) continue;
        CHECK(c.size() == static_cast<std::size_t>(i));
        CHECK(walk(c) == c.size());
        insert();
      }
      CHECK(c.size() == 20);
      Container assigned;
      if (attempt([&] { assigned = c; })) CHECK_UNARY(assigned == c);
      if (!attempt([&] { assigned.merge(c); })) CHECK_UNARY(walk(assigned) + walk(c) <= 40);
      attempt([&] { Container const copy(c); });
    }
    CHECK(fragile::alive == 0);
    return failed;
  });
  CHECK(failures >= 40);
}

// Several threads insert overlapping keys while others traverse: every key gets in once, and a traversal that began
// after an insertion meets its element.
template <typename Map>
void concurrent_case() {
  constexpr int keys = 6000;
  Map m;
  for (int i = 0; i < 100; ++i) m.emplace(-1 - i, 0);
  std::vector<std::size_t> wins(4);
  std::vector<std::thread> team;
  for (std::size_t t = 0; t < wins.size(); ++t) {
    team.emplace_back([&, t] {
      for (int i = 0; i < keys; ++i) {
        int const k = t % 2 ? keys - 1 - i : i;
        wins[t] += m.emplace(k, static_cast<int>(t)).second;
      }
    });
  }
  for (int round = 0; round < 10; ++round) {
    std::size_t old = 0;
    for (auto const& v : m) old += v.first < 0;
    CHECK(old == 100);
  }
  for (auto& t : team) t.join();
  CHECK(wins[0] + wins[1] + wins[2] + wins[3] == keys);
  CHECK(m.size() == keys + 100);
  CHECK(walk(m) == keys + 100);
  CHECK(walk_range(m.range()) == keys + 100);
  for (int i = 0; i < keys; ++i) CHECK_UNARY(m.contains(i));
}

// A key's neighbours come into being while its elements are counted.
template <typename Container, typename Make>
void count_case(Make const& make) {
  Container c;
  for (int i = 0; i < 100; ++i) c.insert(make(0));
  std::size_t const present = c.count(0);
  std::atomic<bool> done{false};
  std::thread other([&] {
    for (int k = 1000000; k > 0 && !done; --k) c.insert(make(k % 4 == 0 ? 1000001 : k));
    done = true;
  });
  int wrong = 0;
  while (c.size() < 500) std::this_thread::yield();
  for (int i = 0; i < 10000 && !done; ++i) wrong += c.count(0) != present;
  done = true;
  other.join();
  CHECK(wrong == 0);
}

// Equal and different keys by several threads at once.
template <typename Multimap>
void concurrent_multi_case() {
  Multimap m;
  std::vector<std::thread> team;
  for (int t = 0; t < 4; ++t) {
    team.emplace_back([&m, t] {
      for (int i = 0; i < 2000; ++i) m.emplace(i % 100, t);
    });
  }
  for (auto& t : team) t.join();
  CHECK(m.size() == 8000);
  CHECK(walk(m) == 8000);
  for (int k = 0; k < 100; ++k) CHECK_UNARY(m.count(k) == 80);
}

}  // namespace test
