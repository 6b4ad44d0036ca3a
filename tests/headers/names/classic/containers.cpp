// SPDX-License-Identifier: Apache-2.0
// What a program written for classic TBB may write with its containers and thread-local storage. It compiles with the
// headers of TBB 2020 as well, so it states TBB's interface and not ours; maps.cpp and sequences.cpp have the rest.
// Compiled only.
#define TBB_SUPPRESS_DEPRECATED_MESSAGES 1
#define TBB_PREVIEW_AGGREGATOR 1
#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#define TBB_PREVIEW_CONCURRENT_ORDERED_CONTAINERS 1
#include <tbb/aggregator.h>
#include <tbb/concurrent_lru_cache.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_set.h>
#include <tbb/tbb.h>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

template <typename A, typename B>
constexpr bool same = std::is_same_v<A, B>;

struct by_length {
  static std::size_t hash(std::string const& s) { return s.size(); }
  static bool equal(std::string const& a, std::string const& b) { return a.size() == b.size(); }
};

void hash_maps() {
  using map = tbb::concurrent_hash_map<std::string, int, by_length>;
  static_assert(same<map::key_type, std::string> && same<map::mapped_type, int> &&
                same<map::value_type, std::pair<std::string const, int>>);
  static_assert(same<map::reference, map::value_type&> && same<map::const_pointer, map::value_type const*> &&
                same<map::size_type, std::size_t>);
  static_assert(same<map::allocator_type, tbb::tbb_allocator<std::pair<std::string const, int>>>);
  static_assert(std::is_base_of_v<map::const_accessor, map::accessor>);
  map a, sized(100), listed({{"a", 1}, {"bb", 2}}), copied(listed), moved(std::move(copied)),
      ranged(listed.begin(), listed.end());
  map with_allocator(map::allocator_type{}), sized_with_allocator(10, map::allocator_type{});
  a = listed;
  a = std::move(moved);
  a = {{"ccc", 3}};
  {
    map::accessor found;
    map::const_accessor read;
    (void)(a.insert(found, "dddd") && a.insert(found, map::value_type("e", 5)) && a.insert(map::value_type("ff", 6)));
    found.release();
    (void)(a.insert(read, "g") || a.insert(read, map::value_type("h", 7)) || a.emplace(found, "i", 8) ||
           a.emplace("j", 9));
    found.release();
    (void)(a.find(found, "i") && !found.empty() && found->second == (*found).second);
    found->second = 4;
    (void)(a.erase(found) || a.find(read, "j"));
    read.release();
  }
  a.insert({{"k", 1}, {"ll", 2}});
  a.insert(listed.begin(), listed.end());
  (void)(a.count("a") + a.erase("a") + a.size() + a.empty() + a.max_size() + a.bucket_count());
  a.rehash(64);
  std::pair<map::iterator, map::iterator> both = a.equal_range("bb");
  std::pair<map::const_iterator, map::const_iterator> const_both = static_cast<map const&>(a).equal_range("bb");
  (void)(both.first == both.second && const_both.first != const_both.second);
  map::range_type range = a.range();
  map::const_range_type const_range = static_cast<map const&>(a).range(2);
  map::range_type half(range, tbb::split());
  (void)(range.empty() + range.is_divisible() + const_range.grainsize() + (half.begin() == half.end()));
  a.swap(listed);
  swap(a, listed);
  (void)(a == listed && a != listed);
  a.get_allocator();
  a.clear();
  (void)(tbb::tbb_hasher(3) + tbb::tbb_hasher(std::string("x")) + tbb::tbb_hasher("text") + tbb::tbb_hash<int>()(3));
  tbb::tbb_hash_compare<int> compare;
  (void)(compare.hash(1) + compare.equal(1, 2));
}

template <typename Container, typename Value>
void unordered(Value const& value, typename Container::key_type const& key) {
  Container a, sized(100), copied(a), moved(std::move(copied)), ranged(a.begin(), a.end()), listed({value});
  Container everything(8, typename Container::hasher(), typename Container::key_equal(),
                       typename Container::allocator_type());
  a = sized;
  a = std::move(moved);
  a = {value, value};
  a.insert(value);
  a.insert(Value(value));
  a.insert(a.begin(), value);
  a.insert(ranged.begin(), ranged.end());
  a.insert({value});
  a.emplace(value);
  a.emplace_hint(a.begin(), value);
  typename Container::iterator i = a.find(key);
  typename Container::const_iterator c = static_cast<Container const&>(a).find(key);
  (void)(c == a.cend() || a.count(key) + a.size() + a.empty() + a.max_size() > 0);
  (void)(a.equal_range(key).first == a.end() || static_cast<Container const&>(a).equal_range(key).second == a.cend());
  (void)(a.unsafe_bucket_count() + a.unsafe_max_bucket_count() + a.unsafe_bucket_size(0) + a.unsafe_bucket(key));
  (void)(a.unsafe_begin(0) == a.unsafe_end(0) && a.unsafe_cbegin(0) == a.unsafe_cend(0));
  (void)(a.load_factor() + a.max_load_factor());
  a.max_load_factor(2.0f);
  a.rehash(64);
  (void)(a.range().is_divisible() + static_cast<Container const&>(a).range().empty());
  (void)(a.hash_function()(key) + a.key_eq()(key, key));
  i = a.find(key);
  if (i != a.end()) i = a.unsafe_erase(i);
  (void)(a.unsafe_erase(key) + (a.unsafe_erase(a.cbegin(), a.cend()) == a.end()));
  typename Container::node_type taken = a.unsafe_extract(key);
  (void)(taken.empty() || static_cast<bool>(taken));
  a.insert(std::move(taken));
  a.merge(ranged);
  a.merge(std::move(listed));
  a.swap(sized);
  (void)(a.get_allocator() == sized.get_allocator());
  a.clear();
}

template <typename Container, typename Value>
void ordered(Value const& value, typename Container::key_type const& key) {
  Container a, copied(a), moved(std::move(copied)), ranged(a.begin(), a.end()), listed({value});
  Container compared(typename Container::key_compare{}), allocated(typename Container::allocator_type{});
  a = listed;
  a = std::move(moved);
  a = {value};
  a.insert(value);
  a.insert(Value(value));
  a.insert(a.begin(), value);
  a.insert(ranged.begin(), ranged.end());
  a.insert({value});
  a.emplace(value);
  a.emplace_hint(a.begin(), value);
  Container const& fixed = a;
  (void)(a.find(key) == a.end() || fixed.find(key) == fixed.cend() || a.contains(key) || a.count(key) > 0);
  (void)(a.lower_bound(key) == a.upper_bound(key) || fixed.lower_bound(key) == fixed.upper_bound(key));
  (void)(a.equal_range(key).first == a.end() && fixed.equal_range(key).second == fixed.end());
  (void)(a.size() + a.empty() + a.max_size() + a.key_comp()(key, key) + a.value_comp()(value, value));
  (void)(a.range().is_divisible() + fixed.range().empty());
  typename Container::node_type taken = a.unsafe_extract(key);
  a.insert(std::move(taken));
  (void)a.unsafe_erase(key);
  if (a.begin() != a.end()) a.unsafe_erase(a.begin());
  a.unsafe_erase(a.cbegin(), a.cend());
  a.merge(ranged);
  a.swap(listed);
  a.clear();
}

void maps_and_sets() {
  std::pair<int const, int> const item(1, 2);
  unordered<tbb::concurrent_unordered_map<int, int>>(item, 1);
  unordered<tbb::concurrent_unordered_multimap<int, int>>(item, 1);
  unordered<tbb::concurrent_unordered_set<int>>(1, 1);
  unordered<tbb::concurrent_unordered_multiset<int>>(1, 1);
  ordered<tbb::concurrent_map<int, int>>(item, 1);
  ordered<tbb::concurrent_multimap<int, int>>(item, 1);
  ordered<tbb::concurrent_set<int>>(1, 1);
  ordered<tbb::concurrent_multiset<int>>(1, 1);
  tbb::concurrent_unordered_map<int, int> hashed;
  tbb::concurrent_map<int, int> sorted;
  hashed[1] = sorted[1] = 3;
  (void)(hashed.at(1) + sorted.at(1) + static_cast<tbb::concurrent_unordered_map<int, int> const&>(hashed).at(1));
}

void vectors() {
  using vector = tbb::concurrent_vector<int>;
  static_assert(same<vector::value_type, int> && same<vector::reference, int&> &&
                same<vector::difference_type, std::ptrdiff_t>);
  vector a, sized(3), filled(3, 7), listed{1, 2}, copied(listed), moved(std::move(copied)),
      ranged(listed.begin(), listed.end());
  tbb::concurrent_vector<int, std::allocator<int>> other(listed.begin(), listed.end());
  a = listed;
  a = std::move(moved);
  a = {1, 2, 3};
  vector::iterator grown = a.grow_by(2);
  grown = a.grow_by(vector::size_type(2), 9);
  grown = a.grow_by(listed.begin(), listed.end());
  grown = a.grow_by({4, 5});
  grown = a.grow_to_at_least(20);
  grown = a.grow_to_at_least(21, 3);
  grown = a.push_back(1);
  grown = a.emplace_back(2);
  (void)(*grown + a[0] + a.at(1) + a.front() + a.back() + int(a.size() + a.capacity() + a.max_size()) + a.empty());
  a.reserve(100);
  a.resize(5);
  a.resize(6, 2);
  a.shrink_to_fit();
  a.assign(vector::size_type(3), 1);
  a.assign(listed.begin(), listed.end());
  a.assign({1, 2});
  (void)(a.range(2).is_divisible() + static_cast<vector const&>(a).range().empty());
  tbb::parallel_for(a.range(2), [](tbb::blocked_range<vector::iterator> const& part) { (void)part.size(); });
  (void)(*a.rbegin() + *a.crbegin() + (a.cbegin() < a.cend()) + int(a.end() - a.begin()) + a.begin()[0]);
  (void)(a == listed || a != listed || a < listed || a <= listed || a > listed || a >= listed);
  a.swap(listed);
  swap(a, listed);
  a.get_allocator();
  a.clear();
}

void queues() {
  tbb::concurrent_queue<int> a, ranged(a.unsafe_begin(), a.unsafe_end()), copied(a), moved(std::move(copied));
  int item = 0;
  a.push(1);
  a.emplace(2);
  (void)(a.try_pop(item) + a.unsafe_size() + a.empty() + (a.unsafe_begin() == a.unsafe_end()));
  a.clear();
  a.get_allocator();
  tbb::concurrent_bounded_queue<std::shared_ptr<int>> b;
  std::shared_ptr<int> got;
  b.set_capacity(5);
  b.push(std::make_shared<int>(1));
  b.emplace(new int(2));
  (void)(b.try_push(std::make_shared<int>(3)) + b.try_emplace(new int(4)) + b.try_pop(got));
  b.pop(got);
  (void)(b.size() + std::ptrdiff_t(b.capacity()) + b.empty());
  b.abort();
  b.clear();
  tbb::concurrent_priority_queue<int, std::greater<int>> p, sized(10), listed({3, 1}), from(listed),
      range(&item, &item + 1);
  p.push(3);
  p.emplace(4);
  (void)(p.try_pop(item) + p.size() + p.empty());
  p = listed;
  p = {1, 2};
  p.assign({1, 2});
  p.assign(&item, &item + 1);
  p.swap(listed);
  p.get_allocator();
  p.clear();
}

int square(int i) { return i * i; }

void thread_local_storage() {
  using ets = tbb::enumerable_thread_specific<int>;
  ets a, filled(3), made([] { return 4; }), copied(a), moved(std::move(copied));
  tbb::enumerable_thread_specific<int, tbb::cache_aligned_allocator<int>, tbb::ets_key_per_instance> keyed(5);
  bool exists = false;
  (void)(a.local() + a.local(exists) + int(a.size()) + a.empty());
  a.combine_each([](int) {});
  (void)(a.combine([](int x, int y) { return x + y; }) + (a.begin() == a.end()) + a.range(2).is_divisible());
  a = filled;
  a = std::move(moved);
  a = keyed;
  a.clear();
  ets::const_iterator first = a.begin();
  (void)(first == static_cast<ets const&>(a).end());
  tbb::enumerable_thread_specific<std::vector<int>> vectors;
  tbb::flattened2d<tbb::enumerable_thread_specific<std::vector<int>>> flat = tbb::flatten2d(vectors);
  (void)(flat.begin() == flat.end() || flat.size() > 0);
  tbb::combinable<int> sum([] { return 0; }), other(sum);
  (void)(sum.local() + sum.local(exists) + sum.combine(std::plus<int>()));
  sum.combine_each([](int) {});
  sum = other;
  sum.clear();
  tbb::concurrent_lru_cache<int, int> cache(&square, 4);
  tbb::concurrent_lru_cache<int, int>::handle handle = cache[3];
  (void)handle.value();
}

struct operation : tbb::aggregator_operation {
  int value = 0;
};
struct handler {
  void operator()(tbb::aggregator_operation* list) {
    while (list != nullptr) {
      tbb::aggregator_operation& one = *list;
      list = list->next();
      one.start();
      one.finish();
    }
  }
};

void aggregators() {
  tbb::aggregator_ext<handler> together{handler()};
  operation one;
  together.process(&one);
}

}  // namespace

void use_classic_containers();
void use_classic_containers() {
  hash_maps();
  maps_and_sets();
  vectors();
  queues();
  thread_local_storage();
  aggregators();
}
