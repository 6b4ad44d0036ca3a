// SPDX-License-Identifier: Apache-2.0
// The memory of a hash table's nodes: chunks in a list, each cut into regions. Free nodes can be gathered into the
// region that they lie in; the pages of a region whose nodes are all there go back to the system, and stay addresses of
// dead nodes (node_state.h): late readers and walks go through them as before. All but the walk needs the lock.
//
// Invariants NR-I1 a gathered node is dead, its word lost, and only its region knows it.
//            NR-I2 of a dropped region, a word that is not lost lies in a page that has gone back.
//
// Ordering
// [ND3] a chunk is linked: release -> [ND4] a walk goes on to it: acquire, sees dead nodes
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/throw.h>
#include <ashlar/containers/group_directory.h>
#include <ashlar/containers/node_state.h>
#include <ashlar/os/memory.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
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

template <typename Node>
struct node_region {
  node_region* next = nullptr;  // in the list of regions that have something to give
  Node* gathered = nullptr;
  std::uint32_t count = 0;  // of the gathered ones
  bool listed = false;
  bool dropped = false;  // its memory has gone back; all nodes are free
};

/// What stands behind the nodes of a chunk. Begins as a node does, so that a walk recognises it.
template <typename Node>
struct chunk_end {
  static constexpr std::size_t region_bytes = 64 * 1024;  // no page is greater
  static constexpr std::size_t region_nodes = region_bytes > sizeof(Node) ? region_bytes / sizeof(Node) : 1;

  node_state state;
  std::size_t nodes;
  atomic<chunk_end*> next;

  Node* begin() noexcept { return reinterpret_cast<Node*>(this) - nodes; }
  Node* end() noexcept { return reinterpret_cast<Node*>(this); }
  /// The last region takes the rest: a page that two regions share belongs to no third one, nor to this record.
  static std::size_t regions_in(std::size_t nodes) noexcept { return nodes > region_nodes ? nodes / region_nodes : 1; }
  node_region<Node>* regions() noexcept { return reinterpret_cast<node_region<Node>*>(this + 1); }
  std::size_t region_of(Node* n) noexcept {
    std::size_t const i = static_cast<std::size_t>(n - begin()) / region_nodes;
    std::size_t const last = regions_in(nodes) - 1;
    return i < last ? i : last;
  }
  Node* region_begin(std::size_t i) noexcept { return begin() + i * region_nodes; }
  Node* region_end(std::size_t i) noexcept { return i + 1 < regions_in(nodes) ? region_begin(i + 1) : end(); }
  /// In nodes: the size of this record and those of the regions.
  static std::size_t size(std::size_t nodes) noexcept {
    return (sizeof(chunk_end) + regions_in(nodes) * sizeof(node_region<Node>) + sizeof(Node) - 1) / sizeof(Node);
  }
};

template <typename Value, typename Allocator>
class node_regions {
 public:
  using node = table_node<Value>;
  using chunk = chunk_end<node>;
  using region = node_region<node>;
  using node_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<node>;
  using node_traits = std::allocator_traits<node_allocator>;

  struct range {
    node* begin;
    node* end;
  };

  node_regions() noexcept = default;
  node_regions(node_regions const&) = delete;
  node_regions& operator=(node_regions const&) = delete;

  chunk* first() const noexcept { return first_.load(mo::acquire); }  // [ND4]
  /// Nodes that are or may be in memory.
  std::size_t mapped() const noexcept { return mapped_.load(mo::relaxed); }
  /// Whether take() may find something.
  bool has_nodes() const noexcept { return listed_.load(mo::relaxed) != nullptr; }
  /// Those that are in regions and in memory.
  std::size_t gathered() const noexcept { return gathered_.load(mo::relaxed); }
  bool has_dropped() const noexcept { return has_dropped_.load(mo::relaxed); }
  bool can_drop() const noexcept { return can_drop_; }

  /// Dead nodes. Throws what the allocator throws. Doesn't need the lock.
  static chunk* make_chunk(std::size_t nodes, node_allocator& memory) {
    std::size_t const all = nodes + chunk::size(nodes);
    node* const begin = node_traits::allocate(memory, all);
    if (ASHLAR_UNLIKELY(reinterpret_cast<std::uintptr_t>(begin + all) >> 48 != 0)) {
      node_traits::deallocate(memory, begin, all);  // what a group's slot can't hold
      throw_exception(exception_id::bad_alloc);
    }
    ashlar::prefer_huge_pages(begin, nodes * sizeof(node));
    for (std::size_t i = 0; i < nodes; ++i) ::new (static_cast<void*>(begin + i)) node;
    auto* const end = ::new (static_cast<void*>(begin + nodes)) chunk;
    end->state.mark_end();
    end->nodes = nodes;
    for (std::size_t i = 0; i < chunk::regions_in(nodes); ++i) ::new (static_cast<void*>(end->regions() + i)) region;
    return end;
  }
  void link(chunk* c) noexcept {
    (last_ ? last_->next : first_).store(c, mo::release);  // [ND3]
    last_ = c;
    ++chunks_;
    add(mapped_, c->nodes);
  }

  /// Some dead nodes: a list, or a range of a region that had gone back. Only if has_nodes().
  node* take(std::size_t most, std::size_t& taken, range& fresh) noexcept {
    fresh = {nullptr, nullptr};
    taken = 0;
    region* const r = listed_.load(mo::relaxed);
    if (r == nullptr) return nullptr;
    node* list = nullptr;
    if (r->dropped) {
      fresh = renew(*r);
      taken = static_cast<std::size_t>(fresh.end - fresh.begin);
    } else {
      list = r->gathered;
      for (node* last = list;; last = last->of.next_free) {
        last->state.reset_if_lost();
        --r->count;
        if (++taken == most || last->of.next_free == nullptr) {
          r->gathered = last->of.next_free;
          last->of.next_free = nullptr;
          break;
        }
      }
      add(gathered_, -taken);
    }
    if (r->gathered == nullptr) {
      r->listed = false;
      listed_.store(r->next, mo::relaxed);
    }
    return list;
  }

  /// Has an index of all chunks, which gather() needs; false if there is no memory for it.
  bool make_index(Allocator const& memory) noexcept {
    if (indexed_ == chunks_) return true;
    if (chunks_ > index_room_) {
      std::size_t const lines = (2 * chunks_ * sizeof(chunk*) + cache_line - 1) / cache_line;
      void* more = nullptr;
      ASHLAR_TRY { more = line_memory<Allocator>::allocate(memory, lines); }
      ASHLAR_CATCH_ALL { return false; }
      if (indexed_ != 0) std::memcpy(more, index_, indexed_ * sizeof(chunk*));
      free_index(memory);
      index_ = static_cast<chunk**>(more);
      index_room_ = lines * cache_line / sizeof(chunk*);
    }
    for (chunk* c = indexed_last_ != nullptr ? indexed_last_->next.load(mo::relaxed) : first_.load(mo::relaxed);
         c != nullptr; c = c->next.load(mo::relaxed)) {
      std::size_t const place = position(c->begin());
      std::memmove(index_ + place + 1, index_ + place, (indexed_ - place) * sizeof(chunk*));
      index_[place] = c;
      ++indexed_;
      indexed_last_ = c;
    }
    return true;
  }
  /// Puts a dead node that nobody else knows into its region. False if a late reader is just looking at it.
  bool gather(node* n) noexcept {
    if (ASHLAR_UNLIKELY(!n->state.lose())) return false;
    chunk* c = index_[recent_];
    if (n < c->begin() || n >= c->end()) {
      recent_ = position(n) - 1;
      c = index_[recent_];
    }
    std::size_t const i = c->region_of(n);
    region& r = c->regions()[i];
    n->of.next_free = r.gathered;
    r.gathered = n;
    ++r.count;
    add(gathered_, 1);
    if (!r.listed) {
      r.listed = true;
      r.next = listed_.load(mo::relaxed);
      listed_.store(&r, mo::relaxed);
    }
    if (r.count == static_cast<std::size_t>(c->region_end(i) - c->region_begin(i))) drop(*c, i);
    return true;
  }

  /// Frees all memory. Nobody else uses the table.
  void release(Allocator const& memory) noexcept {
    node_allocator nodes(memory);
    for (chunk* c = first_.load(mo::relaxed); c != nullptr;) {
      chunk* const following = c->next.load(mo::relaxed);
      node_traits::deallocate(nodes, c->begin(), c->nodes + chunk::size(c->nodes));
      c = following;
    }
    free_index(memory);
  }

 private:
  static void add(atomic<std::size_t>& sum, std::size_t more) noexcept {
    sum.store(sum.load(mo::relaxed) + more, mo::relaxed);
  }
  // How many chunks begin at or before that address.
  std::size_t position(node* n) const noexcept {
    std::size_t low = 0;
    for (std::size_t size = indexed_; size != 0;) {
      std::size_t const half = size / 2;
      bool const before =
          reinterpret_cast<std::uintptr_t>(index_[low + half]->begin()) <= reinterpret_cast<std::uintptr_t>(n);
      low += before ? half + 1 : 0;
      size = before ? size - half - 1 : half;
    }
    return low;
  }
  void free_index(Allocator const& memory) noexcept {
    if (index_ != nullptr) {
      line_memory<Allocator>::deallocate(memory, index_, index_room_ * sizeof(chunk*) / cache_line);
    }
  }
  // Gives the whole pages of a region back, and those that it shares with a neighbour that has gone back.
  void drop(chunk& c, std::size_t i) noexcept {
    region* const r = c.regions() + i;
    r->gathered = nullptr;
    r->count = 0;
    r->dropped = true;
    bool const before = i != 0 && r[-1].dropped;
    bool const behind = i + 1 != chunk::regions_in(c.nodes) && r[1].dropped;
    can_drop_ = ashlar::drop_pages(c.region_begin(i), c.region_end(i), before, behind);
    auto const nodes = static_cast<std::size_t>(c.region_end(i) - c.region_begin(i));
    add(mapped_, -nodes);
    add(gathered_, -nodes);
    has_dropped_.store(true, mo::relaxed);
  }
  // The nodes of a region that has gone back. What lies in its first and last page may still be marked as lost.
  range renew(region& r) noexcept {
    chunk* const c = chunk_of(&r);
    auto const i = static_cast<std::size_t>(&r - c->regions());
    range const all{c->region_begin(i), c->region_end(i)};
    node* n = all.begin;
    if (ASHLAR_UNLIKELY(!can_drop_)) {  // which of its pages have gone back is not known
      for (; n != all.end; ++n) n->state.reset_if_lost();
    }
    for (; n != all.end && n->state.reset_if_lost(); ++n) {
    }
    for (node* last = all.end; last != n && last[-1].state.reset_if_lost(); --last) {
    }
    r.dropped = false;
    add(mapped_, static_cast<std::size_t>(all.end - all.begin));
    return all;
  }
  // Regions stand behind their chunk's end, below the next chunk's begin.
  chunk* chunk_of(region* r) const noexcept { return index_[position(reinterpret_cast<node*>(r)) - 1]; }

  atomic<chunk*> first_{nullptr};
  chunk* last_ = nullptr;
  std::size_t chunks_ = 0;
  atomic<std::size_t> mapped_{0};
  atomic<std::size_t> gathered_{0};
  atomic<bool> has_dropped_{false};
  atomic<region*> listed_{nullptr};
  chunk** index_ = nullptr;  // by address
  std::size_t indexed_ = 0;
  std::size_t index_room_ = 0;
  chunk* indexed_last_ = nullptr;
  std::size_t recent_ = 0;
  bool can_drop_ = true;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
