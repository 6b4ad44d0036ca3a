// SPDX-License-Identifier: Apache-2.0
// The hash table under concurrent_hash_map and the unordered containers. Groups of six (hash_group.h) hold pointers to
// nodes that never move (node_store.h). It grows by doubling the number of groups; each new group takes its elements
// from its parent, the group without its highest index bit, when a writer first needs it or a neighbour, so nobody ever
// waits for a whole table. Until then readers look into the parent.
//
// Why a reader without lock misses nothing: an element stays in its slot until it is erased or its group is split. Then
// the table's mask has grown, and the child becomes ready, and then
//   the parent's tags are cleared and the split is counted, in one store; only afterwards is a free slot used again;
//   if there are gaps to close, the split is counted before them, so that nobody trusts the slots; elements from
//   further groups are copied to the first one; their tags appear with a second count, in one store; only then do they
//   vanish from the further groups, which may leave the chain.
// So a reader that has missed what moved finds another group responsible afterwards or another count, and looks again.
//
// The table knows neither keys nor hash functions: callers pass a 32-bit hash and a predicate for a value.
//
// Ordering
// [H11] a slot of a group receives a node: release -> [H12] a slot is read: acquire, sees the node; and who finds a
//       slot used again after a split sees that the split was counted
// [HT1] a table or segment is stored, then the mask: release -> [HT2] the mask or pointer is read: acquire, sees the
//       groups
#pragma once

#include <ashlar/base/assert.h>
#include <ashlar/containers/element_end.h>
#include <ashlar/containers/group_directory.h>
#include <ashlar/containers/hash_group.h>
#include <ashlar/containers/node_store.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

/// Spreads what the user's hash function returned; identity functions are common.
inline std::uint32_t mixed_hash(std::size_t user_hash) noexcept {
  std::uint64_t const m = user_hash * std::uint64_t{0x9E3779B97F4A7C15};
  return static_cast<std::uint32_t>(m ^ m >> 32);
}

/// False for what the library itself keeps in a table: the user's allocator does not construct it, nor destroy it.
template <typename Value>
inline constexpr bool is_element = true;

template <typename Value, typename Allocator>
class hash_table {
 public:
  using store_type = node_store<Value, Allocator>;
  using node = typename store_type::node;
  using span = typename store_type::span;

  struct found {
    node* element;
    bool inserted;
  };

  explicit hash_table(Allocator const& memory) noexcept : memory_(memory) {}
  hash_table(hash_table const&) = delete;
  hash_table& operator=(hash_table const&) = delete;
  ~hash_table() { clear(); }

  Allocator const& memory() const noexcept { return memory_; }
  Allocator& memory() noexcept { return memory_; }

  // ---- by any thread

  /// The element for which equal(value) holds, without locking it: for tables whose elements are not erased meanwhile.
  template <typename Equal>
  node* find(std::uint32_t hash, Equal const& equal) const {
    return scan(hash, [&](node* n) { return equal(n->value()); });
  }
  /// The same for tables with concurrent erase: the element is locked as said, waiting for its holders; with
  /// hold::nothing the pointer only tells that there was one.
  template <typename Equal>
  node* find(std::uint32_t hash, Equal const& equal, hold h) const;

  /// A node with the value that make(void*) constructs, not in the table yet. Throws what the allocator or `make`
  /// throws.
  template <typename Make>
  node* create(Make const& make);
  /// Ends a node that create() returned.
  void discard(node* n) noexcept { finish(*core_.load(mo::acquire), n); }  // [HT2]

  /// Inserts the node that provide() returns, unless there is an equal element; locks either. Throws what the allocator
  /// or `provide` throws, and then nothing has changed.
  template <typename Equal, typename Provide>
  found insert(std::uint32_t hash, Equal const& equal, hold h, Provide const& provide);
  /// The same for tables without concurrent erase, whose elements nobody locks.
  template <typename Equal, typename Provide>
  found insert_unlocked(std::uint32_t hash, Equal const& equal, Provide const& provide);

  /// Calls f(value) for each element, locked as said. One that is there all the time is met once; others may be met.
  template <typename F>
  void visit_all(hold h, F& f) const {
    for (node* n = first(); n; n = next(n)) {
      if (!n->state.lock(h)) continue;
      element_hold const guard{n, h};
      f(n->value());
    }
  }

  /// Takes the element out, waits until its holders are done, destroys it. False if there is none.
  template <typename Equal>
  bool erase(std::uint32_t hash, Equal const& equal);
  /// The same for an element that the caller holds; its lock is given back in any case.
  bool erase(node* n, hold h);

  std::size_t size() const noexcept {
    core const* const c = core_.load(mo::acquire);  // [HT2]
    return c ? c->store.size() : 0;
  }
  node* first() const noexcept {
    core* const c = core_.load(mo::acquire);  // [HT2]
    if (!c) return nullptr;
    node* const known = c->front.load(mo::relaxed);
    node* const from = ASHLAR_UNLIKELY(known != nullptr) ? known : c->store.front();
    if (from == nullptr) return nullptr;
    node* const element = store_type::settle(from);
    auto const way = reinterpret_cast<std::uintptr_t>(element) - reinterpret_cast<std::uintptr_t>(from);
    if (ASHLAR_UNLIKELY(way > long_way)) c->front_is_far.store(true, mo::relaxed);
    return element;
  }
  static node* next(node* n) noexcept { return store_type::next(n); }
  span whole() const noexcept {
    core const* const c = core_.load(mo::acquire);  // [HT2]
    return c ? span(c->store) : span();
  }
  std::size_t groups() const noexcept {
    core const* const c = core_.load(mo::acquire);  // [HT2]
    return c ? std::size_t{c->directory.mask()} + 1 : group_directory<Allocator>::first_groups;
  }

  // ---- the caller has the table for itself

  /// At least so many groups, all of them ready. A hint: the table grows as far as memory allows, and does not begin
  /// with more than it can have.
  void reserve_groups(std::size_t groups) {
    core* const c = get_core();
    if (groups > group_directory<Allocator>::most_groups) groups = 0;
    while (c->directory.mask() + std::size_t{1} < groups && c->directory.grow(memory_)) {
    }
    make_all_ready();
  }
  void make_all_ready() {
    if (core* const c = core_.load(mo::relaxed)) {
      for (std::size_t i = 0; i <= c->directory.mask(); ++i) make_ready(*c, static_cast<std::uint32_t>(i));
    }
  }
  /// The mean number of elements in a group above which the table grows.
  void set_load(float load) noexcept {
    load_ = load;
    check_from_ = load >= 4.0f ? hash_group::slot_count : static_cast<unsigned>(load);
  }
  float load() const noexcept { return load_; }
  /// The group responsible for a hash, and its elements one by one; null at the end.
  std::uint32_t group_of(std::uint32_t hash) const noexcept { return hash & static_cast<std::uint32_t>(groups() - 1); }
  node* first_in(std::uint32_t group) const noexcept { return next_in(group, nullptr); }
  node* next_in(std::uint32_t group, node* n) const noexcept;

  void remove(node* n) noexcept;

  /// Copies or moves the other table's elements into this empty one: construct(void*, Value&).
  template <typename Construct>
  void take_all(hash_table const& other, Construct const& construct);

  void clear() noexcept {
    destroy_values(first(), nullptr);
    forget();
  }
  /// The two halves of clear(). Disjoint parts of the walk from first() may be destroyed at the same time.
  void destroy_values(node* from, node* to) noexcept {
    if constexpr (is_element<Value> && !ends_unnoticed<Allocator, Value>) {
      for (; from != to; from = next(from)) value_traits::destroy(memory_, std::addressof(from->value()));
    }
  }
  void forget() noexcept {
    core* const c = core_.load(mo::relaxed);
    core_.store(nullptr, mo::relaxed);
    if (c) destroy_core(c);
  }
  /// Contents and growth policy; not the allocators.
  void swap_contents(hash_table& other) noexcept {
    core* const mine = core_.load(mo::relaxed);
    core_.store(other.core_.load(mo::relaxed), mo::relaxed);
    other.core_.store(mine, mo::relaxed);
    std::swap(load_, other.load_);
    std::swap(check_from_, other.check_from_);
  }

 private:
  using value_traits = std::allocator_traits<Allocator>;

  struct core {
    group_directory<Allocator> directory;
    store_type store;
    // Where the walk begins: no element lies before; null: at the store's begin. Set by remove(), which no other
    // operation runs beside, if first() has met much dead memory before the first element; lowered by insertions. So a
    // program that removes the first element again and again takes linear time, also if it inserts others meanwhile.
    atomic<node*> front{nullptr};
    typename store_type::range front_chunk{nullptr, nullptr};  // set together with `front`
    atomic<bool> front_is_far{false};
  };
  static constexpr std::size_t long_way = 64 * sizeof(node);

#ifdef ASHLAR_MODEL
  static constexpr std::uint32_t most_neighbours = 1;
#else
  static constexpr std::uint32_t most_neighbours = 16;
#endif
  static constexpr std::size_t core_lines = (sizeof(core) + cache_line - 1) / cache_line;

  ASHLAR_NOINLINE void raise_front(core& c) noexcept {
    node* const element = first();
    c.front.store(element, mo::relaxed);
    if (element != nullptr) c.front_chunk = c.store.chunk_of(element);
    c.front_is_far.store(false, mo::relaxed);
  }
  // The walk may not begin behind a node that is about to live.
  ASHLAR_NOINLINE static void lower_front(core& c, node* n) noexcept {
    bool const same_chunk = n >= c.front_chunk.begin && n < c.front_chunk.end;
    for (node* known = c.front.load(mo::relaxed); known != nullptr && !(same_chunk && n >= known);) {
      if (c.front.compare_exchange(known, same_chunk ? n : nullptr, mo::relaxed, mo::relaxed)) return;
    }
  }

  class group_lock;
  // Gives an element's lock back, unless it is told not to.
  struct element_hold {
    node* element;
    hold held;
    ~element_hold() {
      if (ASHLAR_UNLIKELY(element != nullptr)) element->state.unlock(held);
    }
  };

  hash_group* lock_new(core& c, std::uint32_t hash) const noexcept;
  template <typename Equal>
  node* find_patiently(std::uint32_t hash, Equal const& equal, hold h) const;
  template <typename Visit>
  node* scan(std::uint32_t hash, Visit const& visit) const;
  template <typename Visit>
  static node* visit_chain(hash_group* g, std::uint64_t control, std::uint32_t hash, Visit const& visit);
  // Whether the first group for a hash, without those that continue it, has its tag: worth a look without lock.
  bool may_contain(std::uint32_t hash) const noexcept {
    core* const c = core_.load(mo::acquire);  // [HT2]
    return c && hash_group::matches(c->directory.at(hash & c->directory.mask())->read(), hash_tag(hash)) != 0;
  }
  template <typename Equal, typename Provide>
  found insert_locked(std::uint32_t hash, Equal const& equal, hold h, Provide const& provide);
  static node* node_at(hash_group const* g, std::size_t slot) noexcept {
    auto* const n = static_cast<node*>(hash_group::node_of(g->nodes[slot].load(mo::acquire)));  // [H12]
    ASHLAR_ASSERT(n != nullptr, "a slot with a tag holds a node");
    return n;
  }
  bool take_out(core& c, node* n) noexcept;
  void finish(core& c, node* n) noexcept {
    if constexpr (is_element<Value>) value_traits::destroy(memory_, std::addressof(n->value()));
    c.store.give_back(n, memory_);
  }
  bool make_ready(core& c, std::uint32_t index) const noexcept {
    return ASHLAR_LIKELY((c.directory.at(index)->read() & hash_group::ready) != 0) || split_around(c, index);
  }
  bool split_around(core& c, std::uint32_t index) const noexcept;
  bool split(core& c, std::uint32_t index) const noexcept;
  static std::uint64_t having(hash_group const* g, std::uint64_t used, unsigned bit) noexcept;
  static std::uint64_t moving(hash_group const* g, std::uint64_t control, std::uint32_t child) noexcept;
  static void close_gaps(core& c, group_lock& chain) noexcept;
  void grow_if_full(core& c) noexcept {
    if (static_cast<float>(c.store.size()) > load_ * (static_cast<float>(c.directory.mask()) + 1.0f)) {
      c.directory.grow(memory_);
    }
  }
  core* get_core() {
    core* const c = core_.load(mo::acquire);  // [HT2]
    return ASHLAR_LIKELY(c != nullptr) ? c : start();
  }
  core* start();
  void destroy_core(core* c) noexcept;

  atomic<core*> core_{nullptr};
  float load_ = 4.0f;
  unsigned check_from_ = hash_group::slot_count;  // a place in a chain from which on inserting checks the load
  mutable Allocator memory_;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar

#include <ashlar/containers/hash_table_impl.h>
