// SPDX-License-Identifier: Apache-2.0
// The market divides the workers among the arenas: by priority, within a priority in proportion to what the arenas can
// use. It creates workers one by one when work appears, up to the limit, and wakes them.
//
// Here is what needs several of its parts: which arenas there are (membership), what each gets (allotment), for how
// many workers there is a processor (load), who looks after work that nobody was called for (watch_duty), who works
// where all that are allowed sleep (deputies), the worker threads (workers), and how many threads are allowed
// (thread_limit). All are under one lock, taken only when the number of active threads changes. Protocols: README.md,
// 'Parking' and 'Demand'.
//
// Ordering   [M1] [M4] [M5] see worker_source.h
//            [M6] the hook is set, before its owner asks for cancelled contexts ([C8]) <-> [M7] it is read, after the
//            context was counted as cancelled ([C8]): the owner sees the context cancelled, or is called
#pragma once

#include "sched/core/worker_source.h"
#include "sched/market/allotment.h"
#include "sched/market/deputies.h"
#include "sched/market/load.h"
#include "sched/market/membership.h"
#include "sched/market/thread_limit.h"
#include "sched/market/watch_duty.h"
#include "sched/market/workers.h"
#include "sched/park/parking.h"

#include <cstddef>
#include <mutex>

namespace ashlar {
inline namespace v1 {
namespace sched {

class market final : public worker_source {
 public:
  // Called by worker_source::make.
  market() noexcept;
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
  void call_worker(arena& a) noexcept override;
  bool watch(arena& a) noexcept override;
  void look_at_load() noexcept override { measure_load(occupancy::observer::running); }
  bool wanted_elsewhere(arena const& here) const noexcept override { return allotment_.unmet_beside(here); }
  void raise_all(std::uint32_t bit) noexcept override;
  void lower_all(std::uint32_t bit) noexcept override;
  std::size_t stack_size() noexcept override;
  void begin_rest(thread_data& t) noexcept override;
  void end_rest(thread_data& t) noexcept override;
  bool send_deputy() noexcept override;
  bool recalls_deputy(arena& a) noexcept override;

  // A place for a worker, counted as active there and retained. Null if there is none: then the worker is in the
  // parking lot already, because work that is advertised from now on has to find it there.
  arena* assign(sleeper& own) noexcept;
  // Ends such a stay, but for the reference. `out_of_work`: the arena had nothing for it. False if the market doesn't
  // know that the arena wants more workers: then the worker answers for the jobs that were pushed meanwhile.
  bool leave(arena& a, bool out_of_work) noexcept;
  // True if no worker is in the arena and there is nothing to do; from then on none comes before the next push.
  bool settle(arena& a) noexcept;
  // Calls somebody for work that the caller has seen and not pushed: unless it is done by now, because a thread that
  // has waited for it relies on `settle`.
  void advertise_again(arena& a) noexcept;
  // Likewise, but wakes none: the caller is a worker, and will ask for a place.
  void ask_for_workers(arena& a) noexcept;
  // Called by a worker as the last thing it does here.
  void worker_ends() noexcept;
  bool terminating() noexcept;

  // Is there work that a worker may go to, or only such as is left to busy application threads? Looks at arenas that
  // want workers, and at those that are watched.
  enum class outlook { no_work, refused, open };
  outlook look_for_work() noexcept;
  // The watchdog's duty. look_at_offers returns how many reserved jobs are new.
  watch_duty& duty() noexcept { return duty_; }
  std::uint32_t look_at_offers() noexcept;
  // Nobody is on duty any more, because the watchdog goes to work. True if arenas whose calls were refused ask again
  // from now on: there may be work that nobody was called for.
  bool end_watch() noexcept;
  // The same, for want of anything to watch; false if there is something.
  bool end_idle_watch() noexcept;
  // Lets one worker go to refused work all the same, for one job.
  void grant_visit() noexcept;

  // An application thread ends, and takes up nothing any more.
  void dismiss(occupancy::thread& t) noexcept;
  // Measures that if it is time, and sends workers away or lets them come accordingly.
  void measure_load(occupancy::observer by) noexcept;
  // The system has taken processors away since the start.
  bool short_of_processors() noexcept;

  // The number of threads (workers and one application thread) that work in parallel: a request (task_scheduler_init)
  // raises it, a control (global_control) sets the upper bound. 0 asks for nothing.
  void request_concurrency(unsigned threads) noexcept;
  void withdraw_concurrency(unsigned threads) noexcept;
  // Stack size of workers yet to be created, as long as no control is in force.
  void request_stack_size(std::size_t bytes) noexcept;
  void set_controls(unsigned max_threads, std::size_t stack_size, bool fast_leave) noexcept;  // 0: no control in force
  unsigned worker_limit() noexcept;
  unsigned workers_created() noexcept;

  // Lets every worker end and waits for it, after work that nobody waits for is done. False if work of other
  // application threads is under way.
  bool terminate_workers() noexcept;
  membership& members() noexcept { return members_; }
  bool in_use() const noexcept { return members_.has_users() || workers_.alive() != 0; }

 private:
  void visit_arenas(void (*call)(arena& a, void const* with) noexcept, void const* with) noexcept override;
  void recompute() noexcept { allotment_.divide(load_.places(limit_)); }
  void look_at_allowance() noexcept;
  void count_caller(arena const& a) noexcept;
  bool other_cpu_sleeps(arena const& a) const noexcept;
  struct called;
  unsigned vacancies_for(arena& a) noexcept;
  enum class callees { all, all_if_work, unrestricted, workers };
  called choose(arena& a, callees whom, unsigned threads) noexcept;
  void call_somebody(arena& a, callees whom, unsigned threads) noexcept;
  void advertise_missed() noexcept;
  bool work_of_others(bool& work_left) noexcept;
  void set_limit() noexcept;
  void call_for_waiting_work() noexcept;
  bool unwatch(bool all) noexcept;
  bool have_unmet_ask_again() noexcept;
  bool start_worker() noexcept;
  bool dismiss_deputy(thread_data& t) noexcept;
  arena* assign_deputy() noexcept;

  std::mutex lock_;
  membership members_;
  allotment allotment_;
  load load_;
  watch_duty duty_;
  deputies deputies_;
  workers workers_{created_hint_, ending_, without_workers_};
  thread_limit threads_;
  unsigned limit_ = 0;  // workers that may be active
  std::uint64_t passes_ = 0;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
