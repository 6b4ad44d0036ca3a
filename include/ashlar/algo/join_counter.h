// SPDX-License-Identifier: Apache-2.0
// The engine of the range algorithms. A traversal is what one thread does of a range without a break: it splits, offers
// the right parts as jobs, works on the leftmost part and takes back what nobody stole. A stolen job begins a traversal
// of its own. Nobody waits inside: a traversal whose jobs were stolen returns, and whoever finishes last completes its
// counter, so no task is ever buried under another one's wait; only the algorithm's caller waits.
//
// Unstolen jobs are not counted. A counter starts at a bias; a stolen job that is over subtracts 1 from the counter it
// was stolen from; the traversal at its end subtracts bias - stolen. Who brings it to 0 completes it. The word of the
// root's counter is also what the caller waits for: a second one would travel between the two once more.
//
// Ordering   [JR1] subtract: acq_rel -> [JR2] the subtraction that completes (everything done in the subtree)
//            [JR1] subtract: acq_rel -> [JR3] the caller's done(): acquire
// Model      tests/model/range_traversal_model.cpp; bad interleaving: src/sched/README.md, 'Traversals'
#pragma once

#include <ashlar/base/cache_line.h>
#include <ashlar/sched/core/slot.h>
#include <ashlar/sched/queue/task_pool.h>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// Termination of one traversal.
class join_counter {
 public:
  explicit join_counter(join_counter* f) noexcept : from(f) {}

  /// One of the jobs stolen from this traversal is over. True if that completes the counter and there is one above; a
  /// root that is complete may be gone when the call returns.
  bool job_over() noexcept {
    atomic<std::int64_t>* const word = &pending_;
    std::int64_t const before = word->fetch_sub(1, mo::acq_rel);  // [JR1] [JR2]
    if ((before & counted) != 1) return false;
    if ((before & root) == 0) return true;
    // The caller's frame may be gone: only the address counts.
    if (before & caller_sleeps) sched::wake_waiters(word);
    return false;
  }
  /// The traversal is over; `stolen` of its jobs were not taken back. True if that completes the counter.
  bool close(std::int64_t stolen) noexcept {
    if (stolen == 0) return true;  // without thefts nobody else knows the counter
    std::int64_t const rest = bias - stolen;
    return (pending_.fetch_sub(rest, mo::acq_rel) & counted) == rest;  // [JR1] [JR2]
  }

  join_counter* from;  // null: the root

 protected:
  static constexpr std::int64_t bias = std::int64_t{1} << 40;
  static constexpr std::int64_t counted = (std::int64_t{1} << 48) - 1;
  static constexpr std::int64_t root = std::int64_t{1} << 48;
  static constexpr std::int64_t caller_sleeps = std::int64_t{1} << 49;

  explicit join_counter(std::int64_t flags) noexcept : from(nullptr), pending_(bias | flags) {}

  atomic<std::int64_t> pending_{bias};
};

/// The counter of the algorithm's call, on its caller's stack, in a line of its own.
class alignas(cache_line) root_join : public join_counter {
 public:
  root_join() noexcept : join_counter(root) {}

  /// The caller's traversal is over. Waits until the `stolen` jobs that were not taken back are done. The counter is
  /// not closed for that unless the caller goes to sleep: a locked instruction on a line that a thief is about to write
  /// costs as much as the theft.
  void wait(sched::slot& s, std::int64_t stolen) noexcept {
    done_at_ = bias - stolen;
    s.wait(sched::wait_until(
        &pending_, "work that another thread took", [this] { return over(); }, [this] { return close_asleep(); }));
  }

 private:
  bool over() const noexcept { return (pending_.load(mo::acquire) & counted) == done_at_; }  // [JR3]
  // False if everything is done already. Whoever completes the counter from now on wakes the caller.
  bool close_asleep() noexcept {
    std::int64_t now = pending_.load(mo::relaxed);  // [JR3] is done() after the announcement
    while ((now & counted) != done_at_) {
      if (now & caller_sleeps) return true;
      if (!pending_.compare_exchange(now, (now - done_at_) | caller_sleeps, mo::relaxed, mo::relaxed)) continue;
      done_at_ = 0;
      return true;
    }
    return false;
  }

  std::int64_t done_at_ = bias;  // what is left to count when everything is done
};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
