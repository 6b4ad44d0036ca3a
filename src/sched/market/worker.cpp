// SPDX-License-Identifier: Apache-2.0
// The life of a worker.
#include "sched/market/workers.h"

#include "obs/overflow_watch.h"
#include "obs/trace.h"
#include "os/clock.h"
#include "os/cpu_exclusion.h"
#include "os/fp_control.h"
#include "os/membarrier.h"
#include "os/thread.h"
#include "os/topology.h"
#include "sched/arena/dispatch.h"
#include "sched/arena/observers.h"
#include "sched/arena/search.h"
#include "sched/market/market.h"
#include "sched/market/watchdog.h"
#include "sched/park/process_locks.h"

#include <ashlar/os/memory.h>
#include <ashlar/sched/market/worker_hooks.h>

#include <mutex>
#include <utility>

namespace ashlar::inline v1::sched {

namespace {

// A worker that the kernel has put on the CPU of the thread that made it would only take turns with that thread, which
// can't know this: it spins while it waits. A process's first loop then takes up to twice as long.
void step_aside(market& m, int thread, unsigned makers_cpu) noexcept {
  if (m.crowded() || os::current_cpu() != makers_cpu) return;
  os::cpu_exclusion aside;
  aside.begin(thread, makers_cpu, makers_cpu);
  aside.end();
}

// What a worker leaves behind in the arena that it comes from.
struct departure {
  arena* from = nullptr;   // retained
  bool searching = false;  // it is still counted as searching there

  // The worker stops searching there; it is in the parking lot, or has a place elsewhere. The last one arms the arena.
  // True if there is work again. README.md, 'Parking'.
  bool stop_searching() noexcept {
    if (from == nullptr) return false;
    bool const last = !searching || wake_rule::arms(from->end_search(searcher::worker));
    searching = false;
    return last && from->arm();
  }
  void forget() noexcept {
    if (from != nullptr) std::exchange(from, nullptr)->release();
  }
};

// Sleeps as a free worker, which is in the parking lot already. True if work was left to busy threads, and somebody
// else has to watch over it. README.md, 'Parking' and 'Reserved jobs'.
bool sleep_as_worker(market& m, thread_data& t, departure& left) noexcept {
  parking_lot& lot = parking_lot::get();
  // The worker goes on duty before the arena is armed: otherwise each small loop that comes meanwhile would call it
  // back.
  watchdog watch(m, t.small_loops);
  bool const alone = left.from != nullptr && left.from->active.load(mo::relaxed) == 0;
  if (left.stop_searching()) {
    lot.leave(t.parking);
    m.ask_for_workers(*left.from);
    return watch.end();
  }
  left.forget();
  settle_memory();
  learn_topology();
  t.counters.add(obs::counter::parks);
  obs::trace(obs::trace_event::park, nullptr);
  std::uint64_t const asleep_since = os::ticks();
  while (!t.parking.sleep(watch.timeout())) {
    // Timed out: somebody may have left a reserved job to wait for its owner.
    if (!watch.look()) continue;
    lot.leave(t.parking);
    break;
  }
  obs::trace(obs::trace_event::wake, nullptr);
  t.counters.add(obs::counter::wakes);
  t.pauses.end_sleep(alone, os::ticks() - asleep_since, os::tuned.ticks_of_us(os::wake_up_us));
  return watch.end();
}

// A worker's stay in an arena. True if it ended for want of work, or if the market doesn't know of work that is left:
// then the worker looks once more when it has stopped. `searching`: the worker is counted as searching there until it
// calls stop_searching.
bool work_in(market& m, arena& a, thread_data& t, bool& searching) noexcept {
  slot* const place = a.occupy_as_worker(t);
  bool out_of_work = true;
  searching = false;
  if (place != nullptr) {
    current_slot = place;
    obs::trace_occupy(place, &a, a.concurrency());
    if (ASHLAR_UNLIKELY(a.bound())) a.bind(t);
    os::write_fp_control({a.fp.mxcsr, a.fp.x87_control});
    observe_entry(a, *place);
    out_of_work = serve(a, *place, searching);
    observe_exit(*place);
    current_slot = nullptr;
    obs::trace(obs::trace_event::occupy, nullptr);
    if (ASHLAR_UNLIKELY(a.bound())) arena::unbind(t, nullptr);
    arena::vacate_by_worker(*place);
  }
  bool const on_record = m.leave(a, out_of_work);
  return out_of_work || !on_record;
}

struct worker_hooks {
  worker_function begun = nullptr;
  worker_function ending = nullptr;
  void* argument = nullptr;
};
worker_hooks the_hooks;

worker_hooks current_hooks() noexcept {
  std::lock_guard guard(process_locks::hooks);
  return the_hooks;
}

}  // namespace

void set_worker_hooks(worker_function begun, worker_function ending, void* argument) noexcept {
  std::lock_guard guard(process_locks::hooks);
  the_hooks = {begun, ending, argument};
}

void worker_main(void* data) {
  market& m = market::get();
  auto* const t = static_cast<thread_data*>(data);
  int const number = os::thread_id();
  t->tid.store(number, mo::relaxed);
  // Asking the system for the bounds allocates, and glibc maps 128 MB for a thread's first allocation.
  t->set_stack_middle(static_cast<char*>(__builtin_frame_address(0)) - t->stack_size / 2);
  step_aside(m, number, t->made_on);
  t->parking.allow_keeping_apart(number);
  current_thread = t;
  obs::signal_stack const for_overflows;
  worker_hooks const hooks = current_hooks();
  if (hooks.begun != nullptr) hooks.begun(hooks.argument);
  departure left;
  while (!m.terminating()) {
    arena* const next = m.assign(t->parking);
    if (next == nullptr) {
      // The worker that is woken goes on duty.
      if (sleep_as_worker(m, *t, left)) parking_lot::get().wake_worker();
    } else if (left.stop_searching()) {
      m.advertise_again(*left.from);
    }
    left.forget();
    if (next == nullptr) continue;
    left.from = next;
    // Nothing is left to a worker that is recalled between two jobs: the market knows what its arena wants.
    if (!work_in(m, *next, *t, left.searching) && !left.searching) left.forget();
  }
  left.stop_searching();
  left.forget();
  announce_end(*t);
  if (hooks.ending != nullptr) hooks.ending(hooks.argument);
  current_thread = nullptr;
  obs::end_trace_lane();
  delete t;
  m.worker_ends();
}

}  // namespace ashlar::inline v1::sched
