// SPDX-License-Identifier: Apache-2.0
// The queue core: an unbounded first-in-first-out queue for any number of producers and consumers. Arenas keep
// enqueued tasks in it, the concurrent queues wrap it.
//
// A queue is a list of segments of cells. A producer claims the next cell by advancing the tail index, fills it and
// then marks it full; a consumer claims by advancing the head index and waits, if need be, for the mark of this one
// cell, so a slow producer delays nobody but the consumer of its own element. The thread that claims the last cell
// of a segment appends the next one, which it allocated before the claim: a failing allocation leaves the queue as
// it was. A constructor that throws leaves a broken cell, which consumers skip.
//
// Linearisation  push: its claim of the tail. try_pop: its claim of the head, or the reading of a tail that the head
//            has reached.
// Threads    any, except where a member says otherwise.
// Invariants Q-I1 head <= tail; both only grow. Offset `cells` of a segment is no cell: an index that stands there
//                 waits for the next segment.
//            Q-I2 a segment pointer that is read after an index belongs to that index as long as the index has not
//                 moved, so nobody dereferences it before the claim succeeded. A claimed cell keeps its segment
//                 alive; a segment dies when all its cells are marked taken or broken, and the thread that claimed
//                 its last cell for reading, or a later one in the same role, disposes of it.
// Ordering   [Q1] append: index and segment published -> [Q2] claim: index and segment read (segment contents)
//            [Q3] cell marked full or broken    -> [Q4] consumer reads the mark (the element)
//            [Q5] cell marked taken             -> [Q6] disposal reads the mark (nobody uses the segment any more)
//            [Q7] segment retired or spared     -> [Q8] segment taken over
//            [Q9] claim of a tail <-> [Q10] tail read: a push and the finding of another queue empty have one order for
//                 all threads, so that two threads which push, then look into each other's queue, don't both miss
//            [Q11] claim of a head  -> [Q12] head read, before the tail: who sees that an element is gone sees at least
//                 the tail that its taker saw. And, like [Q9] <-> [Q10], for a bounded queue's producers that wait for
//                 room
// Cost       uncontended: push 1 locked instruction, pop 1; no allocation but at segment ends, and one empty segment
//            is kept for reuse. Space per element of 8 bytes: 9.3 bytes. try_pop on an empty queue only reads.
// Model      tests/model/queue_model.cpp
#pragma once

#include <ashlar/base/assert.h>
#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>
#include <ashlar/sync/backoff.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace sync {

/// The default source of segments. A wrapper with an allocator of its own supplies a type with the same members;
/// destroy() ends the life of an element that was not popped.
struct heap_memory {
  void* allocate(std::size_t bytes, std::size_t alignment) {
    return ::operator new(bytes, std::align_val_t(alignment));
  }
  /// Without the size: clang before 19 declares that form only with -fsized-deallocation.
  void deallocate(void* p, std::size_t, std::size_t alignment) noexcept {
    ::operator delete(p, std::align_val_t(alignment));
  }
  template <typename T>
  void destroy(T* element) noexcept {
    element->~T();
  }
};

/// Cells per segment plus one: a power of 8, so that the cells divide into groups of seven. Tests specialise it (2 and
/// 4 work too) to make segments end often.
template <typename T>
inline constexpr std::size_t segment_lap = sizeof(T) <= 8     ? 512
                                           : sizeof(T) <= 128 ? 64
                                                              : 8;

template <typename T, typename Memory = heap_memory>
class segmented_queue {
 public:
  explicit segmented_queue(Memory memory = Memory()) noexcept : memory_(std::move(memory)) {}
  segmented_queue(segmented_queue const&) = delete;
  segmented_queue& operator=(segmented_queue const&) = delete;
  /// Destroys the elements. No other thread may use the queue.
  ~segmented_queue() {
    clear();
    free_segment(head_.segment.load(mo::relaxed));
    free_segment(spare_.load(mo::relaxed));
    for (segment* s = retired_.load(mo::relaxed); s;) {
      segment* const next = s->next.load(mo::relaxed);
      free_segment(s);
      s = next;
    }
  }

  /// Appends the element that construct(void* place) makes. If construct throws, the queue holds a broken cell that
  /// consumers skip; if the memory throws, nothing has happened. The exception goes to the caller.
  template <typename Construct>
  void push_with(Construct&& construct) {
    fill(claim_tail([](index) { return true; }), construct);
  }
  /// As push_with, but false if there are `limit` elements already. Exact, but that each broken cell makes room for one
  /// element more until a consumer has stepped over it.
  template <typename Construct>
  bool push_within(std::size_t limit, Construct&& construct) {
    claim const c = claim_tail([this, limit](index i) {
      return ASHLAR_LIKELY(ordinal(i) - ordinal(tail_.known_head.load(mo::relaxed)) < limit) || look_at_head(i, limit);
    });
    if (c.place == nullptr) return false;
    fill(c, construct);
    return true;
  }
  template <typename... Args>
  void emplace(Args&&... args) {
    push_with([&](void* place) { ::new (place) T(std::forward<Args>(args)...); });
  }
  void push(T const& value) {
    push_with([&](void* place) { ::new (place) T(value); });
  }
  void push(T&& value) {
    push_with([&](void* place) { ::new (place) T(std::move(value)); });
  }

  /// Passes the oldest element to consume(T&) and then destroys it. False if the queue is empty. An exception of
  /// `consume` goes to the caller; the element is gone.
  template <typename Consume>
  bool pop_with(Consume&& consume) {
    for (;;) {
      claim const c = claim_head();
      if (c.place == nullptr) return false;
      taken_guard const guard{this, c};
      if (ASHLAR_LIKELY(wait_for_mark(c) == full)) {
        element_guard const life{this, c.place->element(c.cell)};
        consume(*life.element);
        return true;
      }
      broken_.fetch_sub(1, mo::relaxed);
    }
  }
  bool try_pop(T& destination) {
    return pop_with([&](T& element) { destination = std::move(element); });
  }

  /// Exact when nobody pushes or pops meanwhile; never negative.
  std::size_t size() const noexcept {
    // The head is read first: the tail can't be behind it.
    index const head = head_.index.load(mo::acquire);  // [Q12]
    index const tail = tail_.index.load(mo::seq_cst);  // [Q10]
    std::ptrdiff_t const n = static_cast<std::ptrdiff_t>(ordinal(tail) - ordinal(head)) - broken_.load(mo::relaxed);
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  /// True: at some moment during the call the queue held no element. After constructors have failed the answer may come
  /// early by the time that a consumer needs to step over a broken cell.
  bool empty() const noexcept { return size() == 0; }

  /// True: at some moment during the call push_within(limit) would have found room. False: it would not have.
  bool has_room(std::size_t limit) const noexcept {
    index const tail = tail_.index.load(mo::seq_cst);                   // [Q10]
    return tail_is_within(tail, head_.index.load(mo::seq_cst), limit);  // [Q12]
  }

  /// Destroys all elements. No other thread may use the queue.
  void clear() noexcept {
    while (pop_with([](T&) {})) {
    }
  }

  /// Exchanges contents and memory. No other thread may use either queue.
  void swap(segmented_queue& other) noexcept {
    exchange(head_.index, other.head_.index);
    exchange(head_.segment, other.head_.segment);
    exchange(head_.known_tail, other.head_.known_tail);
    exchange(tail_.index, other.tail_.index);
    exchange(tail_.segment, other.tail_.segment);
    exchange(tail_.known_head, other.tail_.known_head);
    exchange(spare_, other.spare_);
    exchange(retired_, other.retired_);
    exchange(broken_, other.broken_);
    using std::swap;
    swap(memory_, other.memory_);
  }

  Memory& memory() noexcept { return memory_; }
  Memory const& memory() const noexcept { return memory_; }

 private:
  friend struct orphaned_queue;  // src/sync/orphaned_queue.h
  using index = std::uint64_t;
  struct segment;

  enum mark_value : std::uint8_t { vacant, full, broken, taken };

  static constexpr index lap = segment_lap<T>;
  static constexpr index cells = lap - 1;
  static constexpr index group_cells = cells < 7 ? cells : 7;
  static_assert((lap & cells) == 0 && cells % group_cells == 0, "segment_lap must be 2, 4 or a power of 8");

  // Marks and elements of a group share a cache line when the elements have at most 8 bytes.
  struct group {
    atomic<std::uint8_t> marks[8];
    alignas(T) unsigned char elements[group_cells * sizeof(T)];

    T* element(index cell) noexcept { return std::launder(reinterpret_cast<T*>(elements + cell * sizeof(T))); }
  };
  struct alignas(alignof(T) > cache_line ? alignof(T) : cache_line) aligned_group : group {};
  using stored_group = std::conditional_t<(sizeof(group) <= cache_line), aligned_group, group>;

  struct alignas(alignof(stored_group) > cache_line ? alignof(stored_group) : cache_line) segment {
    atomic<segment*> next{nullptr};
    stored_group groups[cells / group_cells];
  };

  struct claim {
    segment* owner;
    group* place;
    index offset;
    index cell;
  };

 public:
  /// Walks over the elements, oldest first. No other thread may use the queue.
  class cursor {
   public:
    cursor() noexcept = default;
    explicit cursor(segmented_queue const& q) noexcept
        : segment_(q.head_.segment.load(mo::relaxed)),
          index_(q.head_.index.load(mo::relaxed)),
          tail_(q.tail_.index.load(mo::relaxed)) {
      settle();
    }
    T* get() const noexcept { return element_; }
    void advance() noexcept {
      ++index_;
      settle();
    }
    friend bool operator==(cursor const& a, cursor const& b) noexcept { return a.element_ == b.element_; }
    friend bool operator!=(cursor const& a, cursor const& b) noexcept { return a.element_ != b.element_; }

   private:
    // Goes on to the next cell that holds an element.
    void settle() noexcept {
      for (; index_ < tail_; ++index_) {
        index const offset = index_ % lap;
        if (offset == cells) {
          segment_ = segment_->next.load(mo::relaxed);
          continue;
        }
        group& g = segment_->groups[offset / group_cells];
        if (g.marks[offset % group_cells].load(mo::relaxed) == full) {
          element_ = g.element(offset % group_cells);
          return;
        }
      }
      element_ = nullptr;
    }

    segment* segment_ = nullptr;
    index index_ = 0;
    index tail_ = 0;
    T* element_ = nullptr;
  };
  /// At the oldest element; its get() is null when there is none.
  cursor unsafe_begin() const noexcept { return cursor(*this); }

 private:
  struct failure_guard {
    segmented_queue* queue;
    atomic<std::uint8_t>* mark;
    ~failure_guard() {
      if (ASHLAR_UNLIKELY(mark != nullptr)) queue->mark_broken(*mark);
    }
  };
  struct taken_guard {
    segmented_queue* queue;
    claim c;
    ~taken_guard() { queue->finish(c); }
  };
  struct element_guard {
    segmented_queue* queue;
    T* element;
    ~element_guard() { queue->memory_.destroy(element); }
  };

  static index ordinal(index i) noexcept { return i - i / lap; }
  template <typename U>
  static void exchange(atomic<U>& a, atomic<U>& b) noexcept {
    U const t = a.load(mo::relaxed);
    a.store(b.load(mo::relaxed), mo::relaxed);
    b.store(t, mo::relaxed);
  }
  static claim make_claim(segment* s, index offset) noexcept {
    return {s, &s->groups[offset / group_cells], offset, offset % group_cells};
  }

  template <typename Construct>
  void fill(claim const& c, Construct&& construct) {
    failure_guard guard{this, &c.place->marks[c.cell]};
    construct(static_cast<void*>(c.place->element(c.cell)));
    guard.mark = nullptr;
    c.place->marks[c.cell].store(full, mo::release);  // [Q3]
  }

  // A claim without place: has_room(index) was false.
  template <typename Room>
  claim claim_tail(Room const& has_room) {
    index i = tail_.index.load(mo::acquire);  // [Q2]
    for (backoff wait;;) {
      index const offset = i % lap;
      if (!has_room(i)) return {};
      segment* const s = tail_.segment.load(mo::acquire);  // [Q2]
      if (ASHLAR_LIKELY(offset < cells - 1 && s != nullptr)) {
        if (ASHLAR_LIKELY(tail_.index.compare_exchange(i, i + 1, mo::seq_cst, mo::acquire))) {  // [Q9] [Q2]
          return make_claim(s, offset);
        }
        yield_line();
      } else if (offset == cells || s == nullptr) {
        if (s == nullptr && offset != cells) {
          start();
        } else {
          wait.pause();
        }
        i = tail_.index.load(mo::acquire);  // [Q2]
      } else if (claim_last_tail(i)) {
        return make_claim(s, offset);
      }
    }
  }

  // The last cell of a segment: the next segment exists before the claim and is appended right after it.
  ASHLAR_NOINLINE bool claim_last_tail(index& i) {
    segment* const next = make_segment();
    segment* const s = tail_.segment.load(mo::acquire);                       // [Q2]
    if (!tail_.index.compare_exchange(i, i + 1, mo::seq_cst, mo::relaxed)) {  // [Q9] [Q2]
      dispose(next);
      i = tail_.index.load(mo::acquire);  // [Q2]
      return false;
    }
    s->next.store(next, mo::release);        // [Q1]
    tail_.segment.store(next, mo::release);  // [Q1]
    tail_.index.store(i + 2, mo::release);   // [Q1]
    return true;
  }

  // The first segment of the queue.
  ASHLAR_COLD void start() {
    segment* const first = make_segment();
    segment* expected = nullptr;
    if (tail_.segment.compare_exchange(expected, first, mo::acq_rel, mo::acquire)) {  // [Q1] [Q2]
      head_.segment.store(first, mo::release);                                        // [Q1]
    } else {
      dispose(first);
    }
  }

  // A claim without place: the queue is empty.
  claim claim_head() noexcept {
    index i = head_.index.load(mo::acquire);  // [Q2] [Q12]
    for (backoff wait;;) {
      index const offset = i % lap;
      segment* s = nullptr;
      if (ASHLAR_LIKELY(offset != cells)) {
        if (i >= head_.known_tail.load(mo::relaxed) && !look_at_tail(i)) return {};
        s = head_.segment.load(mo::acquire);                // [Q2]
      } else if (tail_.index.load(mo::seq_cst) <= i + 1) {  // [Q10]
        return {};
      }
      if (ASHLAR_UNLIKELY(s == nullptr)) {
        wait.pause();
        i = head_.index.load(mo::acquire);  // [Q2] [Q12]
        continue;
      }
      if (ASHLAR_LIKELY(head_.index.compare_exchange(i, i + 1, mo::seq_cst, mo::acquire))) {  // [Q11] [Q12] [Q2]
        if (ASHLAR_UNLIKELY(offset + 1 == cells)) advance_head(s, i);
        return make_claim(s, offset);
      }
      yield_line();
    }
  }

  // The tail is remembered beside the head, so that consumers disturb the producers only when they run out of
  // elements that they know of. An older value that overwrites a newer one costs another look.
  bool look_at_tail(index i) noexcept {
    index const tail = tail_.index.load(mo::seq_cst);  // [Q10]
    if (tail <= i) return false;
    head_.known_tail.store(tail, mo::relaxed);
    return true;
  }

  bool tail_is_within(index tail, index head, std::size_t limit) const noexcept {
    auto const n = static_cast<std::ptrdiff_t>(ordinal(tail) - ordinal(head)) - broken_.load(mo::relaxed);
    return n < 0 || static_cast<std::size_t>(n) < limit;
  }
  // The head is remembered beside the tail, likewise.
  ASHLAR_NOINLINE bool look_at_head(index i, std::size_t limit) noexcept {
    index const head = head_.index.load(mo::seq_cst);  // [Q12]
    tail_.known_head.store(head, mo::relaxed);
    return tail_is_within(i, head, limit);
  }

  ASHLAR_NOINLINE void advance_head(segment* s, index i) noexcept {
    segment* next;
    for (backoff wait; !(next = s->next.load(mo::acquire)); wait.pause()) {  // [Q2]
    }
    head_.segment.store(next, mo::release);  // [Q1]
    head_.index.store(i + 2, mo::release);   // [Q1]
  }

  static std::uint8_t wait_for_mark(claim const& c) noexcept {
    std::uint8_t m = c.place->marks[c.cell].load(mo::acquire);  // [Q4]
    for (backoff wait; ASHLAR_UNLIKELY(m == vacant);) {
      wait.pause();
      m = c.place->marks[c.cell].load(mo::acquire);  // [Q4]
    }
    return m;
  }

  ASHLAR_COLD void mark_broken(atomic<std::uint8_t>& mark) noexcept {
    broken_.fetch_add(1, mo::relaxed);
    mark.store(broken, mo::release);  // [Q3]
  }

  void finish(claim const& c) noexcept {
    c.place->marks[c.cell].store(taken, mo::release);  // [Q5]
    if (ASHLAR_UNLIKELY(c.offset + 1 == cells)) retire(c.owner);
  }

  // All consumers of the segment are done with it.
  static bool is_used_up(segment* s) noexcept {
    for (auto& g : s->groups) {
      for (index cell = 0; cell < group_cells; ++cell) {
        if (g.marks[cell].load(mo::acquire) != taken) return false;  // [Q6]
      }
    }
    return true;
  }

  // Disposes of the segment, or leaves it to the one who retires the next: a consumer may still be busy in it.
  ASHLAR_NOINLINE void retire(segment* s) noexcept {
    s->next.store(nullptr, mo::relaxed);
    if (ASHLAR_UNLIKELY(retired_.load(mo::relaxed) != nullptr)) {
      s->next.store(retired_.exchange(nullptr, mo::acq_rel), mo::relaxed);  // [Q8]
    }
    while (s != nullptr) {
      segment* const next = s->next.load(mo::relaxed);
      if (is_used_up(s)) {
        dispose(s);
      } else {
        segment* top = retired_.load(mo::relaxed);
        do s->next.store(top, mo::relaxed);
        while (!retired_.compare_exchange(top, s, mo::release, mo::relaxed));  // [Q7]
      }
      s = next;
    }
  }

  segment* make_segment() {
    segment* const s = spare_.load(mo::relaxed) ? spare_.exchange(nullptr, mo::acquire) : nullptr;  // [Q8]
    void* const memory = s != nullptr ? s : memory_.allocate(sizeof(segment), alignof(segment));
    return ::new (memory) segment;  // all marks are vacant
  }
  // Keeps one unused segment for the next that is needed.
  void dispose(segment* s) noexcept {
    segment* expected = nullptr;
    if (spare_.load(mo::relaxed) || !spare_.compare_exchange(expected, s, mo::release, mo::relaxed)) {  // [Q7]
      free_segment(s);
    }
  }
  void free_segment(segment* s) noexcept {
    if (s == nullptr) return;
    s->~segment();
    memory_.deallocate(s, sizeof(segment), alignof(segment));
  }

  // Producers' and consumers' lines are kept apart from each other and from what rarely changes.
  struct alignas(no_sharing) producer_side {
    atomic<std::uint64_t> index{0};
    atomic<struct segmented_queue::segment*> segment{nullptr};
    atomic<std::uint64_t> known_head{0};
  };
  struct alignas(no_sharing) consumer_side {
    atomic<std::uint64_t> index{0};
    atomic<struct segmented_queue::segment*> segment{nullptr};
    atomic<std::uint64_t> known_tail{0};
  };

  producer_side tail_;
  consumer_side head_;
  alignas(no_sharing) atomic<segment*> spare_{nullptr};
  atomic<segment*> retired_{nullptr};
  atomic<std::ptrdiff_t> broken_{0};
  Memory memory_;
};

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
