// SPDX-License-Identifier: Apache-2.0
// What the four unordered containers have in common (documented in include/tbb/concurrent_unordered_map.h). Contents is
// map_value or set_value (node_handle.h), Engine one of unordered_engines.h. A bucket is a group of the hash table.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/base/throw.h>
#include <ashlar/containers/clear_access.h>
#include <ashlar/containers/emptied_source.h>
#include <ashlar/containers/give_function.h>
#include <ashlar/containers/hash_compare.h>
#include <ashlar/containers/node_handle.h>
#include <ashlar/containers/table_range.h>
#include <ashlar/containers/unordered_engines.h>

#include <initializer_list>
#include <memory>
#include <tuple>

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename Contents, typename Hash, typename KeyEqual, typename Allocator,
          template <typename, typename> class Engine>
class unordered_base {
 protected:
  using engine = Engine<typename Contents::value_type, Allocator>;
  using memory_traits = std::allocator_traits<Allocator>;
  using equality = key_equality<Hash, KeyEqual>;
  using handle_owner = lone_element<typename Contents::value_type, Allocator>;
  static_assert(std::is_same_v<typename equality::type, KeyEqual> ||
                    std::is_same_v<KeyEqual, std::equal_to<typename Contents::key_type>>,
                "the equality of keys is given twice");
  template <typename K, typename Key>
  using enable_if_transparent = std::enable_if_t<equality::transparent && !std::is_same_v<K, Key>>;

 public:
  using key_type = typename Contents::key_type;
  using value_type = typename Contents::value_type;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using hasher = Hash;
  using key_equal = typename equality::type;
  using allocator_type = Allocator;
  using reference = value_type&;
  using const_reference = value_type const&;
  using pointer = typename memory_traits::pointer;
  using const_pointer = typename memory_traits::const_pointer;
  static constexpr bool is_map = !std::is_same_v<key_type, value_type>;
  using const_iterator = table_iterator<value_type const, engine>;
  using iterator = table_iterator<value_type, engine>;
  using range_type = table_range<iterator, engine>;
  using const_range_type = table_range<const_iterator, engine>;
  using node_type = typename Contents::template handle<handle_owner, Allocator>;
  using insert_result = std::pair<iterator, bool>;

  static_assert(std::is_same_v<typename memory_traits::value_type, value_type>,
                "the allocator's value_type must be the container's");

  /// The elements of one bucket. Converts to an iterator, which goes on through the whole container.
  template <typename Value>
  class bucket_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using pointer = Value*;
    using reference = Value&;
    bucket_iterator() noexcept = default;
    bucket_iterator(engine const* e, std::uint32_t group, typename engine::position at) noexcept
        : engine_(e), group_(group), at_(at) {}
    operator bucket_iterator<Value const>() const noexcept { return {engine_, group_, at_}; }
    template <typename V, typename = std::enable_if_t<std::is_convertible_v<Value*, V*>>>
    operator table_iterator<V, engine>() const noexcept {
      return table_iterator<V, engine>(at_);
    }
    reference operator*() const noexcept { return engine::value(at_); }
    pointer operator->() const noexcept { return std::addressof(engine::value(at_)); }
    bucket_iterator& operator++() noexcept {
      at_ = engine_->next_in(group_, at_);
      return *this;
    }
    bucket_iterator operator++(int) noexcept {
      bucket_iterator const old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(bucket_iterator a, bucket_iterator b) noexcept { return a.at_ == b.at_; }
    friend bool operator!=(bucket_iterator a, bucket_iterator b) noexcept { return a.at_ != b.at_; }

   private:
    engine const* engine_ = nullptr;
    std::uint32_t group_ = 0;
    typename engine::position at_ = nullptr;
  };
  using const_local_iterator = bucket_iterator<value_type const>;
  using local_iterator = bucket_iterator<value_type>;

  unordered_base() : engine_(Allocator()) {}
  explicit unordered_base(size_type buckets, Hash const& h = Hash(), key_equal const& equal = key_equal(),
                          Allocator const& memory = Allocator())
      : hash_(h), equal_(equal), engine_(memory) {
    if (buckets) engine_.index().reserve_groups(buckets);
  }
  unordered_base(size_type buckets, Allocator const& memory) : unordered_base(buckets, Hash(), key_equal(), memory) {}
  unordered_base(size_type buckets, Hash const& h, Allocator const& memory)
      : unordered_base(buckets, h, key_equal(), memory) {}
  explicit unordered_base(Allocator const& memory) : engine_(memory) {}
  template <typename Iterator>
  unordered_base(Iterator first, Iterator last, size_type buckets = 0, Hash const& h = Hash(),
                 key_equal const& equal = key_equal(), Allocator const& memory = Allocator())
      : unordered_base(buckets, h, equal, memory) {
    insert(first, last);
  }
  template <typename Iterator>
  unordered_base(Iterator first, Iterator last, size_type buckets, Allocator const& memory)
      : unordered_base(first, last, buckets, Hash(), key_equal(), memory) {}
  template <typename Iterator>
  unordered_base(Iterator first, Iterator last, size_type buckets, Hash const& h, Allocator const& memory)
      : unordered_base(first, last, buckets, h, key_equal(), memory) {}
  unordered_base(std::initializer_list<value_type> list, size_type buckets = 0, Hash const& h = Hash(),
                 key_equal const& equal = key_equal(), Allocator const& memory = Allocator())
      : unordered_base(list.begin(), list.end(), buckets, h, equal, memory) {}
  unordered_base(std::initializer_list<value_type> list, Allocator const& memory) : unordered_base(list, 0, memory) {}
  unordered_base(std::initializer_list<value_type> list, size_type buckets, Allocator const& memory)
      : unordered_base(list, buckets, Hash(), key_equal(), memory) {}
  unordered_base(std::initializer_list<value_type> list, size_type buckets, Hash const& h, Allocator const& memory)
      : unordered_base(list, buckets, h, key_equal(), memory) {}
  unordered_base(unordered_base const& other)
      : unordered_base(other, memory_traits::select_on_container_copy_construction(other.get_allocator())) {}
  unordered_base(unordered_base const& other, Allocator const& memory)
      : hash_(other.hash_), equal_(other.equal_), engine_(memory) {
    copy_elements(other);
  }
  unordered_base(unordered_base&& other) : hash_(other.hash_), equal_(other.equal_), engine_(other.get_allocator()) {
    engine_.swap_contents(other.engine_);
  }
  unordered_base(unordered_base&& other, Allocator const& memory)
      : hash_(other.hash_), equal_(other.equal_), engine_(memory) {
    move_elements(other);
  }
  unordered_base& operator=(unordered_base const& other) {
    if (this == &other) return *this;
    clear();
    if constexpr (memory_traits::propagate_on_container_copy_assignment::value) engine_.copy_memory(other.engine_);
    hash_ = other.hash_;
    equal_ = other.equal_;
    copy_elements(other);
    return *this;
  }
  unordered_base& operator=(unordered_base&& other) noexcept(
      std::is_nothrow_move_assignable_v<Hash> && std::is_nothrow_move_assignable_v<key_equal> &&
      (memory_traits::propagate_on_container_move_assignment::value || memory_traits::is_always_equal::value)) {
    if (this == &other) return *this;
    clear();
    give_function(hash_, other.hash_);
    give_function(equal_, other.equal_);
    if constexpr (memory_traits::propagate_on_container_move_assignment::value) {
      engine_.move_memory(other.engine_);
      engine_.swap_contents(other.engine_);
    } else {
      move_elements(other);
    }
    return *this;
  }
  unordered_base& operator=(std::initializer_list<value_type> list) {
    clear();
    insert(list.begin(), list.end());
    return *this;
  }

  // ---- by any thread
  iterator begin() noexcept { return iterator(engine_.first()); }
  iterator end() noexcept { return iterator(); }
  const_iterator begin() const noexcept { return const_iterator(engine_.first()); }
  const_iterator end() const noexcept { return const_iterator(); }
  const_iterator cbegin() const noexcept { return begin(); }
  const_iterator cend() const noexcept { return end(); }
  range_type range() { return {whole(), 1}; }
  const_range_type range() const { return {whole(), 1}; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  size_type size() const noexcept { return engine_.size(); }
  size_type max_size() const noexcept { return memory_traits::max_size(engine_.memory()); }
  allocator_type get_allocator() const noexcept { return engine_.memory(); }
  hasher hash_function() const { return hash_; }
  key_equal key_eq() const { return equal_; }

  insert_result insert(value_type const& v) { return insert_value(v); }
  insert_result insert(value_type&& v) { return insert_value(std::move(v)); }
  template <typename V, typename = std::enable_if_t<is_map && std::is_constructible_v<value_type, V&&>>>
  insert_result insert(V&& v) {
    return emplace(std::forward<V>(v));
  }
  iterator insert(const_iterator, value_type const& v) { return insert_value(v).first; }
  iterator insert(const_iterator, value_type&& v) { return insert_value(std::move(v)).first; }
  template <typename V, typename = std::enable_if_t<is_map && std::is_constructible_v<value_type, V&&>>>
  iterator insert(const_iterator, V&& v) {
    return emplace(std::forward<V>(v)).first;
  }
  template <typename Iterator, typename = typename std::iterator_traits<Iterator>::iterator_category>
  void insert(Iterator first, Iterator last) {
    for (; first != last; ++first) insert(*first);
  }
  void insert(std::initializer_list<value_type> list) { insert(list.begin(), list.end()); }
  template <typename... Args>
  insert_result emplace(Args&&... args) {
    struct owner {
      engine& from;
      typename engine::position made;
      ~owner() {
        if (made) from.discard(made);
      }
    } own{engine_, create(std::forward<Args>(args)...)};
    key_type const& key = Contents::key(engine::value(own.made));
    auto const f = engine_.insert(hash_of(key), equal_to(key), [&] { return std::exchange(own.made, nullptr); });
    return {iterator(f.at), f.inserted};
  }
  template <typename... Args>
  iterator emplace_hint(const_iterator, Args&&... args) {
    return emplace(std::forward<Args>(args)...).first;
  }
  /// The handle's element is moved into the container.
  insert_result insert(node_type&& handle) {
    if (!handle) return {end(), false};
    insert_result const r = emplace_moved(*handle.get());
    if (r.second) node_type gone(std::move(handle));
    return r;
  }
  iterator insert(const_iterator, node_type&& handle) { return insert(std::move(handle)).first; }

  iterator find(key_type const& key) { return iterator(lookup(key)); }
  const_iterator find(key_type const& key) const { return const_iterator(lookup(key)); }
  bool contains(key_type const& key) const { return lookup(key) != nullptr; }
  size_type count(key_type const& key) const { return count_equal(key); }
  std::pair<iterator, iterator> equal_range(key_type const& key) { return range_of<iterator>(key); }
  std::pair<const_iterator, const_iterator> equal_range(key_type const& key) const {
    return range_of<const_iterator>(key);
  }
  template <typename K, typename = enable_if_transparent<K, key_type>>
  iterator find(K const& key) {
    return iterator(lookup(key));
  }
  template <typename K, typename = enable_if_transparent<K, key_type>>
  const_iterator find(K const& key) const {
    return const_iterator(lookup(key));
  }
  template <typename K, typename = enable_if_transparent<K, key_type>>
  bool contains(K const& key) const {
    return lookup(key) != nullptr;
  }
  template <typename K, typename = enable_if_transparent<K, key_type>>
  size_type count(K const& key) const {
    return count_equal(key);
  }
  template <typename K, typename = enable_if_transparent<K, key_type>>
  std::pair<iterator, iterator> equal_range(K const& key) {
    return range_of<iterator>(key);
  }
  template <typename K, typename = enable_if_transparent<K, key_type>>
  std::pair<const_iterator, const_iterator> equal_range(K const& key) const {
    return range_of<const_iterator>(key);
  }

  // ---- not concurrently with other operations
  void clear() noexcept { engine_.clear(); }
  iterator unsafe_erase(const_iterator at) {
    const_iterator const following = std::next(at);
    engine_.remove(at.get());
    return iterator(following.get());
  }
  iterator unsafe_erase(iterator at) { return unsafe_erase(const_iterator(at)); }
  iterator unsafe_erase(const_iterator first, const_iterator last) {
    while (first != last) first = unsafe_erase(first);
    return iterator(first.get());
  }
  size_type unsafe_erase(key_type const& key) { return erase_equal(key); }
  template <
      typename K, typename = enable_if_transparent<K, key_type>,
      typename = std::enable_if_t<!std::is_convertible_v<K, const_iterator> && !std::is_convertible_v<K, iterator>>>
  size_type unsafe_erase(K const& key) {
    return erase_equal(key);
  }
  /// The element is moved out of the container.
  node_type unsafe_extract(const_iterator at) {
    Allocator memory = get_allocator();
    auto* const n = memory_traits::allocate(memory, 1);
    ASHLAR_TRY { construct_from(memory, n, Contents::moved(const_cast<value_type&>(*at))); }
    ASHLAR_CATCH_ALL {
      memory_traits::deallocate(memory, n, 1);
      ASHLAR_RETHROW;
    }
    engine_.remove(at.get());
    return node_type(n, memory);
  }
  node_type unsafe_extract(iterator at) { return unsafe_extract(const_iterator(at)); }
  node_type unsafe_extract(key_type const& key) {
    auto const at = find(key);
    return at == end() ? node_type() : unsafe_extract(const_iterator(at));
  }
  template <
      typename K, typename = enable_if_transparent<K, key_type>,
      typename = std::enable_if_t<!std::is_convertible_v<K, const_iterator> && !std::is_convertible_v<K, iterator>>>
  node_type unsafe_extract(K const& key) {
    auto const at = find(key);
    return at == end() ? node_type() : unsafe_extract(const_iterator(at));
  }
  /// Moves the elements that this container does not have yet.
  template <typename OtherHash, typename OtherEqual, template <typename, typename> class OtherEngine>
  void merge(unordered_base<Contents, OtherHash, OtherEqual, Allocator, OtherEngine>& source) {
    for (auto i = source.cbegin(); i != source.cend();) {
      if (!engine::multi && contains(Contents::key(*i))) {
        ++i;
      } else {
        emplace_moved(const_cast<value_type&>(*i));
        i = source.unsafe_erase(i);
      }
    }
  }
  template <typename OtherHash, typename OtherEqual, template <typename, typename> class OtherEngine>
  void merge(unordered_base<Contents, OtherHash, OtherEqual, Allocator, OtherEngine>&& source) {
    merge(source);
  }
  void swap(unordered_base& other) noexcept(std::is_nothrow_swappable_v<Hash> &&
                                            std::is_nothrow_swappable_v<key_equal>) {
    using std::swap;
    swap(hash_, other.hash_);
    swap(equal_, other.equal_);
    if constexpr (memory_traits::propagate_on_container_swap::value) engine_.swap_memory(other.engine_);
    engine_.swap_contents(other.engine_);
  }

  size_type unsafe_bucket_count() const { return engine_.index().groups(); }
  size_type unsafe_max_bucket_count() const { return size_type{1} << 31; }
  size_type unsafe_bucket_size(size_type n) const {
    size_type count = 0;
    for (auto i = unsafe_begin(n); i != unsafe_end(n); ++i) ++count;
    return count;
  }
  size_type unsafe_bucket(key_type const& key) const { return engine_.index().group_of(hash_of(key)); }
  local_iterator unsafe_begin(size_type n) { return bucket<local_iterator>(n); }
  const_local_iterator unsafe_begin(size_type n) const { return bucket<const_local_iterator>(n); }
  const_local_iterator unsafe_cbegin(size_type n) const { return unsafe_begin(n); }
  local_iterator unsafe_end(size_type) { return local_iterator(); }
  const_local_iterator unsafe_end(size_type) const { return const_local_iterator(); }
  const_local_iterator unsafe_cend(size_type) const { return const_local_iterator(); }
  float load_factor() const { return static_cast<float>(size()) / static_cast<float>(unsafe_bucket_count()); }
  float max_load_factor() const { return engine_.index().load(); }
  /// Throws std::out_of_range unless the factor is a number above 0.
  void max_load_factor(float factor) {
    if (!(factor > 0)) throw_exception(exception_id::invalid_load_factor);
    engine_.index().set_load(factor);
  }
  /// Both are hints: the table grows as far as memory allows, and not for numbers that no memory holds.
  void rehash(size_type buckets) { engine_.index().reserve_groups(buckets); }
  void reserve(size_type elements) {
    float const buckets = static_cast<float>(elements) / max_load_factor();
    if (buckets < 1e18f) rehash(static_cast<size_type>(buckets) + 1);
  }

 protected:
  template <typename... Args>
  typename engine::position create(Args&&... args) {
    return engine_.create([&](void* place) {
      memory_traits::construct(engine_.memory(), static_cast<value_type*>(place), std::forward<Args>(args)...);
    });
  }
  template <typename K>
  std::uint32_t hash_of(K const& key) const {
    return mixed_hash(hash_(key));
  }
  template <typename K>
  auto equal_to(K const& key) const {
    return [this, &key](value_type const& v) { return static_cast<bool>(equal_(Contents::key(v), key)); };
  }
  template <typename K>
  typename engine::position lookup(K const& key) const {
    return engine_.find(hash_of(key), equal_to(key));
  }
  // The element with this key, made of `args` if there is none.
  template <typename K, typename... Args>
  insert_result get_or_insert(K const& key, Args&&... args) {
    auto const f = engine_.insert(hash_of(key), equal_to(key), [&] { return create(std::forward<Args>(args)...); });
    return {iterator(f.at), f.inserted};
  }

 private:
  friend clear_access;
  template <typename Run>
  void clear_parts(Run const& run) {
    if constexpr (engine::destroys) {
      run(range_type(whole(), 256), [this](range_type const& r) { engine_.destroy(r.begin().get(), r.end().get()); });
    }
    engine_.forget();
  }
  template <typename V>
  insert_result insert_value(V&& v) {
    return get_or_insert(Contents::key(v), std::forward<V>(v));
  }
  template <typename V>
  static void construct_from(Allocator& memory, value_type* n, V&& moved) {
    memory_traits::construct(memory, n, std::forward<V>(moved));
  }
  insert_result emplace_moved(value_type& v) { return get_or_insert(Contents::key(v), Contents::moved(v)); }
  template <typename K>
  size_type count_equal(K const& key) const {
    auto const p = lookup(key);
    return p ? engine::run_length(p) : 0;
  }
  template <typename Iterator, typename K>
  std::pair<Iterator, Iterator> range_of(K const& key) const {
    auto const p = lookup(key);
    if (!p) return {Iterator(), Iterator()};
    return {Iterator(p), Iterator(engine::run_end(p))};
  }
  template <typename K>
  size_type erase_equal(K const& key) {
    auto const p = lookup(key);
    return p ? engine_.remove_run(p) : 0;
  }
  template <typename Local>
  Local bucket(size_type n) const {
    const_cast<engine&>(engine_).index().make_all_ready();
    auto const group = static_cast<std::uint32_t>(n);
    return Local(&engine_, group, engine_.first_in(group));
  }
  typename engine::span whole() const noexcept { return engine_.index().whole(); }
  void copy_elements(unordered_base const& other) {
    engine_.index().set_load(other.max_load_factor());
    if (!other.empty()) reserve(other.size());
    for (auto const& v : other) insert(v);
  }
  void move_elements(unordered_base& other) {
    if (engine_.memory() == other.engine_.memory()) {
      engine_.swap_contents(other.engine_);
      return;
    }
    engine_.index().set_load(other.max_load_factor());
    emptied_source const emptied(other);
    for (auto i = other.begin(); i != other.end(); ++i) emplace_moved(const_cast<value_type&>(*i));
  }

  Hash hash_;
  key_equal equal_;
  engine engine_;
};

/// Equal as the standard's unordered containers are: the same elements, whatever their order.
template <typename Contents, typename Hash, typename KeyEqual, typename Allocator,
          template <typename, typename> class Engine>
bool operator==(unordered_base<Contents, Hash, KeyEqual, Allocator, Engine> const& a,
                unordered_base<Contents, Hash, KeyEqual, Allocator, Engine> const& b) {
  if (a.size() != b.size()) return false;
  for (auto i = a.begin(); i != a.end();) {
    auto const mine = a.equal_range(Contents::key(*i));
    auto const other = b.equal_range(Contents::key(*i));
    if (std::distance(mine.first, mine.second) != std::distance(other.first, other.second)) return false;
    for (auto m = mine.first; m != mine.second; ++m) {
      std::ptrdiff_t balance = 0;
      for (auto k = mine.first; k != mine.second; ++k) balance += *k == *m;
      for (auto k = other.first; k != other.second; ++k) balance -= *k == *m;
      if (balance != 0) return false;
    }
    i = mine.second;
  }
  return true;
}
template <typename Contents, typename Hash, typename KeyEqual, typename Allocator,
          template <typename, typename> class Engine>
bool operator!=(unordered_base<Contents, Hash, KeyEqual, Allocator, Engine> const& a,
                unordered_base<Contents, Hash, KeyEqual, Allocator, Engine> const& b) {
  return !(a == b);
}

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
