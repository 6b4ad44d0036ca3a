// SPDX-License-Identifier: Apache-2.0
// An arena: the slots in which threads work on one body of work, and its queue of enqueued jobs. Each application
// thread has an arena of its own; workers come and go as the market allots them (Iordan et al. 2015, section 2).
//
// Threads    slots of other threads are read by thieves; counts under the market's lock unless atomic.
// Invariants A1 at most concurrency() threads sit in the arena.
//            A2 an arena with an occupied slot or with jobs is not destroyed.
// Ordering   [A1] [A2] [A8] [A9] see slot_claim.h
//            [A10] an external thread is gone, fence, look at the jobs <-> [H1] push, fence, report
//            [A3] see reference_count.h
//            [A11] urgent job pushed, then the bits raised <-> [A12] bit dropped, then a look at the queue
//            [O1] publish_deques: given back, release -> [O1] taken, acquire (the bounds)
//            [A5] occupy: in_use release   -> [A4] thief: in_use acquire (the slot's first ring)
//            [S2] arming: README.md, 'Parking'
//            [H1] pusher: push, fence, `searching_` load <-> [H2] searcher: `searching_` down, fence, look at the
//                 deques
//            [M1] standing bits are raised <-> [M1] occupy: a new slot sees the bit or is raised (under the
//                 market's lock or after it)
#pragma once

#include "os/cpu_sets.h"
#include "sched/arena/reference_count.h"
#include "sched/core/thread_data.h"
#include "sched/policy/wake_rule.h"
#include "sched/queue/aside_jobs.h"
#include "sched/queue/injector.h"

#include <ashlar/sched/arena/arena_settings.h>
#include <ashlar/sched/core/slot.h>

#include <memory>
#include <vector>

namespace ashlar {
inline namespace v1 {
namespace sched {

class mailbox;

// What tasks of some kind keep with a slot, for its occupant.
class slot_attachment {
 public:
  virtual ~slot_attachment() = default;
};

struct arena_links {
  arena* next = nullptr;
  arena* previous = nullptr;
  bool listed = false;
};

// What the market keeps with an arena, under its lock.
struct arena_state {
  unsigned wanted = 0;        // workers that the arena could use
  bool recalls = false;       // attention_recall is up
  bool mandatory = false;     // has jobs that must run although the worker limit is 0
  std::uint64_t visited = 0;  // the number of the last visit
  std::uint64_t pass = 0;     // of call_for_waiting_work
  std::uint32_t offers = 0;   // reserved jobs pushed in it when the watchdog looked last
  bool idle_offers = false;   // none since the look before
  // Of threads that look for work which nobody can come for (deputies.h).
  std::uint64_t still_since = 0;  // since when no application thread was seen at work here, in nanoseconds; 0: one was
  std::int64_t moves = 0;         // what was pushed and taken here until then
  arena_links all, wanting, watched;
};

class arena {
 public:
  static constexpr unsigned max_slots = 1u << 12;
  static constexpr int priority_levels = 3;  // 0 low, 1 normal, 2 high

  // `concurrency` slots of which s.reserved are for application threads; if all are, one more is for a worker that
  // comes for enqueued jobs. Throws std::bad_alloc.
  // `cpus`: where its threads may run; empty: everywhere.
  static arena& create(unsigned concurrency, arena_settings const& s, std::vector<unsigned> const& cpus = {});
  // Counted references: occupants and handles. The last one to go destroys the arena, or abandons it to the workers
  // if jobs are left.
  void retain() noexcept { references_.retain(); }
  void release() noexcept;
  // For the market, which lists arenas without a reference: false if the last reference is gone already.
  bool try_retain() noexcept { return references_.try_retain(); }

  unsigned concurrency() const noexcept { return concurrency_; }
  // With what it was made.
  arena_settings const& settings() const noexcept { return settings_; }
  unsigned reserved() const noexcept { return reserved_; }
  int priority() const noexcept { return priority_; }

  // Takes a free slot for the thread, or returns null. A stay of an application thread counts a reference. A worker,
  // who has the market's, doesn't take reserved slots.
  slot* occupy(thread_data& who) noexcept;
  slot* occupy_as_worker(thread_data& who) noexcept;
  // Ends the stay; without a reference of its own the caller must not use the arena afterwards.
  static void vacate(slot& s) noexcept;
  static void vacate_by_worker(slot& s) noexcept;
  // The slot in which the thread sits, or null.
  slot* slot_of(thread_data const& who) noexcept;
  // Whether one sits here, as far as can be seen: it keeps the arena.
  bool has_application_threads() const noexcept;
  // The arena's locks are held while the process forks. Afterwards only the survivor's slots are taken (null: none).
  void before_fork() noexcept;
  void after_fork() noexcept;
  void forget_threads(thread_data const* survivor) noexcept;
  // Slots that a worker could take now.
  unsigned worker_slots() const noexcept;
  // bind moves the calling thread, which sits down, to the arena's processors, and returns the arena that the thread
  // was bound to before (null: none). unbind moves the thread back.
  arena const* bind(thread_data& t) const noexcept;
  static void unbind(thread_data& t, arena const* outer) noexcept;
  bool bound() const noexcept { return binding_ != nullptr; }
  // Whether a worker would find a slot, as far as can be seen.
  bool has_free_slot_for_worker() const noexcept;
  // Whether an application thread would find a slot, as far as can be seen.
  bool has_free_slot() const noexcept;
  // How many threads sit here, as far as can be seen. Time: all slots in use.
  unsigned occupants() const noexcept;

  // Adds to the enqueued jobs and tells somebody. Throws std::bad_alloc.
  void enqueue(job& what, int priority);
  // A job of high priority, if there is one. For the occupant of a slot in which attention_urgent is up.
  job* take_urgent(slot& s) noexcept;
  // The same for a spawned job that comes before all others or after them: no worker comes for it beyond the limit.
  void submit_spawned(job& what, bool urgent);
  // The same for a call from outside, for which no worker comes beyond the limit.
  void enqueue_call(job& what);
  // A worker that sits beyond the reserved slots is there for enqueued jobs, not to help with others.
  // It helps if nobody else can.
  bool for_enqueued_only(unsigned slot) const noexcept {
    return slot >= concurrency_ && !abandoned.load(mo::relaxed) && deputies.load(mo::relaxed) == 0;
  }

  slot& at(unsigned i) noexcept { return slots_[i]; }
  mailbox& mail(unsigned i) noexcept;
  std::unique_ptr<slot_attachment>& attachment(unsigned i) noexcept;
  // One more than the highest slot ever used.
  unsigned slots_in_use() const noexcept { return in_use_.load(mo::acquire); }  // [A4]

  // Gives thieves the jobs in all deques that their owners may pop without a fence, with one heavy fence for all. False
  // if another thread is about to do that.
  bool publish_deques() noexcept;
  // Whether there is anything for a thief, as far as can be seen.
  bool has_visible_work() noexcept;
  // Reserved jobs pushed so far.
  std::uint32_t offers() noexcept;
  // Raises or clears a bit of the attention of every slot in use. True if it was not raised everywhere.
  bool raise(std::uint32_t bit) noexcept;
  void lower(std::uint32_t bit) noexcept;

  // The rule of the WAKE bits. A bit that is down says that somebody answers for the jobs that are pushed from now on:
  // a worker that searches in the arena, a worker that is in it or on its way to it, or a wish for a worker that is on
  // record with the market and will be served. Whoever takes the last of these away raises the bits, executes the heavy
  // fence, and looks for jobs whose push found its bit down:
  //   the last searcher stops                               arm
  //   a worker leaves an arena that wishes for none         market::leave tells it, and it arms
  //   a wish is taken back, or a call led to none           restore_bits (allotment::demand)
  //   external threads kept workers out, and the last one leaves   restore_bits (let_workers_come)
  //   refused wishes are watched over no more               market::have_unmet_ask_again
  //
  // Whether somebody answers for new jobs, beside the threads that search.
  bool answered() const noexcept { return active.load(mo::relaxed) != 0 || wants_more.load(mo::relaxed); }
  // Something that `which` pushes may have relied on has ended. True if bits went up: the caller has to look.
  enum class pushes { all, enqueued };
  bool restore_bits(pushes which) noexcept;
  // A sleeper is in the parking lot, and no worker searches: asks every push to call somebody from now on. True if
  // there is work.
  bool arm() noexcept;

  // Threads that look for work of any kind in the arena: README.md, 'Parking'. Those that come as workers keep a
  // promise when they stop, so that pushers need not ask again; those that wait for something do not.
  void begin_search(searcher what) noexcept { searching_.fetch_add(static_cast<std::uint32_t>(what), mo::relaxed); }
  // Returns the count of those that still search.
  std::uint32_t end_search(searcher what) noexcept {
    auto const one = static_cast<std::uint32_t>(what);
    return searching_.fetch_sub(one, mo::acq_rel) - one;  // [H2]
  }
  std::uint32_t searching() const noexcept { return searching_.load(mo::relaxed); }
  unsigned searchers() const noexcept { return searching_workers(searching()) + searching_waiters(searching()); }
  // After a push, for `attention`, which has attention_wake: true if somebody has to be called for the job.
  bool answer_push(attention_word& attention) noexcept;

  injector enqueued;
  aside_jobs aside;
  bool const fast_leave;                       // workers don't wait for more work
  atomic<std::uint64_t> observed{0};           // the newest observer that concerns the arena
  atomic<unsigned> phases{0};                  // parallel phases that have been started and not ended
  atomic<unsigned> holders{0};                 // objects of the program, and observers, that mean this very arena
  atomic<unsigned> slot_waiters{0};            // application threads that wait for a slot
  atomic<unsigned> suspended{0};               // stacks that were left here and go on only under their threads
  atomic<unsigned> sleeping_beside_stacks{0};  // waiters that sleep and whose slots have had such stacks
  fp_settings fp{};  // of the thread that made the arena: what its jobs run with unless their group has others

  arena_state market_state;  // the market's
  // The market knows of all work that the arena may have: a worker will come as soon as there is one.
  atomic<bool> advertised{false};
  // The arena wants more workers than there are in it.
  atomic<bool> wants_more{false};
  // A watchdog looks after jobs that are reserved here (decision record 6).
  atomic<bool> watched{false};
  atomic<bool> abandoned{false};  // nobody waits for the jobs that are left: a reference belongs to them
  atomic<unsigned> allotted{0};
  atomic<unsigned> active{0};    // workers that sit in the arena or are on their way to it
  atomic<unsigned> deputies{0};  // those of them that are beyond the limit, for want of anybody else

 private:
  arena(unsigned concurrency, arena_settings const& s, std::vector<unsigned> const& cpus);
  ~arena();
  void destroy() noexcept;
  slot* take_slot(unsigned i, thread_data& who, bool as_worker, unsigned on_cpu) noexcept;
  void free_slot(slot& s) noexcept;
  void extend_use(unsigned i) noexcept;
  void forget_occupant(unsigned i) noexcept;
  void let_workers_come() noexcept;
  void report_enqueued() noexcept;
  bool has_jobs_in_slots() noexcept;
  void raise_urgent() noexcept;
  bool only_reserved() const noexcept { return reserved_ == concurrency_; }
  unsigned slot_count() const noexcept { return concurrency_ + only_reserved(); }

  arena_settings const settings_;
  unsigned const concurrency_;
  unsigned const reserved_;
  int const priority_;
  std::unique_ptr<slot[]> const slots_;
  struct cold_state;  // what slots have but fast paths don't touch
  std::unique_ptr<cold_state[]> const cold_states_;
  std::unique_ptr<os::cpu_mask> const binding_;
  attention_word attention_{attention_wake};  // for enqueued jobs what a slot's is for its pushes
  atomic<std::uint32_t> searching_{0};
  atomic<bool> publishing_{false};  // a thread is in publish_deques
  atomic<unsigned> externals_{0};   // application threads in slots that workers could use
  atomic<unsigned> in_use_{0};
  reference_count references_{1};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
