// SPDX-License-Identifier: Apache-2.0
// concurrent_hash_map (documented in include/tbb/concurrent_hash_map.h) over containers/hash_table.h.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/containers/clear_access.h>
#include <ashlar/containers/emptied_source.h>
#include <ashlar/containers/give_function.h>
#include <ashlar/containers/hash_compare.h>
#include <ashlar/containers/hash_table.h>
#include <ashlar/containers/table_range.h>

#include <initializer_list>
#include <memory>
#include <tuple>

#if TBB_USE_ASSERT
namespace ashlar {
inline namespace v1 {
namespace containers {

// A program with assertions hears of a second accessor that would wait for the first one of its own thread.
inline bool const own_accessors_are_recorded = (sync::record_elements(true), true);

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
#endif

namespace tbb {

class spin_rw_mutex;
ASHLAR_HOME(5)

#if defined(TBB_PREVIEW_CONCURRENT_HASH_MAP_EXTENSIONS) && TBB_PREVIEW_CONCURRENT_HASH_MAP_EXTENSIONS
/// The mutex type is accepted and not used: an element's lock is a part of the table's protocol.
template <typename Key, typename T, typename HashCompare = tbb_hash_compare<Key>,
          typename Allocator = tbb_allocator<std::pair<Key const, T>>, typename Mutex = spin_rw_mutex>
#else
template <typename Key, typename T, typename HashCompare = tbb_hash_compare<Key>,
          typename Allocator = tbb_allocator<std::pair<Key const, T>>>
#endif
class concurrent_hash_map {
  using table = ::ashlar::containers::hash_table<std::pair<Key const, T>, Allocator>;
  using store = typename table::store_type;
  using node = typename table::node;
  using hold = ::ashlar::containers::hold;
  using memory_traits = std::allocator_traits<Allocator>;
  template <typename K>
  using enable_if_transparent =
      std::enable_if_t<::ashlar::containers::is_transparent<HashCompare> && !std::is_same_v<K, Key>>;
  template <typename K>
  using enable_if_key = std::enable_if_t<std::is_constructible_v<Key, K const&>>;

 public:
  using key_type = Key;
  using mapped_type = T;
  using value_type = std::pair<Key const, T>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using hash_compare_type = HashCompare;
#if defined(TBB_PREVIEW_CONCURRENT_HASH_MAP_EXTENSIONS) && TBB_PREVIEW_CONCURRENT_HASH_MAP_EXTENSIONS
  using mutex_type = Mutex;
#endif
  using allocator_type = Allocator;
  using pointer = typename memory_traits::pointer;
  using const_pointer = typename memory_traits::const_pointer;
  using reference = value_type&;
  using const_reference = value_type const&;
  using iterator = ::ashlar::containers::table_iterator<value_type, store>;
  using const_iterator = ::ashlar::containers::table_iterator<value_type const, store>;
  using range_type = ::ashlar::containers::table_range<iterator, store>;
  using const_range_type = ::ashlar::containers::table_range<const_iterator, store>;

  static_assert(std::is_same_v<typename memory_traits::value_type, value_type>,
                "the allocator's value_type must be the container's");

  // Holds an element for reading, or nothing.
  class const_accessor {
   public:
    using value_type = typename concurrent_hash_map::value_type const;

    const_accessor() noexcept = default;
    const_accessor(const_accessor const&) = delete;
    const_accessor& operator=(const_accessor const&) = delete;
    ~const_accessor() { release(); }

    bool empty() const noexcept { return node_ == nullptr; }
    void release() noexcept {
      if (node_ != nullptr) {
        ashlar::sync::element_released(&node_->state);
        node_->state.unlock(held_);
      }
      node_ = nullptr;
    }
    value_type& operator*() const noexcept { return node_->value(); }
    value_type* operator->() const noexcept { return std::addressof(node_->value()); }

   protected:
    friend class concurrent_hash_map;
    bool is_writer() const noexcept { return held_ == hold::write; }
    // Null: there is no such element.
    void take(node* n, hold h) noexcept {
      node_ = n;
      held_ = h;
      if (n != nullptr) ashlar::sync::element_taken(&n->state);
    }

    node* node_ = nullptr;
    hold held_ = hold::read;
  };

  // Holds an element for writing, or nothing. What knows it as a const_accessor only, as the find() of a const map
  // does, gives it an element for reading.
  class accessor : public const_accessor {
   public:
    using value_type = typename concurrent_hash_map::value_type;

    value_type& operator*() const noexcept { return this->node_->value(); }
    value_type* operator->() const noexcept { return std::addressof(this->node_->value()); }
  };

  concurrent_hash_map() : table_(Allocator()) {}
  explicit concurrent_hash_map(HashCompare const& compare, Allocator const& memory = Allocator())
      : compare_(compare), table_(memory) {}
  explicit concurrent_hash_map(Allocator const& memory) : table_(memory) {}
  // NOLINTNEXTLINE: implicit, as TBB's
  concurrent_hash_map(size_type buckets, Allocator const& memory = Allocator()) : table_(memory) { reserve(buckets); }
  concurrent_hash_map(size_type buckets, HashCompare const& compare, Allocator const& memory = Allocator())
      : compare_(compare), table_(memory) {
    reserve(buckets);
  }
  template <typename Iterator>
  concurrent_hash_map(Iterator first, Iterator last, Allocator const& memory = Allocator()) : table_(memory) {
    insert(first, last);
  }
  template <typename Iterator>
  concurrent_hash_map(Iterator first, Iterator last, HashCompare const& compare, Allocator const& memory = Allocator())
      : compare_(compare), table_(memory) {
    insert(first, last);
  }
  // The condition keeps deduction from taking an allocator for a comparison.
  template <typename H = HashCompare, typename = ::ashlar::containers::enable_if_not_allocator<H>>
  concurrent_hash_map(std::initializer_list<value_type> list, HashCompare const& compare = HashCompare(),
                      Allocator const& memory = Allocator())
      : compare_(compare), table_(memory) {
    insert(list.begin(), list.end());
  }
  template <typename A = Allocator, typename = ::ashlar::containers::enable_if_allocator<A>>
  concurrent_hash_map(std::initializer_list<value_type> list, Allocator const& memory) : table_(memory) {
    insert(list.begin(), list.end());
  }
  concurrent_hash_map(concurrent_hash_map const& other)
      : compare_(other.compare_), table_(memory_traits::select_on_container_copy_construction(other.get_allocator())) {
    copy_elements(other);
  }
  concurrent_hash_map(concurrent_hash_map const& other, Allocator const& memory)
      : compare_(other.compare_), table_(memory) {
    copy_elements(other);
  }
  concurrent_hash_map(concurrent_hash_map&& other)
      : compare_(other.compare_), table_(std::move(other.table_.memory())) {
    table_.swap_contents(other.table_);
  }
  concurrent_hash_map(concurrent_hash_map&& other, Allocator const& memory) : compare_(other.compare_), table_(memory) {
    move_elements(other);
  }
  ~concurrent_hash_map() = default;

  concurrent_hash_map& operator=(concurrent_hash_map const& other) {
    if (this == &other) return *this;
    clear();
    if constexpr (memory_traits::propagate_on_container_copy_assignment::value) table_.memory() = other.table_.memory();
    compare_ = other.compare_;
    copy_elements(other);
    return *this;
  }
  concurrent_hash_map& operator=(concurrent_hash_map&& other) {
    if (this == &other) return *this;
    clear();
    ::ashlar::containers::give_function(compare_, other.compare_);
    if constexpr (memory_traits::propagate_on_container_move_assignment::value) {
      table_.memory() = std::move(other.table_.memory());
      table_.swap_contents(other.table_);
    } else {
      move_elements(other);
    }
    return *this;
  }
  concurrent_hash_map& operator=(std::initializer_list<value_type> list) {
    clear();
    insert(list.begin(), list.end());
    return *this;
  }

  // ---- not concurrently with other operations
  void rehash(size_type buckets = 0) { reserve(buckets ? buckets : 1); }
  void clear() noexcept { table_.clear(); }
  void swap(concurrent_hash_map& other) {
    using std::swap;
    swap(compare_, other.compare_);
    if constexpr (memory_traits::propagate_on_container_swap::value) swap(table_.memory(), other.table_.memory());
    table_.swap_contents(other.table_);
  }
  range_type range(size_type grainsize = 1) { return {table_.whole(), grainsize}; }
  const_range_type range(size_type grainsize = 1) const { return {table_.whole(), grainsize}; }
  iterator begin() { return iterator(table_.first()); }
  iterator end() { return iterator(); }
  const_iterator begin() const { return const_iterator(table_.first()); }
  const_iterator end() const { return const_iterator(); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  std::pair<iterator, iterator> equal_range(Key const& key) { return range_of<iterator>(key); }
  std::pair<const_iterator, const_iterator> equal_range(Key const& key) const { return range_of<const_iterator>(key); }
  template <typename K, typename = enable_if_transparent<K>>
  std::pair<iterator, iterator> equal_range(K const& key) {
    return range_of<iterator>(key);
  }
  template <typename K, typename = enable_if_transparent<K>>
  std::pair<const_iterator, const_iterator> equal_range(K const& key) const {
    return range_of<const_iterator>(key);
  }

  // ---- by any thread
  size_type size() const noexcept { return table_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  size_type max_size() const noexcept { return memory_traits::max_size(table_.memory()); }
  size_type bucket_count() const noexcept { return table_.groups() * per_group; }
  allocator_type get_allocator() const { return table_.memory(); }

  size_type count(Key const& key) const { return lookup(key, hold::nothing) ? 1 : 0; }
  bool find(const_accessor& a, Key const& key) const { return find_into(a, key); }
  bool find(accessor& a, Key const& key) { return find_into(a, key); }
  template <typename K, typename = enable_if_transparent<K>>
  size_type count(K const& key) const {
    return lookup(key, hold::nothing) ? 1 : 0;
  }
  template <typename K, typename = enable_if_transparent<K>>
  bool find(const_accessor& a, K const& key) const {
    return find_into(a, key);
  }
  template <typename K, typename = enable_if_transparent<K>>
  bool find(accessor& a, K const& key) {
    return find_into(a, key);
  }

  bool insert(const_accessor& a, Key const& key) { return insert_default(a, key); }
  bool insert(accessor& a, Key const& key) { return insert_default(a, key); }
  template <typename K, typename = enable_if_transparent<K>, typename = enable_if_key<K>>
  bool insert(const_accessor& a, K const& key) {
    return insert_default(a, key);
  }
  template <typename K, typename = enable_if_transparent<K>, typename = enable_if_key<K>>
  bool insert(accessor& a, K const& key) {
    return insert_default(a, key);
  }
  bool insert(const_accessor& a, value_type const& value) { return insert_value(a, value); }
  bool insert(accessor& a, value_type const& value) { return insert_value(a, value); }
  bool insert(value_type const& value) { return insert_value(no_accessor(), value); }
  bool insert(const_accessor& a, value_type&& value) { return insert_value(a, std::move(value)); }
  bool insert(accessor& a, value_type&& value) { return insert_value(a, std::move(value)); }
  bool insert(value_type&& value) { return insert_value(no_accessor(), std::move(value)); }
  template <typename Iterator>
  void insert(Iterator first, Iterator last) {
    for (; first != last; ++first) insert(*first);
  }
  void insert(std::initializer_list<value_type> list) { insert(list.begin(), list.end()); }

  template <typename... Args>
  bool emplace(const_accessor& a, Args&&... args) {
    return emplace_value(a, std::forward<Args>(args)...);
  }
  template <typename... Args>
  bool emplace(accessor& a, Args&&... args) {
    return emplace_value(a, std::forward<Args>(args)...);
  }
  template <typename... Args>
  bool emplace(Args&&... args) {
    return emplace_value(no_accessor(), std::forward<Args>(args)...);
  }

  bool erase(Key const& key) { return table_.erase(hash_of(key), equal_to(key)); }
  template <typename K, typename = enable_if_transparent<K>>
  bool erase(K const& key) {
    return table_.erase(hash_of(key), equal_to(key));
  }
  bool erase(const_accessor& a) { return erase_held(a); }
  bool erase(accessor& a) { return erase_held(a); }

  // Beyond TBB: calls f(value) for each element while it is locked, for writing here and for reading below. Other
  // threads may insert and erase meanwhile; an element that is there all the time is met exactly once. f must not
  // lock or erase the element that it is called for.
  template <typename F>
  void visit_all(F f) {
    table_.visit_all(hold::write, f);
  }
  template <typename F>
  void visit_all(F f) const {
    auto constant = [&f](value_type const& v) { f(v); };
    table_.visit_all(hold::read, constant);
  }

 protected:
  // The element without any lock: for maps from which nobody erases. Null if there is none.
  value_type const* internal_fast_find(Key const& key) const {
    node* const n = table_.find(hash_of(key), equal_to(key));
    return n != nullptr ? std::addressof(n->value()) : nullptr;
  }

 private:
  // A group of the table counts as four of TBB's buckets, so that the mean load is at most one.
  static constexpr size_type per_group = 4;

  template <typename K>
  std::uint32_t hash_of(K const& key) const {
    return ::ashlar::containers::mixed_hash(compare_.hash(key));
  }
  template <typename K>
  auto equal_to(K const& key) const {
    return [this, &key](value_type const& v) { return static_cast<bool>(compare_.equal(key, v.first)); };
  }
  template <typename K>
  node* lookup(K const& key, hold h) const {
    return table_.find(hash_of(key), equal_to(key), h);
  }
  // What an operation with such an accessor locks.
  template <typename Accessor>
  static constexpr hold hold_of = std::is_same_v<Accessor, accessor>         ? hold::write
                                  : std::is_same_v<Accessor, const_accessor> ? hold::read
                                                                             : hold::nothing;
  struct no_accessor {};

  template <typename Accessor, typename K>
  bool find_into(Accessor& a, K const& key) const {
    a.release();
    a.take(lookup(key, hold_of<Accessor>), hold_of<Accessor>);
    return a.node_ != nullptr;
  }
  template <typename Accessor, typename K, typename Provide>
  bool insert_from(Accessor& a, K const& key, Provide const& provide) {
    constexpr hold h = hold_of<Accessor>;
    if constexpr (h != hold::nothing) a.release();
    auto const f = table_.insert(hash_of(key), equal_to(key), h, provide);
    if constexpr (h != hold::nothing) a.take(f.element, h);
    return f.inserted;
  }
  template <typename... Args>
  node* create(Args&&... args) {
    return table_.create([&](void* place) {
      memory_traits::construct(table_.memory(), static_cast<value_type*>(place), std::forward<Args>(args)...);
    });
  }
  template <typename Accessor, typename K>
  bool insert_default(Accessor& a, K const& key) {
    return insert_from(
        a, key, [&] { return create(std::piecewise_construct, std::forward_as_tuple(key), std::forward_as_tuple()); });
  }
  template <typename Accessor, typename V>
  bool insert_value(Accessor&& a, V&& value) {
    return insert_from(a, value.first, [&] { return create(std::forward<V>(value)); });
  }
  template <typename Accessor, typename... Args>
  bool emplace_value(Accessor&& a, Args&&... args) {
    if constexpr (hold_of<std::decay_t<Accessor>> != hold::nothing) a.release();
    struct owner {
      table& from;
      node* made;
      ~owner() {
        if (made != nullptr) from.discard(made);
      }
    } own{table_, create(std::forward<Args>(args)...)};
    bool const inserted = insert_from(a, own.made->value().first, [&] { return own.made; });
    if (inserted) own.made = nullptr;
    return inserted;
  }
  bool erase_held(const_accessor& a) {
    node* const n = a.node_;
    a.node_ = nullptr;
    if (n != nullptr) ashlar::sync::element_released(&n->state);
    return table_.erase(n, a.held_);
  }
  template <typename Iterator, typename K>
  std::pair<Iterator, Iterator> range_of(K const& key) const {
    node* const n = table_.find(hash_of(key), equal_to(key));
    return n != nullptr ? std::make_pair(Iterator(n), Iterator(table::next(n)))
                        : std::make_pair(Iterator(), Iterator());
  }
  friend ::ashlar::containers::clear_access;
  template <typename Run>
  void clear_parts(Run const& run) {
    if constexpr (!::ashlar::containers::ends_unnoticed<Allocator, value_type>) {
      run(range(256), [this](range_type const& r) { table_.destroy_values(r.begin().get(), r.end().get()); });
    }
    table_.forget();
  }
  void reserve(size_type buckets) { table_.reserve_groups(buckets / per_group + (buckets % per_group != 0)); }
  void copy_elements(concurrent_hash_map const& other) {
    table_.take_all(other.table_, [this](void* place, value_type& v) {
      memory_traits::construct(table_.memory(), static_cast<value_type*>(place), static_cast<value_type const&>(v));
    });
  }
  void move_elements(concurrent_hash_map& other) {
    if (table_.memory() == other.table_.memory()) {
      table_.swap_contents(other.table_);
      return;
    }
    ::ashlar::containers::emptied_source const emptied(other);
    table_.take_all(other.table_, [this](void* place, value_type& v) {
      memory_traits::construct(table_.memory(), static_cast<value_type*>(place), std::move(v));
    });
  }

  HashCompare compare_;
  table table_;
};

template <typename Key, typename T, typename HashCompare, typename Allocator, typename Other>
bool operator==(concurrent_hash_map<Key, T, HashCompare, Allocator> const& a,
                concurrent_hash_map<Key, T, HashCompare, Other> const& b) {
  if (a.size() != b.size()) return false;
  for (auto const& v : a) {
    auto const twin = b.equal_range(v.first);
    if (twin.first == twin.second || !(v.second == twin.first->second)) return false;
  }
  return true;
}
template <typename Key, typename T, typename HashCompare, typename Allocator, typename Other>
bool operator!=(concurrent_hash_map<Key, T, HashCompare, Allocator> const& a,
                concurrent_hash_map<Key, T, HashCompare, Other> const& b) {
  return !(a == b);
}
template <typename Key, typename T, typename HashCompare, typename Allocator>
void swap(concurrent_hash_map<Key, T, HashCompare, Allocator>& a,
          concurrent_hash_map<Key, T, HashCompare, Allocator>& b) {
  a.swap(b);
}

template <typename Iterator,
          typename Allocator = tbb_allocator<std::pair<::ashlar::containers::iterator_key<Iterator> const,
                                                       ::ashlar::containers::iterator_mapped<Iterator>>>,
          typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_hash_map(Iterator, Iterator, Allocator = Allocator())
    -> concurrent_hash_map<::ashlar::containers::iterator_key<Iterator>,
                           ::ashlar::containers::iterator_mapped<Iterator>,
                           tbb_hash_compare<::ashlar::containers::iterator_key<Iterator>>, Allocator>;
template <typename Iterator, typename HashCompare,
          typename Allocator = tbb_allocator<std::pair<::ashlar::containers::iterator_key<Iterator> const,
                                                       ::ashlar::containers::iterator_mapped<Iterator>>>,
          typename = ::ashlar::containers::enable_if_not_allocator<HashCompare>>
concurrent_hash_map(Iterator, Iterator, HashCompare, Allocator = Allocator())
    -> concurrent_hash_map<::ashlar::containers::iterator_key<Iterator>,
                           ::ashlar::containers::iterator_mapped<Iterator>, HashCompare, Allocator>;
template <typename Key, typename T, typename HashCompare = tbb_hash_compare<std::remove_const_t<Key>>,
          typename Allocator = tbb_allocator<std::pair<Key const, T>>,
          typename = ::ashlar::containers::enable_if_not_allocator<HashCompare>>
concurrent_hash_map(std::initializer_list<std::pair<Key, T>>, HashCompare = HashCompare(), Allocator = Allocator())
    -> concurrent_hash_map<std::remove_const_t<Key>, T, HashCompare, Allocator>;
template <typename Key, typename T, typename Allocator, typename = ::ashlar::containers::enable_if_allocator<Allocator>>
concurrent_hash_map(std::initializer_list<std::pair<Key, T>>, Allocator)
    -> concurrent_hash_map<std::remove_const_t<Key>, T, tbb_hash_compare<std::remove_const_t<Key>>, Allocator>;

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(5, concurrent_hash_map)

}  // namespace tbb
