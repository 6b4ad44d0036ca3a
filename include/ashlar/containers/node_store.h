// SPDX-License-Identifier: Apache-2.0
// The nodes of a hash table: taken from chunks, given back to free lists, counted, and walked in the order of their
// memory. A node's memory stays a node until release(); so a stale pointer to a node is harmless to follow. Threads are
// spread over stripes, each with its lock, free list and count. Any thread may take and give back; release() needs
// the store for itself alone.
//
// A stripe that has no node left takes the free list of one that has many, then what regions hold (node_regions.h), and
// only then more memory: src/containers/README.md says how much at most. When more nodes are free than in use, and
// many, who gives back gathers them into their regions, so that pages go back to the system: nothing is paid for that
// as long as a table keeps its size.
//
// Ordering
// [ND1] a stripe, the regions or growth are unlocked: release -> [ND2] they are locked: acquire, sees lists and chunks
// [ND5] a stripe is marked as hungry: release -> [ND6] it is passed by: acquire, sees its count
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>
#include <ashlar/containers/node_regions.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace ashlar {
inline namespace v1 {
namespace containers {

#ifndef ASHLAR_MODEL
/// The stripe that the calling thread has found free last: in every table it begins there.
extern ASHLAR_EXPORT ASHLAR_INITIAL_EXEC __thread std::uint32_t own_stripe;
#endif

/// How threads are spread, and when one stripe takes another one's nodes. A model may have others. A thread that finds
/// its stripe in use changes to another one for good: so threads that meet part, whatever their number and addresses.
struct thread_stripes {
#ifdef ASHLAR_MODEL
  static constexpr std::size_t count = 1;
  static std::size_t mine() noexcept { return 0; }
  static void change_to(std::size_t) noexcept {}
#else
  static constexpr std::size_t count = 8;
  static std::size_t mine() noexcept { return own_stripe; }
  static void change_to(std::size_t stripe) noexcept { own_stripe = static_cast<std::uint32_t>(stripe); }
#endif
  /// The shortest list that is worth the way while so many nodes are in use: what others may have free unused beside it
  /// stays a small part of these.
  static std::ptrdiff_t surplus(std::size_t used) noexcept { return 16 + static_cast<std::ptrdiff_t>(used / 32); }
};

template <typename Value, typename Allocator, typename Stripes = thread_stripes>
class node_store {
 public:
  using memory_regions = node_regions<Value, Allocator>;
  using node = typename memory_regions::node;
  using node_allocator = typename memory_regions::node_allocator;
  using range = typename memory_regions::range;

  node_store() noexcept = default;
  node_store(node_store const&) = delete;
  node_store& operator=(node_store const&) = delete;

  /// A dead node, counted. Throws what the allocator throws.
  node* take(Allocator const& memory) {
    stripe_lock const own(*this);
    stripe& s = *own.held;
    node* n = s.free.load(mo::relaxed);
    if (n) {
      node* const following = n->of.next_free;
      __builtin_prefetch(following, 1);  // it may be in the cache of the thread that gave it back
      s.free.store(following, mo::relaxed);
    } else {
      n = s.fresh.begin;
      if (ASHLAR_LIKELY(n != s.fresh.end)) {
        s.fresh.begin = n + 1;
      } else {
        n = refill(s, memory);
      }
    }
    s.count.store(s.count.load(mo::relaxed) + 1, mo::relaxed);
    return n;
  }
  /// A dead node whose element is destroyed.
  void give_back(node* n, Allocator const& memory) noexcept {
    stripe_lock const own(*this);
    stripe& s = *own.held;
    n->of.next_free = s.free.load(mo::relaxed);
    s.free.store(n, mo::relaxed);
    std::ptrdiff_t const count = s.count.load(mo::relaxed) - 1;
    s.count.store(count, mo::relaxed);
    if (ASHLAR_UNLIKELY(count < s.look_below)) look_at_surplus(s, memory);
  }

  /// Nodes in use; exact when nobody takes or gives back meanwhile.
  std::size_t size() const noexcept {
    std::ptrdiff_t sum = 0;
    for (stripe const& s : stripes_) sum += s.count.load(mo::relaxed);
    return sum > 0 ? static_cast<std::size_t>(sum) : 0;
  }

  /// Where the walk over the live nodes begins, live or not, or null. It goes in the order of memory; null at the end.
  /// A node that lives during the whole walk is met once.
  node* front() const noexcept {
    chunk* const c = regions_.first();
    return c != nullptr ? c->begin() : nullptr;
  }
  static node* next(node* n) noexcept { return settle(n + 1); }
  /// The nodes of the chunk that a node lies in: a walk meets them in the order of their addresses.
  range chunk_of(node const* n) const noexcept {
    chunk* c = regions_.first();
    while (n < c->begin() || n >= c->end()) c = c->next.load(mo::acquire);  // [ND4]
    return {c->begin(), c->end()};
  }
  /// The first live node from n on.
  static node* settle(node* n) noexcept {
    while (!n->state.is_live()) {
      if (ASHLAR_LIKELY(!n->state.is_end())) {
        ++n;
      } else {
        chunk* const c = reinterpret_cast<chunk*>(n)->next.load(mo::acquire);  // [ND4]
        if (c == nullptr) return nullptr;
        n = c->begin();
      }
    }
    return n;
  }

  /// The walk of a table in which a node is an element (table_range.h).
  using position = node*;
  static position front(node* n) noexcept { return n; }
  static Value& value(position n) noexcept { return n->value(); }

  /// Frees all memory; the elements have been destroyed.
  void release(Allocator const& memory) noexcept { regions_.release(memory); }

 private:
  using chunk = typename memory_regions::chunk;
  static constexpr std::size_t chunk_bytes = 4 * 1024 * 1024;
  static constexpr std::size_t most_nodes = chunk_bytes / sizeof(node) > 8 ? chunk_bytes / sizeof(node) : 8;
  // So much free memory is worth the work of giving it back.
  static constexpr std::size_t many_nodes = std::size_t{32} * 1024 * 1024 / sizeof(node);
  static constexpr std::int32_t few = 32;  // nodes that a stripe keeps, or takes from a region
  static constexpr int fresh_at_once = 1024;
  static constexpr std::int32_t rarely = 1024, sometimes = 64, always = 0;

  struct alignas(cache_line) stripe {
    atomic<std::uint32_t> locked{0};
    atomic<bool> hungry{false};  // locked, and without a node; falls only while growth is locked
    std::uint32_t chunk_nodes = 4;
    atomic<std::ptrdiff_t> count{0};  // of the nodes taken here, less those given back here
    atomic<node*> free{nullptr};      // read by others without the lock, to see whether there is something
    range fresh{nullptr, nullptr};
    std::ptrdiff_t look_below = -rarely;  // give_back() looks for a surplus when the count is less
    std::int32_t look_after = rarely;     // so many more nodes come back than are taken
    std::int32_t short_looks = 0;         // until the next long one
    std::int32_t per_look = 0;            // how many nodes each look gathers
    std::ptrdiff_t stock = 0;  // the nodes that have come here but not by give_back(), less those that left so

    std::ptrdiff_t fresh_nodes() const noexcept { return fresh.end - fresh.begin; }
    /// The length of the free list.
    std::ptrdiff_t listed() const noexcept { return stock - count.load(mo::relaxed) - fresh_nodes(); }
  };
  static constexpr std::size_t stripes = Stripes::count;

  static bool try_lock(stripe& s) noexcept {
    return s.locked.load(mo::relaxed) == 0 && s.locked.exchange(1, mo::acquire) == 0;  // [ND2]
  }
  struct stripe_lock {
    stripe* held;
    explicit stripe_lock(node_store& store) noexcept {
      std::size_t const mine = Stripes::mine();
      held = &store.stripes_[mine];
      if (ASHLAR_UNLIKELY(held->locked.exchange(1, mo::acquire) != 0)) held = store.lock_other(mine);  // [ND2]
    }
    stripe_lock(stripe_lock const&) = delete;
    ~stripe_lock() { held->locked.store(0, mo::release); }  // [ND1]
  };
  ASHLAR_NOINLINE stripe* lock_other(std::size_t mine) noexcept {
    for (sync::backoff wait;; wait.pause()) {
      for (std::size_t i = 1; i <= stripes; ++i) {
        std::size_t const other = (mine + i) % stripes;
        if (!try_lock(stripes_[other])) continue;
        Stripes::change_to(other);
        return &stripes_[other];
      }
    }
  }
  // Held together with a stripe's lock, which is taken first; who holds both only tries other stripes' locks.
  struct locked_already {};
  struct regions_lock {
    node_store& store;
    explicit regions_lock(node_store& of) noexcept : store(of) {
      for (sync::backoff wait; store.regions_locked_.exchange(1, mo::acquire) != 0;) {  // [ND2]
        while (store.regions_locked_.load(mo::relaxed) != 0) wait.pause();
      }
    }
    regions_lock(node_store& of, locked_already) noexcept : store(of) {}
    regions_lock(regions_lock const&) = delete;
    ~regions_lock() { store.regions_locked_.store(0, mo::release); }  // [ND1]
  };

  /// Held while lists are looked at that must not move. The holder waits for all stripes that are not hungry, so who
  /// locks it has no stripe, or a hungry one.
  struct growth_lock {
    node_store& store;
    explicit growth_lock(node_store& of) noexcept : store(of) {
      for (sync::backoff wait; store.growth_locked_.exchange(1, mo::acquire) != 0;) {  // [ND2]
        while (store.growth_locked_.load(mo::relaxed) != 0) wait.pause();
      }
    }
    growth_lock(growth_lock const&) = delete;
    ~growth_lock() { store.growth_locked_.store(0, mo::release); }  // [ND1]
  };
  /// The hunger of a stripe ends with the scope, and when nobody looks at lists: who has passed the stripe by relies on
  /// it that the stripe has none.
  struct hunger {
    node_store& store;
    stripe& of;
    hunger(node_store& all, stripe& s) noexcept : store(all), of(s) {}
    hunger(hunger const&) = delete;
    ~hunger() {
      growth_lock const own(store);
      of.hungry.store(false, mo::relaxed);
    }
  };

  /// A node for a stripe that has none; the stripe is left with more.
  ASHLAR_NOINLINE node* refill(stripe& s, Allocator const& memory) {
    if (!take_surplus(s) && !take_gathered(s) && !take_from_all(s)) {
      hunger const until_then(*this, s);
      add_chunk(s, memory);
    }
    plan_look(s);
    node* const n = s.free.load(mo::relaxed);
    if (n == nullptr) return s.fresh.begin++;
    s.free.store(n->of.next_free, mo::relaxed);
    return n;
  }
  /// The whole list of another stripe that is locked, too. The own one is empty.
  static void take_list(stripe& s, stripe& other) noexcept {
    std::ptrdiff_t const found = other.listed();
    s.free.store(other.free.load(mo::relaxed), mo::relaxed);
    other.free.store(nullptr, mo::relaxed);
    other.stock -= found;
    s.stock += found;
  }
  /// A surplus that is found at once. It may be missed: a stripe is in use, or the list moves meanwhile.
  bool take_surplus(stripe& s) noexcept {
    for (stripe& other : stripes_) {
      if (&other == &s || other.free.load(mo::relaxed) == nullptr || !try_lock(other)) continue;
      bool const found = other.listed() >= Stripes::surplus(size());
      if (found) take_list(s, other);
      other.locked.store(0, mo::release);  // [ND1]
      if (found) return true;
    }
    return false;
  }
  /// The longest surplus, looked for with all stripes locked that may have a list. So none is missed: memory that were
  /// added each time that this happens would grow for ever. False if there is none; then the stripe is left hungry, and
  /// memory is to be added.
  bool take_from_all(stripe& s) noexcept {
    s.hungry.store(true, mo::release);  // [ND5]
    growth_lock const own(*this);
    stripe* held[stripes];
    std::size_t count = 0;
    for (stripe& other : stripes_) {
      if (lock_unless_hungry(other)) held[count++] = &other;
    }
    stripe* longest = nullptr;
    std::ptrdiff_t most = Stripes::surplus(size()) - 1;
    for (std::size_t i = 0; i != count; ++i) {
      std::ptrdiff_t const found = held[i]->listed();
      if (found <= most) continue;
      most = found;
      longest = held[i];
    }
    if (longest != nullptr) take_list(s, *longest);
    bool const found = longest != nullptr || take_gathered(s);
    if (found) s.hungry.store(false, mo::relaxed);
    while (count != 0) held[--count]->locked.store(0, mo::release);  // [ND1]
    return found;
  }
  /// False if the stripe is held by a thread that has found nothing in it: this one, or one that waits for growth or
  /// for memory. The holder of any other waits for no stripe.
  static bool lock_unless_hungry(stripe& s) noexcept {
    for (sync::backoff wait;; wait.pause()) {
      if (s.hungry.load(mo::acquire)) return false;  // [ND6]
      if (try_lock(s)) return true;
    }
  }
  bool take_gathered(stripe& s) noexcept {
    if (!regions_.has_nodes()) return false;
    regions_lock const own(*this);
    std::size_t taken = 0;
    s.free.store(regions_.take(few, taken, s.fresh), mo::relaxed);
    s.stock += static_cast<std::ptrdiff_t>(taken);
    return taken != 0;
  }
  void add_chunk(stripe& s, Allocator const& memory) {
    std::size_t const nodes = s.chunk_nodes;
    node_allocator from(memory);
    chunk* const c = memory_regions::make_chunk(nodes, from);
    s.fresh = {c->begin(), c->end()};
    s.stock += static_cast<std::ptrdiff_t>(nodes);
    s.chunk_nodes = static_cast<std::uint32_t>(nodes < 1024 ? 2 * nodes : nodes + nodes / 8);
    if (s.chunk_nodes > most_nodes) s.chunk_nodes = static_cast<std::uint32_t>(most_nodes);
    regions_lock const own(*this);
    regions_.link(c);
  }
  /// While more nodes are free than in use, and many, gathers some of them whenever a node is given back: that node,
  /// which is in the cache, and another one, which was fetched since the last time.
  ASHLAR_NOINLINE void look_at_surplus(stripe& s, Allocator const& memory) noexcept {
    bool const long_look = s.look_after != always || --s.short_looks == 0;
    if (long_look && !is_surplus(s)) return;
    if (regions_locked_.load(mo::relaxed) != 0 || regions_locked_.exchange(1, mo::acquire) != 0) return;  // [ND2]
    regions_lock const own(*this, locked_already{});
    if (!regions_.can_drop() || !regions_.make_index(memory)) return;
    gather_listed(s, s.per_look, few);
    if (long_look) {
      for (stripe& other : stripes_) {
        bool const mine = &other == &s;
        if (!mine && !try_lock(other)) continue;
        gather_fresh(other);
        if (mine) continue;
        gather_listed(other, few * share(other, size()), 0);
        other.locked.store(0, mo::release);  // [ND1]
      }
    }
    __builtin_prefetch(s.free.load(mo::relaxed), 1);
  }
  /// Decides how often the stripe looks. Once memory has gone back, also a short list may hold much: each of its nodes
  /// may lie in a region of which nothing else is left.
  bool is_surplus(stripe& s) noexcept {
    std::size_t const used = size();
    std::size_t const free = regions_.mapped() - regions_.gathered() - used;
    auto const listed = static_cast<std::size_t>(s.listed());
    bool much;
    if (s.look_after == always) {
      much = listed > few + used / 8;
    } else if (!regions_.has_dropped()) {
      much = free > used && free > many_nodes;
    } else {
      much = listed > 2 * few + used / 2 || free > used / 2 + stripes * chunk::region_nodes;
    }
    s.look_after = much ? always : regions_.has_dropped() ? sometimes : rarely;
    plan_look(s);
    s.short_looks = few;
    s.per_look = share(s, used);
    return much;
  }
  /// How much of a stripe's list is to be gathered for each element that is erased, so that all of it is before all
  /// elements are gone, by whichever stripes they are erased.
  static std::int32_t share(stripe const& s, std::size_t used) noexcept {
    std::size_t const nodes = 2 + static_cast<std::size_t>(s.listed()) * stripes / (used + 1);
    return static_cast<std::int32_t>(nodes < 2 * few ? nodes : 2 * few);
  }
  static void plan_look(stripe& s) noexcept {
    s.look_below = s.look_after == always ? (std::numeric_limits<std::ptrdiff_t>::max)()
                                          : s.count.load(mo::relaxed) - s.look_after;
  }
  void gather_fresh(stripe& s) noexcept {
    auto const kept = static_cast<std::ptrdiff_t>(chunk::region_nodes);
    for (int i = 0; i < fresh_at_once && s.fresh_nodes() > kept && regions_.gather(s.fresh.end - 1); ++i) {
      --s.fresh.end;
      --s.stock;
    }
  }
  void gather_listed(stripe& s, std::int32_t most, std::ptrdiff_t kept) noexcept {
    for (; most != 0 && s.listed() > kept; --most) {
      node* const n = s.free.load(mo::relaxed);
      node* const following = n->of.next_free;
      if (!regions_.gather(n)) return;
      s.free.store(following, mo::relaxed);
      --s.stock;
    }
  }

 public:
  /// A part of the walk, for ranges: whole chunks, or a part of one chunk.
  class span {
   public:
    span() noexcept = default;
    explicit span(node_store const& store) noexcept : chunk_(store.regions_.first()) {
      for (chunk* c = chunk_; c != nullptr; c = c->next.load(mo::acquire)) ++chunks_;  // [ND4]
      if (chunk_ != nullptr) narrow();
    }
    /// The first live node of the part, and the first one behind it; null behind the last.
    node* begin() const noexcept { return chunk_ != nullptr ? settle(low_) : nullptr; }
    node* end() const noexcept { return chunk_ != nullptr ? settle(high_) : nullptr; }
    /// Nodes, live or not.
    std::size_t nodes() const noexcept { return nodes_; }
    bool is_divisible() const noexcept { return nodes_ > 1; }
    /// Keeps the first half and returns the other one.
    span split() noexcept {
      span second = *this;
      if (chunks_ > 1) {
        chunks_ /= 2;
        second.chunks_ -= chunks_;
        for (std::size_t i = 0; i < chunks_; ++i) second.chunk_ = second.chunk_->next.load(mo::relaxed);
        second.narrow();
        narrow();
      } else {
        high_ = second.low_ = low_ + nodes_ / 2;
        second.nodes_ -= nodes_ / 2;
        nodes_ /= 2;
      }
      return second;
    }

   private:
    // The bounds of the chunks, and their nodes.
    void narrow() noexcept {
      chunk* last = chunk_;
      nodes_ = last->nodes;
      for (std::size_t i = 1; i < chunks_; ++i) {
        last = last->next.load(mo::relaxed);
        nodes_ += last->nodes;
      }
      low_ = chunk_->begin();
      high_ = last->end();
    }

    chunk* chunk_ = nullptr;
    std::size_t chunks_ = 0;
    std::size_t nodes_ = 0;
    node* low_ = nullptr;
    node* high_ = nullptr;
  };

 private:
  stripe stripes_[stripes];
  memory_regions regions_;
  atomic<std::uint32_t> regions_locked_{0};
  atomic<std::uint32_t> growth_locked_{0};
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
