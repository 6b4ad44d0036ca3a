// SPDX-License-Identifier: Apache-2.0
// A part of a range on offer, and the traversal that works through parts.
//
// Work (the algorithm) provides:
//   typename range_type
//   sched::context& group()               the algorithm's group
//   struct share                          what a traversal needs beside the range (a body, for a reduction)
//   void leaf(range_type&, share&)        runs the user's body; may throw
//   static constexpr bool ordered         true: a stolen job's share is handed to `gather` in range order when the
//                                         traversal it was stolen from completes
//   static constexpr bool separate        true: a part that was taken back is treated as a stolen one
//   void begin(share& stolen, share& of)  (ordered) makes the share of a stolen job; may throw
//   void gather(share& of, share& right)  (ordered) joins; may throw
#pragma once

#include <ashlar/algo/join_counter.h>
#include <ashlar/base/split.h>
#include <ashlar/os/ticks.h>
#include <ashlar/sched/tasks/affinity.h>

#include <new>

namespace ashlar {
inline namespace v1 {
namespace algo {

template <typename Work, typename Partition>
class range_traversal;

/// What only an ordered algorithm keeps with a job.
template <typename Job, typename Share, bool Ordered>
struct job_order {
  explicit job_order(Share*) noexcept {}
};
template <typename Job, typename Share>
struct job_order<Job, Share, true> {
  explicit job_order(Share* s) noexcept : of_share(s) {}

  Share* of_share;        // share of the traversal that offered this part
  Job* stolen = nullptr;  // jobs that were stolen from this one's traversal, leftmost first
  Job* next = nullptr;    // in its traversal's list of offered jobs, newest (leftmost) first
};

template <typename Work, typename Partition>
struct range_job : sched::job,
                   join_counter,
                   job_order<range_job<Work, Partition>, typename Work::share, Work::ordered> {
  using range_type = typename Work::range_type;
  using share_type = typename Work::share;
  using order = job_order<range_job, share_type, Work::ordered>;

  /// The right part of `left`, which shrinks; or a copy of a part that was split off already.
  template <typename Split>
  range_job(range_traversal<Work, Partition>& of, range_type& left, Split how, Partition const& p)
      : job{&run_stolen},
        join_counter(&of.counter()),
        order(&of.share()),
        work(of.work()),
        range(left, how),
        partition(p) {}
  range_job(range_traversal<Work, Partition>& of, range_type const& part, Partition const& p)
      : job{&run_stolen}, join_counter(&of.counter()), order(&of.share()), work(of.work()), range(part), partition(p) {}

  static job* run_stolen(job* self, sched::slot& here) noexcept {
    auto& j = *static_cast<range_job*>(self);
    here.enter(j.work.group());
    range_traversal<Work, Partition> s(here, j.work, j, j.share);
    s.run_stolen(j);
    return nullptr;
  }

  /// The counter of a stolen job is complete: tells the one it was stolen from, and so on upwards.
  static void completed(sched::slot& here, join_counter* r) noexcept {
    for (;;) {
      join_counter* const from = r->from;
      auto& j = static_cast<range_job&>(*r);
      if constexpr (Work::ordered) {
        range_traversal<Work, Partition>::gather(here, j.work, j.share, j.stolen);  // `from` destroys j when it gathers
        if (!from->job_over()) return;
      } else {
        sched::task_pool* const home = j.home;
        j.~range_job();
        bool const above = from->job_over();
        here.pool().release(&j, sizeof(range_job), home);  // not before somebody waits for it
        if (!above) return;
      }
      r = from;
    }
  }

  static void destroy(sched::slot& here, range_job* j) noexcept {
    sched::task_pool* const home = j->home;
    j->~range_job();
    here.pool().release(j, sizeof(range_job), home);
  }

  Work work;
  sched::task_pool* home = nullptr;
  range_type range;
  Partition partition;
  share_type share;
};

/// One thread's way through a part of the range.
template <typename Work, typename Partition>
class range_traversal {
 public:
  using range_type = typename Work::range_type;
  using share_type = typename Work::share;
  using job_type = range_job<Work, Partition>;

  range_traversal(sched::slot& s, Work& w, join_counter& r, share_type& sh) noexcept
      : slot_(s), work_(w), counter_(r), share_(sh), base_(s.bottom()) {}

  join_counter& counter() noexcept { return counter_; }
  Work& work() noexcept { return work_; }
  share_type& share() noexcept { return share_; }
  sched::slot& here() noexcept { return slot_; }

  /// The caller's own traversal. Returns how many of its jobs the caller must wait for.
  std::int64_t run_root(range_type& range, Partition& partition) noexcept {
    run_part(range, partition);
    if (has_offered()) take_back();
    partition.over(done_);
    if constexpr (Work::ordered) root_stolen = offered_;
    return out_;
  }

  void run_stolen(job_type& j) noexcept {
    bool begun = true;
    if constexpr (Work::ordered) {
      begun = false;  // without a share nothing may run, whether or not this slot has heard of the cancellation
      ASHLAR_TRY {
        if (!stopped()) {
          work_.begin(j.share, *j.of_share);
          begun = true;
        }
      }
      ASHLAR_CATCH_ALL { work_.group().record_exception(); }
    }
    j.partition.stolen();
    slot_.expect_thieves();
    if (begun) run_part(j.range, j.partition);
    slot_.call_others();
    if (has_offered()) take_back();
    if constexpr (Work::ordered) j.stolen = offered_;
    if (counter_.close(out_)) job_type::completed(slot_, &j);
  }

  bool stopped() noexcept { return slot_.cancelled(work_.group()); }

  /// Runs the body over a part. Nested waits leave the traversal's own jobs alone.
  ASHLAR_ALWAYS_INLINE void leaf(range_type& range) {
    slot_.keep_jobs();
    work_.leaf(range, share_);
  }

  /// Splits off the right half of `range` and offers it. May throw. `kind`: sched::key_halved, or nothing.
  template <typename Split>
  ASHLAR_ALWAYS_INLINE void offer_split(range_type& range, Split how, Partition const& p, sched::job_key kind = 0) {
    make_offer([&](void* place) { return new (place) job_type(*this, range, how, p); },
               [this, kind](job_type& j) { slot_.spawn(j, slot_.child_key() | kind); });
  }
  /// The same, with a proxy to the slot with index `target`.
  template <typename Split>
  void mail_split(range_type& range, Split how, Partition const& p, unsigned target) {
    make_offer([&](void* place) { return new (place) job_type(*this, range, how, p); },
               [&](job_type& j) {
                 tsan::release(&j);
                 sched::spawn_to(slot_, j, slot_.child_key(), target);
               });
  }
  /// The same for a part that was split off before.
  void mail_part(range_type const& part, Partition const& p, unsigned target) {
    make_offer([&](void* place) { return new (place) job_type(*this, part, p); },
               [&](job_type& j) {
                 tsan::release(&j);
                 sched::spawn_to(slot_, j, slot_.child_key(), target);
               });
  }
  void offer_part(range_type const& part, Partition const& p, bool reserved, bool first) {
    make_offer([&](void* place) { return new (place) job_type(*this, part, p); },
               [&](job_type& j) {
                 tsan::release(&j);
                 reserved ? slot_.offer(j, slot_.child_key(), first) : slot_.spawn(j);
               });
  }
  void lift_reservations() noexcept { slot_.unreserve(base_); }

  /// True if thieves have taken everything that was offered. Looks at the line that thieves write only if something
  /// was.
  bool nothing_on_offer() const noexcept { return slot_.bottom() <= base_ || !slot_.has_jobs(); }

  /// True if, as far as can be seen, a thief has taken one of the parts that are out.
  bool robbed() const noexcept {
    if (out_ == 0) return false;
    sched::slot::index const top = slot_.oldest_guess();
    return slot_.bottom() - (top > base_ ? top : base_) < out_;
  }
  /// The partition's count of what this traversal has run itself.
  void count(std::uint64_t units) noexcept { done_ += units; }

  /// Joins, in range order, what was stolen from a traversal with this share. A cancelled group keeps what its parts
  /// have found so far: libstdc++'s is_sorted(par) cancels when it knows the answer. Only an exception makes it
  /// worthless.
  static void gather(sched::slot& here, Work& work, share_type& share, job_type* stolen) noexcept {
    while (stolen != nullptr) {
      job_type* const next = stolen->next;
      ASHLAR_TRY {
        if (!work.group().has_exception()) work.gather(share, stolen->share);
      }
      ASHLAR_CATCH_ALL { work.group().record_exception(); }
      job_type::destroy(here, stolen);
      stolen = next;
    }
  }

  unsigned timed = 0;               // timed_halving's
  job_type* root_stolen = nullptr;  // (ordered) what run_root leaves to be gathered after the wait

 private:
  // `of`: the job that was taken back with the part, or null.
  ASHLAR_ALWAYS_INLINE void run_part(range_type& range, Partition& partition, sched::job* of = nullptr) noexcept {
    if (ASHLAR_LIKELY(!slot_.disturbed())) return run_steps(range, partition);
    run_disturbed(range, partition, of);
  }
  ASHLAR_NOINLINE void run_disturbed(range_type& range, Partition& partition, sched::job* of) noexcept {
    if (stopped()) return;
    if (of != nullptr) sched::slot::begin_taken_back(*of);
    run_steps(range, partition);
    if (of != nullptr) sched::slot::end_taken_back(*of);
  }
  void run_steps(range_type& range, Partition& partition) noexcept {
    sched::slot::index const outer_base = slot_.base();
    ASHLAR_TRY { partition.run(*this, range); }
    ASHLAR_CATCH_ALL { work_.group().record_exception(); }
    slot_.keep_jobs(outer_base);  // by hand: a scope costs a chunk 4 instructions
  }

  // False for most parts, and where nobody can help.
  bool has_offered() const noexcept { return slot_.bottom() > base_; }
  // Takes back the offered jobs, newest first, until none is left or the rest is stolen.
  void take_back() noexcept {
    while (has_offered() && !slot_.is_wanted_elsewhere()) {
      sched::job* const popped = slot_.pop();
      if (popped == nullptr) break;
      if (ASHLAR_UNLIKELY(popped->run != &job_type::run_stolen || static_cast<job_type*>(popped)->from != &counter_)) {
        slot_.run_own(popped, slot_.child_key());  // a proxy, or left behind by the body
        continue;
      }
      auto* const mine = static_cast<job_type*>(popped);
      if constexpr (Work::ordered) {
        // A newer part that came back as a proxy has a share of its own, and what lies right of it must not be
        // accumulated before that is gathered.
        if (Work::separate || offered_ != mine) {
          job_type::run_stolen(mine, slot_);
          continue;
        }
      }
      --out_;
      if constexpr (Work::ordered) offered_ = mine->next;
      run_part(mine->range, mine->partition, mine);
      job_type::destroy(slot_, mine);
    }
  }

  template <typename Make, typename Spawn>
  ASHLAR_ALWAYS_INLINE void make_offer(Make make, Spawn spawn) {
    sched::task_pool* home;
    void* const place = slot_.pool().allocate(sizeof(job_type), home);
    job_type* j;
    ASHLAR_TRY { j = make(place); }
    ASHLAR_CATCH_ALL {
      slot_.pool().release(place, sizeof(job_type), home);
      ASHLAR_RETHROW;
    }
    j->home = home;
    if constexpr (Work::ordered) j->next = offered_;
    ASHLAR_TRY { spawn(*j); }
    ASHLAR_CATCH_ALL {
      job_type::destroy(slot_, j);
      ASHLAR_RETHROW;
    }
    if constexpr (Work::ordered) offered_ = j;
    ++out_;
  }

  sched::slot& slot_;
  Work& work_;
  join_counter& counter_;
  share_type& share_;
  sched::slot::index const base_;
  std::int64_t out_ = 0;
  std::uint64_t done_ = 0;
  job_type* offered_ = nullptr;
};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
