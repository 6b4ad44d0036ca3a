// SPDX-License-Identifier: Apache-2.0
// Types, return types and exception specifications of members that generic code asks for. It compiles with oneTBB's own
// headers as well, so it states oneTBB's interface and not ours. Compiled only.
#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#define TBB_PREVIEW_MEMORY_POOL 1
#include <tbb/memory_pool.h>
#include <tbb/tbb.h>

#include <cstdlib>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

template <typename A, typename B>
constexpr bool same = std::is_same_v<A, B>;

// A node goes back into a container of many equal keys with the same answer as into one of single keys.
template <typename Container>
constexpr bool node_insertion_tells_both =
    same<decltype(std::declval<Container&>().insert(std::declval<typename Container::node_type>())),
         std::pair<typename Container::iterator, bool>>;
static_assert(node_insertion_tells_both<tbb::concurrent_map<int, int>> &&
              node_insertion_tells_both<tbb::concurrent_multimap<int, int>>);
static_assert(node_insertion_tells_both<tbb::concurrent_set<int>> &&
              node_insertion_tells_both<tbb::concurrent_multiset<int>>);
static_assert(node_insertion_tells_both<tbb::concurrent_unordered_map<int, int>> &&
              node_insertion_tells_both<tbb::concurrent_unordered_multimap<int, int>>);
static_assert(node_insertion_tells_both<tbb::concurrent_unordered_set<int>> &&
              node_insertion_tells_both<tbb::concurrent_unordered_multiset<int>>);

// Elements of a set are compared as its keys are.
template <typename Set>
constexpr bool compares_keys = same<typename Set::value_compare, typename Set::key_compare>;
static_assert(compares_keys<tbb::concurrent_set<int, std::greater<int>>> &&
              compares_keys<tbb::concurrent_multiset<int, std::greater<int>>>);

template <typename Container>
constexpr bool exchanges_without_exceptions = noexcept(std::declval<Container&>().swap(std::declval<Container&>())) &&
                                              noexcept(std::declval<Container const&>().get_allocator());
static_assert(exchanges_without_exceptions<tbb::concurrent_unordered_map<int, int>> &&
              exchanges_without_exceptions<tbb::concurrent_unordered_multimap<int, int>>);
static_assert(exchanges_without_exceptions<tbb::concurrent_unordered_set<int>> &&
              exchanges_without_exceptions<tbb::concurrent_unordered_multiset<int>>);

static_assert(same<tbb::concurrent_vector<int>::iterator::size_type, std::size_t> &&
              same<tbb::concurrent_hash_map<int, int>::const_iterator::size_type, std::size_t>);

using table = tbb::concurrent_hash_map<int, int>;
// A range of the whole table, as TBB's reference manual constructs it.
void ranges(table& t, table const& fixed) {
  table::range_type const all(t), coarse(t, 100);
  table::const_range_type const all_fixed(fixed), coarse_fixed(fixed, 100);
  (void)(all.empty() + coarse.grainsize() + all_fixed.empty() + coarse_fixed.grainsize());
}

// The range of a container of random access is a blocked_range, so a body may take it as one.
void blocked_ranges(tbb::concurrent_vector<int>& v, tbb::enumerable_thread_specific<int>& e) {
  using vector = tbb::concurrent_vector<int>;
  using storage = tbb::enumerable_thread_specific<int>;
  static_assert(std::is_base_of_v<tbb::blocked_range<vector::const_iterator>, vector::const_range_type> &&
                std::is_base_of_v<tbb::blocked_range<storage::const_iterator>, storage::const_range_type>);
  tbb::parallel_for(v.range(2), [](tbb::blocked_range<vector::iterator> const& part) { (void)part.size(); });
  tbb::parallel_for(e.range(), [](tbb::blocked_range<storage::iterator>& part) { (void)part.begin(); });
  vector::const_range_type const fixed = v.range();
  (void)fixed.empty();
}

using nested = tbb::enumerable_thread_specific<std::vector<int>>;
static_assert(same<tbb::flattened2d<nested>::allocator_type, std::vector<int>::allocator_type> &&
              same<tbb::flattened2d<nested>::iterator::size_type, std::size_t>);

bool holds(tbb::concurrent_lru_cache<int, int, int (*)(int)>::handle const& handle) { return handle; }

using pooled = tbb::memory_pool_allocator<int, tbb::fixed_pool>;
static_assert(same<pooled::reference, int&> && same<pooled::const_reference, int const&>);

// An allocator of bytes that has no type of its own.
struct c_memory {
  using value_type = char;
  void* allocate(std::size_t bytes) { return std::malloc(bytes); }
  void deallocate(void* p, std::size_t) { std::free(p); }
};
void pools() {
  tbb::memory_pool<c_memory> pool;
  pool.free(pool.malloc(100));
}

void phases(tbb::task_arena& arena) {
  using phase = tbb::task_arena::parallel_phase;
  phase outer = arena, here = tbb::attach();
  phase quick(arena, phase::end_flag_fast_leave());
  outer = std::move(here);
  static_assert(std::is_move_assignable_v<phase> && !std::is_copy_constructible_v<phase>);
}

// What a function returns is dropped.
void values() {
  auto const one = [] { return 1; };
  tbb::parallel_invoke(one, one);
  tbb::parallel_invoke(one, one, one, one);
}

}  // namespace

void use_members();
void use_members() {
  table t;
  ranges(t, t);
  (void)holds({});
  tbb::concurrent_vector<int> v;
  tbb::enumerable_thread_specific<int> e;
  blocked_ranges(v, e);
  tbb::task_arena arena;
  phases(arena);
  pools();
  values();
}
