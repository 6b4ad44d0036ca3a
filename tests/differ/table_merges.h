// SPDX-License-Identifier: Apache-2.0
// Maps and sets that are alike but for their comparison or hash, or for equal keys: merged and emptied into each other,
// with node handles on their way between them.
#pragma once

#include "containers.h"

#include <tbb/concurrent_map.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>

#include <iterator>

namespace differ {

using entry = std::pair<counted const, int>;
using map_memory = memory<entry>;
using set_memory = memory<counted>;

inline int key_of(entry const& e) { return e.first.value; }
inline int key_of(counted const& c) { return c.value; }
inline int line_of(entry const& e) { return e.first.value * 1000 + e.second; }
inline int line_of(counted const& c) { return c.value; }

template <typename T>
T make(int key, int value) {
  if constexpr (std::is_same_v<T, counted>) {
    return static_cast<void>(value), counted(key);
  } else {
    return T(key, value);
  }
}

template <typename C, typename = void>
constexpr bool is_hashed = false;
template <typename C>
constexpr bool is_hashed<C, std::void_t<typename C::hasher>> = true;

using less = std::less<counted>;
using greater = std::greater<counted>;
using hash = std::hash<counted>;
struct other_hash {
  std::size_t operator()(counted const& c) const {
    return may_throw(calls_left), static_cast<std::size_t>(97 - c.value);
  }
};
using equal = std::equal_to<counted>;

// Equal keys or not, and in this order or by this hash: the same elements.
template <bool Map, bool Multi, typename Order>
struct table_type;
template <typename Order>
struct table_type<true, false, Order> {
  using ordered = tbb::concurrent_map<counted, int, Order, map_memory>;
  using hashed = tbb::concurrent_unordered_map<counted, int, Order, equal, map_memory>;
};
template <typename Order>
struct table_type<true, true, Order> {
  using ordered = tbb::concurrent_multimap<counted, int, Order, map_memory>;
  using hashed = tbb::concurrent_unordered_multimap<counted, int, Order, equal, map_memory>;
};
template <typename Order>
struct table_type<false, false, Order> {
  using ordered = tbb::concurrent_set<counted, Order, set_memory>;
  using hashed = tbb::concurrent_unordered_set<counted, Order, equal, set_memory>;
};
template <typename Order>
struct table_type<false, true, Order> {
  using ordered = tbb::concurrent_multiset<counted, Order, set_memory>;
  using hashed = tbb::concurrent_unordered_multiset<counted, Order, equal, set_memory>;
};

template <typename C>
std::vector<int> lines_of(C const& c) {
  return values_of(c, [](typename C::value_type const& v) { return line_of(v); }, false);
}

// Does it find what it holds, hold what it finds, and keep its order?
template <typename C>
bool is_sound(C const& c) {
  std::size_t held = 0, found = 0;
  typename C::const_iterator last = c.end();
  for (auto at = c.begin(); at != c.end(); last = at++, ++held) {
    if (c.find(counted(key_of(*at))) == c.end()) return false;
    if constexpr (!is_hashed<C>) {
      if (last != c.end() && c.key_comp()(counted(key_of(*at)), counted(key_of(*last)))) return false;
    }
  }
  for (int key = 0; key < 60; ++key) found += c.count(counted(key));
  return held == c.size() && found == held && c.empty() == (held == 0);
}

// n elements, whose values their keys determine, so that it does not matter which of equal keys goes.
template <typename C>
void fill(C& c, int n, int first, int stride) {
  for (int i = 0; i < n; ++i) {
    int const key = (first + i * stride) % 40;
    c.insert(make<typename C::value_type>(key, key * 3));
  }
}

template <typename From, typename To>
void merge_into(To& to, From& from, bool moved, std::string const& path, book& told) {
  moved ? to.merge(std::move(from)) : to.merge(from);
  if (planted("merge leaves nothing behind")) from.clear();
  told.tell(path + " leaves", lines_of(from));
  told.expect(is_sound(from), path + ": the source is unsound");
  told.expect(is_sound(to), path + ": the target is unsound");
}

// A handle is taken out by its key or its place, moved, given another key, and goes into the other container, or not.
template <typename From, typename To>
void hand_over(From& from, To& to, step const& s, std::string const& path, book& told) {
  counted const key(s.b % 40);
  auto const at = from.find(key);
  auto node = s.n % 2 == 0 || at == from.end() ? from.unsafe_extract(key) : from.unsafe_extract(at);
  told.tell(path + " handle is empty", node.empty());
  if (node.empty()) return;
  typename From::node_type moved(std::move(node));
  told.tell(path + " handle after its move", node.empty());
  typename From::node_type another;
  another.swap(moved);
  if constexpr (std::is_same_v<typename From::value_type, counted>) {
    if (s.a % 3 == 0) another.value() = counted((key.value + 1) % 40);
    told.tell(path + " handle of", another.value().value);
  } else {
    if (s.a % 3 == 0) {
      another.key() = counted((key.value + 1) % 40);
      another.mapped() = ((key.value + 1) % 40) * 3;
    }
    told.tell(path + " handle of", another.key().value);
  }
  if (s.a % 5 == 0) return;  // dropped
  if (s.a % 2 == 0) {
    to.insert(to.cbegin(), std::move(another));
  } else {
    to.insert(std::move(another));
  }
  told.tell(path + " handle afterwards", another.empty());
}

// x with a container of another type, and that one with others of x's type.
template <typename Other, typename C>
void merge_with(C& x, step const& s, std::string const& path, book& told) {
  Other other(x.get_allocator());
  fill(other, s.n, s.a, 1 + s.b % 9);
  merge_into(x, other, s.b % 2 == 0, path + " from another type", told);
  fill(other, 5, s.b, 3);
  C third(x.get_allocator());
  fill(third, s.n, s.b, 1 + s.a % 9);
  hand_over(third, other, s, path, told);
  hand_over(other, third, s, path, told);
  merge_into(other, third, s.a % 2 == 0, path + " into another type", told);
  other.unsafe_erase(counted(s.a % 40));
  told.tell(path + " another type holds", lines_of(other));
  fill(third, 3, s.a, 11);
  told.tell(path + " a third holds", lines_of(third));
  told.expect(is_sound(other) && is_sound(third), path + ": unsound in the end");
}

template <bool Map, bool Multi, typename C>
void merge_relatives(C& x, step const& s, std::string const& path, book& told) {
  if constexpr (is_hashed<C>) {
    if (s.b / 2 % 3 == 0) return merge_with<typename table_type<Map, Multi, other_hash>::hashed>(x, s, path, told);
    if (s.b / 2 % 3 == 1) return merge_with<typename table_type<Map, !Multi, hash>::hashed>(x, s, path, told);
    merge_with<typename table_type<Map, !Multi, other_hash>::hashed>(x, s, path, told);
  } else {
    if (s.b / 2 % 3 == 0) return merge_with<typename table_type<Map, Multi, greater>::ordered>(x, s, path, told);
    if (s.b / 2 % 3 == 1) return merge_with<typename table_type<Map, !Multi, less>::ordered>(x, s, path, told);
    merge_with<typename table_type<Map, !Multi, greater>::ordered>(x, s, path, told);
  }
}

}  // namespace differ
