// SPDX-License-Identifier: Apache-2.0
// A segmented_queue in the child of a fork, for the only thread that is left: what others were about to do when the
// process forked is ended. What they were pushing or popping is gone. Each state is one that the process may fork in:
//
// * a cell is claimed for writing and not filled: broken, so that nobody waits for it;
// * a cell is claimed for reading and not taken: taken;
// * the last cell of a segment is claimed, and the next segment hung in nowhere (the claim is taken back), behind the
//   old one only, or in the segment pointer already (the index follows);
// * the first segment is known to producers only.
#pragma once

#include <ashlar/sync/segmented_queue.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

struct orphaned_queue {
  template <typename T, typename Memory>
  static void forget_threads(segmented_queue<T, Memory>& q) noexcept {
    using queue = segmented_queue<T, Memory>;
    if (!settle_ends(q)) return;
    auto const head = q.head_.index.load(mo::relaxed);
    auto const tail = q.tail_.index.load(mo::relaxed);
    std::ptrdiff_t holes = 0;
    auto* s = q.head_.segment.load(mo::relaxed);
    for (auto i = head - head % queue::lap; i < tail; ++i) {
      auto const offset = i % queue::lap;
      if (offset == queue::cells) {
        s = s->next.load(mo::relaxed);
        continue;
      }
      atomic<std::uint8_t>& mark = s->groups[offset / queue::group_cells].marks[offset % queue::group_cells];
      if (i < head) {
        mark.store(queue::taken, mo::relaxed);
      } else if (mark.load(mo::relaxed) != queue::full) {
        mark.store(queue::broken, mo::relaxed);
        ++holes;
      }
    }
    q.broken_.store(holes, mo::relaxed);
    q.head_.known_tail.store(0, mo::relaxed);
    q.tail_.known_head.store(0, mo::relaxed);
    auto* old = q.retired_.load(mo::relaxed);
    q.retired_.store(nullptr, mo::relaxed);
    while (old != nullptr) {
      auto* const next = old->next.load(mo::relaxed);
      q.dispose(old);
      old = next;
    }
  }

 private:
  template <typename Queue, typename Is>
  static bool any_mark(typename Queue::segment* s, Is const& is) noexcept {
    for (auto& g : s->groups) {
      for (std::size_t cell = 0; cell < Queue::group_cells; ++cell) {
        if (is(g.marks[cell].load(mo::relaxed))) return true;
      }
    }
    return false;
  }

  // Each end has a segment, and no index stands where a next segment is about to come. False: no element was ever
  // pushed.
  template <typename T, typename Memory>
  static bool settle_ends(segmented_queue<T, Memory>& q) noexcept {
    using queue = segmented_queue<T, Memory>;
    auto* last = q.tail_.segment.load(mo::relaxed);
    if (last == nullptr) return false;
    auto tail = q.tail_.index.load(mo::relaxed);
    if (tail % queue::lap == queue::cells) {
      // A new segment has no mark yet.
      bool const new_one = !any_mark<queue>(last, [](std::uint8_t m) { return m != queue::vacant; });
      auto* const next = new_one ? last : last->next.load(mo::relaxed);
      if (next != nullptr) {
        last = next;
        ++tail;
      } else {
        --tail;
      }
      q.tail_.segment.store(last, mo::relaxed);
      q.tail_.index.store(tail, mo::relaxed);
    }
    auto* first = q.head_.segment.load(mo::relaxed);
    auto head = q.head_.index.load(mo::relaxed);
    if (first == nullptr) {
      // If the queue has gone on to another segment, elements of the first one are gone.
      first = last;
      if (tail >= queue::lap) head = tail;
    } else if (head > tail) {
      head = tail;
    } else if (head % queue::lap == queue::cells) {
      // Somebody took from the old segment, and nobody yet from the new one.
      if (any_mark<queue>(first, [](std::uint8_t m) { return m == queue::taken; })) {
        first = first->next.load(mo::relaxed);
      }
      ++head;
    }
    q.head_.segment.store(first, mo::relaxed);
    q.head_.index.store(head, mo::relaxed);
    return true;
  }
};

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
