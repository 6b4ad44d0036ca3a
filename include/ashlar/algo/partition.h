// SPDX-License-Identifier: Apache-2.0
// How a stretch cuts its range: what the public partitioners do. A partition is a small value that travels with each
// job; `run` works through one part, `stolen` tells it that a thief has begun the part.
#pragma once

#include <ashlar/algo/range_job.h>
#include <ashlar/algo/range_traits.h>

#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace algo {

// Of partitions that neither thieves nor the end of the caller's stretch change.
struct plain_partition {
  void stolen() noexcept {}
  void over(std::uint64_t) const noexcept {}
};

// Splits as long as the range is divisible; each piece is one call of the body.
struct simple_partition : plain_partition {
  template <typename Stretch, typename Range>
  ASHLAR_ALWAYS_INLINE void run(Stretch& s, Range& range) {
    while (range.is_divisible()) s.offer_split(range, tbb::split(), *this);
    s.leaf(range);
  }
};

// A loop with less work than this is not worth waking anybody for: 25000 ticks are about ten microseconds, the price of
// a wake-up.
inline constexpr std::uint64_t small_loop_ticks = 25000;

// Was a loop's work, which its caller sees a part of, less than small_loop_ticks? The caller's alone.
struct small_loop_watch {
  // After a part of a loop that was expected to be small: it isn't, unless the thread was preempted. That would not happen
  // twice in a row.
  bool too_late() noexcept {
    std::uint64_t const now = ticks();
    if (now - looked <= small_loop_ticks) return false;
    looked = now;
    return lifted = std::exchange(late, true);
  }

  std::uint64_t start = ticks();
  std::uint64_t looked = start;
  bool small = false;
  bool late = false;
  bool lifted = false;  // what is left of the loop is on offer like any other's
};

// Cuts by demand. Each thread that could take a seat now is to find a part at once: the range is halved until a part is
// half of what one of these threads gets, and all right halves are on offer before the body is called. Once thieves came,
// parts are cut finer, so that the threads end together; a stretch that has lost all that it had on offer halves once
// more. Where nobody can help, and while no thief comes to few threads, the body is called about sixteen times.
//
// A loop that is expected to be small is cut into four parts, and what its owner has on offer is reserved.
struct adaptive_partition {
  static constexpr unsigned first_depth = 4;
  static constexpr unsigned lone_depth = 1;   // where nobody can help: to notice a cancellation half-way
  static constexpr unsigned small_depth = 2;  // where probably nobody will
  static constexpr unsigned finer = 3;        // further halvings once thieves came
  static constexpr unsigned deepest = 24;

  explicit adaptive_partition(bool may_share) noexcept
      : limit(may_share ? unknown : static_cast<unsigned char>(lone_depth)), sharing(may_share) {}

  // The loop is expected to be over before a thief could help.
  void expect_small() noexcept { reserved = true; }
  void stolen() noexcept {
    watch = nullptr;
    reserved = false;
    limit = fine != unknown ? greater(fine, depth + finer) : unknown;
  }
  // The caller's stretch is over; it ran `done` units of 2^-deepest of the range itself. A loop that others took part in may
  // need them all at once: it is not taken for a small one, where they come late.
  void over(std::uint64_t done) const noexcept {
    if (watch == nullptr || (!reserved && done != std::uint64_t{1} << deepest)) return;
    watch->small = ticks() - watch->start < (small_loop_ticks * done) >> deepest;
  }

  template <typename Stretch, typename Range>
  void run(Stretch& s, Range& range) {
    if (!sharing) return run_alone(s, range, depth);
    if (reserved && watch->lifted) lift();
    reserved ? run_reserved(s, range) : run_shared(s, range);
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

  template <typename Stretch, typename Range>
  static void leaf(Stretch& s, Range& range, unsigned at_depth) {
    s.count(std::uint64_t{1} << (deepest - at_depth));
    s.leaf(range);
  }

  // Halves to the limit, the left half first, and has nothing on offer.
  template <typename Stretch, typename Range>
  void run_alone(Stretch& s, Range& range, unsigned at_depth) {
    if (at_depth >= limit || !range.is_divisible()) return leaf(s, range, at_depth);
    Range right(range, tbb::split());
    run_alone(s, range, at_depth + 1);
    if (!s.stopped()) run_alone(s, right, at_depth + 1);
  }

  template <typename Stretch, typename Range>
  void run_shared(Stretch& s, Range& range) {
    bool const first = limit == unknown;
    if (first) decide(s.here());
    // Thieves are on their way, and can't take what the first call of the body gets.
    unsigned const to = first ? fine : 0;
    if (s.robbed()) limit = greater(limit > fine ? limit : fine, s.nothing_on_offer() ? depth + 1u : 0);
    while ((depth < limit || depth < to) && range.is_divisible()) {
      ++depth;
      s.offer_split(range, tbb::split(), offered());
    }
    // The loop is not large because a thread had to be woken for it.
    if (first && watch != nullptr) watch->start = ticks();
    leaf(s, range, depth);
  }
  adaptive_partition offered() const noexcept {
    adaptive_partition part(*this);
    part.watch = nullptr;
    return part;
  }

  // All parts are on offer: whichever part the owner may come to wait for can be taken.
  template <typename Stretch, typename Range>
  void run_reserved(Stretch& s, Range& range) {
    while (depth < small_depth && range.is_divisible()) {
      ++depth;
      s.offer_reserved(range, *this, depth == 1);
    }
    leaf(s, range, depth);
    if (!s.nothing_on_offer() && watch->too_late()) s.lift_reservations();
  }
  // The loop turned out not to be small.
  void lift() noexcept {
    watch = nullptr;
    reserved = false;
  }
};

// One part for each thread that may take part, of nearly equal size; no balancing after that.
struct static_partition : plain_partition {
  explicit static_partition(unsigned n) noexcept : parts(n) {}

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
struct affinity_partition : plain_partition {
  affinity_partition(atomic<std::uint16_t>* m, unsigned n) noexcept : memory(m), parts(n) {}

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
