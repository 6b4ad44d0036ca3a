// SPDX-License-Identifier: Apache-2.0
// What the four ordered containers have in common (documented in include/tbb/concurrent_map.h), over skip_list.h.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/base/split.h>
#include <ashlar/base/throw.h>
#include <ashlar/containers/clear_access.h>
#include <ashlar/containers/compare.h>
#include <ashlar/containers/emptied_source.h>
#include <ashlar/containers/give_function.h>
#include <ashlar/containers/hash_compare.h>
#include <ashlar/containers/node_handle.h>
#include <ashlar/containers/skip_list.h>
#include <ashlar/containers/table_range.h>

#include <initializer_list>
#include <memory>
#include <tuple>

namespace ashlar {
inline namespace v1 {
namespace containers {

/// A splittable range of a skip list.
template <typename Iterator, typename List>
class list_range {
 public:
  using iterator = Iterator;
  using value_type = typename Iterator::value_type;
  using reference = typename Iterator::reference;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;

  list_range(List const& list, Iterator first, Iterator last) : list_(&list), begin_(first), end_(last) {
    find_middle();
  }
  list_range(list_range& r, ::tbb::split) : list_(r.list_), begin_(r.middle_), end_(r.end_) {
    r.end_ = r.middle_;
    r.find_middle();
    find_middle();
  }
  template <typename Other, typename = enable_if_mutable<Other, Iterator>>
  list_range(list_range<Other, List> const& r)  // NOLINT: implicit
      : list_range(r.list(), r.begin(), r.end()) {}

  Iterator begin() const noexcept { return begin_; }
  Iterator end() const noexcept { return end_; }
  bool empty() const noexcept { return begin_ == end_; }
  bool is_divisible() const noexcept { return middle_ != Iterator(); }
  size_type grainsize() const noexcept { return 1; }
  /// An estimate of the work is not to be had cheaply; the elements are counted.
  size_type size() const noexcept { return static_cast<size_type>(std::distance(begin_, end_)); }
  List const& list() const noexcept { return *list_; }

 private:
  void find_middle() { middle_ = Iterator(list_->middle(begin_.get(), end_.get())); }

  List const* list_;
  Iterator begin_;
  Iterator end_;
  Iterator middle_;
};

template <typename Contents, typename Compare, typename Allocator, bool Multi>
class ordered_base {
 protected:
  using list = skip_list<Contents, Compare, Allocator, Multi>;
  using memory_traits = std::allocator_traits<Allocator>;
  template <typename K, typename Key>
  using enable_if_transparent = std::enable_if_t<is_transparent<Compare> && !std::is_same_v<K, Key>>;
  using handle_owner = skip_node_memory<typename Contents::value_type, Allocator>;

 public:
  using key_type = typename Contents::key_type;
  using value_type = typename Contents::value_type;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using key_compare = Compare;
  using allocator_type = Allocator;
  using reference = value_type&;
  using const_reference = value_type const&;
  using pointer = typename memory_traits::pointer;
  using const_pointer = typename memory_traits::const_pointer;
  static constexpr bool is_map = !std::is_same_v<key_type, value_type>;
  using const_iterator = table_iterator<value_type const, list>;
  using iterator = table_iterator<value_type, list>;
  using range_type = list_range<iterator, list>;
  using const_range_type = list_range<const_iterator, list>;
  using node_type = typename Contents::template handle<handle_owner, Allocator>;
  using insert_result = std::pair<iterator, bool>;

  class element_compare {
   public:
    bool operator()(value_type const& a, value_type const& b) const {
      return compare_(Contents::key(a), Contents::key(b));
    }

   private:
    friend class ordered_base;
    explicit element_compare(Compare const& c) : compare_(c) {}
    Compare compare_;
  };
  using value_compare = std::conditional_t<is_map, element_compare, Compare>;

  static_assert(std::is_same_v<typename memory_traits::value_type, value_type>,
                "the allocator's value_type must be the container's");

  ordered_base() : list_(Compare(), Allocator()) {}
  explicit ordered_base(Compare const& compare, Allocator const& memory = Allocator()) : list_(compare, memory) {}
  explicit ordered_base(Allocator const& memory) : list_(Compare(), memory) {}
  template <typename Iterator>
  ordered_base(Iterator first, Iterator last, Compare const& compare = Compare(), Allocator const& memory = Allocator())
      : list_(compare, memory) {
    insert(first, last);
  }
  template <typename Iterator>
  ordered_base(Iterator first, Iterator last, Allocator const& memory) : ordered_base(first, last, Compare(), memory) {}
  ordered_base(std::initializer_list<value_type> values, Compare const& compare = Compare(),
               Allocator const& memory = Allocator())
      : ordered_base(values.begin(), values.end(), compare, memory) {}
  ordered_base(std::initializer_list<value_type> values, Allocator const& memory)
      : ordered_base(values, Compare(), memory) {}
  ordered_base(ordered_base const& other)
      : ordered_base(other, memory_traits::select_on_container_copy_construction(other.get_allocator())) {}
  ordered_base(ordered_base const& other, Allocator const& memory) : list_(other.list_.compare(), memory) {
    insert(other.begin(), other.end());
  }
  ordered_base(ordered_base&& other) : list_(other.list_.compare(), other.get_allocator()) {
    list_.swap_contents(other.list_);
  }
  ordered_base(ordered_base&& other, Allocator const& memory) : list_(other.list_.compare(), memory) {
    move_elements(other);
  }
  ordered_base& operator=(ordered_base const& other) {
    if (this == &other) return *this;
    clear();
    if constexpr (memory_traits::propagate_on_container_copy_assignment::value) list_.memory() = other.list_.memory();
    list_.compare() = other.list_.compare();
    insert(other.begin(), other.end());
    return *this;
  }
  ordered_base& operator=(ordered_base&& other) {
    if (this == &other) return *this;
    clear();
    give_function(list_.compare(), other.list_.compare());
    if constexpr (memory_traits::propagate_on_container_move_assignment::value) {
      list_.memory() = std::move(other.list_.memory());
      list_.swap_contents(other.list_);
    } else {
      move_elements(other);
    }
    return *this;
  }
  ordered_base& operator=(std::initializer_list<value_type> values) {
    clear();
    insert(values.begin(), values.end());
    return *this;
  }

  // ---- by any thread
  iterator begin() noexcept { return iterator(list_.first()); }
  iterator end() noexcept { return iterator(); }
  const_iterator begin() const noexcept { return const_iterator(list_.first()); }
  const_iterator end() const noexcept { return const_iterator(); }
  const_iterator cbegin() const noexcept { return begin(); }
  const_iterator cend() const noexcept { return end(); }
  range_type range() { return {list_, begin(), end()}; }
  const_range_type range() const { return {list_, begin(), end()}; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  size_type size() const noexcept { return list_.size(); }
  size_type max_size() const noexcept { return memory_traits::max_size(list_.memory()); }
  allocator_type get_allocator() const { return list_.memory(); }
  key_compare key_comp() const { return list_.compare(); }
  value_compare value_comp() const { return value_compare(list_.compare()); }

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
  void insert(std::initializer_list<value_type> values) { insert(values.begin(), values.end()); }
  template <typename... Args>
  insert_result emplace(Args&&... args) {
    node_type made(create(std::forward<Args>(args)...), list_.memory());
    return insert_node(made);
  }
  template <typename... Args>
  iterator emplace_hint(const_iterator, Args&&... args) {
    return emplace(std::forward<Args>(args)...).first;
  }
  /// The handle's allocator must equal the container's.
  insert_result insert(node_type&& handle) { return handle ? insert_node(handle) : insert_result{end(), false}; }
  iterator insert(const_iterator, node_type&& handle) { return insert(std::move(handle)).first; }

  iterator find(key_type const& key) { return iterator(list_.find(key)); }
  const_iterator find(key_type const& key) const { return const_iterator(list_.find(key)); }
  bool contains(key_type const& key) const { return list_.find(key) != nullptr; }
  size_type count(key_type const& key) const { return count_equal(key); }
  iterator lower_bound(key_type const& key) { return iterator(list_.template bound<false>(key)); }
  const_iterator lower_bound(key_type const& key) const { return const_iterator(list_.template bound<false>(key)); }
  iterator upper_bound(key_type const& key) { return iterator(list_.template bound<true>(key)); }
  const_iterator upper_bound(key_type const& key) const { return const_iterator(list_.template bound<true>(key)); }
  std::pair<iterator, iterator> equal_range(key_type const& key) { return range_of<iterator>(key); }
  std::pair<const_iterator, const_iterator> equal_range(key_type const& key) const {
    return range_of<const_iterator>(key);
  }
  template <typename K, typename = enable_if_transparent<K, key_type>>
  iterator find(K const& key) {
    return iterator(list_.find(key));
  }
  template <typename K, typename = enable_if_transparent<K, key_type>>
  const_iterator find(K const& key) const {
    return const_iterator(list_.find(key));
  }
  template <typename K, typename = enable_if_transparent<K, key_type>>
  bool contains(K const& key) const {
    return list_.find(key) != nullptr;
  }
  template <typename K, typename = enable_if_transparent<K, key_type>>
  size_type count(K const& key) const {
    return count_equal(key);
  }
  template <typename K, typename = enable_if_transparent<K, key_type>>
  iterator lower_bound(K const& key) {
    return iterator(list_.template bound<false>(key));
  }
  template <typename K, typename = enable_if_transparent<K, key_type>>
  const_iterator lower_bound(K const& key) const {
    return const_iterator(list_.template bound<false>(key));
  }
  template <typename K, typename = enable_if_transparent<K, key_type>>
  iterator upper_bound(K const& key) {
    return iterator(list_.template bound<true>(key));
  }
  template <typename K, typename = enable_if_transparent<K, key_type>>
  const_iterator upper_bound(K const& key) const {
    return const_iterator(list_.template bound<true>(key));
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
  void clear() noexcept { list_.clear(); }
  iterator unsafe_erase(const_iterator at) {
    const_iterator const following = std::next(at);
    list_.detach(at.get());
    list_.discard(at.get());
    return iterator(following.get());
  }
  iterator unsafe_erase(iterator at) { return unsafe_erase(const_iterator(at)); }
  iterator unsafe_erase(const_iterator first, const_iterator last) {
    list_.erase(first.get(), last.get());
    return iterator(last.get());
  }
  size_type unsafe_erase(key_type const& key) { return erase_equal(key); }
  template <
      typename K, typename = enable_if_transparent<K, key_type>,
      typename = std::enable_if_t<!std::is_convertible_v<K, const_iterator> && !std::is_convertible_v<K, iterator>>>
  size_type unsafe_erase(K const& key) {
    return erase_equal(key);
  }
  node_type unsafe_extract(const_iterator at) {
    list_.detach(at.get());
    return node_type(at.get(), list_.memory());
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
  /// Takes over the elements that this container does not have yet; the allocators must be equal. When a comparison
  /// throws, each element is in one of the two containers.
  template <typename OtherCompare, bool OtherMulti>
  void merge(ordered_base<Contents, OtherCompare, Allocator, OtherMulti>& source) {
    if (static_cast<void const*>(this) == static_cast<void const*>(&source)) return;
    for (auto i = source.cbegin(); i != source.cend();) {
      auto const at = i++;
      list_.take_over(at.get(), [&] { source.unsafe_extract(at).release(); });
    }
  }
  template <typename OtherCompare, bool OtherMulti>
  void merge(ordered_base<Contents, OtherCompare, Allocator, OtherMulti>&& source) {
    merge(source);
  }
  void swap(ordered_base& other) {
    using std::swap;
    swap(list_.compare(), other.list_.compare());
    if constexpr (memory_traits::propagate_on_container_swap::value) swap(list_.memory(), other.list_.memory());
    list_.swap_contents(other.list_);
  }

 protected:
  template <typename... Args>
  typename list::position create(Args&&... args) {
    return list_.create([&](void* place) {
      memory_traits::construct(list_.memory(), static_cast<value_type*>(place), std::forward<Args>(args)...);
    });
  }
  // The element with this key, made of `args` if there is none.
  template <typename K, typename... Args>
  insert_result get_or_insert(K const& key, Args&&... args) {
    auto const f = list_.insert(key, [&] { return create(std::forward<Args>(args)...); });
    return {iterator(f.at), f.inserted};
  }
  list const& contents() const noexcept { return list_; }

 private:
  friend clear_access;
  template <typename Run>
  void clear_parts(Run const& run) {
    constexpr unsigned level = 8;
    std::size_t parts = 1;
    list_.cut(level, [&](typename list::position) { ++parts; });
    std::unique_ptr<typename list::position[]> const begins(new (std::nothrow) typename list::position[parts + 1]);
    if (!begins) return clear();
    typename list::position* next = begins.get();
    *next++ = list_.first();
    list_.cut(level, [&](typename list::position p) { *next++ = p; });
    *next = nullptr;
    run(parts, 1, [this, b = begins.get()](std::size_t first, std::size_t last) { list_.destroy(b[first], b[last]); });
    list_.forget();
  }
  template <typename V>
  insert_result insert_value(V&& v) {
    return get_or_insert(Contents::key(v), std::forward<V>(v));
  }
  // Leaves the handle empty if its node is taken.
  insert_result insert_node(node_type& handle) {
    typename list::position const n = handle.get();
    auto const f = list_.insert_node(n);
    if (f.inserted) handle.release();
    return {iterator(f.at), f.inserted};
  }
  template <typename Iterator, typename K>
  std::pair<Iterator, Iterator> range_of(K const& key) const {
    auto const first = list_.template bound<false>(key);
    auto last = first;
    if constexpr (Multi) {
      last = list_.template bound<true>(key);
    } else if (first && !list_.compare()(key, list::key(first))) {
      last = list::next(first);
    }
    return {Iterator(first), Iterator(last)};
  }
  template <typename K>
  size_type count_equal(K const& key) const {
    size_type n = 0;
    for (auto p = list_.find(key); p && (Multi || n == 0) && !list_.compare()(key, list::key(p)); p = list::next(p)) {
      ++n;
    }
    return n;
  }
  template <typename K>
  size_type erase_equal(K const& key) {
    auto const r = equal_range(key);
    return list_.erase(r.first.get(), r.second.get());
  }
  void move_elements(ordered_base& other) {
    if (list_.memory() == other.list_.memory()) {
      list_.swap_contents(other.list_);
      return;
    }
    emptied_source const emptied(other);
    for (auto i = other.begin(); i != other.end(); ++i) {
      auto& v = const_cast<value_type&>(*i);
      get_or_insert(Contents::key(v), Contents::moved(v));
    }
  }

  list list_;
};

template <typename Contents, typename Compare, typename Allocator, bool Multi>
bool operator==(ordered_base<Contents, Compare, Allocator, Multi> const& a,
                ordered_base<Contents, Compare, Allocator, Multi> const& b) {
  return equal_elements(a, b);
}
#if __TBB_CPP20_COMPARISONS_PRESENT
template <typename Contents, typename Compare, typename Allocator, bool Multi>
auto operator<=>(ordered_base<Contents, Compare, Allocator, Multi> const& a,
                 ordered_base<Contents, Compare, Allocator, Multi> const& b) -> decltype(three_way_elements(a, b)) {
  return three_way_elements(a, b);
}
#else
template <typename Contents, typename Compare, typename Allocator, bool Multi>
bool operator!=(ordered_base<Contents, Compare, Allocator, Multi> const& a,
                ordered_base<Contents, Compare, Allocator, Multi> const& b) {
  return !(a == b);
}
template <typename Contents, typename Compare, typename Allocator, bool Multi>
bool operator<(ordered_base<Contents, Compare, Allocator, Multi> const& a,
               ordered_base<Contents, Compare, Allocator, Multi> const& b) {
  return less_elements(a, b);
}
template <typename Contents, typename Compare, typename Allocator, bool Multi>
bool operator>(ordered_base<Contents, Compare, Allocator, Multi> const& a,
               ordered_base<Contents, Compare, Allocator, Multi> const& b) {
  return b < a;
}
template <typename Contents, typename Compare, typename Allocator, bool Multi>
bool operator<=(ordered_base<Contents, Compare, Allocator, Multi> const& a,
                ordered_base<Contents, Compare, Allocator, Multi> const& b) {
  return !(b < a);
}
template <typename Contents, typename Compare, typename Allocator, bool Multi>
bool operator>=(ordered_base<Contents, Compare, Allocator, Multi> const& a,
                ordered_base<Contents, Compare, Allocator, Multi> const& b) {
  return !(a < b);
}
#endif

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
