// SPDX-License-Identifier: Apache-2.0
// The work-stealing deque of a slot: the owner pushes and pops at the bottom (newest first), thieves take at
// the top (oldest first): 'breadth-first theft and depth-first work' (2007 paper). Chase and Lev's circular
// array; top only grows, so an index is never reused and there is no ABA.
//
// Threads    push, pop, empty, size: the owner. steal, looks_empty: anyone.
// Invariants I1 top <= bottom, except that bottom = top - 1 while a pop is under way.
//            I2 the cells of [top, bottom) hold jobs; a cell is overwritten only once top has passed it.
//            I3 a retired ring stays readable until the deque dies, so a slow thief reads garbage at worst,
//               and then its claim fails.
//            I4 top <= published <= split. Thieves claim only below published, so the owner pops above split without a
//            fence:
//               the two are one split point, which moves in two steps with a heavy fence between.
// Ordering   [D1] push, pop: bottom release     -> [D2] steal: bottom acquire (cell and job contents)
//            [D3] pop below split: bottom exchange, then top load, both seq_cst (an acquire load may pass the exchange
//                 on ARM) <-> [D4] steal: fence between top and bottom: of an owner and a thief after the last job
//                 one sees the other, and then the claim of top decides
//            [D5] claim of top (thief or owner) -> [D6] push: top acquire (cell may be reused)
//            [D7] grow: ring release            -> [D8] steal: ring acquire
//            [D9] pop: light fence between bottom and split <-> [D9] thief: heavy fence between split and the next look
//                 at bottom: the owner sees the new split, or thieves see what it popped
//            [D10] empty pop: published release -> [D4] steal: the fence between published and bottom
//            [D11] empty pop: bottom release    -> [D2] steal: bottom acquire (the ring: with an old top the thief
//                 takes this bottom for a push)
// Cost       push: 3 stores, 2 predicted branches. pop: 1 store, 2 predicted branches; below split, which is near top,
//            1 locked exchange, and CAS for the last job. steal: 1 fence, 1 CAS; a heavy fence where it must raise
//            published.
// Model      tests/model/deque_model.cpp
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>
#include <ashlar/sched/policy/job.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

class deque {
 public:
  using index = std::int64_t;

  struct cell {
    atomic<job*> what;
    atomic<job_key> key;
  };
  struct ring {
    ring* older;  // rings that this one replaced, kept until the deque dies
    index mask;
    // The header, of a cell's size, is skipped last: that is part of the address then, and no instruction.
    ASHLAR_ALWAYS_INLINE cell& at(index i) noexcept {
      return __builtin_launder(reinterpret_cast<cell*>(this) + (i & mask))[1];
    }
  };

  enum class outcome { taken, empty, lost, refused };

  explicit deque(index shared = margin) noexcept : split_(shared), followed_(shared), published_(shared) {}
  deque(deque const&) = delete;
  deque& operator=(deque const&) = delete;

  // Owner. Index of the next push; jobs at or above an index were pushed after it was read.
  ASHLAR_ALWAYS_INLINE index bottom() const noexcept { return bottom_.load_own(); }

  // Owner. Throws std::bad_alloc if the ring must grow and can't; then nothing has changed.
  ASHLAR_ALWAYS_INLINE void push(job* what, job_key key) {
    index const b = bottom_.load_own();
    if (ASHLAR_UNLIKELY(b >= limit_)) make_room(b);
    push_at(b, what, key);
  }
  // Owner. The same, if the ring need not grow; else false, and nothing has changed.
  ASHLAR_ALWAYS_INLINE bool push_within(job* what, job_key key) noexcept {
    index const b = bottom_.load_own();
    if (ASHLAR_UNLIKELY(b >= limit_)) return false;
    push_at(b, what, key);
    return true;
  }

  // Owner, after its first push. The newest job, or null if there is none (or the last one was lost to a thief).
  ASHLAR_ALWAYS_INLINE job* pop() noexcept {
    index b;
    return take_newest(b) ? ring_.load(mo::relaxed)->at(b).what.load(mo::relaxed) : nullptr;
  }

  // Owner. The same, with the job's key.
  ASHLAR_ALWAYS_INLINE job* pop(job_key& key) noexcept {
    index b;
    if (!take_newest(b)) return nullptr;
    cell const& c = ring_.load(mo::relaxed)->at(b);
    key = c.key.load(mo::relaxed);
    return c.what.load(mo::relaxed);
  }

  // Owner, directly after pop() has brought the job: its index, and its key. The bottom doesn't tell: it is the index,
  // or one more if the job was the last one (take_last). The cell below the bottom holds the popped job only then.
  index popped_from(job const& what, job_key& key) const noexcept {
    ring* const r = ring_.load(mo::relaxed);
    index const b = bottom_.load_own();
    index const at = r->at(b - 1).what.load(mo::relaxed) == &what ? b - 1 : b;
    key = r->at(at).key.load(mo::relaxed);
    return at;
  }

  // Owner, directly after a push: that job's address. A thief may have taken it.
  job* newest_job() const noexcept {
    return ring_.load(mo::relaxed)->at(bottom_.load_own() - 1).what.load(mo::relaxed);
  }
  // Owner. False if thieves have taken all jobs.
  ASHLAR_ALWAYS_INLINE bool has_jobs() const noexcept { return top_.load(mo::relaxed) < bottom_.load_own(); }
  // Anyone. A guess.
  bool looks_empty() const noexcept { return top_.load(mo::relaxed) >= bottom_.load(mo::relaxed); }
  index jobs_guess() const noexcept { return bottom_.load(mo::relaxed) - top_.load(mo::relaxed); }
  index oldest_guess() const noexcept { return top_.load(mo::relaxed); }

  // Owner. Replaces the keys of the jobs from index i on by what `change` makes of them; a thief sees the old key or
  // the new one.
  template <typename Change>
  void rekey(index i, Change change) noexcept {
    ring* const r = ring_.load(mo::relaxed);
    index const top = top_.load(mo::relaxed);
    for (i = i < top ? top : i; i < bottom(); ++i) {
      atomic<job_key>& key = r->at(i).key;
      key.store(change(key.load(mo::relaxed)), mo::relaxed);
    }
  }

  // Anyone. Claims the oldest job if `accept(key)` agrees. lost: another thread claimed it first, or the job lies at
  // `published` or above, and `publish_more` could not publish more.
  template <typename Accept>
  outcome steal(job*& what, job_key& key, Accept accept) noexcept {
    return steal(what, key, accept, [this] {
      index const bound = raise_split();
      fence_heavily();
      publish(bound);
      return true;
    });
  }
  template <typename Accept, typename Publish>
  outcome steal(job*& what, job_key& key, Accept accept, Publish publish_more) noexcept {
    for (;;) {
      index t = top_.load(mo::relaxed);
      index const published = published_.load(mo::relaxed);
      fence_seq_cst();                            // [D4]
      index const b = bottom_.load(mo::acquire);  // [D2]
      if (t >= b) return outcome::empty;
      ring* const r = ring_.load(mo::acquire);  // [D8]
      cell& c = r->at(t);
      what = c.what.load(mo::relaxed);
      key = c.key.load(mo::relaxed);
      if (!accept(key)) return outcome::refused;
      if (ASHLAR_UNLIKELY(t >= published)) {
        if (!publish_more()) return outcome::lost;
        continue;
      }
      if (!top_.compare_exchange(t, t + 1, mo::seq_cst, mo::relaxed)) return outcome::lost;  // [D5]
      return outcome::taken;
    }
  }

  // Anyone. How thieves get at jobs that the owner may pop without a fence: raise_split(), a heavy fence, and publish()
  // with what the first returned. One fence serves many deques.
  ASHLAR_EXPORT ASHLAR_COLD index raise_split() noexcept;
  void publish(index bound) noexcept { raise(published_, bound, mo::relaxed); }

  // Owner. The next `jobs` pushes are published at once; to pop such a job costs a fence.
  ASHLAR_EXPORT ASHLAR_COLD void publish_ahead(index jobs) noexcept;
  // Owner. The same, unless the next push is published at once anyway: for jobs most of which are stolen.
  void publish_next(index jobs) noexcept {
    if (split_.load(mo::relaxed) <= bottom_.load_own()) publish_ahead(jobs);
  }

  // In the child of a fork, of a deque whose owner is gone: drops the jobs that `gone(job&)` names.
  template <typename Gone>
  void drop_jobs_if(Gone const& gone) noexcept {
    index const b = bottom_.load(mo::relaxed);
    index kept = top_.load(mo::relaxed);
    ring* const r = ring_.load(mo::relaxed);
    for (index i = kept; i < b; ++i) {
      job* const what = r->at(i).what.load(mo::relaxed);
      if (gone(*what)) continue;
      r->at(kept).what.store(what, mo::relaxed);
      r->at(kept++).key.store(r->at(i).key.load(mo::relaxed), mo::relaxed);
    }
    bottom_.store(kept, mo::relaxed);
  }

  // Owner. Doubles the ring or, if thieves have made room since the last look, only moves the limit.
  ASHLAR_EXPORT ASHLAR_COLD void make_room(index b);
  ASHLAR_EXPORT ~deque();

 private:
  static constexpr index margin = 4, most_margin = 64;

  ASHLAR_ALWAYS_INLINE void push_at(index b, job* what, job_key key) noexcept {
    cell& c = ring_.load(mo::relaxed)->at(b);
    c.what.store(what, mo::relaxed);
    c.key.store(key, mo::relaxed);
    bottom_.store(b + 1, mo::release);  // [D1]
  }
  // Owner. True if the newest job, at b, is the owner's now.
  ASHLAR_ALWAYS_INLINE bool take_newest(index& b) noexcept {
    b = bottom_.load_own() - 1;
    bottom_.store(b, mo::release);  // [D1]
    fence_light();                  // [D9]
    if (ASHLAR_LIKELY(b >= split_.load(mo::relaxed))) return true;
    b = take_shared(b);
    return ASHLAR_LIKELY(b >= 0);
  }
  // Owner, bottom is b already, and thieves may claim the job there, too. b if it is the owner's, else negative.
  ASHLAR_EXPORT ASHLAR_NOINLINE index take_shared(index b) noexcept;
  // The same where the job is the last one, or gone. `t`: what top was meanwhile.
  ASHLAR_NOINLINE index take_last(index b, index t) noexcept;
  // The deque is empty up to b, and the bounds must follow. `taken`: take_last's result.
  ASHLAR_NOINLINE index leave_empty(index b, index taken) noexcept;
  // Owner, the deque is empty up to b: the bounds follow, `margin_` ahead. The margin doubles if a thief had to publish
  // jobs since the deque was last empty, which takes a heavy fence. It halves when pops that would have needed no fence
  // with a smaller one have cost as much.
  void follow(index b) noexcept;
  void raise_both(index to) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD static void fence_heavily() noexcept;
  static void raise(atomic<index>& bound, index to, order how) noexcept {
    index old = bound.load(mo::relaxed);
    while (old < to && !bound.compare_exchange(old, to, how, mo::relaxed)) {
    }
  }

  atomic<index> bottom_{0};
  index limit_{0};  // push may go up to here without looking at top
  atomic<ring*> ring_{nullptr};
  atomic<index> split_;  // the owner pops jobs below it with a fence; here, because each pop reads it
  // The owner's: how far the bounds lie above top after the deque has been empty, where split was then, and the pops
  // below split since the margin changed.
  index margin_{margin}, followed_, fenced_{0};
  alignas(no_sharing) atomic<index> top_{0};
  atomic<index> published_;  // thieves claim jobs below it
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
