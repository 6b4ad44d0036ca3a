// SPDX-License-Identifier: Apache-2.0
// How a traversal cuts its range: what the public partitioners do. A partition is a small value that travels with each
// job; `run` works through one part, `stolen` tells it that a thief has begun the part.
#pragma once

#include <ashlar/algo/partitioner.h>
#include <ashlar/algo/range_job.h>
#include <ashlar/algo/range_traits.h>
#include <ashlar/os/ticks.h>
#include <ashlar/os/tuning.h>

#include <cstddef>
#include <cstdint>
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

/// Whether the range keeps something when it gives something away. A program's own range may count its size in other
/// units than those by which it is divisible.
template <typename Range>
bool has_first_piece(Range const& range) {
  if constexpr (splits_first_piece<Range>) {
    return range.is_divisible();
  } else {
    return range.is_divisible() && static_cast<std::size_t>(range.size()) > 1;
  }
}

/// The rest of such a range, which keeps its first piece.
template <typename Range>
Range cut_rest(Range& range, first_piece_split& how) {
  if constexpr (splits_first_piece<Range>) {
    return Range(range, how);
  } else {
    how.cut(static_cast<std::size_t>(range.size()), static_cast<std::size_t>(range.grainsize()));
    tbb::proportional_split shares(1, how.pieces - 1);
    return Range(range, shares);
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

/// How deep a thread halves a part so that no call of the body takes long: by the time that its calls have taken.
/// A cancellation, or an exception, stops a loop between two calls of the body. So a thread begins with a small piece,
/// and measures the call. What takes long is cut from then on to pieces that take no more than ten loops which are not
/// worth a wake (`os::tuned.small_loop`): to cut there costs less than a thousandth of their time. Those pieces are
/// measured, too, so that a thread that was preempted once cuts too fine for a few calls only.
///
/// `timed` of the traversal holds what was found: one more than the halvings, 0 before the first call. The functions
/// take `call(range, depth)`, which calls the body.
struct timed_halving {
  static constexpr unsigned sooner = 3;  // the first piece is an eighth of what a call gets otherwise
  static constexpr unsigned deepest = 24;

  /// Whether begin() can cut the first piece off. It must be no smaller than a piece that halving makes: a body may
  /// need so many iterations (libstdc++'s std::reduce takes the first two for its initial value, and asks for a grain
  /// of 3).
  template <typename Range>
  static constexpr bool cuts_first_piece =
      splits_first_piece<Range> || (splits_in_proportion<Range> && has_grain<Range>);

  /// To which depth a part is to be cut before the calls, as far as time is concerned. `usual`: what suffices where
  /// calls are short. A range whose first piece can't be cut off is halved to it.
  template <typename Range, typename Traversal>
  static unsigned depth(Traversal const& s, unsigned usual) noexcept {
    if (s.timed != 0) return s.timed - 1;
    return cuts_first_piece<Range> ? 0 : usual + sooner;
  }

  static std::uint64_t longest_call() noexcept { return 10 * os::tuned.small_loop; }

  /// The first piece of a part of this depth: of a 2^-deeper of the part, or a grain.
  struct first_piece {
    unsigned at_depth;
    unsigned deeper;
    std::uint64_t brief;            // the part is brief if it takes no more ticks
    std::uint64_t start = ticks();  // of the piece
  };

  /// Before a thread's first call: cuts the first piece off and runs it, if it can be. What is left is run by
  /// call(range) if the part is brief, as far as the piece tells, and else by rest(range), if the loop goes on.
  template <typename Traversal, typename Range, typename Call, typename Rest>
  static void begin(Traversal& s, Range& range, first_piece const& piece, Call const& call, Rest const& rest) {
    if constexpr (cuts_first_piece<Range>) {
      if (s.timed == 0 && algo::has_first_piece(range)) {
        first_piece_split how{piece.deeper};
        Range right = algo::cut_rest(range, how);
        s.leaf(range);
        std::uint64_t const whole = how.pieces * (ticks() - piece.start);
        s.timed = depth_in_time(piece.at_depth, whole) + 1;
        if (s.stopped()) return;
        return ASHLAR_LIKELY(whole <= piece.brief) ? call(right, piece.at_depth) : rest(right);
      }
    }
    rest(range);
  }

  /// Runs a piece at this depth.
  template <typename Traversal, typename Range, typename Call>
  static void leaf(Traversal& s, Range& range, unsigned at_depth, unsigned usual, Call const& call) {
    if (s.timed != 0 && at_depth <= usual) return call(range, at_depth);
    std::uint64_t const start = ticks();
    call(range, at_depth);
    s.timed = depth_in_time(at_depth, ticks() - start) + 1;
  }

  /// Runs a range of which nothing is on offer, the left half first, and counts nothing.
  template <typename Traversal, typename Range>
  static void run(Traversal& s, Range& range, unsigned usual) {
    auto const call = [&s](Range& piece, unsigned) { s.leaf(piece); };
    begin(s, range, first_piece{0, usual + sooner, longest_call()}, call,
          [&](Range& rest) { halve(s, rest, usual, call, 0); });
  }

 private:
  template <typename Traversal, typename Range, typename Call>
  static void halve(Traversal& s, Range& range, unsigned usual, Call const& call, unsigned at_depth) {
    if (at_depth >= depth<Range>(s, usual) || !range.is_divisible()) return leaf(s, range, at_depth, usual, call);
    Range right(range, tbb::split());
    halve(s, range, usual, call, at_depth + 1);
    if (!s.stopped()) halve(s, right, usual, call, at_depth + 1);
  }
  // `took`: what a part at this depth takes.
  static unsigned depth_in_time(unsigned at_depth, std::uint64_t took) noexcept {
    std::uint64_t const most = longest_call();
    if (ASHLAR_LIKELY(took <= most >> at_depth)) return 0;
    return depth_of_long_calls(at_depth, took, most);
  }
  ASHLAR_COLD static unsigned depth_of_long_calls(unsigned at_depth, std::uint64_t took, std::uint64_t most) noexcept {
    for (; took > most && at_depth < deepest; took /= 2) ++at_depth;
    for (; took <= most / 2 && at_depth > 0; took *= 2) --at_depth;
    return at_depth;
  }
};

/// Cuts by demand. Each thread that could take a slot now is to find a part at once: the range is halved until a part
/// is half of what one of these threads gets, and all right halves are on offer before the body is called. Once thieves
/// came, parts are cut finer, so that the threads end together; a traversal that has lost all that it had on offer
/// halves once more. While no thief comes to few threads, the body is called about seventeen times, and twice
/// where nobody can help. A loop whose calls take long is cut finer (timed_halving).
///
/// A loop that is expected to be small has one half on offer, reserved for its owner, who keeps the other one, and
/// shares what is left if its first piece, or the time when the owner takes the other half back, tells that the loop is
/// not small after all. A loop of no more iterations than there are threads may need them all at once: then all are on
/// offer, reserved.
struct adaptive_partition {
  static constexpr unsigned first_depth = 4;
  static constexpr unsigned finer = 3;  // further halvings once thieves came
  static constexpr unsigned deepest = timed_halving::deepest;

  explicit adaptive_partition(bool may_share) noexcept : limit(unknown), sharing(may_share) {}

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
    if (!sharing) return limit == unknown ? timed_halving::run(s, range, first_depth) : run_kept(s, range);
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
  template <typename Traversal>
  static auto leaf_of(Traversal& s) noexcept {
    return [&s](auto& range, unsigned at_depth) { leaf(s, range, at_depth); };
  }

  template <typename Traversal, typename Range>
  void run_shared(Traversal& s, Range& range) {
    bool const first = limit == unknown;
    if (first) decide(s.here());
    // Thieves are on their way, and can't take what the first call of the body gets.
    unsigned const to = first ? fine : 0;
    if (s.robbed()) limit = greater(limit > fine ? limit : fine, s.nothing_on_offer() ? depth + 1u : 0);
    unsigned const usual = greater(limit, to);
    if (ASHLAR_UNLIKELY(s.timed == 0 || s.timed > usual + 1)) return run_timed(s, range, usual);
    while (depth < usual && range.is_divisible()) offer_half(s, range);
    s.here().call_others();
    leaf(s, range, depth);
  }
  // A thread's first call, and long ones.
  template <typename Traversal, typename Range>
  ASHLAR_NOINLINE void run_timed(Traversal& s, Range& range, unsigned usual) {
    offer_in_time(s, range, usual);
    s.here().call_others();
    // The loop is not large because a thread had to be woken for it.
    if (s.timed == 0 && watch != nullptr) watch->start = ticks();
    timed_halving::first_piece const first{depth, timed_halving::sooner, timed_halving::longest_call() >> depth};
    timed_halving::begin(s, range, first, leaf_of(s), [&](Range& rest) {
      offer_in_time(s, rest, usual);
      timed_halving::leaf(s, rest, depth, usual, leaf_of(s));
    });
  }
  template <typename Traversal, typename Range>
  void offer_in_time(Traversal& s, Range& range, unsigned usual) {
    unsigned const to = greater(usual, timed_halving::depth<Range>(s, usual));
    while (depth < to && range.is_divisible()) offer_half(s, range);
  }
  template <typename Traversal, typename Range>
  ASHLAR_ALWAYS_INLINE void offer_half(Traversal& s, Range& range) {
    ++depth;
    s.offer_split(range, tbb::split(), offered(), sched::key_halved);
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
    if (!range.is_divisible()) return leaf(s, range, depth);
    Range const right(range, tbb::split());
    ++depth;
    s.offer_part(right, kept(), true, true);
    timed_halving::first_piece const first{depth, timed_halving::sooner, os::tuned.small_loop, watch->start};
    timed_halving::begin(s, range, first, leaf_of(s), [&](Range& rest) {
      if (s.timed != 0) return share(s, rest);
      timed_halving::leaf(s, rest, depth, first_depth, leaf_of(s));
    });
  }
  // A half of a small loop: taken back while the loop looks small, it is one call; else, and by a thief, it is shared.
  adaptive_partition kept() const noexcept {
    adaptive_partition part(false);
    part.watch = watch;
    part.depth = part.limit = depth;
    return part;
  }
  template <typename Traversal, typename Range>
  ASHLAR_NOINLINE void run_kept(Traversal& s, Range& range) {
    if (ASHLAR_LIKELY(ticks() - watch->start <= os::tuned.small_loop)) return leaf(s, range, depth);
    stolen();
    run_shared(s, range);
  }
  // The loop turned out not to be small: what is left of it is on offer like any other's.
  template <typename Traversal, typename Range>
  void share(Traversal& s, Range& rest) {
    s.lift_reservations();
    reserved = false;
    run_shared(s, rest);
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

/// One part after another to the thread that worked on it last time, as the partitioner's memory tells.
struct affinity_partition : plain_partition {
  affinity_partition(atomic<std::uint16_t>* m, unsigned n) noexcept : memory(m), parts(n) {}

  template <typename Traversal, typename Range>
  void run(Traversal& s, Range& range) {
    if (has_one_owner() && is_for(s)) {
      while (parts > 1 && range.is_divisible()) offer_half(s, range);
    } else {
      while (parts > 1 && range.is_divisible()) split(s, range);
    }
    memory->store(static_cast<std::uint16_t>(s.here().position() + 1), mo::relaxed);
    if (ASHLAR_LIKELY(s.timed == 1)) return s.leaf(range);  // calls are short
    timed_halving::run(s, range, 0);
  }

  atomic<std::uint16_t>* memory;  // for each part: one more than the slot that worked on it last
  unsigned parts;
  bool uniform = false;  // all parts had one owner

 private:
  // Parts from the right half of the parts: calls take(rest, how), which splits their share off the range.
  template <typename Range, typename Take>
  ASHLAR_ALWAYS_INLINE void halve(Take const& take) {
    affinity_partition rest(memory + (parts - parts / 2), parts / 2);
    rest.uniform = uniform;
    parts -= rest.parts;
    if constexpr (splits_in_proportion<Range>) {
      tbb::proportional_split proportion(parts, rest.parts);
      take(rest, proportion);
    } else {
      tbb::split half;
      take(rest, half);
    }
  }
  // All parts are the caller's.
  template <typename Traversal, typename Range>
  ASHLAR_ALWAYS_INLINE void offer_half(Traversal& s, Range& range) {
    halve<Range>([&](affinity_partition& rest, auto& how) { s.template offer_split<decltype(how)>(range, how, rest); });
  }
  // What belongs to one slot is sent there undivided, and what belongs to several is split further: so each gets its
  // part from here, and none waits for another one to wake up and pass it on.
  template <typename Traversal, typename Range>
  void split(Traversal& s, Range& range) {
    halve<Range>([&](affinity_partition& rest, auto& how) { rest.give(s, range, how); });
  }
  template <typename Traversal, typename Range, typename Split>
  void give(Traversal& s, Range& range, Split& how) {
    if (has_one_owner()) {
      is_for(s) ? s.template offer_split<Split&>(range, how, *this)
                : s.template mail_split<Split&>(range, how, *this, owner());
      return;
    }
    Range part(range, how);
    while (parts > 1 && part.is_divisible() && !has_one_owner()) split(s, part);
    is_for(s) ? s.offer_part(part, *this, false, false) : s.mail_part(part, *this, owner());
  }
  bool has_one_owner() noexcept {
    for (unsigned i = 1; i < parts && !uniform; ++i) {
      if (memory[i].load(mo::relaxed) != memory->load(mo::relaxed)) return false;
    }
    return uniform = true;
  }
  unsigned owner() const noexcept { return memory->load(mo::relaxed) - 1u; }
  template <typename Traversal>
  bool is_for(Traversal& s) const noexcept {
    return owner() == s.here().position();
  }
};

/// What the partitioner remembers, in sixteen parts for each thread: enough to balance, few enough to remember. Before
/// its first loop: one block of parts for each thread, the first for the caller, the next for the slot above, and so
/// on. Throws std::bad_alloc.
inline affinity_partition remembered_partition(sched::slot& s, tbb::affinity_partitioner& p) {
  unsigned const threads = s.parallelism();
  unsigned const parts = 16 * threads;
  atomic<std::uint16_t>* const memory = p.memory(parts);
  if (memory->load(mo::relaxed) == 0) {
    for (unsigned i = 0; i != parts; ++i) {
      memory[i].store(static_cast<std::uint16_t>((s.position() + i / 16) % s.arena_size() + 1), mo::relaxed);
    }
  }
  return {memory, parts};
}

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
