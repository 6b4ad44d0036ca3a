// SPDX-License-Identifier: Apache-2.0
// How a traversal cuts its range: what the public partitioners do. A partition is a small value that travels with each
// job; `run` works through one part, `stolen` tells it that a thief has begun the part.
#pragma once

#include <ashlar/algo/range_job.h>
#include <ashlar/algo/range_traits.h>
#include <ashlar/os/tuning.h>

#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// Whether the range has at most so many pieces, as far as it tells.
template <typename Range>
bool has_at_most(Range const& range, std::size_t pieces) {
  if constexpr (has_grain<Range>) {
    return static_cast<std::size_t>(range.size()) <= pieces * static_cast<std::size_t>(range.grainsize());
  } else if constexpr (has_size<Range>) {
    return static_cast<std::size_t>(range.size()) <= pieces;
  } else {
    return false;
  }
}

/// Of partitions that neither thieves nor the end of the caller's traversal change.
struct plain_partition {
  void stolen() noexcept {}
  void over(std::uint64_t) const noexcept {}
};

/// Splits as long as the range is divisible; each piece is one call of the body.
struct simple_partition : plain_partition {
  template <typename Traversal, typename Range>
  ASHLAR_ALWAYS_INLINE void run(Traversal& s, Range& range) {
    while (range.is_divisible()) s.offer_split(range, tbb::split(), *this);
    s.leaf(range);
  }
};

/// The parts of one range that a traversal has not offered yet: the leftmost one at the back.
template <typename Range>
class range_stack {
 public:
  static constexpr unsigned capacity = 8;

  explicit range_stack(Range const& whole) {
    ::new (static_cast<void*>(place(0))) Range(whole);
    depth_[0] = 0;
    size_ = 1;
  }
  ~range_stack() {
    while (size_ != 0) pop_back();
  }
  range_stack(range_stack const&) = delete;
  range_stack& operator=(range_stack const&) = delete;

  bool empty() const noexcept { return size_ == 0; }
  unsigned size() const noexcept { return size_; }
  Range& back() noexcept { return *place(size_ - 1); }
  Range& front() noexcept { return *place(0); }
  unsigned front_depth() const noexcept { return depth_[first_]; }
  unsigned back_depth() const noexcept { return depth_[index(size_ - 1)]; }

  /// Halves the leftmost part until it is `limit` halvings deep or can't be divided.
  void split_back(unsigned limit) {
    while (size_ < capacity && depth_[index(size_ - 1)] < limit && back().is_divisible()) {
      Range& whole = back();
      Range* const left = place(size_);
      ::new (static_cast<void*>(left)) Range(whole);
      whole.~Range();
      ASHLAR_TRY { ::new (static_cast<void*>(place(size_ - 1))) Range(*left, tbb::split()); }
      ASHLAR_CATCH_ALL {
        left->~Range();
        --size_;  // the part is lost with the exception that ends the algorithm
        ASHLAR_RETHROW;
      }
      depth_[index(size_)] = ++depth_[index(size_ - 1)];
      ++size_;
    }
  }
  void pop_back() noexcept {
    back().~Range();
    --size_;
  }
  void pop_front() noexcept {
    front().~Range();
    first_ = static_cast<unsigned char>((first_ + 1) % capacity);
    --size_;
  }

 private:
  unsigned index(unsigned i) const noexcept { return (first_ + i) % capacity; }
  Range* place(unsigned i) noexcept { return reinterpret_cast<Range*>(parts_) + index(i); }

  alignas(Range) unsigned char parts_[capacity * sizeof(Range)];
  unsigned char depth_[capacity];
  unsigned char first_ = 0;
  unsigned char size_ = 0;
};

/// Was a loop's work, which its caller sees a part of, less than `small_loop` (tuning.h)? The caller's alone.
struct small_loop_watch {
  /// After a part of a loop that was expected to be small: it isn't, unless the thread was preempted. That would not
  /// happen twice in a row.
  bool too_late() noexcept {
    std::uint64_t const now = ticks();
    if (now - looked <= os::tuned.small_loop) return false;
    looked = now;
    return std::exchange(late, true);
  }

  std::uint64_t start = ticks();
  std::uint64_t looked = start;
  bool is_small = false;
  bool late = false;
};

/// Cuts by demand. Each thread that could take a slot now is to find a part at once: the range is halved until a part
/// is half of what one of these threads gets, and all right halves are on offer before the body is called. Once thieves
/// came, parts are cut finer, so that the threads end together; a traversal that has lost all that it had on offer
/// halves once more. Where nobody can help, and while no thief comes to few threads, the body is called about sixteen
/// times.
///
/// A loop that is expected to be small has one part on offer, reserved for its owner, who keeps the others. A loop of
/// no more iterations than there are threads may need them all at once: then all are on offer, reserved.
struct adaptive_partition {
  static constexpr unsigned first_depth = 4;
  static constexpr unsigned lone_depth = 1;   // where nobody can help: to notice a cancellation half-way
  static constexpr unsigned small_depth = 3;  // where probably nobody will
  static constexpr unsigned finer = 3;        // further halvings once thieves came
  static constexpr unsigned deepest = 24;

  explicit adaptive_partition(bool may_share) noexcept
      : limit(may_share ? unknown : static_cast<unsigned char>(lone_depth)), sharing(may_share) {}

  /// The loop is expected to be over before a thief could help.
  void expect_small() noexcept { reserved = true; }
  void stolen() noexcept {
    watch = nullptr;
    sharing = true;
    reserved = false;
    limit = fine != unknown ? greater(fine, depth + finer) : unknown;
  }
  /// The caller's traversal is over; it ran `done` units of 2^-deepest of the range itself. What others took part in is
  /// not taken for small.
  void over(std::uint64_t done) const noexcept {
    if (watch == nullptr || (!reserved && done != std::uint64_t{1} << deepest)) return;
    watch->is_small = ticks() - watch->start < (os::tuned.small_loop * done) >> deepest;
  }

  template <typename Traversal, typename Range>
  void run(Traversal& s, Range& range) {
    if (!sharing) return run_alone(s, range, depth);
    if (!reserved) return run_shared(s, range);
    algo::has_at_most(range, s.here().parallelism()) ? run_few(s, range) : run_reserved(s, range);
  }

  static constexpr unsigned char unknown = 0;  // as a limit: not decided yet

  small_loop_watch* watch = nullptr;  // the root's
  unsigned char depth = 0;            // halvings that made the part
  unsigned char limit;                // halvings at which a piece is small enough
  unsigned char fine = unknown;       // the same once thieves came
  bool sharing;
  bool reserved = false;  // expected to be small (the root's)

 private:
  static unsigned char greater(unsigned a, unsigned b) noexcept {
    unsigned const most = a > b ? a : b;
    return static_cast<unsigned char>(most < deepest ? most : deepest);
  }

  // How fine the threads need it that could come now.
  void decide(sched::slot& here) noexcept {
    unsigned halvings = 1;
    for (unsigned n = here.helpers(); n != 0; n /= 2) ++halvings;
    limit = greater(first_depth, depth + halvings);
    fine = greater(first_depth, depth + halvings + finer);
  }

  template <typename Traversal, typename Range>
  static void leaf(Traversal& s, Range& range, unsigned at_depth) {
    s.count(std::uint64_t{1} << (deepest - at_depth));
    s.leaf(range);
  }

  // Halves to the limit, the left half first, and has nothing on offer.
  template <typename Traversal, typename Range>
  void run_alone(Traversal& s, Range& range, unsigned at_depth) {
    if (at_depth >= limit || !range.is_divisible()) return leaf(s, range, at_depth);
    Range right(range, tbb::split());
    run_alone(s, range, at_depth + 1);
    if (!s.stopped()) run_alone(s, right, at_depth + 1);
  }

  template <typename Traversal, typename Range>
  void run_shared(Traversal& s, Range& range) {
    bool const first = limit == unknown;
    if (first) decide(s.here());
    // Thieves are on their way, and can't take what the first call of the body gets.
    unsigned const to = first ? fine : 0;
    if (s.robbed()) limit = greater(limit > fine ? limit : fine, s.nothing_on_offer() ? depth + 1u : 0);
    while ((depth < limit || depth < to) && range.is_divisible()) {
      ++depth;
      s.offer_split(range, tbb::split(), offered(), sched::key_halved);
    }
    s.here().call_others();
    // The loop is not large because a thread had to be woken for it.
    if (first && watch != nullptr) watch->start = ticks();
    leaf(s, range, depth);
  }
  adaptive_partition offered() const noexcept {
    adaptive_partition part(*this);
    part.watch = nullptr;
    return part;
  }

  // Each iteration is a part, and the owner, who takes them back one by one, has all but one on offer.
  template <typename Traversal, typename Range>
  void run_few(Traversal& s, Range& range) {
    while (range.is_divisible()) {
      Range const right(range, tbb::split());
      ++depth;
      s.offer_part(right, *this, true, depth == 1);
    }
    leaf(s, range, depth);
    if (!s.nothing_on_offer() && watch->too_late()) s.lift_reservations();
  }

  template <typename Traversal, typename Range>
  void run_reserved(Traversal& s, Range& range) {
    range_stack<Range> parts(range);
    unsigned to = small_depth;
    bool offering = false;
    do {
      parts.split_back(to);
      if (parts.size() > 1 && s.nothing_on_offer()) {
        if (offering && to < range_stack<Range>::capacity) ++to;
        s.offer_part(parts.front(), kept(parts.front_depth(), to), true, !offering);
        offering = true;
        parts.pop_front();
      }
      leaf(s, parts.back(), parts.back_depth());
      parts.pop_back();
      if (offering && watch->too_late()) {
        s.lift_reservations();
        return share(s, parts);
      }
    } while (!parts.empty() && !s.stopped());
  }
  // A part of a small loop: taken back in time, it is run alone; a thief shares it.
  adaptive_partition kept(unsigned at_depth, unsigned to) const noexcept {
    adaptive_partition part(false);
    part.depth = static_cast<unsigned char>(at_depth);
    part.limit = static_cast<unsigned char>(to);
    return part;
  }
  // The loop turned out not to be small: what is left of it is on offer like any other's.
  template <typename Traversal, typename Range>
  void share(Traversal& s, range_stack<Range>& parts) {
    reserved = false;
    decide(s.here());
    for (; parts.size() > 1; parts.pop_front()) {
      depth = static_cast<unsigned char>(parts.front_depth());
      s.offer_part(parts.front(), offered(), false, false);
    }
    if (parts.empty() || s.stopped()) return;
    depth = static_cast<unsigned char>(parts.back_depth());
    run_shared(s, parts.back());
  }
};

/// One part for each thread that may take part, of nearly equal size; no balancing after that. Who takes a part decides
/// which thread runs it: for at most two threads, where nobody can take another one's (static_loop.h).
struct static_partition : plain_partition {
  explicit static_partition(unsigned n) noexcept : parts(n) {}

  template <typename Traversal, typename Range>
  void run(Traversal& s, Range& range) {
    while (parts > 1 && range.is_divisible()) {
      unsigned const right = parts / 2;
      if constexpr (splits_in_proportion<Range>) {
        tbb::proportional_split proportion(parts - right, right);
        s.offer_split(range, proportion, static_partition(right));
      } else {
        s.offer_split(range, tbb::split(), static_partition(right));
      }
      parts -= right;
    }
    s.leaf(range);
  }

  unsigned parts;
};

/// Sixteen parts for each thread: enough to balance, few enough to remember.
inline unsigned affinity_parts(sched::slot& s) noexcept { return 16 * s.parallelism(); }

/// One part after another to the thread that worked on it last time, as the partitioner's memory tells.
struct affinity_partition : plain_partition {
  affinity_partition(atomic<std::uint16_t>* m, unsigned n) noexcept : memory(m), parts(n) {}

  template <typename Traversal, typename Range>
  void run(Traversal& s, Range& range) {
    while (parts > 1 && range.is_divisible()) {
      unsigned const right = parts / 2;
      unsigned const left = parts - right;
      affinity_partition const rest(memory + left, right);
      // 0: nobody yet; i + 1: slot i.
      unsigned const last = memory[left].load(mo::relaxed);
      if constexpr (splits_in_proportion<Range>) {
        tbb::proportional_split proportion(left, right);
        offer(s, range, proportion, rest, last);
      } else {
        offer(s, range, tbb::split(), rest, last);
      }
      parts = left;
    }
    memory->store(static_cast<std::uint16_t>(s.here().position() + 1), mo::relaxed);
    s.leaf(range);
  }

  atomic<std::uint16_t>* memory;
  unsigned parts;

 private:
  template <typename Traversal, typename Range, typename Split>
  static void offer(Traversal& s, Range& range, Split&& how, affinity_partition const& rest, unsigned last) {
    if (last == 0 || last == s.here().position() + 1) {
      s.template offer_split<Split&>(range, how, rest);
    } else {
      s.template mail_split<Split&>(range, how, rest, last - 1);
    }
  }
};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
