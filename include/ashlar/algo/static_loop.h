// SPDX-License-Identifier: Apache-2.0
// The loop of a static_partitioner: as many parts as there are threads, and part i for the thread that sits i slots
// behind the caller's, loop after loop, as long as that thread comes for it. For three threads or more: of two, the one
// that is not the caller finds one part only, and static_partition (partition.h) costs 15 % less.
//
// The caller cuts the range. A part on offer is no more than a ticket: the right to run one part. A thread that has a
// ticket claims the part of its own slot; if that is gone, the part that was the ticket; else the next one that is
// left. So no thread waits for another one's part, and a part whose thread does not come is anybody's. A ticket may
// stand for several, which its holder offers in turn, so that threads find tickets in more than one place.
//
// Threads    run, claim: any thread that has a ticket. All else: the caller.
// Invariants P1 there are never fewer unclaimed parts than tickets that have claimed none, because each ticket claims
//               once: one way round finds a part.
//            P2 all parts live until the whole loop is over: a ticket may be met after another one's holder ran its
//            part.
// Ordering   A ticket's way through the deque orders the cutting before the claim, and the join counters order what
//            parts have done before the end. Of a claim nothing counts but that one thread makes it.
#pragma once

#include <ashlar/algo/join_counter.h>
#include <ashlar/algo/range_traits.h>

#include <new>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace algo {

template <typename Work>
class static_loop;

/// What only an ordered algorithm keeps with a part.
template <typename Share, bool Ordered>
struct part_order {};
template <typename Share>
struct part_order<Share, true> {
  Share own;                         // empty unless the part was begun apart from its left neighbour
  Share* into = nullptr;             // what the part was accumulated into
  atomic<sched::slot*> by{nullptr};  // the slot where that was done
};

/// A part of the loop, and the ticket with its number. `Work` is that of range_job.h.
template <typename Work>
struct static_part : sched::job, join_counter, part_order<typename Work::share, Work::ordered> {
  using range_type = typename Work::range_type;

  template <typename Split>
  static_part(static_loop<Work>& of, unsigned n, unsigned together, range_type& left, Split&& how)
      : job{&run_stolen},
        join_counter(nullptr),
        loop(of),
        number(n),
        count(together),
        range(left, static_cast<Split&&>(how)) {}

  bool claim() noexcept { return !claimed.load(mo::relaxed) && !claimed.exchange(true, mo::relaxed); }

  static job* run_stolen(job* self, sched::slot& here) noexcept {
    auto& ticket = *static_cast<static_part*>(self);
    here.enter(ticket.loop.group());
    here.expect_thieves();
    if (!ticket.close(ticket.loop.run(here, ticket.number, ticket.count, ticket))) return nullptr;
    // The caller's frame may be gone when its counter is complete.
    for (join_counter* from = ticket.from; from->job_over(); from = from->from) {
    }
    return nullptr;
  }

  static_loop<Work>& loop;
  unsigned const number;
  unsigned const count;  // tickets that this one stands for
  static_part* made_before;
  atomic<bool> claimed{false};
  range_type range;
};

template <typename Work>
class static_loop {
 public:
  using range_type = typename Work::range_type;
  using share_type = typename Work::share;
  using part = static_part<Work>;
  static constexpr unsigned fewest = 3;  // threads
  static constexpr unsigned few = 16;    // parts that need no table apart

  /// `share` is what the caller accumulates into.
  static_loop(sched::slot& s, Work& work, range_type& range, share_type& share) noexcept
      : slot_(s), work_(work), whole_(range), share_(share), root_(s.position()) {}
  ~static_loop() {
    while (made_ != nullptr) {
      part* const p = made_;
      made_ = p->made_before;
      p->~part();
      slot_.pool().release(p, sizeof(part), part_home_);
    }
    if (ASHLAR_UNLIKELY(parts_ != few_)) slot_.pool().release(parts_, table_size_, table_home_);
  }
  static_loop(static_loop const&) = delete;
  static_loop& operator=(static_loop const&) = delete;

  sched::context& group() noexcept { return work_.group(); }

  /// Cuts the range for so many threads and runs all parts. Exceptions are left in the group.
  void run(unsigned threads) noexcept {
    ASHLAR_TRY { prepare(threads); }
    ASHLAR_CATCH_ALL { group().record_exception(); }
    root_join root;
    sched::group_scope const scope(slot_, group());
    if (std::int64_t const stolen = run(slot_, 0, count_, root)) root.wait(slot_, stolen);
  }

  /// A thread's way through the tickets from `first` on. Returns how many of them others have taken.
  std::int64_t run(sched::slot& here, unsigned first, unsigned count, join_counter& counter) noexcept {
    sched::slot::index const base = here.bottom();
    std::int64_t out = run_tickets(here, first, count, counter, nullptr);
    while (here.bottom() > base && !here.is_wanted_elsewhere()) {
      sched::job* const popped = here.pop();
      if (popped == nullptr) break;
      auto* const mine = static_cast<part*>(popped);
      if (ASHLAR_UNLIKELY(popped->run != &part::run_stolen || mine->from != &counter)) {
        here.run_own(popped, here.child_key());  // left behind by the body
        continue;
      }
      --out;
      out += run_tickets(here, mine->number, mine->count, counter, mine);
    }
    return out;
  }

  /// (ordered) Joins what the parts have found, in the order of the range, to the caller's share.
  void gather() {
    if (count_ != 1) gather(0, count_);
  }

 private:
  // ---- Cutting.
  void prepare(unsigned threads) {
    if (!whole_.is_divisible()) return;
    if (threads > few) {
      table_size_ = threads * sizeof(part*);
      parts_ = static_cast<part**>(slot_.pool().allocate(table_size_, table_home_));
    }
    cut(whole_, 0, threads);
    count_ = threads;
  }
  void cut(range_type& from, unsigned first, unsigned count) {
    while (count > 1) {
      if (!from.is_divisible()) return leave_out(first, count);
      unsigned const right = count / 2;
      count -= right;
      part* cut_off;
      if constexpr (splits_in_proportion<range_type>) {
        tbb::proportional_split proportion(count, right);
        cut_off = make(first + count, right, from, proportion);
      } else {
        cut_off = make(first + count, right, from, tbb::split());
      }
      if (right > 1) cut(cut_off->range, first + count, right);
    }
  }
  void leave_out(unsigned first, unsigned count) noexcept {
    for (unsigned i = 1; i != count; ++i) parts_[first + i] = nullptr;
  }
  template <typename Split>
  ASHLAR_ALWAYS_INLINE part* make(unsigned number, unsigned count, range_type& left, Split&& how) {
    sched::task_pool* home;
    void* const place = slot_.pool().allocate(sizeof(part), home);
    part* made;
    ASHLAR_TRY { made = ::new (place) part(*this, number, count, left, static_cast<Split&&>(how)); }
    ASHLAR_CATCH_ALL {
      slot_.pool().release(place, sizeof(part), home);
      ASHLAR_RETHROW;
    }
    made->made_before = made_;
    part_home_ = home;
    return made_ = parts_[number] = made;
  }
  // The ticket that is offered first of so many; null if the range could not be cut there.
  part* right_of(unsigned first, unsigned count) const noexcept {
    return count > 1 ? parts_[first + count - count / 2] : nullptr;
  }

  // ---- Running. `of`: the ticket that was taken back, or null.
  // Returns how many tickets were offered.
  ASHLAR_ALWAYS_INLINE unsigned run_tickets(sched::slot& here, unsigned first, unsigned count, join_counter& counter,
                                            sched::job* of) noexcept {
    if (ASHLAR_LIKELY(!here.disturbed())) return run_undisturbed(here, first, count, counter);
    if (here.cancelled(group())) return 0;
    if (of != nullptr) sched::slot::begin_taken_back(*of);
    unsigned const out = run_undisturbed(here, first, count, counter);
    if (of != nullptr) sched::slot::end_taken_back(*of);
    return out;
  }
  ASHLAR_NOINLINE unsigned run_undisturbed(sched::slot& here, unsigned first, unsigned count,
                                           join_counter& counter) noexcept {
    sched::slot::index const outer_base = here.base();
    unsigned out = 0;
    ASHLAR_TRY {
      for (part* p; (p = right_of(first, count)) != nullptr; count -= p->count) {
        p->from = &counter;
        here.spawn(*p, here.child_key());
        ++out;
      }
      here.keep_jobs();  // nested waits leave the tickets alone
      run_part(claim(first, here.position()), here);
    }
    ASHLAR_CATCH_ALL { group().record_exception(); }
    here.keep_jobs(outer_base);
    return out;
  }

  // The part for the thread at `position`, which has this ticket; null: the caller's own.
  part* claim(unsigned ticket, unsigned position) noexcept {
    if (ticket == 0) return nullptr;
    // A thread that sits as many slots above the caller as there are parts would come to the caller's.
    if (unsigned const own = (position + count_ - root_ % count_) % count_) {
      if (parts_[own] != nullptr && parts_[own]->claim()) return parts_[own];
    }
    for (unsigned i = ticket;; i = i + 1 != count_ ? i + 1 : 1) {
      if (parts_[i] != nullptr && parts_[i]->claim()) return parts_[i];
    }
  }

  ASHLAR_ALWAYS_INLINE void run_part(part* p, sched::slot& here) {
    if constexpr (Work::ordered) {
      if (p == nullptr) {
        work_.leaf(whole_, share_);
        callers_part_done_ = true;
        return;
      }
      share_type& into = share_for(*p, here);
      work_.leaf(p->range, into);
      p->into = &into;
      p->by.store(&here, mo::relaxed);
    } else {
      static_cast<void>(here);
      work_.leaf(p == nullptr ? whole_ : p->range, share_);
    }
  }
  // A thread that has run the left neighbour goes on with that one's share.
  share_type& share_for(part& p, sched::slot& here) {
    if constexpr (!Work::separate) {
      unsigned left = p.number - 1;
      while (left != 0 && parts_[left] == nullptr) --left;
      if (left == 0 && &here == &slot_ && callers_part_done_) return share_;
      // The same slot: the same thread, or one that has taken the slot over from that thread.
      if (left != 0 && parts_[left]->by.load(mo::relaxed) == &here) return *parts_[left]->into;
    }
    work_.begin(p.own, share_);
    return p.own;
  }

  // ---- The end of an ordered loop: the leftmost share of these parts' own, with all others joined to it, or null.
  share_type* gather(unsigned first, unsigned count) {
    part* const after = right_of(first, count);
    if (after == nullptr) return first == 0 ? &share_ : parts_[first]->own.empty() ? nullptr : &parts_[first]->own;
    share_type* const left = gather(first, count - after->count);
    share_type* const right = gather(after->number, after->count);
    if (left == nullptr || right == nullptr) return left != nullptr ? left : right;
    work_.gather(*left, *right);
    return left;
  }

  sched::slot& slot_;
  Work& work_;
  range_type& whole_;
  share_type& share_;
  unsigned const root_;
  unsigned count_ = 1;              // of numbers
  bool callers_part_done_ = false;  // the caller's alone
  part* made_ = nullptr;            // the last one, with all that were made before
  part** parts_ = few_;             // by number, from 1 on; null: cut no further there
  std::size_t table_size_;
  sched::task_pool* table_home_;
  sched::task_pool* part_home_;
  part* few_[few];
};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
