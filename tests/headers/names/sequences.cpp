// SPDX-License-Identifier: Apache-2.0
// The names, types and overloads of concurrent_vector, concurrent_lru_cache and the thread-local storage, as user code
// may write them in both dialects. Compiled only.
#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#include <tbb/combinable.h>
#include <tbb/concurrent_lru_cache.h>
#include <tbb/concurrent_vector.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/tbb_allocator.h>

#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

template <typename A, typename B>
constexpr bool same = std::is_same_v<A, B>;
template <typename Expected, typename Got>
void returns(Got&&) {
  static_assert(same<Expected, std::decay_t<Got>>);
}

void vector() {
  using vector = tbb::concurrent_vector<int>;
#if ASHLAR_CLASSIC_DIALECT && TBB_DEPRECATED
  using growth = vector::size_type;
#else
  using growth = vector::iterator;
#endif
  static_assert(same<vector::value_type, int> && same<vector::allocator_type, tbb::cache_aligned_allocator<int>>);
  static_assert(same<vector::reference, int&> && same<vector::const_reference, int const&> &&
                same<vector::pointer, int*> && same<vector::const_pointer, int const*>);
  static_assert(same<vector::reverse_iterator, std::reverse_iterator<vector::iterator>> &&
                same<vector::const_reverse_iterator, std::reverse_iterator<vector::const_iterator>>);
  static_assert(same<std::iterator_traits<vector::iterator>::iterator_category, std::random_access_iterator_tag>);
  static_assert(std::is_nothrow_move_constructible_v<vector>);
  vector::allocator_type const a;
  std::vector<int> const s;
  vector v, v1(a), v2(3), v3(3, a), v4(3, 1), v5(3, 1, a), v6(s.begin(), s.end()), v7(s.begin(), s.end(), a), v8{1, 2},
      v9({1, 2}, a), v10(v), v11(v, a), v12(std::move(v10)), v13(std::move(v11), a);
  tbb::concurrent_vector<int, tbb::tbb_allocator<int>> other(v);
  other = v;
  vector const& k = v;
  v = k;
  v = std::move(v12);
  v = {1, 2};
  v.assign(3, 1);
  v.assign(s.begin(), s.end());
  v.assign({1, 2});
  returns<growth>(v.grow_by(1));
  returns<growth>(v.grow_by(1, 2));
  returns<growth>(v.grow_by(s.begin(), s.end()));
  returns<growth>(v.grow_by({1, 2}));
  returns<growth>(v.grow_to_at_least(9));
  returns<growth>(v.grow_to_at_least(9, 1));
  int const one = 1;
  returns<growth>(v.push_back(one));
  returns<growth>(v.push_back(1));
  returns<growth>(v.emplace_back(1));
  v[0] = v.at(0) + k[0] + k.at(0) + v.front() + k.front() + v.back() + k.back();
  returns<vector::iterator>(v.begin());
  returns<vector::iterator>(v.end());
  returns<vector::const_iterator>(k.begin());
  returns<vector::const_iterator>(k.end());
  returns<vector::const_iterator>(v.cbegin());
  returns<vector::const_iterator>(v.cend());
  returns<vector::reverse_iterator>(v.rbegin());
  returns<vector::reverse_iterator>(v.rend());
  returns<vector::const_reverse_iterator>(k.rbegin());
  returns<vector::const_reverse_iterator>(k.rend());
  returns<vector::const_reverse_iterator>(v.crbegin());
  returns<vector::const_reverse_iterator>(v.crend());
  returns<vector::size_type>(k.size() + k.max_size() + k.capacity());
  returns<bool>(k.empty());
  returns<vector::allocator_type>(k.get_allocator());
  v.reserve(10);
  v.resize(10);
  v.resize(10, 1);
  v.shrink_to_fit();
  v.swap(v9);
  swap(v, v9);
  v.clear();
  returns<vector::range_type>(v.range());
  returns<vector::const_range_type>(k.range(2));
  vector::range_type r = v.range(2), half(r, tbb::split());
  (void)(r.empty() || r.is_divisible() || r.grainsize() || r.begin() == half.end());
  (void)(v == k || v != k || v < k || v > k || v <= k || v >= k);
  tbb::concurrent_vector guided(s.begin(), s.end());
  static_assert(same<decltype(guided), vector>);
#if ASHLAR_CLASSIC_DIALECT && TBB_DEPRECATED
  v.compact();
#endif
}

struct square {
  int operator()(int key) const { return key * key; }
};
void lru_cache() {
  using cache = tbb::concurrent_lru_cache<int, int, square>;
  static_assert(same<cache::key_type, int> && same<cache::value_type, int> && same<cache::reference, int&> &&
                same<cache::const_reference, int const&> && same<cache::pointer, int*> &&
                same<cache::const_pointer, int const*> && same<cache::value_function_type, square>);
  static_assert(same<cache::handle, cache::handle_object> && !std::is_copy_constructible_v<cache>);
  cache c(square(), 3);
  cache::handle h = c[2], i;
  i = std::move(h);
  returns<bool>(!h || static_cast<bool>(i));
  int& value = i.value();
  (void)value;
  tbb::interface6::concurrent_lru_cache<int, int> by_pointer(+[](int key) { return key; }, 3);
  (void)by_pointer[1];
}

template <typename Storage>
void storage(Storage& e, Storage const& k) {
  static_assert(same<typename Storage::value_type, int> && same<typename Storage::reference, int&> &&
                same<typename Storage::const_reference, int const&> && same<typename Storage::pointer, int*> &&
                std::is_unsigned_v<typename Storage::size_type> && std::is_signed_v<typename Storage::difference_type>);
  bool exists;
  e.local() = e.local(exists);
  returns<typename Storage::size_type>(k.size());
  returns<bool>(k.empty());
  returns<typename Storage::iterator>(e.begin());
  returns<typename Storage::iterator>(e.end());
  returns<typename Storage::const_iterator>(k.begin());
  returns<typename Storage::const_iterator>(k.end());
  returns<typename Storage::range_type>(e.range());
  returns<typename Storage::const_range_type>(k.range(2));
  returns<int>(e.combine([](int a, int b) { return a + b; }));
  e.combine_each([](int a) { (void)a; });
  e.clear();
  typename Storage::allocator_type a;
  Storage copy(k), moved(std::move(copy));
  e = k;
  e = std::move(moved);
  (void)a;
}
void thread_local_storage() {
  using storage_type = tbb::enumerable_thread_specific<int>;
  using keyed = tbb::enumerable_thread_specific<int, tbb::cache_aligned_allocator<int>, tbb::ets_key_per_instance>;
  using aware = tbb::enumerable_thread_specific<int, tbb::cache_aligned_allocator<int>, tbb::ets_suspend_aware>;
  static_assert(
      same<storage_type, tbb::enumerable_thread_specific<int, tbb::cache_aligned_allocator<int>, tbb::ets_no_key>>);
  storage_type e, by_exemplar(3), by_function([] { return 3; });
  tbb::enumerable_thread_specific<std::pair<int, int>> by_arguments(1, 2);
  keyed f(e);
  f = e;
  f = std::move(e);
  aware g(std::move(f));
  storage(e, e);
  storage(f, f);
  storage(g, g);
  tbb::combinable<int> c, d([] { return 3; }), copy(c), moved(std::move(copy));
  bool exists;
  c.local() = c.local(exists);
  returns<int>(c.combine([](int a, int b) { return a + b; }));
  c.combine_each([](int a) { (void)a; });
  c.clear();
  c = d;
  c = std::move(moved);

  using lists = tbb::enumerable_thread_specific<std::vector<int>>;
  lists l;
  using flat = tbb::flattened2d<lists>;
  static_assert(same<flat::value_type, int> && same<flat::reference, int&> && same<flat::const_reference, int const&> &&
                same<flat::pointer, int*> && same<flat::const_pointer, int const*> &&
                same<flat::allocator_type, std::allocator<int>> && std::is_unsigned_v<flat::size_type> &&
                std::is_signed_v<flat::difference_type>);
  flat all(l), part(l, std::as_const(l).begin(), std::as_const(l).end());
  returns<flat>(tbb::flatten2d(l));
  returns<flat>(tbb::flatten2d(l, std::as_const(l).begin(), std::as_const(l).end()));
  returns<flat::iterator>(all.begin());
  returns<flat::iterator>(all.end());
  returns<flat::const_iterator>(std::as_const(all).begin());
  returns<flat::const_iterator>(std::as_const(all).end());
  returns<flat::size_type>(all.size());
  flat::const_iterator const from_mutable = all.begin();
  (void)(from_mutable == all.end());
}

}  // namespace

void use_sequences() {
  vector();
  lru_cache();
  thread_local_storage();
}
