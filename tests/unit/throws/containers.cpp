// SPDX-License-Identifier: Apache-2.0
// Containers of items that may fail: what an operation that fails leaves is whole, and as large as it was.
#include "driver.h"

#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#include <tbb/combinable.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_lru_cache.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/concurrent_vector.h>
#include <tbb/enumerable_thread_specific.h>

#include <iterator>
#include <utility>

namespace throws {

namespace {

constexpr int n = 12;
using pair = std::pair<item const, item>;

// Runs op; `intact` tells whether what op works on is as it has to be after a failure.
template <typename Op, typename Intact>
void attempt(Op const& op, Intact const& intact) {
  try {
    op();
  } catch (...) {
    calm const silence;
    require(intact(), "what failed left a torn container");
    throw;
  }
}

template <typename Container>
std::size_t walk(Container const& c) {
  return static_cast<std::size_t>(std::distance(c.begin(), c.end()));
}

// An element of any container, made of a number.
template <typename Container>
struct element {
  static auto make(int i) {
    if constexpr (std::is_same_v<typename Container::value_type, item>) {
      return item(i);
    } else {
      return pair(item(i), item(-i));
    }
  }
};

template <typename Container>
void fill(Container& c) {
  for (int i = 0; i < n; ++i) {
    std::size_t const before = c.size();
    attempt([&] { c.insert(element<Container>::make(i * 5 % n)); },
            [&] { return c.size() == before && walk(c) == before; });
  }
}

// Copies, moves and assignments of a filled container.
template <typename Container>
void copies() {
  Container c;
  fill(c);
  auto const untouched = [&] { return c.size() == n && walk(c) == n; };
  attempt(
      [&] {
        Container const copy(c);
        require(copy.size() == n, "a copy is not as large");
        Container other;
        fill(other);
        attempt([&] { other = copy; }, [&] { return walk(other) == other.size(); });
        require(other.size() == n, "an assignment is not as large");
      },
      untouched);
  Container moved(std::move(c));
  moved.clear();
  require(walk(moved) == 0, "elements are left after clear");
}

template <typename Container>
void insertions() {
  Container c;
  fill(c);
  auto const untouched = [&] { return c.size() == n && walk(c) == n; };
  attempt(
      [&] {
        for (int i = 0; i < n; ++i) require(c.count(item(i)) == 1, "an element is missing");
      },
      untouched);
  attempt([&] { c.emplace(element<Container>::make(n)); }, untouched);
  require(c.size() == n + 1, "emplace made nothing");
}

template <typename Container>
void erasures() {
  Container c;
  fill(c);
  for (int i = 0; i < n; i += 2) {
    std::size_t const before = c.size();
    attempt([&] { c.unsafe_erase(item(i)); }, [&] { return c.size() == before && walk(c) == before; });
    require(c.size() == before - 1, "nothing was erased");
  }
  std::size_t const before = c.size();
  attempt(
      [&] {
        auto node = c.unsafe_extract(item(1));
        require(!node.empty(), "nothing was extracted");
        attempt([&] { c.insert(std::move(node)); }, [&] { return !node.empty() || c.size() == before; });
      },
      [&] { return walk(c) == c.size(); });
}

template <typename To, typename From>
void merges() {
  To to;
  From from;
  for (int i = 0; i < n; ++i) {
    to.insert(element<To>::make(i));
    from.insert(element<From>::make(i * 2));
  }
  std::size_t const all = to.size() + from.size();
  auto const whole = [&] {
    return to.size() + from.size() == all && walk(to) == to.size() && walk(from) == from.size();
  };
  attempt([&] { to.merge(from); }, whole);
  require(whole(), "an element was lost");
}

void hash_map() {
  struct compare {
    std::size_t hash(item const& i) const { return throws::hash()(i); }
    bool equal(item const& a, item const& b) const { return a == b; }
  };
  using map = tbb::concurrent_hash_map<item, item, compare>;
  map m;
  for (int i = 0; i < n; ++i) {
    std::size_t const before = m.size();
    attempt([&] { m.insert(pair(item(i), item(i))); }, [&] { return m.size() == before && walk(m) == before; });
  }
  auto const untouched = [&] { return m.size() == n && walk(m) == n; };
  attempt(
      [&] {
        map::accessor found;
        require(m.find(found, item(3)) && found->second.value() == 3, "an element is missing");
        found.release();
        m.rehash(200);
        map const copy(m);
        require(copy.size() == n, "a copy is not as large");
        map other(m);
        attempt([&] { other = copy; }, [&] { return walk(other) == other.size(); });
      },
      untouched);
  attempt([&] { m.erase(item(5)); }, untouched);
  map::accessor made;
  attempt([&] { m.insert(made, item(50)); }, [&] { return m.size() == n - 1; });
  m.erase(made);
  require(m.size() == n - 1 && walk(m) == n - 1, "an element is missing");
}

void vector() {
  using vector_type = tbb::concurrent_vector<item>;
  vector_type v;
  for (int i = 0; i < n; ++i) v.push_back(item(i));
  v.grow_by(5);
  v.grow_by(3, item(9));
  v.grow_to_at_least(40);
  vector_type copy(v);
  require(copy.size() == 40, "a copy is not as large");
  attempt([&] { copy = v; }, [&] { return v.size() == 40; });
  copy.assign(7, item(1));
  v.resize(60);
  v.reserve(200);
  attempt([&] { v.shrink_to_fit(); }, [&] { return v.size() == 60; });
  require(copy.size() == 7 && v.size() == 60, "a size is wrong");
}

template <typename T>
std::size_t size_of(tbb::concurrent_queue<T> const& q) {
  return q.unsafe_size();
}
template <typename T>
std::size_t size_of(tbb::concurrent_bounded_queue<T> const& q) {
  return static_cast<std::size_t>(q.size());
}

template <typename Queue>
void queue() {
  Queue q;
  std::size_t inside = 0;
  auto const whole = [&] { return size_of(q) == inside; };
  for (int i = 0; i < n; ++i) {
    // A place whose item could not be made stays in the line.
    q.push(item(i));
    ++inside;
  }
  attempt(
      [&] {
        Queue const copy(q);
        require(size_of(copy) == inside, "a copy is not as large");
      },
      whole);
  for (int i = 0; i < n; ++i) {
    item out;
    require(q.try_pop(out), "an item was lost");
    require(out.value() == i, "an item is another one");
  }
  require(q.empty(), "a queue is not empty");
}

void bounded_queue() {
  tbb::concurrent_bounded_queue<item> q;
  q.set_capacity(n);
  int inside = 0;
  for (int i = 0; i < n; ++i) {
    attempt([&] { require(q.try_push(item(i)), "no room"); }, [&] { return q.size() <= inside + 1; });
    ++inside;
  }
  require(!q.try_push(item(n)), "more than its capacity");
  for (int i = 0; i < n; ++i) {
    item out;
    q.pop(out);
    require(out.value() == i, "an item is another one");
  }
}

void priority_queue() {
  using queue_type = tbb::concurrent_priority_queue<item>;
  queue_type q;
  for (int i = 0; i < n; ++i) {
    std::size_t const before = q.size();
    attempt([&] { q.push(item(i * 5 % n)); }, [&] { return q.size() == before; });
  }
  attempt(
      [&] {
        queue_type copy(q);
        require(copy.size() == n, "a copy is not as large");
        attempt([&] { copy = q; }, [&] { return q.size() == n; });
      },
      [&] { return q.size() == n; });
  for (int i = n; i > 0; --i) {
    item out;
    require(q.try_pop(out), "an item was lost");
    require(out.value() == i - 1, "an item is not the largest");
  }
}

void cache() {
  tbb::concurrent_lru_cache<int, item, item (*)(int)> c([](int i) { return item(i); }, 4);
  for (int i = 0; i < n; ++i) {
    auto handle = c[i % 6];
    require(handle.value().value() == i % 6, "a value is another one");
  }
}

void thread_specific() {
  tbb::enumerable_thread_specific<item> own([] { return item(3); });
  require(own.local().value() == 3, "a value is another one");
  tbb::enumerable_thread_specific<item> const copy(own);
  item const sum = own.combine([](item const& a, item const& b) { return item(a.value() + b.value()); });
  require(sum.value() == 3 && copy.size() == 1, "a sum is wrong");
  tbb::combinable<item> parts([] { return item(2); });
  parts.local() = item(5);
  require(parts.combine([](item const& a, item const& b) { return item(a.value() + b.value()); }).value() == 5,
          "a sum is wrong");
}

using map = tbb::concurrent_map<item, item>;
using multimap = tbb::concurrent_multimap<item, item>;
using set = tbb::concurrent_set<item>;
using multiset = tbb::concurrent_multiset<item>;
using unordered_map = tbb::concurrent_unordered_map<item, item, hash>;
using unordered_multimap = tbb::concurrent_unordered_multimap<item, item, hash>;
using unordered_set = tbb::concurrent_unordered_set<item, hash>;
using unordered_multiset = tbb::concurrent_unordered_multiset<item, hash>;

}  // namespace

std::vector<construct> containers() {
  return {
      {"concurrent_hash_map", hash_map},
      {"concurrent_vector", vector},
      {"concurrent_queue", queue<tbb::concurrent_queue<item>>},
      {"concurrent_bounded_queue as a queue", queue<tbb::concurrent_bounded_queue<item>>},
      {"concurrent_bounded_queue", bounded_queue},
      {"concurrent_priority_queue", priority_queue},
      {"concurrent_lru_cache", cache},
      {"enumerable_thread_specific and combinable", thread_specific},
      {"concurrent_map: insert", insertions<map>},
      {"concurrent_map: copy", copies<map>},
      {"concurrent_map: erase", erasures<map>},
      {"concurrent_map: merge", merges<map, multimap>},
      {"concurrent_multimap: insert", insertions<multimap>},
      {"concurrent_multimap: copy", copies<multimap>},
      {"concurrent_multimap: erase", erasures<multimap>},
      {"concurrent_multimap: merge", merges<multimap, map>},
      {"concurrent_set: insert", insertions<set>},
      {"concurrent_set: copy", copies<set>},
      {"concurrent_set: erase", erasures<set>},
      {"concurrent_set: merge", merges<set, multiset>},
      {"concurrent_multiset: insert", insertions<multiset>},
      {"concurrent_multiset: copy", copies<multiset>},
      {"concurrent_multiset: merge", merges<multiset, set>},
      {"concurrent_unordered_map: insert", insertions<unordered_map>},
      {"concurrent_unordered_map: copy", copies<unordered_map>},
      {"concurrent_unordered_map: erase", erasures<unordered_map>},
      {"concurrent_unordered_map: merge", merges<unordered_map, unordered_multimap>},
      {"concurrent_unordered_multimap: insert", insertions<unordered_multimap>},
      {"concurrent_unordered_multimap: copy", copies<unordered_multimap>},
      {"concurrent_unordered_multimap: merge", merges<unordered_multimap, unordered_map>},
      {"concurrent_unordered_set: insert", insertions<unordered_set>},
      {"concurrent_unordered_set: copy", copies<unordered_set>},
      {"concurrent_unordered_set: erase", erasures<unordered_set>},
      {"concurrent_unordered_set: merge", merges<unordered_set, unordered_multiset>},
      {"concurrent_unordered_multiset: insert", insertions<unordered_multiset>},
      {"concurrent_unordered_multiset: copy", copies<unordered_multiset>},
      {"concurrent_unordered_multiset: merge", merges<unordered_multiset, unordered_set>},
  };
}

}  // namespace throws
