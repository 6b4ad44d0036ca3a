// SPDX-License-Identifier: Apache-2.0
// The skip list under concurrent_map and its relatives. Any thread may search, insert and traverse at any time; taking
// out needs the list for itself. A node's links lie directly before its element, the lowest next to the key, so that
// a step of the search touches one cache line. Half the nodes of a level reach the next one.
//
// A node is in the list once it is linked at the lowest level; higher levels are shortcuts that may lag behind. Nodes
// are never taken out beside other threads, so a link found before is a place to go on from.
//
// Equal elements lie in the order in which the lowest level linked them. Each has a rank above its predecessor's, by
// which the higher levels keep the same order: there, threads may link the elements in another sequence.
//
// Ordering
// [SL1] a node is linked: release -> [SL2] a link is followed: acquire, sees the node's element and links
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>
#include <ashlar/base/config.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename Value>
struct skip_node {
  union content {
    content() noexcept {}
    ~content() {}
    Value value;
  } of;
  std::uint32_t height : 5;
  std::uint32_t rank : 27;  // among equal elements; written before the node is linked

  Value& value() noexcept { return of.value; }
  atomic<skip_node*>& link(unsigned level) noexcept {
    return reinterpret_cast<atomic<skip_node*>*>(this)[-1 - static_cast<std::ptrdiff_t>(level)];
  }
  skip_node* next(unsigned level) noexcept { return link(level).load(mo::acquire); }  // [SL2]
};

// 1 with probability 1/2, 2 with 1/4, ...
#ifdef ASHLAR_MODEL
unsigned random_height(unsigned most) noexcept;  // the model chooses
#else
inline unsigned random_height(unsigned most) noexcept {
  static thread_local std::uint64_t state = 0;
  if (ASHLAR_UNLIKELY(state == 0)) state = reinterpret_cast<std::uintptr_t>(&state) | 1;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  std::uint64_t const bits = (state * 0x2545F4914F6CDD1D) >> 16 | std::uint64_t{1} << (most - 1);
  return 1 + static_cast<unsigned>(__builtin_ctzll(bits));
}
#endif

/// The memory of nodes; the owner of node handles (node_handle.h) for all lists of such elements.
template <typename Value, typename Allocator>
class skip_node_memory {
 public:
  using node = skip_node<Value>;

  static Value& value(node* n) noexcept { return n->value(); }
  /// A node without element. Throws what the allocator throws.
  static node* allocate(Allocator& memory, unsigned height) {
    unit_allocator a(memory);
    unit* const units = unit_traits::allocate(a, units_of(height));
    node* const n = ::new (static_cast<void*>(units + tower_units(height))) node;
    n->height = height & 31;
    n->rank = 0;
    for (unsigned level = 0; level < height; ++level) ::new (static_cast<void*>(&n->link(level))) atomic<node*>;
    return n;
  }
  static void deallocate(Allocator& memory, node* n) noexcept {
    unit_allocator a(memory);
    unsigned const height = n->height;
    unit_traits::deallocate(a, reinterpret_cast<unit*>(n) - tower_units(height), units_of(height));
  }
  /// Its element, too.
  static void destroy(Allocator& memory, node* n) noexcept {
    std::allocator_traits<Allocator>::destroy(memory, std::addressof(n->value()));
    deallocate(memory, n);
  }

  /// Allocated in units as large as the element's alignment.
  static constexpr std::size_t alignment = alignof(node) > alignof(void*) ? alignof(node) : alignof(void*);

 private:
  struct alignas(alignment) unit {
    unsigned char bytes[alignment];
  };
  using unit_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<unit>;
  using unit_traits = std::allocator_traits<unit_allocator>;

  static std::size_t tower_units(unsigned height) noexcept {
    return (height * sizeof(atomic<node*>) + alignment - 1) / alignment;
  }
  static std::size_t units_of(unsigned height) noexcept {
    return tower_units(height) + (sizeof(node) + alignment - 1) / alignment;
  }
};

/// Contents: key(value) (node_handle.h). Multi: equal keys may be there, in the order of insertion.
template <typename Contents, typename Compare, typename Allocator, bool Multi>
class skip_list {
 public:
  using value_type = typename Contents::value_type;
  using node = skip_node<value_type>;
  using position = node*;
  using memory_traits = std::allocator_traits<Allocator>;
  static constexpr bool multi = Multi;
  static constexpr unsigned most_levels = 24;

  struct found {
    position at;
    bool inserted;
  };
  /// Where a key belongs: the last node before it and the first one behind, per level.
  struct place {
    node* before[most_levels];
    node* behind[most_levels];
    std::uint32_t rank = 0;
  };

  skip_list(Compare const& compare, Allocator const& memory) : compare_(compare), memory_(memory) {}
  skip_list(skip_list const&) = delete;
  skip_list& operator=(skip_list const&) = delete;
  ~skip_list() { clear(); }

  Compare& compare() noexcept { return compare_; }
  Compare const& compare() const noexcept { return compare_; }
  Allocator& memory() noexcept { return memory_; }
  Allocator const& memory() const noexcept { return memory_; }
  std::size_t size() const noexcept { return size_.load(mo::relaxed); }
  position first() const noexcept { return head()->next(0); }
  static position next(position p) noexcept { return p->next(0); }
  static value_type& value(position p) noexcept { return p->value(); }
  static auto const& key(position p) noexcept { return Contents::key(p->value()); }

  /// The first element whose key is not less than k; with After, the first one whose key is greater.
  template <bool After, typename K>
  position bound(K const& k) const {
    node* n = head();
    node* seen = nullptr;
    for (unsigned level = levels(); level-- > 0;) {
      node* following = n->next(level);
      while (is_news(following, seen) && goes_before<After>(following, k)) {
        n = following;
        following = n->next(level);
      }
      seen = following;
    }
    return seen;
  }
  template <typename K>
  position find(K const& k) const {
    position const p = bound<false>(k);
    return p && !compare_(k, key(p)) ? p : nullptr;
  }

  /// A node that is in no list. Throws what the allocator or `make` throws.
  template <typename Make>
  position create(Make const& make);
  void discard(position p) noexcept { memory_of::destroy(memory_, p); }

  /// Inserts the node that provide() returns, unless there is an equal element and the list is not a multi one. Throws
  /// what `provide` or the comparison throws, and then nothing has changed.
  template <typename K, typename Provide>
  found insert(K const& k, Provide const& provide);
  /// The same for a node from create(), which stays the caller's unless it is inserted.
  found insert_node(position n);
  /// The same for a node of another list, which detach() takes out of there once its place here is known. Not
  /// concurrently with other operations. Throws what the comparison or `detach` throws, and then nothing has changed.
  template <typename Detach>
  found take_over(position n, Detach const& detach) {
    place p;
    search(key(n), p);
    if (node* const other = equal_behind(key(n), p)) return {other, false};
    detach();
    return link(n, p);
  }
  /// Takes the node out; it is the caller's. Throws what the comparison throws, and then nothing has changed.
  void detach(position p) {
    place around;
    search_before(p, around);
    unlink(p, around);
  }
  /// Takes out and destroys the elements from one on and before another; returns their number. Throws what the
  /// comparison throws, and then nothing has changed.
  std::size_t erase(position from, position to);
  void clear() noexcept {
    destroy(first(), nullptr);
    forget();
  }
  /// The two halves of clear(): parts of the list, of which cut() gives the beginnings, may be destroyed at the same
  /// time. Their memory is returned, so a part's end is only compared.
  void destroy(position from, position to) noexcept {
    while (from != to) {
      node* const following = next(from);
      discard(from);
      from = following;
    }
  }
  void forget() noexcept;
  /// Calls f(position) for about every 2^level-th element, in order, the first one excepted.
  template <typename F>
  void cut(unsigned level, F const& f) const {
    for (node* n = head()->next(level); n; n = n->next(level)) {
      if (n != first()) f(n);
    }
  }
  /// Contents; not the allocators or comparisons.
  void swap_contents(skip_list& other) noexcept {
    for (unsigned level = 0; level < most_levels; ++level) exchange(head()->link(level), other.head()->link(level));
    exchange(size_, other.size_);
    exchange(levels_, other.levels_);
  }
  /// An element well inside [from, to), or null.
  position middle(position from, position to) const;

 private:
  using memory_of = skip_node_memory<value_type, Allocator>;
  static constexpr std::size_t alignment = memory_of::alignment;
  static constexpr std::uint32_t most_rank = (1u << 27) - 1;

  node* head() const noexcept { return const_cast<node*>(reinterpret_cast<node const*>(links_ + most_levels)); }
  unsigned levels() const noexcept { return levels_.load(mo::relaxed); }
  // Whether to compare with a node, given the one that stopped the search one level higher. To compare simple keys
  // again costs less than the branch: with fewer of them the processor fetches further nodes while it waits for one.
  static bool is_news(node* n, node* seen) noexcept {
    if constexpr (std::is_scalar_v<std::decay_t<decltype(key(n))>>) {
      return true;
    } else {
      return n != seen;
    }
  }
  template <bool After, typename K>
  bool goes_before(node* n, K const& k) const {
    if (!n) return false;
    if constexpr (After) {
      return !compare_(k, key(n));
    } else {
      return compare_(key(n), k);
    }
  }
  // Whether n lies before p, another node of the list.
  bool precedes(node* n, node* p) const {
    if (compare_(key(n), key(p))) return true;
    if constexpr (!Multi) return false;
    return (n->rank < p->rank || p->rank == most_rank) && !compare_(key(p), key(n));
  }
  // Of an element with this key that is linked behind n. From most_rank on it tells nothing, and nodes get no
  // shortcuts.
  template <typename K>
  std::uint32_t rank_behind(node* n, K const& k) const {
    if (!Multi || n == head() || compare_(key(n), k)) return 0;
    return n->rank == most_rank ? most_rank : n->rank + 1;
  }
  template <typename K>
  void search(K const& k, place& p) const {
    node* n = head();
    for (unsigned level = most_levels; level-- > levels();) {
      p.before[level] = n;
      p.behind[level] = nullptr;
    }
    node* seen = nullptr;
    for (unsigned level = levels(); level-- > 0;) {
      node* following = n->next(level);
      while (is_news(following, seen) && goes_before<Multi>(following, k)) {
        n = following;
        following = n->next(level);
      }
      p.before[level] = n;
      p.behind[level] = seen = following;
    }
    p.rank = rank_behind(n, k);
  }
  // Goes on from an outdated place, past the nodes for which passes(node*) holds.
  template <typename Passes>
  static void advance(place& p, unsigned level, Passes const& passes) {
    node* n = p.before[level];
    node* following = n->next(level);
    while (following != nullptr && passes(following)) {
      n = following;
      following = n->next(level);
    }
    p.before[level] = n;
    p.behind[level] = following;
  }
  // Fills in the last node before n, another one of the list, per level.
  void search_before(node* n, place& p) const;
  // Takes n out, given what the levels have before n; nothing is compared. Above the lowest level n may be missing.
  void unlink(node* n, place const& p) noexcept {
    for (unsigned level = 0; level < n->height; ++level) {
      if (level < levels() && p.before[level]->next(level) == n) {
        p.before[level]->link(level).store(n->next(level), mo::relaxed);
      }
      n->link(level).store(nullptr, mo::relaxed);  // another list may link the node, and less far up
    }
    size_.fetch_sub(1, mo::relaxed);
  }
  template <typename K>
  node* equal_behind(K const& k, place const& p) const {
    if constexpr (Multi) return nullptr;
    node* const n = p.behind[0];
    return n && !compare_(k, key(n)) ? n : nullptr;
  }
  static bool try_link(node* n, place const& p, unsigned level) noexcept {
    n->link(level).store(p.behind[level], mo::relaxed);
    node* expected = p.behind[level];
    return p.before[level]->link(level).compare_exchange(expected, n, mo::release, mo::relaxed);  // [SL1]
  }
  found link(node* n, place& p);
  void link_shortcuts(node* n, place& p);
  template <typename U>
  static void exchange(atomic<U>& a, atomic<U>& b) noexcept {
    U const t = a.load(mo::relaxed);
    a.store(b.load(mo::relaxed), mo::relaxed);
    b.store(t, mo::relaxed);
  }

  // The head is a node without element: its links lie before the place where its element would be.
  alignas(alignment) atomic<node*> links_[most_levels];
  alignas(alignment) atomic<unsigned> levels_{1};
  Compare compare_;
  Allocator memory_;
  char padding_[cache_line];  // each insertion writes size_, each search reads what stands before
  atomic<std::size_t> size_{0};
};

template <typename Contents, typename Compare, typename Allocator, bool Multi>
template <typename Make>
typename skip_list<Contents, Compare, Allocator, Multi>::position
skip_list<Contents, Compare, Allocator, Multi>::create(Make const& make) {
  node* const n = memory_of::allocate(memory_, random_height(most_levels));
  ASHLAR_TRY { make(static_cast<void*>(std::addressof(n->of.value))); }
  ASHLAR_CATCH_ALL {
    memory_of::deallocate(memory_, n);
    ASHLAR_RETHROW;
  }
  return n;
}

template <typename Contents, typename Compare, typename Allocator, bool Multi>
template <typename K, typename Provide>
typename skip_list<Contents, Compare, Allocator, Multi>::found skip_list<Contents, Compare, Allocator, Multi>::insert(
    K const& k, Provide const& provide) {
  place p;
  search(k, p);
  if (node* const n = equal_behind(k, p)) return {n, false};
  struct owner {
    skip_list& list;
    node* made;
    ~owner() {
      if (made != nullptr) list.discard(made);
    }
  } own{*this, provide()};
  found const f = link(own.made, p);
  if (f.inserted) own.made = nullptr;
  return f;
}

template <typename Contents, typename Compare, typename Allocator, bool Multi>
typename skip_list<Contents, Compare, Allocator, Multi>::found
skip_list<Contents, Compare, Allocator, Multi>::insert_node(position n) {
  place p;
  search(key(n), p);
  if (node* const other = equal_behind(key(n), p)) return {other, false};
  return link(n, p);
}

template <typename Contents, typename Compare, typename Allocator, bool Multi>
typename skip_list<Contents, Compare, Allocator, Multi>::found skip_list<Contents, Compare, Allocator, Multi>::link(
    node* n, place& p) {
  for (;;) {
    if constexpr (Multi) n->rank = p.rank & most_rank;
    if (try_link(n, p, 0)) break;
    advance(p, 0, [&](node* other) { return goes_before<Multi>(other, key(n)); });
    if (node* const other = equal_behind(key(n), p)) return {other, false};
    p.rank = rank_behind(p.before[0], key(n));
  }
  size_.fetch_add(1, mo::relaxed);
  if (n->height > 1 && p.rank != most_rank) link_shortcuts(n, p);
  return {n, true};
}

/// A comparison that throws here costs shortcuts, nothing else.
template <typename Contents, typename Compare, typename Allocator, bool Multi>
void skip_list<Contents, Compare, Allocator, Multi>::link_shortcuts(node* n, place& p) {
  unsigned const height = n->height;
  ASHLAR_TRY {
    for (unsigned level = 1; level < height; ++level) {
      while (!try_link(n, p, level)) advance(p, level, [&](node* other) { return precedes(other, n); });
    }
  }
  ASHLAR_CATCH_ALL {}
  unsigned known = levels_.load(mo::relaxed);
  while (known < height && !levels_.compare_exchange(known, height, mo::relaxed, mo::relaxed)) {
  }
}

template <typename Contents, typename Compare, typename Allocator, bool Multi>
void skip_list<Contents, Compare, Allocator, Multi>::search_before(node* n, place& p) const {
  node* before = head();
  for (unsigned level = levels(); level-- > 0;) {
    node* following = before->next(level);
    while (following != nullptr && following != n && precedes(following, n)) {
      before = following;
      following = before->next(level);
    }
    p.before[level] = before;
  }
}

/// All comparisons come first. After those, what lies before the first element lies before each that is left: the
/// levels have the elements in one order.
template <typename Contents, typename Compare, typename Allocator, bool Multi>
std::size_t skip_list<Contents, Compare, Allocator, Multi>::erase(position from, position to) {
  if (from == to) return 0;
  place around;
  search_before(from, around);
  std::size_t n = 0;
  for (; from != to; ++n) {
    node* const following = next(from);
    unlink(from, around);
    discard(from);
    from = following;
  }
  return n;
}

template <typename Contents, typename Compare, typename Allocator, bool Multi>
void skip_list<Contents, Compare, Allocator, Multi>::forget() noexcept {
  for (auto& l : links_) l.store(nullptr, mo::relaxed);
  levels_.store(1, mo::relaxed);
  size_.store(0, mo::relaxed);
}

/// Climbs from `from` to the highest node before `to`; if that is `from`, the next highest.
template <typename Contents, typename Compare, typename Allocator, bool Multi>
typename skip_list<Contents, Compare, Allocator, Multi>::position
skip_list<Contents, Compare, Allocator, Multi>::middle(position from, position to) const {
  if (!from || from == to) return nullptr;
  auto const inside = [&](node* n) { return n && n != to && (!to || precedes(n, to)); };
  node* n = from;
  for (node* up = n->next(n->height - 1); inside(up); up = n->next(n->height - 1)) n = up;
  for (unsigned level = n->height; n == from && level-- > 0;) {
    if (inside(n->next(level))) n = n->next(level);
  }
  return n == from ? nullptr : n;
}

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
