// SPDX-License-Identifier: Apache-2.0
// Containers, thread-local storage and allocators with the program's types (traps.py).
#define TBB_PREVIEW_MEMORY_POOL 1
#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#include "program.h"

#include <tbb/cache_aligned_allocator.h>
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
#include <tbb/memory_pool.h>
#include <tbb/parallel_for.h>
#include <tbb/scalable_allocator.h>
#include <tbb/tbb_allocator.h>

#include <vector>

using namespace program;
using pair = std::pair<my_item const, my_item>;

template <typename Vector>
int sequence() {
  Vector v, listed{my_item(1), my_item(2)}, sized(3), filled(3, my_item(1)), ranged(listed.begin(), listed.end());
  v.push_back(my_item(1));
  v.emplace_back(2);
  v.grow_by(3);
  v.grow_by(3, my_item(1));
  v.grow_by(listed.begin(), listed.end());
  v.grow_by({my_item(1)});
  v.grow_to_at_least(30);
  v.grow_to_at_least(40, my_item(1));
  v.resize(20);
  v.resize(30, my_item(2));
  v.reserve(100);
  v.shrink_to_fit();
  v.assign(3, my_item(1));
  v.assign(listed.begin(), listed.end());
  v.assign({my_item(1)});
  Vector copied(v), moved(std::move(copied)), beside(v, v.get_allocator()), taken(std::move(beside), v.get_allocator());
  copied = moved;
  copied = std::move(moved);
  copied = {my_item(3)};
  copied.swap(v);
  int sum = v.front().value + v.back().value + v.at(0).value + v[0].value;
  for (auto const& i : v.range()) sum += i.value;
  for (auto i = v.rbegin(); i != v.rend(); ++i) sum += (*i).value + i->value;
  sum += (v == copied) + (v != copied) + (v < copied) + (v <= copied) + (v > copied) + (v >= copied);
  v.clear();
  tbb::parallel_for(v.range(8), my_body([](auto const& r) { return r.size(); }));
  return sum;
}

int queues() {
  tbb::concurrent_queue<my_item, my_memory<my_item>> q, copied(q), moved(std::move(copied));
  my_item item;
  q.push(my_item(1));
  q.push(item);
  q.emplace(2);
  q = moved;
  q = std::move(moved);
  q.swap(copied);
  int sum = q.try_pop(item) + q.empty() + (q == copied);
  for (auto i = q.unsafe_begin(); i != q.unsafe_end(); ++i) sum += (*i).value;
  q.clear();
  tbb::concurrent_bounded_queue<my_item, my_memory<my_item>> bounded, other(bounded);
  bounded.push(my_item(1));
  bounded.emplace(4);
  sum += bounded.try_push(my_item(2)) + bounded.try_push(item) + bounded.try_emplace(3) + bounded.try_pop(item);
  bounded.pop(item);
  bounded = other;
  for (auto i = bounded.unsafe_begin(); i != bounded.unsafe_end(); ++i) sum += (*i).value;
  tbb::concurrent_priority_queue<my_item, my_less> urgent, second(urgent), listed{my_item(1)};
  urgent.push(my_item(3));
  urgent.push(item);
  urgent.emplace(4);
  urgent = second;
  urgent.swap(listed);
  urgent.assign({my_item(1)});
  sum += urgent.try_pop(item) + item.value;
  return sum;
}

int hash_map() {
  using map = tbb::concurrent_hash_map<my_item, my_item, my_hash_compare, my_memory<pair>>;
  std::vector<pair> const pairs;
  map m, listed{{my_item(1), my_item(2)}}, ranged(pairs.begin(), pairs.end());
  map::accessor writes;
  map::const_accessor reads;
  int sum = m.insert(writes, my_item(1)) + m.insert(reads, my_item(2)) + m.insert(writes, {my_item(3), my_item(4)}) +
            m.insert({my_item(2), my_item(3)}) + m.emplace(my_item(5), my_item(6)) +
            m.emplace(writes, my_item(5), my_item(6));
  sum += m.find(writes, my_item(1)) + m.find(reads, my_item(1)) + int(m.count(my_item(1)));
  sum += writes.empty() ? 0 : writes->second.value + (*writes).second.value;
  writes.release();
  sum += m.erase(writes) + m.erase(reads) + m.erase(my_item(1));
  m.insert(pairs.begin(), pairs.end());
  m.insert({{my_item(1), my_item(2)}});
  map copied(m), moved(std::move(copied));
  m = moved;
  m = std::move(moved);
  m.swap(listed);
  m.rehash(100);
  auto const equal = m.equal_range(my_item(1));
  sum += (equal.first == equal.second) + (m == listed) + (m != listed);
  for (auto& entry : m) sum += entry.second.value;
  tbb::parallel_for(m.range(), my_body([](auto const& r) { return r.empty(); }));
  m.clear();
  return sum;
}

template <typename Table>
int keyed(Table& t) {
  int sum = int(t.count(my_item(1)) + t.size()) + t.contains(my_item(1)) + (t.find(my_item(1)) == t.end());
  auto const equal = t.equal_range(my_item(1));
  sum += equal.first == equal.second;
  Table copied(t), moved(std::move(copied)), beside(t, t.get_allocator());
  t = beside;
  t = std::move(moved);
  t.swap(beside);
  auto node = t.unsafe_extract(my_item(1));
  t.insert(std::move(node));
  t.merge(beside);
  t.insert(beside.begin(), beside.end());
  t.unsafe_erase(my_item(1));
  if (t.begin() != t.end()) t.unsafe_erase(t.begin());
  for (auto const& element : t) sum += sizeof element != 0;
  tbb::parallel_for(t.range(), my_body([](auto const& r) { return r.empty(); }));
  sum += (t == beside) + (t != beside);
  t.clear();
  return sum;
}
template <typename Map>
int map_of_items() {
  Map m, listed{{my_item(1), my_item(2)}};
  m.insert(pair(my_item(2), my_item(3)));
  m.insert(m.begin(), pair(my_item(2), my_item(3)));
  m.emplace(my_item(3), my_item(4));
  m.emplace_hint(m.begin(), my_item(3), my_item(4));
  m = {{my_item(1), my_item(2)}};
  return keyed(m) + keyed(listed);
}
template <typename Map>
int single_map() {
  Map m;
  m[my_item(1)] = my_item(2);
  my_item const key(3);
  return m[key].value + m.at(my_item(1)).value;
}
template <typename Set>
int set_of_items() {
  Set s, listed{my_item(1), my_item(2)};
  my_item const item(3);
  s.insert(item);
  s.insert(my_item(1));
  s.insert(s.begin(), my_item(1));
  s.emplace(2);
  s.emplace_hint(s.begin(), 2);
  s = {my_item(1)};
  return keyed(s) + keyed(listed);
}
template <typename Table>
int ordered() {
  Table t;
  return (t.lower_bound(my_item(1)) == t.end()) + (t.upper_bound(my_item(1)) == t.end()) + (t < t) + (t <= t) +
         (t > t) + (t >= t);
}
template <typename Table>
int hashed() {
  Table t(100);
  t.rehash(200);
  t.reserve(300);
  return int(t.unsafe_bucket(my_item(1))) + (t.unsafe_begin(0) == t.unsafe_end(0));
}

int tables() {
  using equal = std::equal_to<my_item>;
  using memory = my_memory<pair>;
  using items = my_memory<my_item>;
  using map = tbb::concurrent_map<my_item, my_item, my_less, memory>;
  using multimap = tbb::concurrent_multimap<my_item, my_item, my_less, memory>;
  using set = tbb::concurrent_set<my_item, my_less, items>;
  using multiset = tbb::concurrent_multiset<my_item, my_less, items>;
  using unordered_map = tbb::concurrent_unordered_map<my_item, my_item, my_hash, equal, memory>;
  using unordered_multimap = tbb::concurrent_unordered_multimap<my_item, my_item, my_hash, equal, memory>;
  using unordered_set = tbb::concurrent_unordered_set<my_item, my_hash, equal, items>;
  using unordered_multiset = tbb::concurrent_unordered_multiset<my_item, my_hash, equal, items>;
  int sum = map_of_items<map>() + map_of_items<multimap>() + map_of_items<unordered_map>() +
            map_of_items<unordered_multimap>();
  sum += set_of_items<set>() + set_of_items<multiset>() + set_of_items<unordered_set>() +
         set_of_items<unordered_multiset>();
  sum += single_map<map>() + single_map<unordered_map>() + ordered<map>() + ordered<multimap>() + ordered<set>() +
         ordered<multiset>();
  sum +=
      hashed<unordered_map>() + hashed<unordered_multimap>() + hashed<unordered_set>() + hashed<unordered_multiset>();
  map m;
  multimap both;
  both.merge(m);
  m.merge(both);
  return sum;
}

template <typename Locals>
int locals() {
  Locals all(my_item(2)), made(my_body([] { return my_item(1); })), copied(all), moved(std::move(copied));
  bool exists = false;
  int sum = all.local().value + all.local(exists).value;
  all = made;
  all = std::move(moved);
  sum += all.combine(my_body([](my_item const& a, my_item const& b) { return a + b; })).value;
  all.combine_each(my_body([&sum](my_item const& i) { sum += i.value; }));
  for (auto const& i : all) sum += i.value;
  tbb::parallel_for(all.range(), my_body([](auto const& r) { return r.size(); }));
  all.clear();
  return sum;
}
int thread_locals() {
  int sum = locals<tbb::enumerable_thread_specific<my_item, my_memory<my_item>>>();
  sum += locals<tbb::enumerable_thread_specific<my_item, my_memory<my_item>, tbb::ets_key_per_instance>>();
  tbb::combinable<my_item> c(my_body([] { return my_item(1); })), copied(c);
  sum += c.local().value + c.combine(my_body([](my_item const& a, my_item const& b) { return a + b; })).value;
  c.combine_each(my_body([&sum](my_item const& i) { sum += i.value; }));
  c = copied;
  tbb::enumerable_thread_specific<std::vector<my_item>> vectors;
  auto const flat = tbb::flatten2d(vectors);
  for (auto const& i : flat) sum += i.value;
  return sum;
}

template <typename Memory>
int vector_in(Memory const& memory) {
  std::vector<my_item, Memory> v(3, my_item(1), memory);
  v.push_back(my_item(2));
  return v[0].value;
}
int memories() {
  int sum = vector_in(tbb::tbb_allocator<my_item>()) + vector_in(tbb::cache_aligned_allocator<my_item>());
  sum += vector_in(tbb::scalable_allocator<my_item>());
  tbb::memory_pool<my_memory<char>> pool;
  sum += vector_in(tbb::memory_pool_allocator<my_item>(pool));
  auto const make = my_body([](my_item const& key) { return key; });
  tbb::concurrent_lru_cache<my_item, my_item, decltype(make)> cache(make, 10);
  auto const handle = cache[my_item(1)];
  return sum;
}

int main() {
  return sequence<tbb::concurrent_vector<my_item, my_memory<my_item>>>() + queues() + hash_map() + tables() +
         thread_locals() + memories();
}
