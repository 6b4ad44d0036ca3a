// SPDX-License-Identifier: Apache-2.0
// The nodes of a hash table: taken from chunks, given back to free lists, counted, and walked in the order of their
// memory. A node's memory stays a node until release(); so a stale pointer to a node is harmless to follow. Threads are
// spread over stripes, each with its lock, free list and count. Any thread may take and give back; release() needs
// the store for itself alone.
//
// Ordering
// [ND1] a stripe is unlocked: release -> [ND2] it is locked: acquire, sees its list and chunk
// [ND3] a chunk is linked: release -> [ND4] a walk goes on to it: acquire, sees dead nodes
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>
#include <ashlar/base/memory.h>
#include <ashlar/base/throw.h>
#include <ashlar/containers/node_state.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename Value>
struct table_node {
  node_state state;
  std::uint32_t hash;
  union content {
    content() noexcept {}
    ~content() {}
    Value value;
    table_node* next_free;
  } of;

  Value& value() noexcept { return of.value; }
};

/// A number of `bits` bits that differs for most pairs of threads.
inline std::size_t thread_stripe(unsigned bits) noexcept {
  if (bits == 0) return 0;
  auto const address = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
  return static_cast<std::size_t>(address * 0x9E3779B97F4A7C15u >> (64 - bits));
}

template <typename Value, typename Allocator>
class node_store {
 public:
  using node = table_node<Value>;
  using node_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<node>;
  using node_traits = std::allocator_traits<node_allocator>;

  node_store() noexcept = default;
  node_store(node_store const&) = delete;
  node_store& operator=(node_store const&) = delete;

  /// A dead node, counted. Throws what the allocator throws.
  node* take(node_allocator& memory) {
    stripe_lock const own(*this);
    stripe& s = *own.held;
    node* n = s.free;
    if (n) {
      s.free = n->of.next_free;
    } else {
      if (ASHLAR_UNLIKELY(s.fresh == s.fresh_end)) add_chunk(s, memory);
      n = s.fresh++;
    }
    s.count.store(s.count.load(mo::relaxed) + 1, mo::relaxed);
    return n;
  }
  /// A dead node whose element is destroyed.
  void give_back(node* n) noexcept {
    stripe_lock const own(*this);
    stripe& s = *own.held;
    n->of.next_free = s.free;
    s.free = n;
    s.count.store(s.count.load(mo::relaxed) - 1, mo::relaxed);
  }

  /// Nodes in use; exact when nobody takes or gives back meanwhile.
  std::size_t size() const noexcept {
    std::ptrdiff_t sum = 0;
    for (stripe const& s : stripes_) sum += s.count.load(mo::relaxed);
    return sum > 0 ? static_cast<std::size_t>(sum) : 0;
  }

  /// The live nodes in the order of memory; null at the end. A node that lives during the whole walk is met once.
  node* first() const noexcept {
    chunk_end* const c = first_.load(mo::acquire);  // [ND4]
    return c != nullptr ? settle(c->begin()) : nullptr;
  }
  static node* next(node* n) noexcept { return settle(n + 1); }
  /// The first live node from n on.
  static node* settle(node* n) noexcept {
    while (!n->state.is_live()) {
      if (ASHLAR_LIKELY(!n->state.is_end())) {
        ++n;
      } else {
        chunk_end* const c = reinterpret_cast<chunk_end*>(n)->next.load(mo::acquire);  // [ND4]
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
  void release(node_allocator& memory) noexcept {
    for (chunk_end* c = first_.load(mo::relaxed); c;) {
      chunk_end* const following = c->next.load(mo::relaxed);
      node_traits::deallocate(memory, c->begin(), c->nodes + end_nodes);
      c = following;
    }
    first_.store(nullptr, mo::relaxed);
    last_ = nullptr;
  }

 private:
  // Begins as a node does, so that a walk recognises it.
  struct chunk_end {
    node_state state;
    std::size_t nodes;
    atomic<chunk_end*> next;

    node* begin() noexcept { return reinterpret_cast<node*>(this) - nodes; }
    node* end() noexcept { return reinterpret_cast<node*>(this); }
  };
  static constexpr std::size_t end_nodes = (sizeof(chunk_end) + sizeof(node) - 1) / sizeof(node);
  static constexpr std::size_t chunk_bytes = 4 * 1024 * 1024;
  static constexpr std::size_t most_nodes = chunk_bytes / sizeof(node) > 8 ? chunk_bytes / sizeof(node) : 8;

  struct alignas(cache_line) stripe {
    atomic<std::uint32_t> locked{0};
    std::uint32_t chunk_nodes = 4;
    atomic<std::ptrdiff_t> count{0};
    node* free = nullptr;
    node* fresh = nullptr;
    node* fresh_end = nullptr;
  };
#ifdef ASHLAR_MODEL
  static constexpr unsigned stripe_bits = 0;
#else
  static constexpr unsigned stripe_bits = 3;
#endif
  static constexpr std::size_t stripes = std::size_t{1} << stripe_bits;

  struct stripe_lock {
    stripe* held;
    explicit stripe_lock(node_store& store) noexcept {
      std::size_t const mine = thread_stripe(stripe_bits);
      held = &store.stripes_[mine];
      if (ASHLAR_UNLIKELY(held->locked.exchange(1, mo::acquire) != 0)) held = store.lock_other(mine);  // [ND2]
    }
    stripe_lock(stripe_lock const&) = delete;
    ~stripe_lock() { held->locked.store(0, mo::release); }  // [ND1]
  };

  ASHLAR_NOINLINE stripe* lock_other(std::size_t i) noexcept {
    for (sync::backoff wait;; wait.pause()) {
      stripe& s = stripes_[++i % stripes];
      if (s.locked.load(mo::relaxed) == 0 && s.locked.exchange(1, mo::acquire) == 0) return &s;  // [ND2]
    }
  }
  ASHLAR_NOINLINE void add_chunk(stripe& s, node_allocator& memory) {
    std::size_t const nodes = s.chunk_nodes;
    node* const chunk = node_traits::allocate(memory, nodes + end_nodes);
    if (ASHLAR_UNLIKELY(reinterpret_cast<std::uintptr_t>(chunk + nodes + end_nodes) >> 48 != 0)) {
      node_traits::deallocate(memory, chunk, nodes + end_nodes);  // what a group's slot can't hold
      throw_exception(exception_id::bad_alloc);
    }
    prefer_huge_pages(chunk, nodes * sizeof(node));
    for (std::size_t i = 0; i < nodes; ++i) ::new (static_cast<void*>(chunk + i)) node;
    auto* const end = ::new (static_cast<void*>(chunk + nodes)) chunk_end;
    end->state.mark_end();
    end->nodes = nodes;
    s.fresh = chunk;
    s.fresh_end = chunk + nodes;
    s.chunk_nodes = static_cast<std::uint32_t>(nodes < 1024 ? 2 * nodes : nodes + nodes / 8);
    if (s.chunk_nodes > most_nodes) s.chunk_nodes = static_cast<std::uint32_t>(most_nodes);
    for (sync::backoff wait; list_locked_.exchange(1, mo::acquire) != 0;) {  // [ND2]
      while (list_locked_.load(mo::relaxed) != 0) wait.pause();
    }
    (last_ ? last_->next : first_).store(end, mo::release);  // [ND3]
    last_ = end;
    list_locked_.store(0, mo::release);  // [ND1]
  }

 public:
  /// A part of the walk, for ranges: whole chunks, or a part of one chunk.
  class span {
   public:
    span() noexcept = default;
    explicit span(node_store const& store) noexcept : chunk_(store.first_.load(mo::acquire)) {  // [ND4]
      for (chunk_end* c = chunk_; c != nullptr; c = c->next.load(mo::acquire)) ++chunks_;       // [ND4]
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
      chunk_end* last = chunk_;
      nodes_ = last->nodes;
      for (std::size_t i = 1; i < chunks_; ++i) {
        last = last->next.load(mo::relaxed);
        nodes_ += last->nodes;
      }
      low_ = chunk_->begin();
      high_ = last->end();
    }

    chunk_end* chunk_ = nullptr;
    std::size_t chunks_ = 0;
    std::size_t nodes_ = 0;
    node* low_ = nullptr;
    node* high_ = nullptr;
  };

 private:
  stripe stripes_[stripes];
  atomic<chunk_end*> first_{nullptr};
  chunk_end* last_ = nullptr;
  atomic<std::uint32_t> list_locked_{0};
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
