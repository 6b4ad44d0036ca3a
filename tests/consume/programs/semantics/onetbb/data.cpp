// SPDX-License-Identifier: Apache-2.0
// Prints what rarer overloads of oneTBB's containers, locks and memory do, a line each, section by section. run.py
// compiles it against ours and oneTBB and compares the lines.
#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#define TBB_PREVIEW_MEMORY_POOL 1
#include <tbb/scalable_allocator.h>
#include <tbb/tbb.h>

#include "../told.h"

#include <atomic>
#include <functional>
#include <list>
#include <memory_resource>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

// Strings are looked up by number of letters.
struct same_length;
struct by_length {
  using is_transparent = void;
  using transparent_key_equal = same_length;
  static std::size_t length(std::string const& s) { return s.size(); }
  static std::size_t length(int n) { return std::size_t(n); }
  template <typename K>
  std::size_t operator()(K const& key) const {
    return length(key);
  }
  template <typename K>
  std::size_t hash(K const& key) const {
    return length(key);
  }
  template <typename A, typename B>
  bool equal(A const& a, B const& b) const {
    return length(a) == length(b);
  }
};
struct same_length {
  using is_transparent = void;
  template <typename A, typename B>
  bool operator()(A const& a, B const& b) const {
    return by_length::length(a) == by_length::length(b);
  }
};
struct shorter {
  using is_transparent = void;
  template <typename A, typename B>
  bool operator()(A const& a, B const& b) const {
    return by_length::length(a) < by_length::length(b);
  }
};

// E to G: maps and sets.
void hash_maps() {
  using map = tbb::concurrent_hash_map<std::string, int, by_length>;
  map m({{"a", 1}, {"bb", 2}, {"c", 3}}, by_length());
  tell("E equal keys of a list", long(m.size()));
  map::const_accessor reads;
  tell("E found by length", m.find(reads, 2) ? reads->second : -1);
  tell("E count by length", long(m.count(7)));
  reads.release();
  tell("E erase by length", m.erase(2));
  map::accessor writes;
  tell("E emplace with an accessor", m.emplace(writes, "xyz", 9));
  tell("E erase by the accessor", m.erase(writes));
  tell("E that is then empty", writes.empty());
  tell("E insert of a pair", m.insert(reads, std::pair<std::string const, int>("four", 4)));
  tell("E present one is read", !m.insert(reads, std::pair<std::string const, int>("five", 5)) && reads->second == 4);
  reads.release();
  auto const both = m.equal_range("a");
  tell("E equal_range", std::distance(both.first, both.second));
  map copy(m, tbb::tbb_allocator<std::pair<std::string const, int>>()), moved(std::move(m));
  tell("E a copy is equal", copy == moved);
  tell("E the source is empty", m.empty());
  moved = {{"q", 1}};
  swap(copy, moved);
  tell("E after a swap", long(copy.size() * 10 + moved.size()));
  tbb::concurrent_hash_map<int, int> numbers(100);
  for (int i = 0; i < 500; ++i) numbers.emplace(i, i);
  std::atomic<int> sum{0};
  tbb::parallel_for(numbers.range(16), [&](auto const& r) {
    for (auto& one : r) sum += one.second;
  });
  tell("E a loop over a range", sum);
  numbers.rehash(5000);
  tell("E rehash keeps", long(numbers.size()));
  tell("E insert of a list", (numbers.insert({{1, 1}, {1000, 1}}), long(numbers.size())));
}

void unordered() {
  using map = tbb::concurrent_unordered_map<std::string, int, by_length, same_length>;
  map m{{"a", 1}, {"bb", 2}};
  tell("F contains by length", m.contains(2) * 10 + m.contains(3));
  tell("F find by length", m.find(1)->second);
  auto node = m.unsafe_extract("zz");
  tell("F a node", node.empty() ? -1 : node.mapped());
  node.key() = "three";
  auto const put = m.insert(std::move(node));
  tell("F insert of a node", put.second * 10 + put.first->second);
  map other{{"x", 7}, {"seven..", 8}};
  m.merge(other);
  tell("F merge moves the new ones", long(m.size() * 10 + other.size()));
  tell("F a load factor of -1", thrown([&] { m.max_load_factor(-1); }));
  m.max_load_factor(2);
  m.rehash(33);
  tell("F buckets after rehash", long(m.unsafe_bucket_count()));
  tell("F bucket of a key", m.unsafe_bucket_size(m.unsafe_bucket("a")) >= 1);
  tell("F emplace_hint", m.emplace_hint(m.begin(), "seven-s", 9)->second);
  tell("F at of a missing key", thrown([&] { m.at(std::string(30, 'q')); }));
  tbb::concurrent_unordered_multiset<int> bag({3, 1, 3, 3}, 8);
  tell("F erase of all equal ones", long(bag.unsafe_erase(3)));
  tell("F elements of a range", std::distance(bag.range().begin(), bag.range().end()));
  tbb::concurrent_unordered_multiset<int> same{1};
  tell("F equality", bag == same);
  tbb::concurrent_unordered_set<int> set(bag.begin(), bag.end());
  tell("F a set of a range", long(set.size()));
  tell("F try_emplace is not there", long(set.emplace(4).second));
}

void ordered() {
  tbb::concurrent_map<std::string, int, shorter> m{{"a", 1}, {"ccc", 3}, {"eeeee", 5}};
  tell("G lower_bound by length", m.lower_bound(2)->second);
  tell("G upper_bound by length", m.upper_bound(3)->second);
  tell("G upper_bound at the end", m.upper_bound(5) == m.end());
  tell("G equal keys", m.insert({"b", 9}).second);
  auto node = m.unsafe_extract(m.begin());
  tell("G a node", node.mapped());
  node.key() = "four";
  tell("G its place", m.insert(m.end(), std::move(node))->second);
  tbb::concurrent_multimap<std::string, int, shorter> many{{"x", 7}, {"ccc", 8}, {"ddd", 9}};
  many.merge(m);
  tell("G multimap takes all", long(many.size() * 10 + m.size()));
  m.merge(many);
  tell("G map takes the first of each", long(many.size() * 10 + m.size()));
  tell("G count", long(many.count("yyy")));
  tell("G key_comp", m.key_comp()("a", "bb") * 10 + m.value_comp()({"bb", 1}, {"c", 1}));
  tbb::concurrent_set<int, std::greater<int>> set({1, 5, 3}, std::greater<int>());
  tell("G order of the user's", *set.begin());
  tell("G less", tbb::concurrent_set<int>{1, 2} < tbb::concurrent_set<int>{1, 3});
  tell("G unsafe_erase returns the next", *set.unsafe_erase(set.begin()));
  tell("G erase of a part", set.unsafe_erase(set.begin(), set.end()) == set.end());
}

// H to L: sequences, storage of threads, a cache.
void vectors() {
  int const raw[] = {5, 6, 7};
  tbb::concurrent_vector<int> v(raw, raw + 3), filled(std::size_t(4), 9);
  tell("H grow_by a range", v.grow_by(raw, raw + 2) - v.begin());
  tell("H grow_by a list", *v.grow_by({1, 2, 3}));
  tell("H grow_to_at_least more", v.grow_to_at_least(12, 4) - v.begin());
  tell("H value of it", v.back());
  tell("H assign", (v.assign({3, 2}), long(v.size())));
  tell("H assign of many", (v.assign(5, 1), long(v[4])));
  v.resize(2);
  v.resize(4, 8);
  tell("H resize", v[3] * 10 + v[1]);
  tell("H compare", (v < filled) * 4 + (v != filled) * 2 + (v >= filled));
  tell("H backwards", *v.rbegin() * 10 + *(v.crend() - 1));
  tell("H range by 3", long(v.range(3).size() * 10 + v.range(3).grainsize()));
  tbb::concurrent_vector<only_moved> moving;
  moving.push_back(only_moved(1));
  tell("H emplace_back", moving.emplace_back(7)->value);
  tbb::concurrent_vector<only_moved> taken(std::move(moving));
  tell("H moved", long(taken.size() * 10 + moving.size()));
  tbb::concurrent_vector<int, std::allocator<int>> plain(filled.begin(), filled.end());
  tell("H other allocator", long(plain.size()));
  taken.clear();
  taken.shrink_to_fit();
  tell("H capacity of an empty one", long(taken.capacity()));
}

void queues() {
  std::list<int> const three{1, 2, 3};
  tbb::concurrent_queue<int> q(three.begin(), three.end()), copied(q), listed{4, 5};
  tell("I equal queues", q == copied);
  copied = {7};
  copied.swap(listed);
  tell("I swapped", *copied.unsafe_begin() * 10 + *listed.unsafe_begin());
  q.assign(three.begin(), three.end());
  tell("I assigned", long(q.unsafe_size()));
  tbb::concurrent_bounded_queue<only_moved> b;
  b.emplace(3);
  tell("I try_emplace", b.try_emplace(4));
  only_moved got(0);
  b.pop(got);
  tell("I pop of what can only move", got.value);
  b.set_capacity(1);
  tell("I full", b.try_push(only_moved(6)));
  b.abort();
  tell("I abort without a waiter", b.size());
  tbb::concurrent_bounded_queue<int> moved_from{1, 2, 3}, moved_to(std::move(moved_from));
  tell("I moved", moved_to.size() * 10 + moved_from.size());
  tbb::concurrent_priority_queue<only_moved> p(10);
  p.push(only_moved(2));
  p.emplace(8);
  tell("J size", long(p.size()));
  tell("J takes", p.try_pop(got) * 10 + got.value);
  tbb::concurrent_priority_queue<int, std::greater<int>> least({5, 3, 4}, std::greater<int>()), other(least);
  tell("J equal", least == other);
  least.assign({9, 8});
  int value = 0;
  tell("J the least", least.try_pop(value) * 10 + value);
  swap(least, other);
  tell("J swapped", long(least.size()));
}

void storage() {
  using keyed = tbb::enumerable_thread_specific<std::vector<int>, tbb::cache_aligned_allocator<std::vector<int>>,
                                                tbb::ets_key_per_instance>;
  keyed made([] { return std::vector<int>{1, 2}; });
  made.local().push_back(3);
  tell("K of a function", long(made.local().size()));
  tbb::enumerable_thread_specific<std::vector<int>> several(3, 7), converted(made);
  tell("K of arguments", several.local().back() + long(several.local().size()));
  tell("K converted", long(converted.size() * 10 + converted.local().size()));
  tbb::enumerable_thread_specific<int, tbb::cache_aligned_allocator<int>, tbb::ets_suspend_aware> aware(6);
  tell("K aware of suspension", aware.local()++ * 10 + aware.local());
  auto const flat = tbb::flatten2d(made);
  tell("K flattened", long(flat.size() * 100) + std::accumulate(flat.begin(), flat.end(), 0));
  tell("K range", made.range().end() - made.range().begin());
  several = std::move(made);
  tell("K moved", long(several.size() * 10 + several.local().size()));
  tbb::combinable<int> c([] { return 5; }), second(c);
  c.local() = 9;
  second = c;
  bool exists = false;
  tell("K combinable copied", second.local(exists) * 10 + exists);
  second.combine_each([](int i) { tell("K each", i); });
  second.clear();
  tell("K cleared", second.combine([](int a, int b) { return a + b; }));
  int calls = 0;
  auto const compute = [&](int k) { return ++calls, k * k; };
  tbb::concurrent_lru_cache<int, int, std::function<int(int)>> cache(compute, 1);
  {
    auto handle = cache[3];
    tell("L value", handle.value());
    auto taken = std::move(handle);
    tell("L moved", bool(handle) * 10 + bool(taken));
  }
  (void)cache[3];
  (void)cache[4];
  (void)cache[5];
  (void)cache[3];
  tell("L calls", calls);
}

// M: locks.
template <typename Mutex>
void shared_lock(char const* name) {
  Mutex m;
  typename Mutex::scoped_lock none;
  none.acquire(m);
  tell(name,
       none.is_writer() * 1000 + Mutex::is_rw_mutex * 100 + Mutex::is_recursive_mutex * 10 + Mutex::is_fair_mutex);
  tell("M downgrade", none.downgrade_to_reader() * 10 + none.is_writer());
  tell("M upgrade", none.upgrade_to_writer() * 10 + none.upgrade_to_writer());
  none.release();
  tell("M free again", none.try_acquire(m, false));
}
template <typename Mutex>
void standard_lock(char const* name) {
  Mutex m;
  std::shared_lock<Mutex> reads(m);
  std::unique_lock<Mutex> writes(m, std::defer_lock);
  bool const beside = writes.try_lock();
  reads.unlock();
  tell(name, beside * 10 + writes.try_lock());
}

void locks() {
  shared_lock<tbb::spin_rw_mutex>("M spin_rw_mutex");
  shared_lock<tbb::queuing_rw_mutex>("M queuing_rw_mutex");
  shared_lock<tbb::rw_mutex>("M rw_mutex");
  shared_lock<tbb::null_rw_mutex>("M null_rw_mutex");
  shared_lock<tbb::speculative_spin_rw_mutex>("M speculative_spin_rw_mutex");
  standard_lock<tbb::spin_rw_mutex>("M spin_rw_mutex, as std's");
  standard_lock<tbb::rw_mutex>("M rw_mutex, as std's");
  standard_lock<tbb::speculative_spin_rw_mutex>("M speculative_spin_rw_mutex, as std's");
  tbb::mutex a;
  tbb::spin_mutex b;
  tbb::speculative_spin_mutex c;
  tell("M std::try_lock of three", std::try_lock(a, b, c));
  tell("M one is taken", std::try_lock(a, b));
  tell("M sizes", long(sizeof(tbb::mutex) * 100 + sizeof(tbb::rw_mutex) * 10 + alignof(tbb::queuing_mutex)));
}

// O, P: memory.
void memory() {
  std::pmr::vector<int> numbers({1, 2, 3}, tbb::scalable_memory_resource());
  tbb::cache_aligned_resource lines(tbb::scalable_memory_resource());
  std::pmr::vector<int> more(numbers, &lines);
  tell("O resources", long(more.size() + numbers.size()));
  tell("O upstream", lines.upstream_resource() == tbb::scalable_memory_resource());
  tell("O equal resources", lines.is_equal(tbb::cache_aligned_resource(tbb::scalable_memory_resource())));
  tbb::cache_aligned_allocator<int> aligned;
  int* const p = aligned.allocate(3);
  tell("O begins a line", long(reinterpret_cast<std::size_t>(p) % 64));
  aligned.deallocate(p, 3);
  tell("O equal allocators", (aligned == tbb::cache_aligned_allocator<char>()) * 10 +
                                 (tbb::tbb_allocator<int>() != tbb::tbb_allocator<char>()));
  tell("O too many", thrown([&] { (void)tbb::cache_aligned_allocator<double>().allocate(~std::size_t(0) / 4); }));
  tell("O type of tbb_allocator", tbb::tbb_allocator<int>::allocator_type() == tbb::tbb_allocator<int>::scalable);
  tbb::memory_pool<std::allocator<char>> pool;
  void* const block = pool.malloc(100);
  tell("P a pool", block != nullptr && pool.realloc(block, 5000) != nullptr);
  pool.recycle();
  std::vector<char> bytes(1 << 20);
  tbb::fixed_pool fixed(bytes.data(), bytes.size());
  char* const inside = static_cast<char*>(fixed.malloc(10));
  tell("P inside", inside >= bytes.data() && inside < bytes.data() + bytes.size());
  tell("P no more", fixed.malloc(1 << 22) == nullptr);
  std::list<int, tbb::memory_pool_allocator<int>> in_pool{tbb::memory_pool_allocator<int>(fixed)};
  in_pool.push_back(3);
  tell("P an allocator", in_pool.get_allocator() == tbb::memory_pool_allocator<int>(fixed));
  tell("P a pool of nothing", thrown([] { tbb::fixed_pool none(nullptr, 0); }));
}

// W: names below the surface.
void inner() {
  tell("W sizes", long(sizeof(tbb::detail::d1::execution_data) >= sizeof(void*)));
  int steps = 0;
  tbb::detail::try_call([&] { ++steps; }).on_exception([&] { steps += 10; });
  tell("W try_call", steps);
  tell("W on_exception", thrown([&] { tbb::detail::try_call([] { throw 2; }).on_exception([&] { steps += 10; }); }));
  tell("W ran", steps);
  {
    auto guard = tbb::detail::d0::make_raii_guard([&] { steps += 100; });
  }
  tell("W guard", steps);
  tell("W log2", tbb::detail::log2(std::size_t(40)));
  tell("W hash compare", tbb::detail::d1::tbb_hash_compare<int>().equal(3, 3));
}

}  // namespace

int main() {
  hash_maps();
  unordered();
  ordered();
  vectors();
  queues();
  storage();
  locks();
  memory();
  inner();
}
