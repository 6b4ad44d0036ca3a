// SPDX-License-Identifier: Apache-2.0
// The market divides the workers among the arenas: by priority, within a priority in proportion to what the arenas can
// use. It creates workers one by one when work appears, up to the limit, and wakes them.
//
// All state is under one lock, taken only when the number of active threads changes.
// Protocols: README.md, 'Parking' and 'Demand'.
// Ordering   [M1] standing bits <-> occupy: a new slot sees the bit or is raised (both under or after the lock)
//            [M4] make: the market -> [M5] its users
//            [M2] the last worker's end -> [M3] terminate_workers: alive acquire
#pragma once

#include "sched/allotment.h"
#include "sched/occupancy.h"

#include <cstddef>
#include <mutex>

namespace ashlar {
inline namespace v1 {
namespace sched {

class market {
 public:
  static market& get() noexcept {
    market* const m = the_market_.load(mo::acquire);  // [M5]
    return ASHLAR_LIKELY(m != nullptr) ? *m : make();
  }
  static bool exists() noexcept { return the_market_.load(mo::acquire) != nullptr; }  // [M5]

  // Its lock and those of the arenas are held while the process forks. Then only the given thread is left (null: none
  // that uses the scheduler): the next push that reports itself creates workers.
  void before_fork() noexcept;
  void after_fork() noexcept;
  void forget_threads(thread_data const* survivor) noexcept;

  void add(arena& a) noexcept;
  void remove(arena& a) noexcept;

  // New work in `a`: wakes one thread for it, or creates a worker. If there is neither, a worker comes when one is free.
  void advertise(arena& a) noexcept;
  // A thread of `a` found work after a search: wakes up to `threads` others, if any sleep.
  void pass_on(arena& a, unsigned threads = 1) noexcept;
  // Does anybody sleep, or could be created?
  bool others_idle() const noexcept { return parking_lot::get().count() != 0 || created_hint() < limit_hint(); }
  // A place for a worker, counted as active there and retained. Null if there is none: then the worker is in the parking
  // lot already, because work that is advertised from now on has to find it there.
  arena* assign(sleeper& bed) noexcept;
  // Ends such a stay, but for the reference. `out_of_work`: the arena had nothing for it. False if the market doesn't know that
  // the arena wants more workers: then the worker answers for the jobs that were pushed meanwhile.
  bool leave(arena& a, bool out_of_work) noexcept;
  // Asks for workers without waking one: the caller is one, and will ask for a place.
  void ask_for_workers(arena& a) noexcept;
  // Gives up the reference of an application thread that ends. Jobs that are left keep the arena until they are done.
  void abandon(arena& a) noexcept;
  // Is there work that a worker may go to, or only such as is left to busy application threads? Looks at arenas that want
  // workers, and at those that are watched.
  enum class outlook { no_work, refused, open };
  outlook look_for_work() noexcept;
  // Has a sentinel look after the arena's reserved jobs; false if none is on duty.
  bool watch(arena& a) noexcept;
  // The sentinel's: jobs reserved since its last look. Arenas without any are watched no more, and looked at once again.
  std::uint32_t look_at_offers() noexcept;
  // Nobody is on duty any more, because the sentinel goes to work. True if arenas whose calls were refused ask again from
  // now on: there may be work that nobody was called for.
  bool end_watch() noexcept;
  // The same, for want of anything to watch; false if there is something.
  bool end_idle_watch() noexcept;
  // Does another arena want more workers than it has?
  bool wanted_elsewhere(arena const& here) const noexcept {
    return allotment_.unmet_beside(here);
  }

  // Application threads, for the measurement of what they take up.
  void enroll(occupancy::thread& t) noexcept;
  void dismiss(occupancy::thread& t) noexcept;
  // Measures that if it is time, and sends workers away or lets them come accordingly.
  void look_at_load(occupancy::observer by) noexcept;
  // Lets one worker go to such work all the same, for one job.
  void grant_visit() noexcept;

  // Under the lock.
  template <typename Call>
  void for_each_arena(Call const& call) noexcept {
    std::lock_guard guard(lock_);
    all_.for_each(call);
  }
  // An observer of all threads is new.
  void observe_all(std::uint64_t number) noexcept;
  // Contexts are cancelled in the process, or statistics are on: every slot must know.
  void raise_all(std::uint32_t bit) noexcept;
  void lower_all(std::uint32_t bit) noexcept;
  std::uint32_t standing_bits() const noexcept { return standing_.load(mo::relaxed); }

  // The number of threads (workers and one application thread) that work in parallel. A request (task_scheduler_init)
  // raises it, a control (global_control) sets the upper bound.
  unsigned default_concurrency() noexcept;
  // Slots of an application thread's own arena.
  unsigned implicit_concurrency() noexcept;
  // Both with the same number; 0 asks for nothing.
  void request_concurrency(unsigned threads) noexcept;
  void withdraw_concurrency(unsigned threads) noexcept;
  // Stack size of workers yet to be created, as long as no control is in force.
  void request_stack_size(std::size_t bytes) noexcept;
  void set_controls(unsigned max_threads, std::size_t stack_size) noexcept;  // 0: no control in force
  unsigned worker_limit() noexcept;
  // The system has taken processors away since the start.
  bool short_of_processors() noexcept;
  std::size_t stack_size() noexcept;
  std::size_t allowed_parallelism() noexcept;
  unsigned workers_created() noexcept;
  bool terminating() noexcept;
  // Called by a worker as the last thing it does here.
  void worker_ends() noexcept;
  // A worker that sleeps with a timeout looks after reserved jobs (decision record 6); at most one does.
  atomic<bool> sentinel{false};
  // Its looks at which work was left to busy threads, since it last found that no jobs were pushed between two.
  atomic<unsigned> refusals{0};
  atomic<bool> fast_leave{false};  // in all arenas
  unsigned limit_hint() const noexcept { return limit_hint_.load(mo::relaxed); }
  bool has_workers() const noexcept { return limit_hint_.load(mo::relaxed) != 0; }
  // There is no worker, and none can be made: enqueued jobs are for whoever comes to their arena.
  static bool without_workers() noexcept { return without_workers_.load(mo::relaxed); }
  bool crowded() const noexcept { return crowded_.load(mo::relaxed); }

  // Lets every worker end and waits for it, after work that nobody waits for is done. False if work of other application
  // threads is under way.
  bool terminate_workers() noexcept;

  // While there are attached application threads or handles of arenas, finalize() answers false.
  void count_attached(int change) noexcept { attached_.fetch_add(change, mo::relaxed); }
  void count_handles(int change) noexcept { handles_.fetch_add(change, mo::relaxed); }
  bool has_users() const noexcept { return attached_.load(mo::relaxed) != 0 || handles_.load(mo::relaxed) != 0; }
  bool in_use() const noexcept { return has_users() || alive_.load(mo::relaxed) != 0; }

 private:
  using all_arenas = arena_list<&arena_state::all>;
  using watched_arenas = arena_list<&arena_state::watched>;

  void recompute() noexcept;
  void withdraw(arena& a) noexcept;
  static bool depends_on_workers(arena& a) noexcept;
  void demand(arena& a) noexcept;
  void note_demand(arena& a) noexcept;
  // Workers that may be active now: the limit, less those for which busy application threads leave no processor.
  unsigned places() const noexcept;
  void look_at_allowance() noexcept;
  arena* next_to_visit() noexcept;
  void note_caller() noexcept;
  void call_somebody(arena& a, bool restricted_too, unsigned threads) noexcept;
  void advertise_missed() noexcept;
  void set_limit() noexcept;
  void call_for_waiting_work() noexcept;
  void raise_bits(std::uint32_t bit) noexcept;
  bool unwatch(bool all) noexcept;
  bool have_unmet_ask_again() noexcept;
  unsigned created_hint() const noexcept { return created_hint_.load(mo::relaxed); }

  bool may_create() const noexcept;
  bool create_worker() noexcept;
  static market& make() noexcept;

  std::mutex lock_;
  all_arenas all_;
  allotment allotment_;
  watched_arenas watched_;
  static constexpr unsigned most_threads = 1024;
  unsigned requested() const noexcept;
  bool work_of_others(bool& work_left) noexcept;

  unsigned requests_[most_threads + 1] = {};  // how many ask for so many threads
  unsigned control_ = 0;
  std::size_t control_stack_ = 0;
  std::size_t requested_stack_ = 0;
  unsigned limit_ = 0;        // workers that may be active
  unsigned withdrawn_ = 0;    // processors that the system has taken away since the start
  unsigned created_ = 0;
  bool terminating_ = false;
  occupancy load_;
  bool refused_ = false;  // calls were refused for want of processors since a sentinel came on duty
  std::uint64_t passes_ = 0;
  bool visit_ = false;
  std::uint64_t visits_ = 0;
  static constexpr unsigned visits_beyond_quota = 16;  // one of so many is granted
  unsigned visits_refused_ = 0;
  atomic<int> attached_{0};
  atomic<int> handles_{0};
  atomic<std::uint32_t> alive_{0};  // workers that have not ended (futex word of terminate_workers)
  atomic<std::uint32_t> standing_{0};
  atomic<bool> crowded_{false};
  atomic<unsigned> created_hint_{0};  // created_ and limit_ for readers without the lock
  atomic<unsigned> limit_hint_{0};
  atomic<std::uint64_t> failed_creation_{0};  // when the system last had no thread for a worker; 0: it had
  bool told_of_failure_ = false;
  static atomic<bool> without_workers_;
  static atomic<market*> the_market_;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
