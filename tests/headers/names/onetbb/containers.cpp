// SPDX-License-Identifier: Apache-2.0
// What a program written for oneTBB may write with its containers and thread-local storage. It compiles with oneTBB's
// own headers as well, so it states oneTBB's interface and not ours; maps.cpp and sequences.cpp have the rest. Compiled
// only.
#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#include <tbb/tbb.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

void hash_map() {
  using map = tbb::concurrent_hash_map<int, std::string>;
  map m, sized(10), listed{{1, "a"}}, copied(m);
  map::accessor writes;
  map::const_accessor reads;
  (void)(m.insert(writes, 1) + m.insert(reads, 2) + m.insert(writes, {3, "c"}) + m.insert({4, "d"}) +
         m.emplace(5, "e") + m.emplace(writes, 6, "f"));
  writes->second = "x";
  (void)(writes.empty() || (*writes).first == 1);
  writes.release();
  (void)(m.find(writes, 1) + m.find(reads, 1) + m.erase(writes) + m.erase(1) + int(m.count(1)) + m.empty());
  (void)(m.size() + m.max_size() + m.bucket_count());
  m.rehash(100);
  m.swap(sized);
  (void)(m.get_allocator() == sized.get_allocator() && m == copied && m != copied);
  for (auto const& entry : m) (void)entry;
  for (map::range_type r = m.range(10); r.is_divisible();) break;
  m = {{7, "g"}};
  m.clear();
}

template <typename Map>
void ordered_or_not() {
  Map m, listed{{1, 1}};
  auto const at = m.insert({1, 2});
  (void)at;
  m.emplace(2, 3);
  (void)(m.find(1) == m.end() || m.contains(1) || m.count(1) || m.empty() || m.size());
  auto const pair = m.equal_range(1);
  (void)(pair.first == pair.second);
  auto node = m.unsafe_extract(1);
  if (!node.empty()) m.insert(std::move(node));
  m.merge(listed);
  (void)m.unsafe_erase(2);
  for (auto& entry : m) entry.second = 1;
  (void)m.range().empty();
  m.swap(listed);
  m.clear();
}
template <typename Set>
void sets() {
  Set s{1, 2}, other;
  s.insert(3);
  s.emplace(4);
  (void)(s.contains(1) && s.find(1) != s.end());
  s.merge(other);
  (void)(s.unsafe_erase(s.begin()) == s.end() && s.get_allocator() == other.get_allocator());
}

void queues() {
  tbb::concurrent_queue<int> q, listed{1, 2}, copied(q), moved(std::move(copied));
  int value = 0;
  q.push(1);
  q.emplace(2);
  (void)(q.try_pop(value) + q.empty() + int(q.unsafe_size()));
  for (auto i = q.unsafe_begin(); i != q.unsafe_end(); ++i) (void)*i;
  q.clear();
  q = {1, 2};
  swap(q, listed);
  tbb::concurrent_bounded_queue<int> b;
  b.set_capacity(5);
  b.push(1);
  b.emplace(2);
  (void)(b.try_push(3) + b.try_emplace(4) + b.try_pop(value) + int(b.size()) + int(b.capacity()) + b.empty());
  b.pop(value);
  b.abort();
  tbb::concurrent_priority_queue<int, std::greater<int>> p, from{3, 1};
  p.push(1);
  p.emplace(2);
  (void)(p.try_pop(value) + p.empty() + int(p.size()));
  p.assign({1, 2});
  p.swap(from);
  p.clear();
  tbb::concurrent_lru_cache<int, int> cache(+[](int key) { return key; }, 3);
  auto handle = cache[1];
  handle.value() = 2;
  (void)bool(handle);
}

void thread_local_storage() {
  tbb::enumerable_thread_specific<int> e(1), made([] { return 2; }), copied(e);
  bool exists = false;
  e.local() = 3;
  e.local(exists) += 1;
  (void)(e.size() + e.empty() + e.combine([](int a, int b) { return a + b; }));
  e.combine_each([](int) {});
  for (int& i : e) i = 0;
  tbb::enumerable_thread_specific<int>::iterator at = e.begin();
  tbb::enumerable_thread_specific<int>::const_iterator const_at = at;
  (void)const_at;
  (void)e.range(2).is_divisible();
  tbb::enumerable_thread_specific<int, tbb::cache_aligned_allocator<int>, tbb::ets_key_per_instance> keyed;
  tbb::enumerable_thread_specific<int, tbb::cache_aligned_allocator<int>, tbb::ets_suspend_aware> aware;
  (void)(keyed.local() + aware.local());
  tbb::enumerable_thread_specific<std::vector<int>> nested;
  tbb::flattened2d<tbb::enumerable_thread_specific<std::vector<int>>> flat(nested);
  (void)(flat.size() + tbb::flatten2d(nested).size());
  tbb::combinable<int> c([] { return 1; });
  c.local(exists) = 2;
  (void)c.combine([](int a, int b) { return a + b; });
  c.combine_each([](int const&) {});
  c.clear();
}

void vectors() {
  tbb::concurrent_vector<int> v(3, 1), listed{1, 2};
  (void)(v.grow_by(2) - v.begin() + *v.push_back(1) + *v.emplace_back(2) + v.at(0) + v[1] + v.front() + v.back());
  v.grow_to_at_least(9);
  v.reserve(100);
  v.shrink_to_fit();
  (void)(v.size() + v.capacity() + v.range(2).size());
  v.resize(3);
  v.swap(listed);
  (void)(v < listed || v == listed);
}

}  // namespace

void use_containers();
void use_containers() {
  hash_map();
  ordered_or_not<tbb::concurrent_map<int, int>>();
  ordered_or_not<tbb::concurrent_multimap<int, int>>();
  ordered_or_not<tbb::concurrent_unordered_map<int, int>>();
  ordered_or_not<tbb::concurrent_unordered_multimap<int, int>>();
  sets<tbb::concurrent_set<int>>();
  sets<tbb::concurrent_multiset<int>>();
  sets<tbb::concurrent_unordered_set<int>>();
  sets<tbb::concurrent_unordered_multiset<int>>();
  queues();
  vectors();
  thread_local_storage();
}
