// SPDX-License-Identifier: Apache-2.0
// What belongs to an operating-system thread rather than to the slot it sits in.
#pragma once

#include "obs/counters.h"
#include "os/cpu_sets.h"
#include "sched/core/rest_state.h"
#include "sched/core/wait_log.h"
#include "sched/park/parking.h"
#include "sched/policy/idle.h"
#include "sched/policy/occupancy.h"
#include "sched/policy/small_loops.h"
#include "sched/policy/theft_memory.h"
#include "sched/policy/victim.h"

#include <ashlar/sched/core/context.h>
#include <ashlar/sched/queue/deque.h>
#include <ashlar/sched/queue/task_pool.h>

#include <memory>

namespace ashlar {
inline namespace v1 {
namespace sched {

class arena;
class slot;

// Where a search found its job.
enum class job_place { deque, queue, elsewhere };

class thread_data {
 public:
  // Made by the thread that creates a worker: a worker that need not allocate starts sooner. Throws std::bad_alloc.
  explicit thread_data(bool worker);
  // An application's thread calls this itself, first.
  void measure_stack() noexcept;
  ~thread_data();
  thread_data(thread_data const&) = delete;
  thread_data& operator=(thread_data const&) = delete;

  std::uint32_t random() noexcept {
    // xorshift64*: 64 bits of state, no zero cycle for a nonzero seed.
    random_ ^= random_ >> 12;
    random_ ^= random_ << 25;
    random_ ^= random_ >> 27;
    return static_cast<std::uint32_t>((random_ * 0x2545F4914F6CDD1Dull) >> 32);
  }
  // True if more than half of the stack is in use: a waiting thread then takes only what it can't avoid.
  bool stack_half_used() const noexcept {
    char here;
    return stack_middle_ != nullptr && &here < stack_middle_;
  }

  // On a stack of a suspended task's thread, the middle is that stack's.
  char* stack_middle() const noexcept { return stack_middle_; }
  void set_stack_middle(char* middle) noexcept { stack_middle_ = middle; }

  bool const is_worker;
  unsigned const made_on;      // CPU
  std::size_t stack_size = 0;  // bytes
  task_pool& pool;
  sleeper parking;
  rest_state repose;
  wait_log waits;
  task_log tasks;
  atomic<int> tid{0};
  obs::counters& counters;  // when these are listed, a hang report may read what stands above
  occupancy::thread share;  // of the processors; application threads
  victim_selector victims;
  std::uint64_t announced = 0;             // the newest observer of all threads that knows of this one
  arena const* bound_to = nullptr;         // whose processors the thread is on
  std::unique_ptr<os::cpu_mask> own_cpus;  // where it runs otherwise
  arena* own_arena = nullptr;              // the implicit arena of an application thread
  fp_settings own_fp{};                    // of that arena, if it takes the place of another one
  bool keeps_own_fp = false;
  unsigned own_threads = 0;    // what an open scope of task_scheduler_init asks for; 0: nothing
  unsigned number = 0;         // workers: 1, 2, …; application threads: 0
  arena* deputy_in = nullptr;  // where the thread is as a worker beyond the limit; under the market's lock
  unsigned last_position = 0;  // workers: of the slot in which the thread sat last, in whichever arena

  // A young reserved job that was seen at the top of a victim: since when, and the victim's newest offer then or, if
  // that was somewhere else, later (decision record 6).
  slot* reserved_victim = nullptr;
  deque::index reserved_at = 0;
  std::uint64_t reserved_offer = 0;
  std::uint64_t reserved_since = 0;
  small_loop_trial small_loops;
  pause_memory pauses;
  std::uint64_t refused_mail_since = 0;  // jobs that others have proxies about; 0: none since the last job

  deque::index outermost_base = 0;     // of a worker's job that is in no other job's frame
  unsigned more_to_steal = 0;          // jobs that lay where the last one was found
  job_place found = job_place::deque;  // the last search
  unsigned calls_due = 0;              // how many others are to be called before a body runs (slot::call_others)
  std::uint64_t call_began = 0;        // the last push that called somebody, in ticks
  std::uint64_t call_took = 0;
  bool refused = false;  // the last round of thefts met a job that was not for this thread, or not yet

  theft_memory past_thefts;
  unsigned thefts = 0;  // since the thread looked for enqueued jobs

 private:
  std::uint64_t random_;
  char* stack_middle_ = nullptr;
};

// The calling thread's; null before its first use of the library and after its end.
extern ASHLAR_INITIAL_EXEC __thread thread_data* current_thread;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
