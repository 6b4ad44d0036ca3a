// SPDX-License-Identifier: Apache-2.0
// A picture of all threads for the hang report: what each waits for, which tasks it runs, what the system says that it
// does. Taken by one thread at a time; the library's locks are held only while it copies what they guard.
#pragma once

#include "os/thread_activity.h"
#include "os/thread_backtrace.h"
#include "sched/core/wait_log.h"

#include <vector>

namespace ashlar {
inline namespace v1 {
namespace sched {

class arena;
class context;
class slot;

// What the threads of the process do at a moment; the roll compares two.
using looks = std::vector<std::pair<int, os::thread_look>>;
looks look_at_all_threads();

struct hang_wait {
  char const* what;
  void const* address;
  std::uint64_t since;
  std::uint64_t job_since;  // 0: it runs nothing else meanwhile
  bool aside;               // on another stack of the thread's than that on which it is
};

struct hang_thread {
  // In the library, what a thread does matters in this order.
  enum class doing {
    nothing,   // no task, no wait
    waits,     // in the library
    suspends,  // the same, until one of its suspended tasks is resumed
    blocks,    // inside of a task: in a call that ends when something else happens
    polls,     // the same, looking again and again after short sleeps
    spins,     // the same, and all registers repeat themselves
    sleeps,    // inside of a task, in one call that ends by itself
    computes,  // inside of a task
  };

  int tid = 0;
  bool known = false;  // it uses the library
  bool worker = false;
  bool parked = false;
  bool inside = false;            // of a task, an algorithm or a group
  bool external_goes_on = false;  // computes or sleeps, and not in a task
  bool lacks_processor = false;   // whatever it would do now
  doing now = doing::nothing;
  os::thread_look look;
  std::vector<hang_wait> waits;  // those aside, then the others, each the oldest first
  void const* kind = nullptr;    // of the innermost task; null: not known
  std::uint64_t task_since = 0;
  std::uint32_t isolation = 0;
  bool shut_out = false;            // it waits in an isolated region, and there are jobs that it may not take
  bool every_thread_stuck = false;  // of its arena, although there is more to run
  context const* group = nullptr;   // of what it runs or waits in; null: outside of tasks
  slot const* occupied = nullptr;
  arena const* in = nullptr;
  std::vector<void const*> tasks;  // addresses of all tasks that it runs
  os::thread_place place;          // after locate_stuck()
  bool located = false;
  std::vector<int> waiters;       // threads that wait for what it runs
  char const* awaited = nullptr;  // an element of a table; null: none

  // In which wait the thread is and runs nothing meanwhile; null: in none.
  hang_wait const* waits_in() const noexcept {
    bool const waiting = !waits.empty() && !waits.back().aside && waits.back().job_since == 0;
    return waiting ? &waits.back() : nullptr;
  }
  bool stuck() const noexcept { return now >= doing::waits && now <= doing::spins; }
};

class hang_roll {
 public:
  enum class verdict {
    nothing,    // nobody waits or runs a task, or a thread that could go on has no processor
    hang,       // nobody goes on
    elsewhere,  // the same, but a thread that is in no task computes or sleeps
    sleeping,   // a task sleeps
    working,    // a task computes
  };

  // Compares with what the threads did before. Throws std::bad_alloc.
  explicit hang_roll(looks const& before);

  verdict judge() const noexcept;
  // Asks the stuck threads where they are, which interrupts them (os/thread_backtrace.h).
  void locate_stuck() noexcept;
  std::vector<hang_thread> const& threads() const noexcept { return threads_; }
  // The threads that wait for a task that is suspended. Throws std::bad_alloc.
  std::vector<int> waiters_of(void const* task) const;

 private:
  void copy_threads();
  void copy_slots();
  void add_other_threads(looks const& before);
  void settle(hang_thread& t, looks const& before);
  void find_waiters();
  void find_shortage();

  std::vector<hang_thread> threads_;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
