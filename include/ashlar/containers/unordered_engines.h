// SPDX-License-Identifier: Apache-2.0
// How the unordered containers keep elements in a hash table: unique_engine has a node per element; multi_engine has a
// node per key, which heads a list of the elements with that key, so that equal elements are neighbours in every walk.
// Both have the same interface, in terms of positions. Insertions and reading may be concurrent; taking out may not.
//
// Ordering
// [UE1] an element is pushed on its key's list: release -> [UE2] the list is read: acquire, sees the element
// Model: tests/model/unordered_engines_model.cpp
#pragma once

#include <ashlar/containers/hash_table.h>

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename Value, typename Allocator>
class unique_engine {
  using table = hash_table<Value, Allocator>;

 public:
  using store = typename table::store_type;
  using node = typename table::node;
  using position = node*;
  using span = typename table::span;
  struct found {
    position at;
    bool inserted;
  };
  static constexpr bool multi = false;

  explicit unique_engine(Allocator const& memory) noexcept : table_(memory) {}

  static position front(node* n) noexcept { return n; }
  static position next(position p) noexcept { return table::next(p); }
  static Value& value(position p) noexcept { return p->value(); }
  /// Behind the elements equal to the one at p.
  static position run_end(position p) noexcept { return next(p); }
  /// How many of them there are from p on.
  static std::size_t run_length(position) noexcept { return 1; }

  Allocator& memory() noexcept { return table_.memory(); }
  void copy_memory(unique_engine const& other) { memory() = other.memory(); }
  void move_memory(unique_engine& other) { memory() = std::move(other.memory()); }
  void swap_memory(unique_engine& other) {
    using std::swap;
    swap(memory(), other.memory());
  }
  Allocator const& memory() const noexcept { return table_.memory(); }
  table& index() noexcept { return table_; }
  table const& index() const noexcept { return table_; }
  std::size_t size() const noexcept { return table_.size(); }
  position first() const noexcept { return table_.first(); }
  position first_in(std::uint32_t group) const noexcept { return table_.first_in(group); }
  position next_in(std::uint32_t group, position p) const noexcept { return table_.next_in(group, p); }

  template <typename Make>
  position create(Make const& make) {
    return table_.create(make);
  }
  void discard(position p) noexcept { table_.discard(p); }
  template <typename Equal>
  position find(std::uint32_t hash, Equal const& equal) const {
    return table_.find(hash, equal);
  }
  /// Inserts what provide() creates, unless there is an equal element.
  template <typename Equal, typename Provide>
  found insert(std::uint32_t hash, Equal const& equal, Provide const& provide) {
    auto const f = table_.insert_unlocked(hash, equal, provide);
    return {f.element, f.inserted};
  }
  void remove(position p) noexcept { table_.remove(p); }
  /// The elements from the first of its key on; returns their number. Nothing is asked for the element behind them:
  /// between the two may lie the memory of many that have been erased.
  std::size_t remove_run(position p) noexcept {
    table_.remove(p);
    return 1;
  }
  void clear() noexcept { table_.clear(); }
  /// The two halves of clear(): parts of the walk may be destroyed at the same time.
  static constexpr bool destroys = !ends_unnoticed<Allocator, Value>;
  void destroy(position from, position to) noexcept { table_.destroy_values(from, to); }
  void forget() noexcept { table_.forget(); }
  void swap_contents(unique_engine& other) noexcept { table_.swap_contents(other.table_); }

 private:
  table table_;
};

template <typename Element>
struct key_anchor {
  atomic<Element*> first{nullptr};
};
template <typename Element>
inline constexpr bool is_element<key_anchor<Element>> = false;

template <typename Value, typename Allocator>
class multi_engine {
  struct element {
    atomic<std::uintptr_t> next;  // an element, or the key's node with the lowest bit set
    union content {
      content() noexcept {}
      ~content() {}
      Value value;
    } of;
  };
  using anchor = key_anchor<element>;
  using table = hash_table<anchor, typename std::allocator_traits<Allocator>::template rebind_alloc<anchor>>;
  using element_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<element>;
  using element_traits = std::allocator_traits<element_allocator>;

 public:
  using store = typename table::store_type;
  using node = typename table::node;
  using position = element*;
  using span = typename table::span;
  struct found {
    position at;
    bool inserted;
  };
  static constexpr bool multi = true;

  explicit multi_engine(Allocator const& memory) noexcept
      : memory_(memory), table_(typename table_allocator::type(memory)) {}
  ~multi_engine() { clear(); }

  static position front(node* n) noexcept { return n ? n->value().first.load(mo::acquire) : nullptr; }  // [UE2]
  static position next(position p) noexcept {
    std::uintptr_t const link = p->next.load(mo::acquire);  // [UE2]
    return is_anchor(link) ? front(table::next(anchor_of(link))) : reinterpret_cast<position>(link);
  }
  static Value& value(position p) noexcept { return p->of.value; }
  static position run_end(position p) noexcept { return front(table::next(node_of(p))); }
  static std::size_t run_length(position p) noexcept {
    std::size_t n = 1;
    std::uintptr_t link = p->next.load(mo::acquire);                                                // [UE2]
    for (; !is_anchor(link); link = reinterpret_cast<element*>(link)->next.load(mo::acquire)) ++n;  // [UE2]
    return n;
  }

  Allocator& memory() noexcept { return memory_; }
  void copy_memory(multi_engine const& other) {
    memory_ = other.memory_;
    table_.memory() = other.table_.memory();
  }
  void move_memory(multi_engine& other) {
    memory_ = std::move(other.memory_);
    table_.memory() = std::move(other.table_.memory());
  }
  void swap_memory(multi_engine& other) {
    using std::swap;
    swap(memory_, other.memory_);
    swap(table_.memory(), other.table_.memory());
  }
  Allocator const& memory() const noexcept { return memory_; }
  table& index() noexcept { return table_; }
  table const& index() const noexcept { return table_; }
  std::size_t size() const noexcept { return size_.load(mo::relaxed); }
  position first() const noexcept { return front(table_.first()); }
  position first_in(std::uint32_t group) const noexcept { return front(table_.first_in(group)); }
  position next_in(std::uint32_t group, position p) const noexcept {
    std::uintptr_t const link = p->next.load(mo::acquire);  // [UE2]
    return is_anchor(link) ? front(table_.next_in(group, anchor_of(link))) : reinterpret_cast<position>(link);
  }

  template <typename Make>
  position create(Make const& make) {
    element_allocator elements(memory_);
    element* const e = element_traits::allocate(elements, 1);
    ::new (static_cast<void*>(e)) element;
    ASHLAR_TRY { make(static_cast<void*>(std::addressof(e->of.value))); }
    ASHLAR_CATCH_ALL {
      element_traits::deallocate(elements, e, 1);
      ASHLAR_RETHROW;
    }
    return e;
  }
  void discard(position p) noexcept {
    std::allocator_traits<Allocator>::destroy(memory_, std::addressof(p->of.value));
    element_allocator elements(memory_);
    element_traits::deallocate(elements, p, 1);
  }
  template <typename Equal>
  position find(std::uint32_t hash, Equal const& equal) const {
    return front(table_.find(hash, by_first(equal)));
  }
  /// Inserts what provide() creates.
  template <typename Equal, typename Provide>
  found insert(std::uint32_t hash, Equal const& equal, Provide const& provide) {
    // Nothing is compared and nothing fails once provide() has returned: it may have moved the key from its place.
    element* e = nullptr;
    auto const f = table_.insert_unlocked(hash, by_first(equal), [&] {
      struct owner {
        table& from;
        node* made;
        ~owner() {
          if (made != nullptr) from.discard(made);
        }
      } own{table_, table_.create([](void* place) { ::new (place) anchor; })};
      e = provide();
      e->next.store(reinterpret_cast<std::uintptr_t>(own.made) | 1, mo::relaxed);
      own.made->value().first.store(e, mo::relaxed);
      return std::exchange(own.made, nullptr);
    });
    if (!f.inserted) push(f.element->value().first, e = provide());
    size_.fetch_add(1, mo::relaxed);
    return {e, true};
  }
  void remove(position p) noexcept {
    node* const n = node_of(p);
    atomic<element*>& head = n->value().first;
    element* before = head.load(mo::relaxed);
    std::uintptr_t const after = p->next.load(mo::relaxed);
    if (before != p) {
      while (before->next.load(mo::relaxed) != reinterpret_cast<std::uintptr_t>(p)) {
        before = reinterpret_cast<element*>(before->next.load(mo::relaxed));
      }
      before->next.store(after, mo::relaxed);
    } else if (is_anchor(after)) {
      table_.remove(n);
    } else {
      head.store(reinterpret_cast<element*>(after), mo::relaxed);
    }
    discard(p);
    size_.fetch_sub(1, mo::relaxed);
  }
  /// The elements from the first of its key on; returns their number.
  std::size_t remove_run(position p) noexcept {
    table_.remove(node_of(p));
    std::size_t n = 0;
    for (std::uintptr_t link = reinterpret_cast<std::uintptr_t>(p); !is_anchor(link); ++n) {
      position const e = reinterpret_cast<position>(link);
      link = e->next.load(mo::relaxed);
      discard(e);
    }
    size_.fetch_sub(n, mo::relaxed);
    return n;
  }
  void clear() noexcept {
    destroy(first(), nullptr);
    forget();
  }
  static constexpr bool destroys = true;
  void destroy(position from, position to) noexcept {
    while (from != to) {
      position const following = next(from);
      discard(from);
      from = following;
    }
  }
  void forget() noexcept {
    table_.clear();
    size_.store(0, mo::relaxed);
  }
  void swap_contents(multi_engine& other) noexcept {
    table_.swap_contents(other.table_);
    std::size_t const mine = size();
    size_.store(other.size(), mo::relaxed);
    other.size_.store(mine, mo::relaxed);
  }

 private:
  struct table_allocator {
    using type = typename std::allocator_traits<Allocator>::template rebind_alloc<anchor>;
  };
  static bool is_anchor(std::uintptr_t link) noexcept { return (link & 1) != 0; }
  static node* anchor_of(std::uintptr_t link) noexcept { return reinterpret_cast<node*>(link & ~std::uintptr_t{1}); }
  static node* node_of(position p) noexcept {
    std::uintptr_t link = p->next.load(mo::acquire);                                           // [UE2]
    while (!is_anchor(link)) link = reinterpret_cast<element*>(link)->next.load(mo::acquire);  // [UE2]
    return anchor_of(link);
  }
  template <typename Equal>
  static auto by_first(Equal const& equal) {
    return [&equal](anchor const& a) { return equal(a.first.load(mo::acquire)->of.value); };  // [UE2]
  }
  static void push(atomic<element*>& head, element* e) noexcept {
    element* old = head.load(mo::relaxed);
    do e->next.store(reinterpret_cast<std::uintptr_t>(old), mo::relaxed);
    while (!head.compare_exchange(old, e, mo::release, mo::relaxed));  // [UE1]
  }

  Allocator memory_;
  table table_;
  atomic<std::size_t> size_{0};
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
