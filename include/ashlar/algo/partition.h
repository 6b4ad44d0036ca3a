// SPDX-License-Identifier: Apache-2.0
// How a stretch cuts its range: what the public partitioners do. A partition is a small value that travels with each
// job; `run` works through one part, `stolen` tells it that a thief has begun the part.
#pragma once

#include <ashlar/algo/range_job.h>
#include <ashlar/algo/range_traits.h>

#include <type_traits>

namespace ashlar {
inline namespace v1 {
namespace algo {

// Splits as long as the range is divisible; each piece is one call of the body.
struct simple_partition {
  void stolen() noexcept {}

  template <typename Stretch, typename Range>
  ASHLAR_ALWAYS_INLINE void run(Stretch& s, Range& range) {
    while (range.is_divisible()) s.offer_split(range, tbb::split(), *this);
    s.leaf(range);
  }
};

// The parts of one range that a stretch has not offered yet: the leftmost one at the back.
template <typename Range>
class range_stack {
 public:
  static constexpr unsigned capacity = 8;

  explicit range_stack(Range const& whole) {
    new (place(0)) Range(whole);
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

  // Halves the leftmost part until it is `limit` halvings deep or can't be divided.
  void split_back(unsigned limit) {
    while (size_ < capacity && depth_[index(size_ - 1)] < limit && back().is_divisible()) {
      Range& whole = back();
      Range* const left = place(size_);
      new (left) Range(whole);
      whole.~Range();
      ASHLAR_TRY {
        new (&whole) Range(*left, tbb::split());
      } ASHLAR_CATCH_ALL {
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

// A loop with less work than this is not worth waking anybody for: 25000 ticks are about ten microseconds, the price of
// a wake-up.
inline constexpr std::uint64_t small_loop_ticks = 25000;

// Cuts by demand: a stretch keeps one part on offer, so that a thief finds work at once, and splits finer each time
// the offer was taken. Without thieves the body is called about sixteen times.
struct adaptive_partition {
  static constexpr unsigned first_depth = 4;
  static constexpr unsigned lone_depth = 1;   // where nobody can help: to notice a cancellation half-way
  static constexpr unsigned small_depth = 3;  // where probably nobody will
  static constexpr unsigned deepest = 12;  // halvings of one part

  explicit adaptive_partition(bool may_share) noexcept
      : budget(static_cast<unsigned char>(may_share ? first_depth : lone_depth)), sharing(may_share) {}

  // The loop is expected to be over before a thief could help.
  void expect_small() noexcept {
    reserved = true;
    budget = small_depth;
  }
  void stolen() noexcept {
    reserved = false;
    sharing = true;
    budget = first_depth;
  }

  template <typename Stretch, typename Range>
  void run(Stretch& s, Range& range) {
    sharing ? run_shared(s, range) : run_alone(s, range, budget);
  }

  bool* was_small = nullptr;  // told whether the range's work was less than small_loop_ticks (root only)
  unsigned char budget;  // halvings still to make before a piece is small enough, without demand
  bool sharing;
  bool reserved = false;  // expected to be small (root only)

 private:
  // Halves `depth` times, the left half first, and keeps nothing on offer.
  template <typename Stretch, typename Range>
  static void run_alone(Stretch& s, Range& range, unsigned depth) {
    if (depth == 0 || !range.is_divisible()) return s.leaf(range);
    Range right(range, tbb::split());
    run_alone(s, range, depth - 1);
    if (!s.stopped()) run_alone(s, right, depth - 1);
  }

  template <typename Stretch, typename Range>
  void run_shared(Stretch& s, Range& range) {
    range_stack<Range> parts(range);
    unsigned depth = budget;
    bool offered = false;
    bool is_small = reserved;
    sched::slot::index at = 0;  // where the last offer lies
    std::uint64_t const start = was_small != nullptr ? ticks() : 0;
    std::uint64_t window = start;
    std::uint64_t now = 0;  // at the end of the last leaf, if it was looked at
    bool late = false;
    std::uint64_t done = 0;  // in units of 2^-deepest of the range
    do {
      parts.split_back(depth);
      if (parts.size() > 1 && s.nothing_on_offer()) {
        if (offered && depth < deepest) ++depth;
        adaptive_partition right(*this);
        right.reserved = false;
        right.sharing = !is_small;  // taken back in time, the rest is small too; a thief shares again
        right.was_small = nullptr;
        right.budget = static_cast<unsigned char>(depth > parts.front_depth() ? depth - parts.front_depth() : 0);
        at = s.here().bottom();
        s.offer_part(parts.front(), right, is_small, !offered);
        offered = true;
        parts.pop_front();
      }
      done += std::uint64_t{1} << (deepest - parts.back_depth());
      s.leaf(parts.back());
      parts.pop_back();
      if (ASHLAR_UNLIKELY(is_small) && offered && (now = ticks()) - window > small_loop_ticks) {
        // Not small after all, unless the thread was preempted: that would not happen twice in a row.
        is_small = !late;
        if (late) s.here().unreserve(at);
        late = true;
        window = now;
      }
    } while (!parts.empty() && !s.stopped());
    if (was_small == nullptr) return;
    if (!is_small || !offered) now = ticks();
    *was_small = (now - start) << deepest < small_loop_ticks * done;
  }
};

// One part for each thread that may take part, of nearly equal size; no balancing after that.
struct static_partition {
  explicit static_partition(unsigned n) noexcept : parts(n) {}

  void stolen() noexcept {}

  template <typename Stretch, typename Range>
  void run(Stretch& s, Range& range) {
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

// Sixteen parts for each thread: enough to balance, few enough to remember.
inline unsigned affinity_parts(sched::slot& s) noexcept { return 16 * s.parallelism(); }

// One part after another to the thread that worked on it last time, as the partitioner's memory tells.
struct affinity_partition {
  affinity_partition(atomic<std::uint16_t>* m, unsigned n) noexcept : memory(m), parts(n) {}

  void stolen() noexcept {}

  template <typename Stretch, typename Range>
  void run(Stretch& s, Range& range) {
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
    memory->store(static_cast<std::uint16_t>(s.here().index_ + 1), mo::relaxed);
    s.leaf(range);
  }

  atomic<std::uint16_t>* memory;
  unsigned parts;

 private:
  template <typename Stretch, typename Range, typename Split>
  static void offer(Stretch& s, Range& range, Split&& how, affinity_partition const& rest, unsigned last) {
    if (last == 0 || last == s.here().index_ + 1) {
      s.template offer_split<Split&>(range, how, rest);
    } else {
      s.template mail_split<Split&>(range, how, rest, last - 1);
    }
  }
};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
