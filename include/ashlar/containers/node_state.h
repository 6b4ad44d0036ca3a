// SPDX-License-Identifier: Apache-2.0
// The word at the head of every node of a hash table: whether the node holds an element, and the element's
// reader/writer lock. The memory of a node stays a node until its table is destroyed or cleared, so any thread may
// touch this word at any time: a dead node only refuses. Not fair among readers; a waiting writer keeps new readers
// out.
//
// The pages of dead nodes may be given back to the system, after which the word is 0, while a late reader is between
// its two steps, adding itself and taking itself away again. So a word is marked as lost before, which succeeds only
// while nobody is in between; who adds itself to a lost word takes nothing away; and a lost word is made 0 in one step,
// the system's or ours. Model: tests/model/node_state_model.cpp
//
// Ordering
// [NS1] publish, or a lock is given back: release -> [NS2] a lock is taken: acquire, sees the element
// [H3] the lock of a dying element is given back: release -> [H4] drain: acquire, before the element is destroyed
// [H5] publish: release -> [H6] a walk finds the node alive: acquire, sees the element
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/sync/backoff.h>
#include <ashlar/sync/held_elements.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace containers {

/// What an operation leaves locked.
enum class hold : std::uint32_t { nothing, read, write };

class node_state {
 public:
  enum class outcome { taken, busy, dead };

  /// The mark of the record behind the last node of a chunk.
  void mark_end() noexcept { word_.store(end, mo::relaxed); }

  /// Makes a dead node live, with the lock held as said. Threads that still believe in an earlier element may add and
  /// take away readers meanwhile.
  void publish(hold h) noexcept {
    word_.fetch_add(live + (h == hold::write ? writer : h == hold::read ? reader : 0), mo::release);  // [NS1] [H5]
  }

  /// Of a dead node: marks the word as lost, unless somebody is about to take back a lock.
  bool lose() noexcept {
    std::uint32_t nobody = 0;
    return word_.compare_exchange(nobody, lost, mo::relaxed, mo::relaxed);
  }
  /// True if it was lost. The word begins anew.
  bool reset_if_lost() noexcept {
    std::uint32_t word = word_.load(mo::relaxed);
    while ((word & lost) != 0) {
      if (word_.compare_exchange(word, 0, mo::relaxed, mo::relaxed)) return true;
    }
    return false;
  }

  bool is_live() const noexcept { return (word_.load(mo::acquire) & live) != 0; }  // [H6]
  bool is_end() const noexcept { return (word_.load(mo::relaxed) & end) != 0; }

  outcome try_lock(hold h) noexcept { return h == hold::write ? try_write() : try_read(); }
  void unlock(hold h) noexcept {
    word_.fetch_sub(h == hold::write ? writer : reader, mo::release);  // [NS1] [H3]
  }
  /// Waits as long as the element lives. True if locked.
  bool lock(hold h) noexcept {
    std::uint32_t const others = h == hold::write ? ~(live | waiting) : writer | waiting;
    for (sync::backoff wait;;) {
      outcome const o = try_lock(h);
      if (o == outcome::taken) return true;
      if (o == outcome::dead) {
        if (h == hold::write) word_.fetch_and(~waiting, mo::relaxed);
        return false;
      }
      sync::element_wait const told(this);
      for (;; wait.pause()) {
        std::uint32_t word = word_.load(mo::relaxed);
        if (h == hold::write && (word & waiting) == 0) word = word_.fetch_or(waiting, mo::relaxed);
        if ((word & live) == 0 || (word & others) == 0) break;
      }
    }
  }

  /// Ends the element's life: nobody can lock it from now on. True if nobody had it locked.
  bool kill() noexcept { return word_.fetch_sub(live, mo::acquire) == live; }  // [H4]
  /// After kill: waits until all locks are given back.
  void drain() const noexcept {
    if (!is_held()) return;
    sync::element_wait const told(this);
    for (sync::backoff wait; is_held(); wait.pause()) {
    }
  }

 private:
  bool is_held() const noexcept { return (word_.load(mo::acquire) & ~(live | waiting)) != 0; }  // [H4]
  static constexpr std::uint32_t live = 1, writer = 2, waiting = 4, end = 8, reader = 16, lost = 0x80000000;

  outcome try_read() noexcept {
    std::uint32_t const found = word_.fetch_add(reader, mo::acquire) & (live | writer | waiting | lost);  // [NS2]
    if (ASHLAR_LIKELY(found == live)) return outcome::taken;
    if (ASHLAR_LIKELY((found & lost) == 0)) word_.fetch_sub(reader, mo::release);  // [H3]
    return (found & live) != 0 ? outcome::busy : outcome::dead;
  }
  outcome try_write() noexcept {
    std::uint32_t old = word_.load(mo::relaxed);
    while ((old & ~waiting) == live) {
      if (word_.compare_exchange(old, live | writer, mo::acquire, mo::relaxed)) return outcome::taken;  // [NS2]
    }
    return (old & live) != 0 ? outcome::busy : outcome::dead;
  }

  atomic<std::uint32_t> word_{0};
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
