// SPDX-License-Identifier: Apache-2.0
// The engine of the range algorithms. A stretch is what one thread does of a range without a break: it splits, offers
// the right parts as jobs, works on the leftmost part and takes back what nobody stole. A stolen job begins a stretch
// of its own. Nobody waits inside: a stretch whose jobs were stolen returns, and whoever finishes last completes its
// record, so no task is ever buried under another one's wait; only the algorithm's caller waits.
//
// Unstolen jobs are not counted. A record starts at a bias; a stolen job that is over subtracts 1 from the record it
// was stolen from; the stretch at its end subtracts bias - stolen. Who brings it to 0 completes it.
//
// Ordering   [R1] subtract: acq_rel -> [R2] the subtraction that completes (everything done in the subtree)
//            [R3] root latch: exchange release -> [R4] the caller's done(): acquire
// Model      tests/model/stretch_model.cpp; bad interleaving: src/sched/README.md, 'Stretches'
#pragma once

#include <ashlar/sched/slot.h>
#include <ashlar/sched/task_pool.h>

namespace ashlar {
inline namespace v1 {
namespace algo {

// Termination of one stretch.
struct stretch_record {
  static constexpr std::int64_t bias = std::int64_t{1} << 40;

  explicit stretch_record(stretch_record* f) noexcept : from(f) {}

  // One of the jobs stolen from this stretch is over. True if that completes the record.
  bool job_over() noexcept { return subtract(1); }
  // The stretch is over; `stolen` of its jobs were not taken back. True if that completes the record.
  bool close(std::int64_t stolen) noexcept {
    return stolen == 0 || subtract(bias - stolen);  // without thefts nobody else knows the record
  }

  atomic<std::int64_t> pending{bias};
  stretch_record* from;  // null: the root

 private:
  bool subtract(std::int64_t n) noexcept {
    return pending.fetch_sub(n, mo::acq_rel) == n;  // [R1] [R2]
  }
};

// The record of the algorithm's call, on its caller's stack.
class root_record : public stretch_record {
 public:
  root_record() noexcept : stretch_record(nullptr) {}

  // Everything is done, and a thief was the last: tells the caller.
  void set_latch() noexcept {
    atomic<std::uint32_t>* const done = &done_;
    // After the exchange the caller's frame may be gone: only the address counts.
    if (done->exchange(over, mo::acq_rel) == caller_sleeps) sched::wake_waiters(done);  // [R3]
  }

  // Waits until everything is done.
  void wait(sched::slot& s) noexcept {
    if (done_.load(mo::acquire) == over) return;  // [R4]
    sched::wait_target target{};
    target.address = &done_;
    target.object = this;
    target.done = [](sched::wait_target const& t) noexcept {
      return static_cast<root_record const*>(t.object)->done_.load(mo::acquire) == over;  // [R4]
    };
    target.announce = [](sched::wait_target const& t) noexcept {
      auto* const self = static_cast<root_record*>(const_cast<void*>(t.object));
      std::uint32_t expected = open;
      return self->done_.compare_exchange(expected, caller_sleeps, mo::acq_rel, mo::acquire) ||  // [R4]
             expected == caller_sleeps;
    };
    s.wait(target);
  }

 private:
  enum : std::uint32_t { open, over, caller_sleeps };

  atomic<std::uint32_t> done_{open};
};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
