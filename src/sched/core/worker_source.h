// SPDX-License-Identifier: Apache-2.0
// Who sends workers to arenas, as the arenas and the threads in them see it. The market does; what lies below the
// market knows this interface only.
//
// Threads    any.
// Ordering   [M4] make: the source -> [M5] its users
//            [M1] see arena.h
// Cost       virtual calls, none of them on a fast path. What is read often is a plain atomic hint.
#pragma once

#include "os/topology.h"

#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

class arena;
class thread_data;

class worker_source {
 public:
  static worker_source& get() noexcept {
    worker_source* const s = the_source_.load(mo::acquire);  // [M5]
    return ASHLAR_LIKELY(s != nullptr) ? *s : make();
  }
  static bool exists() noexcept { return the_source_.load(mo::acquire) != nullptr; }  // [M5]
  worker_source(worker_source const&) = delete;
  worker_source& operator=(worker_source const&) = delete;

  // Called when an arena is made, and at its end.
  virtual void add(arena& a) noexcept = 0;
  virtual void remove(arena& a) noexcept = 0;
  // Gives up a reference to an arena. Jobs that are left keep the arena until they are done.
  virtual void abandon(arena& a) noexcept = 0;

  // New work in `a`: wakes one thread for it, or creates a worker. If there is neither, a worker comes when one is
  // free.
  virtual void advertise(arena& a) noexcept = 0;
  // A thread of `a` found work after a search: wakes up to `threads` others, if any sleep.
  virtual void pass_on(arena& a, unsigned threads = 1) noexcept = 0;
  // The same for a job that no thread of `a` which waits may take: only a worker is called, or made, or comes later.
  virtual void call_worker(arena& a) noexcept { advertise(a); }
  // Has a watchdog look after the arena's reserved jobs; false if none is on duty.
  virtual bool watch(arena& a) noexcept = 0;
  // Called by a worker that finds no work: measures what application threads take up, if it is time.
  virtual void look_at_load() noexcept = 0;
  // A thread has slept in a wait for long, and will now look for work that nobody can come for; it goes on.
  virtual void begin_rest(thread_data&) noexcept {}
  virtual void end_rest(thread_data&) noexcept {}
  // Sends a worker beyond the limit, a deputy, to work that nobody else can come for. True: look again soon.
  virtual bool send_deputy() noexcept { return false; }
  // Whether the calling worker, which is a deputy in the arena, is to leave.
  virtual bool recalls_deputy(arena&) noexcept { return false; }
  // Does another arena want more workers than it has?
  virtual bool wanted_elsewhere(arena const& here) const noexcept = 0;

  // Calls `call` for every arena, under the lock that keeps their list.
  template <typename Call>
  void for_each_arena(Call const& call) noexcept {
    visit_arenas([](arena& a, void const* c) noexcept { (*static_cast<Call const*>(c))(a); }, &call);
  }
  // Contexts are cancelled in the process, or statistics are on: every slot must know.
  virtual void raise_all(std::uint32_t bit) noexcept = 0;
  virtual void lower_all(std::uint32_t bit) noexcept = 0;
  std::uint32_t standing_bits() const noexcept { return standing_.load(mo::relaxed); }

  // The stack size of workers, and of the stacks of suspended tasks.
  virtual std::size_t stack_size() noexcept = 0;

  // Hints.
  // The number of workers that may be active.
  unsigned limit_hint() const noexcept { return limit_hint_.load(mo::relaxed); }
  bool has_workers() const noexcept { return limit_hint() != 0; }
  // More threads are allowed than there are processors.
  bool crowded() const noexcept { return crowded_.load(mo::relaxed); }
  // Threads that look around in waits, instead of sleeping.
  void begin_looking() noexcept { looking_.fetch_add(1, mo::relaxed); }
  void end_looking() noexcept { looking_.fetch_sub(1, mo::relaxed); }
  // They alone may have all processors, which a thread with work needs.
  bool waits_fill_processors() const noexcept { return looking_.load(mo::relaxed) >= os::available_cpus(); }
  // Workers don't wait for more work, in all arenas: a control says so, or they end.
  bool leaves_fast() const noexcept { return fast_leave_.load(mo::relaxed) || ending_.load(mo::relaxed); }
  // Does any thread sleep, or could a worker be created?
  bool others_idle() const noexcept;
  // There is no worker, and none can be made: enqueued jobs are for whoever comes to their arena.
  static bool without_workers() noexcept { return without_workers_.load(mo::relaxed); }

 protected:
  worker_source() noexcept = default;
  ~worker_source() = default;

  virtual void visit_arenas(void (*call)(arena& a, void const* with) noexcept, void const* with) noexcept = 0;

  atomic<std::uint32_t> standing_{0};
  atomic<bool> crowded_{false};
  atomic<bool> fast_leave_{false};
  atomic<bool> ending_{false};        // workers end
  atomic<unsigned> created_hint_{0};  // workers that there are
  atomic<unsigned> limit_hint_{0};
  // Waits write here, which may be often, and what is above is read by all.
  alignas(no_sharing) atomic<unsigned> looking_{0};
  static atomic<bool> without_workers_;
  static atomic<worker_source*> the_source_;

 private:
  static worker_source& make() noexcept;  // market.cpp
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
