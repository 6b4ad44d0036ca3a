// SPDX-License-Identifier: Apache-2.0
// The names, types and overloads of the maps and sets, as user code may write them in both dialects. Compiled only.
#define TBB_PREVIEW_CONCURRENT_ORDERED_CONTAINERS 1
#define TBB_PREVIEW_CONCURRENT_HASH_MAP_EXTENSIONS 1
#include <tbb/blocked_range.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/spin_rw_mutex.h>

#include <memory>
#include <string>
#include <string_view>
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

using pairs = std::vector<std::pair<int, int>>;

template <typename C>
void member_types() {
  using traits = std::allocator_traits<typename C::allocator_type>;
  static_assert(std::is_unsigned_v<typename C::size_type> && std::is_signed_v<typename C::difference_type>);
  static_assert(same<typename C::reference, typename C::value_type&>);
  static_assert(same<typename C::const_reference, typename C::value_type const&>);
  static_assert(same<typename C::pointer, typename traits::pointer>);
  static_assert(same<typename C::const_pointer, typename traits::const_pointer>);
  static_assert(same<typename std::iterator_traits<typename C::iterator>::value_type, typename C::value_type>);
  static_assert(std::is_base_of_v<std::forward_iterator_tag,
                                  typename std::iterator_traits<typename C::const_iterator>::iterator_category>);
  static_assert(std::is_convertible_v<typename C::iterator, typename C::const_iterator>);
  static_assert(std::is_copy_constructible_v<C> && std::is_move_constructible_v<C> && std::is_copy_assignable_v<C>);
}

// What all containers of this file have.
template <typename C>
void common(C& c, C const& k, typename C::value_type const& v) {
  member_types<C>();
  using tbb::swap;
  C copy(k), with_allocator(k, k.get_allocator()), moved(std::move(copy));
  C moved_with_allocator(std::move(moved), k.get_allocator());
  C listed{v, v};
  C of_allocator(k.get_allocator());
  C of_range(k.begin(), k.end());
  c = k;
  c = std::move(of_range);
  c = {v, v};
  c.insert({v, v});
  c.insert(k.begin(), k.end());
  c.swap(listed);
  swap(c, listed);
  c.clear();
  returns<typename C::iterator>(c.begin());
  returns<typename C::iterator>(c.end());
  returns<typename C::const_iterator>(k.begin());
  returns<typename C::const_iterator>(k.end());
  returns<typename C::const_iterator>(c.cbegin());
  returns<typename C::const_iterator>(c.cend());
  returns<typename C::size_type>(k.size());
  returns<typename C::size_type>(k.max_size());
  returns<bool>(k.empty());
  returns<typename C::allocator_type>(k.get_allocator());
  returns<typename C::range_type>(c.range());
  returns<typename C::const_range_type>(k.range());
  typename C::const_range_type r(k.range()), second(r, tbb::split());
  typename C::const_range_type converted(c.range());
  (void)(r.empty() || r.is_divisible() || r.begin() == r.end());
  (void)(c == k || c != k || converted.empty());
}

void hash_map() {
  using map = tbb::concurrent_hash_map<int, int>;
  map c;
  common(c, map(), {1, 2});
  static_assert(same<map::key_type, int> && same<map::mapped_type, int> &&
                same<map::hash_compare_type, tbb::tbb_hash_compare<int>>);
  static_assert(same<map::value_type, std::pair<int const, int>> && same<map::mutex_type, tbb::spin_rw_mutex>);
  tbb::tbb_hash_compare<int> const h;
  map::allocator_type const a;
  pairs const p;
  map m1(h), m2(h, a), m3(8, a), m4(8), m5(8, h, a), m6(p.begin(), p.end(), a), m7(p.begin(), p.end(), h, a),
      m8({{1, 2}}, a), m9({{1, 2}}, h, a);
  {
    map::accessor w;
    map::const_accessor r;
    static_assert(same<map::accessor::value_type, map::value_type>);
    static_assert(same<map::const_accessor::value_type, map::value_type const>);
    map::value_type const v(1, 2);
    returns<bool>(c.insert(w, 1) || c.insert(r, 1) || c.insert(w, v) || c.insert(r, v));
    returns<bool>(c.insert(w, {1, 2}) || c.insert(r, {1, 2}) || c.insert(v) || c.insert(map::value_type(1, 2)));
    returns<bool>(c.emplace(w, 1, 2) || c.emplace(r, 1, 2) || c.emplace(1, 2));
    returns<bool>(c.find(w, 1) || c.find(r, 1) || std::as_const(c).find(r, 1));
    w->second = (*w).second + r->second + (*r).second;
    map::const_accessor& base = w;
    returns<bool>(w.empty() || base.empty());
    w.release();
    returns<bool>(c.erase(w) || c.erase(r) || c.erase(1));
  }
  c.rehash();
  c.rehash(5);
  returns<map::size_type>(c.count(1) + c.bucket_count());
  returns<std::pair<map::iterator, map::iterator>>(c.equal_range(1));
  returns<std::pair<map::const_iterator, map::const_iterator>>(std::as_const(c).equal_range(1));
  returns<map::range_type>(c.range(4));
  (void)std::as_const(c).range(4).grainsize();
  returns<std::size_t>(tbb::tbb_hasher(1) + tbb::tbb_hasher(std::string()) + tbb::tbb_hash<int>()(1) +
                       tbb::tbb_hasher(static_cast<void*>(nullptr)));
  tbb::concurrent_hash_map g1(p.begin(), p.end());
  tbb::concurrent_hash_map g2(p.begin(), p.end(), h);
  static_assert(same<decltype(g1), map> && same<decltype(g2), map>);

  struct text_compare {
    using is_transparent = void;
    static std::size_t hash(std::string_view s) { return s.size(); }
    static bool equal(std::string_view x, std::string_view y) { return x == y; }
  };
  tbb::concurrent_hash_map<std::string, std::pair<std::string, int>, text_compare> texts;
  decltype(texts)::accessor t;
  std::string_view const key("key");
  (void)(texts.insert(t, key) || texts.find(t, key) || texts.count(key) || texts.erase(key));
  (void)texts.insert(t, std::pair<std::string, std::pair<std::string, int>>());  // a value, not a key
  (void)texts.equal_range(key);
}

// Members of the unordered and the ordered containers alike; v, w: an element and its key.
template <typename C>
void associative(C& c, C const& k, typename C::value_type v, typename C::key_type const& w) {
  common(c, k, v);
  using iterator = typename C::iterator;
  using handle = typename C::node_type;
  returns<std::pair<iterator, bool>>(c.insert(v));
  returns<std::pair<iterator, bool>>(c.insert(std::move(v)));
  returns<std::pair<iterator, bool>>(c.emplace(v));
  returns<iterator>(c.insert(k.begin(), v));
  returns<iterator>(c.insert(k.begin(), std::move(v)));
  returns<iterator>(c.emplace_hint(k.begin(), v));
  returns<handle>(c.unsafe_extract(w));
  handle n = c.unsafe_extract(c.begin());
  n = c.unsafe_extract(k.begin());
  (void)(n.empty() || !n);
  (void)n.get_allocator();
  handle other;
  n.swap(other);
  swap(n, other);
  (void)c.insert(std::move(n));
  returns<iterator>(c.insert(k.begin(), std::move(other)));
  returns<iterator>(c.unsafe_erase(c.begin()));
  returns<iterator>(c.unsafe_erase(k.begin()));
  returns<iterator>(c.unsafe_erase(k.begin(), k.end()));
  returns<typename C::size_type>(c.unsafe_erase(w));
  C from;
  c.merge(from);
  c.merge(C());
  returns<iterator>(c.find(w));
  returns<typename C::const_iterator>(k.find(w));
  returns<bool>(k.contains(w));
  returns<typename C::size_type>(k.count(w));
  returns<std::pair<iterator, iterator>>(c.equal_range(w));
  returns<std::pair<typename C::const_iterator, typename C::const_iterator>>(k.equal_range(w));
}

// Text is a key type that is looked up by string_view.
template <typename C>
void transparent(C& c, C const& k) {
  std::string_view const s("key");
  (void)c.find(s);
  (void)k.find(s);
  (void)(k.contains(s) || k.count(s));
  (void)c.equal_range(s);
  (void)k.equal_range(s);
  (void)c.unsafe_erase(s);
  returns<typename C::node_type>(c.unsafe_extract(s));
}

template <typename C>
void unordered(C& c, C const& k, typename C::value_type const& v, typename C::key_type const& w) {
  associative(c, k, v, w);
  typename C::hasher const h = k.hash_function();
  typename C::key_equal const e = k.key_eq();
  auto const a = k.get_allocator();
  C c1(8), c2(8, h), c3(8, h, e), c4(8, h, e, a), c5(8, a), c6(8, h, a);
  C r1(k.begin(), k.end(), 8), r2(k.begin(), k.end(), 8, h, e, a), r3(k.begin(), k.end(), 8, a),
      r4(k.begin(), k.end(), 8, h, a);
  C l1({v, v}, 8), l2({v, v}, 8, h, e, a), l3({v, v}, 8, a), l4({v, v}, 8, h, a);
  returns<typename C::local_iterator>(c.unsafe_begin(0));
  returns<typename C::local_iterator>(c.unsafe_end(0));
  returns<typename C::const_local_iterator>(k.unsafe_begin(0));
  returns<typename C::const_local_iterator>(k.unsafe_end(0));
  returns<typename C::const_local_iterator>(k.unsafe_cbegin(0));
  returns<typename C::const_local_iterator>(k.unsafe_cend(0));
  returns<typename C::size_type>(k.unsafe_bucket_count() + k.unsafe_max_bucket_count() + k.unsafe_bucket_size(0) +
                                 k.unsafe_bucket(w));
  returns<float>(k.load_factor() + k.max_load_factor());
  c.max_load_factor(2.0f);
  c.rehash(9);
  c.reserve(9);
}

template <typename C>
void ordered(C& c, C const& k, typename C::value_type const& v, typename C::key_type const& w) {
  associative(c, k, v, w);
  typename C::key_compare const compare = k.key_comp();
  typename C::value_compare const values = k.value_comp();
  returns<bool>(values(v, v) || compare(w, w));
  auto const a = k.get_allocator();
  C c1(compare), c2(compare, a), r1(k.begin(), k.end(), compare), r2(k.begin(), k.end(), compare, a),
      r3(k.begin(), k.end(), a), l1({v, v}, compare), l2({v, v}, compare, a), l3({v, v}, a);
  returns<typename C::iterator>(c.lower_bound(w));
  returns<typename C::iterator>(c.upper_bound(w));
  returns<typename C::const_iterator>(k.lower_bound(w));
  returns<typename C::const_iterator>(k.upper_bound(w));
  (void)(c < k || c > k || c <= k || c >= k);
}

template <typename Map>
void mapped(Map& m, Map const& k) {
  static_assert(same<typename Map::mapped_type, int>);
  int key = 1;
  int& by_copy = m[key];
  int& by_move = m[std::move(key)];
  int& checked = m.at(1);
  int const& constant = k.at(1);
  (void)(by_copy + by_move + checked + constant);
}
template <typename Map, typename Multimap>
void related_maps(Map& m, Multimap& n) {
  static_assert(same<typename Map::node_type, typename Multimap::node_type>);
  m.merge(n);
  m.merge(Multimap());
  n.merge(m);
  n.merge(Map());
  auto h = m.unsafe_extract(1);
  int& key = h.key();
  int& value = h.mapped();
  (void)(key + value);
  returns<std::pair<typename Multimap::iterator, bool>>(n.insert(std::move(h)));
  auto const r = m.insert(n.unsafe_extract(1));
  static_assert(same<std::remove_const_t<decltype(r)>, std::pair<typename Map::iterator, bool>>);
  static_assert(same<typename decltype(h)::key_type, int> && same<typename decltype(h)::mapped_type, int>);
}
template <typename Set, typename Multiset>
void related_sets(Set& s, Multiset& n) {
  static_assert(same<typename Set::node_type, typename Multiset::node_type>);
  s.merge(n);
  n.merge(s);
  auto h = s.unsafe_extract(1);
  int& value = h.value();
  (void)value;
  n.insert(std::move(h));
  static_assert(same<typename decltype(h)::value_type, int>);
}

struct std_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view s) const { return s.size(); }
};
struct tbb_hash : std_hash {
  using transparent_key_equal = std::equal_to<>;
};

void unordered_containers() {
  using map = tbb::concurrent_unordered_map<int, int>;
  using multimap = tbb::concurrent_unordered_multimap<int, int>;
  using set = tbb::concurrent_unordered_set<int>;
  using multiset = tbb::concurrent_unordered_multiset<int>;
  map m;
  multimap n;
  set s;
  multiset t;
  unordered(m, map(), {1, 2}, 1);
  unordered(n, multimap(), {1, 2}, 1);
  unordered(s, set(), 1, 1);
  unordered(t, multiset(), 1, 1);
  mapped(m, map());
  related_maps(m, n);
  related_sets(s, t);
  (void)m.insert(std::pair<short, short>(1, 2));
  (void)m.insert(m.cbegin(), std::pair<short, short>(1, 2));
  tbb::concurrent_unordered_map<std::string, int, std_hash, std::equal_to<>> a;
  tbb::concurrent_unordered_multimap<std::string, int, tbb_hash> b;
  tbb::concurrent_unordered_set<std::string, tbb_hash> c;
  tbb::concurrent_unordered_multiset<std::string, tbb_hash, std::equal_to<>> d;
  transparent(a, decltype(a)());
  transparent(b, decltype(b)());
  transparent(c, decltype(c)());
  transparent(d, decltype(d)());
  static_assert(same<decltype(c)::key_equal, std::equal_to<>> && same<set::key_equal, std::equal_to<int>>);
  pairs const p;
  std::vector<int> const v;
  tbb::concurrent_unordered_map g1(p.begin(), p.end());
  tbb::concurrent_unordered_multimap g2(p.begin(), p.end());
  tbb::concurrent_unordered_set g3(v.begin(), v.end());
  tbb::concurrent_unordered_multiset g4(v.begin(), v.end());
  static_assert(same<decltype(g1), map> && same<decltype(g2), multimap> && same<decltype(g3), set> &&
                same<decltype(g4), multiset>);
}

void ordered_containers() {
  using map = tbb::concurrent_map<int, int>;
  using multimap = tbb::concurrent_multimap<int, int>;
  using set = tbb::concurrent_set<int>;
  using multiset = tbb::concurrent_multiset<int>;
  map m;
  multimap n;
  set s;
  multiset t;
  ordered(m, map(), {1, 2}, 1);
  ordered(n, multimap(), {1, 2}, 1);
  ordered(s, set(), 1, 1);
  ordered(t, multiset(), 1, 1);
  mapped(m, map());
  related_maps(m, n);
  related_sets(s, t);
  tbb::concurrent_map<std::string, int, std::less<>> a;
  tbb::concurrent_multiset<std::string, std::less<>> b;
  transparent(a, decltype(a)());
  transparent(b, decltype(b)());
  (void)a.lower_bound(std::string_view("a"));
  (void)std::as_const(a).upper_bound(std::string_view("a"));
  pairs const p;
  std::vector<int> const v;
  tbb::concurrent_map g1(p.begin(), p.end());
  tbb::concurrent_multimap g2(p.begin(), p.end());
  tbb::concurrent_set g3(v.begin(), v.end());
  tbb::concurrent_multiset g4(v.begin(), v.end());
  static_assert(same<decltype(g1), map> && same<decltype(g2), multimap> && same<decltype(g3), set> &&
                same<decltype(g4), multiset>);
}

}  // namespace

void use_maps() {
  hash_map();
  unordered_containers();
  ordered_containers();
}
