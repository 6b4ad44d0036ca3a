// SPDX-License-Identifier: Apache-2.0
// The market divides the workers among the arenas: by priority, within a priority in proportion to what the arenas can
// use. It creates workers one by one when work appears, up to the limit, and wakes them.
//
// All state is under one lock, taken only when the number of active threads changes.
// Protocols: README.md, 'Parking' and 'Demand'.
// Ordering   [M1] [M4] [M5] see worker_source.h
//            [M2] the last worker's end -> [M3] terminate_workers: alive acquire
#pragma once

#include "sched/allotment.h"
#include "sched/occupancy.h"
#include "sched/parking.h"
#include "sched/thread_limit.h"
#include "sched/worker_source.h"

#include <cstddef>
#include <mutex>

namespace ashlar {
inline namespace v1 {
namespace sched {

class market final : public worker_source {
 public:
  static market& get() noexcept { return static_cast<market&>(worker_source::get()); }

  // Its lock and those of the arenas are held while the process forks. Then only the given thread is left (null: none
  // that uses the scheduler): the next push that reports itself creates workers.
  void before_fork() noexcept;
  void after_fork() noexcept;
  void forget_threads(thread_data const* survivor) noexcept;

  void add(arena& a) noexcept override;
  void remove(arena& a) noexcept override;
  void abandon(arena& a) noexcept override;
  void advertise(arena& a) noexcept override;
  void pass_on(arena& a, unsigned threads) noexcept override;
  bool watch(arena& a) noexcept override;
  void look_at_load() noexcept override { measure_load(occupancy::observer::running); }
  bool wanted_elsewhere(arena const& here) const noexcept override { return allotment_.unmet_beside(here); }
  void raise_all(std::uint32_t bit) noexcept override;
  void lower_all(std::uint32_t bit) noexcept override;
  std::size_t stack_size() noexcept override;

  // A place for a worker, counted as active there and retained. Null if there is none: then the worker is in the parking
  // lot already, because work that is advertised from now on has to find it there.
  arena* assign(sleeper& bed) noexcept;
  // Ends such a stay, but for the reference. `out_of_work`: the arena had nothing for it. False if the market doesn't know that
  // the arena wants more workers: then the worker answers for the jobs that were pushed meanwhile.
  bool leave(arena& a, bool out_of_work) noexcept;
  // Asks for workers without waking one: the caller is one, and will ask for a place.
  void ask_for_workers(arena& a) noexcept;
  // Is there work that a worker may go to, or only such as is left to busy application threads? Looks at arenas that want
  // workers, and at those that are watched.
  enum class outlook { no_work, refused, open };
  outlook look_for_work() noexcept;
  // The sentinel's: jobs reserved since its last look. Arenas without any are watched no more, and looked at once again.
  std::uint32_t look_at_offers() noexcept;
  // Nobody is on duty any more, because the sentinel goes to work. True if arenas whose calls were refused ask again from
  // now on: there may be work that nobody was called for.
  bool end_watch() noexcept;
  // The same, for want of anything to watch; false if there is something.
  bool end_idle_watch() noexcept;

  // Application threads, for the measurement of what they take up.
  void enroll(occupancy::thread& t) noexcept;
  void dismiss(occupancy::thread& t) noexcept;
  // Measures that if it is time, and sends workers away or lets them come accordingly.
  void measure_load(occupancy::observer by) noexcept;
  // Lets one worker go to such work all the same, for one job.
  void grant_visit() noexcept;

  // The number of threads (workers and one application thread) that work in parallel. A request (task_scheduler_init)
  // raises it, a control (global_control) sets the upper bound.
  // Slots of an application thread's own arena.
  unsigned implicit_concurrency() noexcept;
  // Both with the same number; 0 asks for nothing.
  void request_concurrency(unsigned threads) noexcept;
  void withdraw_concurrency(unsigned threads) noexcept;
  // Stack size of workers yet to be created, as long as no control is in force.
  void request_stack_size(std::size_t bytes) noexcept;
  void set_controls(unsigned max_threads, std::size_t stack_size, bool fast_leave) noexcept;  // 0: no control in force
  unsigned worker_limit() noexcept;
  // The system has taken processors away since the start.
  bool short_of_processors() noexcept;
  std::size_t allowed_parallelism() noexcept;
  unsigned workers_created() noexcept;
  bool terminating() noexcept;
  // Called by a worker as the last thing it does here.
  void worker_ends() noexcept;
  // A worker that sleeps with a timeout looks after reserved jobs (decision record 6); at most one does.
  atomic<bool> sentinel{false};
  // Its looks at which work was left to busy threads, since it last found that no jobs were pushed between two.
  atomic<unsigned> refusals{0};

  // Lets every worker end and waits for it, after work that nobody waits for is done. False if work of other application
  // threads is under way.
  bool terminate_workers() noexcept;

  // While there are attached application threads or handles of arenas, finalize() answers false.
  void count_attached(int change) noexcept { attached_.fetch_add(change, mo::relaxed); }
  void count_handles(int change) noexcept { handles_.fetch_add(change, mo::relaxed); }
  bool has_users() const noexcept { return attached_.load(mo::relaxed) != 0 || handles_.load(mo::relaxed) != 0; }
  bool in_use() const noexcept { return has_users() || alive_.load(mo::relaxed) != 0; }

 private:
  friend worker_source;
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
  void visit_arenas(void (*call)(arena& a, void const* with) noexcept, void const* with) noexcept override;
  bool unwatch(bool all) noexcept;
  bool have_unmet_ask_again() noexcept;

  bool may_create() const noexcept;
  bool create_worker() noexcept;
  std::mutex lock_;
  all_arenas all_;
  allotment allotment_;
  watched_arenas watched_;
  bool work_of_others(bool& work_left) noexcept;

  thread_limit threads_;
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
  atomic<std::uint64_t> failed_creation_{0};  // when the system last had no thread for a worker; 0: it had
  bool told_of_failure_ = false;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
