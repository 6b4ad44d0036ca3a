// SPDX-License-Identifier: Apache-2.0
#include "sched/market/market.h"

#include "os/allowance.h"
#include "os/membarrier.h"
#include "os/thread.h"
#include "os/topology.h"
#include "sched/arena/observers.h"
#include "sched/core/thread_data.h"
#include "sched/park/process_locks.h"

#include <ashlar/os/version.h>
#include <ashlar/sched/market/cancel_hook.h>

#include <algorithm>
#include <new>

namespace ashlar::inline v1::sched {

// There is no static guard: a fork in another thread would leave it taken in the child.
worker_source& worker_source::make() noexcept {
  // The market is never destroyed: workers and late thread-local destructors use it until the process ends.
  alignas(market) static unsigned char place[sizeof(market)];
  std::lock_guard const guard(process_locks::first_use);
  if (exists()) return get();
  auto* const m = new (place) market;
  report_version();
  the_source_.store(m, mo::release);  // [M4]
  return *m;
}

// This runs before there is a slot or a slot.
market::market() noexcept {
  heavy_fence_missing = !os::heavy_fence_available();
  if (heavy_fence_missing) standing_.store(attention_fence, mo::relaxed);
  set_limit();
}

void market::add(arena& a) noexcept {
  std::lock_guard guard(lock_);
  a.observed.store(newest_global_observer(), mo::relaxed);
  members_.add(a);
}

void market::remove(arena& a) noexcept {
  std::lock_guard guard(lock_);
  duty_.forget(a);
  deputies_.forget(a);
  members_.remove(a);
  allotment_.withdraw(a);
  recompute();
}

// For each processor that the system has taken away since the start one worker less may be active, until it comes back.
void market::look_at_allowance() noexcept {
  unsigned now = 0;
  if (!os::recent_allowance(now)) return;
  {
    std::lock_guard guard(lock_);
    if (!load_.set_processors(now)) return;
    recompute();
  }
  call_for_waiting_work();
}

// Whether the caller goes on with work of the arena itself. A thread that enqueues into another arena most likely
// leaves its processor soon.
static bool works_in(arena const& a) noexcept { return current_slot != nullptr && &current_slot->home() == &a; }

// An application thread that shares its work is on a processor itself. If one that enqueues were taken for busy, it
// would keep a worker from the loops of others until it is measured.
void market::count_caller(arena const& a) noexcept {
  thread_data* const t = current_thread;
  if (t != nullptr && !t->is_worker && works_in(a)) load_.count_caller(t->share);
}

// Where more workers are awake than there are processors none of these sleeps, and the kernel chooses better. The CPU
// of a caller that leaves it is the best one for the called worker.
bool market::other_cpu_sleeps(arena const& a) const noexcept {
  return works_in(a) && created_hint_.load(mo::relaxed) <= parking_lot::get().count() + os::available_cpus();
}

void market::advertise(arena& a) noexcept { call_somebody(a, callees::all, 1); }

void market::advertise_again(arena& a) noexcept { call_somebody(a, callees::all_if_work, 1); }

void market::call_worker(arena& a) noexcept { call_somebody(a, callees::workers, 1); }

// The threads that a call is for.
struct market::called {
  static constexpr unsigned most = 2;
  sleeper* sleepers[most];
  unsigned asleep = 0;
  unsigned to_create = 0;
  bool without_thread = false;  // one might be made later
};

// The arena has work. Where the arena is refused a worker somebody has to look again later: a worker that finds that no
// arena wants it goes on watch.
unsigned market::vacancies_for(arena& a) noexcept {
  count_caller(a);
  bool const held_back = load_.holds_back(limit_);
  allotment_.demand(a);
  recompute();
  unsigned const vacant = allotment_.vacancies();
  if (vacant != 0 || !held_back) return vacant;
  load_.mark_refusal();
  return duty_.taken() ? 0 : 1;
}

market::called market::choose(arena& a, callees whom, unsigned threads) noexcept {
  if (whom == callees::all_if_work && !a.has_visible_work()) return {};
  unsigned const vacant = vacancies_for(a);
  unsigned const most = std::max(limit_, a.market_state.mandatory ? 1u : 0u);
  called c;
  while (c.asleep + c.to_create < std::min(threads, called::most)) {
    bool const worker = vacant > c.asleep + c.to_create;
    parking_lot& lot = parking_lot::get();
    sleeper* chosen = nullptr;
    if (whom != callees::workers) {
      chosen = lot.take_for(a, worker, whom != callees::unrestricted);
    } else if (worker) {
      chosen = lot.take_worker();
    }
    if (chosen != nullptr) {
      c.sleepers[c.asleep++] = chosen;
      continue;
    }
    if (!worker || workers_.count() >= most || workers_.ending()) break;
    c.without_thread = !workers_.may_create();
    if (c.without_thread) break;
    ++c.to_create;
    workers_.reserve();
  }
  return c;
}

void market::call_somebody(arena& a, callees whom, unsigned threads) noexcept {
  called c;
  {
    std::lock_guard guard(lock_);
    c = choose(a, whom, threads);
  }
  bool const apart = other_cpu_sleeps(a);
  for (unsigned i = 0; i < c.asleep; ++i) c.sleepers[i]->unpark(apart);
  for (; c.to_create != 0; --c.to_create) c.without_thread = !start_worker() || c.without_thread;
  // The next push asks again.
  if (ASHLAR_UNLIKELY(c.without_thread)) a.raise(attention_wake);
}

bool market::start_worker() noexcept {
  if (workers_.start(stack_size())) return true;
  std::lock_guard guard(lock_);
  workers_.give_up();
  return false;
}

void market::pass_on(arena& a, unsigned threads) noexcept {
  look_at_allowance();
  if (others_idle() || !a.advertised.load(mo::relaxed)) call_somebody(a, callees::unrestricted, threads);
}

void market::ask_for_workers(arena& a) noexcept {
  std::lock_guard guard(lock_);
  if (!a.has_visible_work()) return;
  allotment_.demand(a);
  recompute();
}

arena* market::assign(sleeper& own) noexcept {
  std::lock_guard guard(lock_);
  recompute();
  while (!workers_.ending()) {
    if (arena* const stranded = assign_deputy()) return stranded;
    arena* a = allotment_.neediest();
    // A visit takes a processor from a busy thread, but the limit holds for it, too.
    if (a == nullptr && allotment_.active() < limit_) a = load_.to_visit(allotment_);
    if (a == nullptr) break;
    if (a->try_retain()) {
      load_.end_visit();
      allotment_.arrive(*a);
      return a;
    }
    // Its last reference is gone, and its destroyer waits for the lock to take it off the list.
    allotment_.withdraw(*a);
    recompute();
  }
  // This worker may be the one that a waiting arena was promised.
  if (load_.holds_back(limit_) && allotment_.unmet()) load_.mark_refusal();
  parking_lot::get().enter_worker(own);
  return nullptr;
}

bool market::leave(arena& a, bool out_of_work) noexcept {
  bool finished = false;
  bool on_record = false;
  {
    std::lock_guard guard(lock_);
    allotment_.depart(a);
    dismiss_deputy(*current_thread);
    unsigned const active = a.active.load(mo::relaxed);
    unsigned wanted = a.market_state.wanted;
    // The arena keeps those who are still busy in it and wants no more until it advertises again.
    if (out_of_work && wanted > active) {
      a.advertised.store(false, mo::relaxed);
      wanted = active;
    }
    finished = a.abandoned.load(mo::relaxed) && active == 0 && !a.has_visible_work();
    if (finished) a.abandoned.store(false, mo::relaxed);
    allotment_.want(a, wanted);
    on_record = a.wants_more.load(mo::relaxed);
    recompute();
  }
  if (finished) a.release();
  return on_record;
}

// The worker that left last may have been recalled, and one that was called may have found others at work: then the
// arena still wishes for one. A deputy may be on its way for a job that is done by now.
bool market::settle(arena& a) noexcept {
  bool pushed = false;
  {
    std::lock_guard guard(lock_);
    if (a.active.load(mo::relaxed) != 0 || a.has_visible_work()) return false;
    a.advertised.store(false, mo::relaxed);
    allotment_.want(a, 0);
    deputies_.forget(a);
    pushed = a.restore_bits(arena::pushes::all) && a.has_visible_work();
    recompute();
  }
  if (pushed) advertise(a);
  return !pushed;
}

void market::abandon(arena& a) noexcept {
  // Threads that are inside keep the arena, and leave the jobs when they go: a worker that came for them now would be
  // one thread too many where all slots are reserved. Workers have references of their own.
  if (a.has_application_threads() || !a.has_visible_work()) return a.release();
  bool already = false;
  a.retain();  // for this function
  {
    std::lock_guard guard(lock_);
    already = a.abandoned.load(mo::relaxed);
    a.abandoned.store(true, mo::relaxed);
  }
  // If somebody takes the job at this moment, the worker that is called finds nothing and ends the arena.
  advertise(a);
  if (already) a.release();  // the jobs have a reference
  a.release();
}

void market::visit_arenas(void (*call)(arena& a, void const* with) noexcept, void const* with) noexcept {
  std::lock_guard guard(lock_);
  members_.for_each([&](arena& a) { call(a, with); });
}

namespace {

atomic<cancel_function> cancel_hook{nullptr};

}  // namespace

void set_cancel_hook(cancel_function f) noexcept { cancel_hook.store(f, mo::seq_cst); }  // [M6]

void market::raise_all(std::uint32_t bit) noexcept {
  standing_.fetch_or(bit, mo::seq_cst);  // [M1]
  for_each_arena([bit](arena& a) { a.raise(bit); });
  if (bit != attention_cancel) return;
  if (cancel_function const f = cancel_hook.load(mo::seq_cst)) f();  // [M7]
}

void market::lower_all(std::uint32_t bit) noexcept {
  standing_.fetch_and(~bit, mo::seq_cst);  // [M1]
  for_each_arena([bit](arena& a) { a.lower(bit); });
}

market::outlook market::look_for_work() noexcept {
  std::lock_guard guard(lock_);
  if (workers_.ending()) return outlook::open;
  bool any = false;
  auto const look = [&](arena& a) {
    if (!a.has_visible_work()) return;
    allotment_.demand(a);
    any = true;
  };
  allotment_.for_each(look);
  duty_.for_each(look);
  if (!any) return outlook::no_work;
  bool const held_back = load_.holds_back(limit_);
  recompute();
  if (allotment_.vacancies() != 0) return outlook::open;
  return held_back ? outlook::refused : outlook::no_work;
}

bool market::watch(arena& a) noexcept {
  std::lock_guard guard(lock_);
  return duty_.watch(a);
}

std::uint32_t market::look_at_offers() noexcept {
  std::lock_guard guard(lock_);
  return duty_.look_at_offers();
}

// Where there is work in an arena that is watched no more, workers are asked for. There may be none to come, because
// the arena is full or they are held back: so a thread that waits there is called, too.
bool market::unwatch(bool all) noexcept {
  bool const work = duty_.unwatch(all, [this](arena& a) {
    allotment_.demand(a);
    if (sleeper* const waiter = parking_lot::get().take_for(a, false, true)) waiter->unpark(false);
  });
  if (work) recompute();
  return work;
}

bool market::end_watch() noexcept {
  std::lock_guard guard(lock_);
  unwatch(true);
  duty_.drop();
  return load_.take_refusals() && have_unmet_ask_again();
}

// Arenas that want more workers than they have may have asked for them, and their pushes don't ask again. True if that
// has changed: somebody has to look for work once more.
bool market::have_unmet_ask_again() noexcept {
  bool changed = false;
  allotment_.for_each([&](arena& a) {
    if (a.wants_more.load(mo::relaxed)) changed = a.raise(attention_wake) || changed;
  });
  if (changed) os::heavy_fence();  // [E1] [S2]
  return changed;
}

bool market::end_idle_watch() noexcept {
  std::lock_guard guard(lock_);
  if (unwatch(false) || !duty_.idle()) return false;
  duty_.drop();
  load_.take_refusals();
  have_unmet_ask_again();
  return true;
}

void market::dismiss(occupancy::thread& t) noexcept {
  std::lock_guard guard(lock_);
  load_.dismiss(t);
  recompute();
}

void market::measure_load(occupancy::observer by) noexcept {
  look_at_allowance();
  if (!load_.due(by)) return;
  std::lock_guard guard(lock_);
  if (load_.measure(by)) recompute();
}

void market::grant_visit() noexcept {
  std::lock_guard guard(lock_);
  load_.grant_visit();
}

void market::request_concurrency(unsigned threads) noexcept {
  {
    std::lock_guard guard(lock_);
    threads_.request(threads);
    set_limit();
  }
  call_for_waiting_work();
}

void market::withdraw_concurrency(unsigned threads) noexcept {
  std::lock_guard guard(lock_);
  threads_.withdraw(threads);
  set_limit();
}

void market::request_stack_size(std::size_t bytes) noexcept {
  std::lock_guard guard(lock_);
  threads_.request_stack(bytes);
}

void market::set_controls(unsigned max_threads, std::size_t stack, bool fast_leave) noexcept {
  fast_leave_.store(fast_leave, mo::relaxed);
  {
    std::lock_guard guard(lock_);
    threads_.control(max_threads, stack);
    set_limit();
  }
  call_for_waiting_work();
}

// Places have come free otherwise than by a worker that leaves: calls a worker for each arena whose work was refused.
void market::call_for_waiting_work() noexcept {
  std::uint64_t pass = 0;
  for (;;) {
    arena* waiting = nullptr;
    {
      std::lock_guard guard(lock_);
      if (pass == 0) {
        pass = ++passes_;
        have_unmet_ask_again();
      }
      recompute();
      if (allotment_.vacancies() == 0) return;
      allotment_.for_each([&](arena& a) {
        if (waiting != nullptr || a.market_state.pass == pass || !a.wants_more.load(mo::relaxed)) return;
        a.market_state.pass = pass;
        if (a.has_visible_work() && a.try_retain()) waiting = &a;
      });
    }
    if (waiting == nullptr) return;
    advertise_again(*waiting);
    waiting->release();
  }
}

void market::set_limit() noexcept {
  unsigned const threads = threads_.threads();
  limit_ = threads - 1;
  crowded_.store(threads > os::available_cpus(), mo::relaxed);
  limit_hint_.store(limit_, mo::relaxed);
  recompute();
}

bool market::short_of_processors() noexcept {
  std::lock_guard guard(lock_);
  return load_.short_of_processors();
}

unsigned market::worker_limit() noexcept {
  std::lock_guard guard(lock_);
  return limit_;
}

std::size_t market::stack_size() noexcept {
  std::lock_guard guard(lock_);
  return threads_.stack_size();
}

unsigned market::workers_created() noexcept {
  std::lock_guard guard(lock_);
  return workers_.count();
}

void market::before_fork() noexcept {
  lock_.lock();
  members_.for_each([](arena& a) { a.before_fork(); });
}

void market::after_fork() noexcept {
  members_.for_each([](arena& a) { a.after_fork(); });
  lock_.unlock();
}

void market::forget_threads(thread_data const* survivor) noexcept {
  workers_.forget();
  looking_.store(0, mo::relaxed);
  members_.set_attached(survivor != nullptr && survivor->own_arena != nullptr ? 1 : 0);
  duty_.drop();  // who had it is not here
  deputies_.forget_threads();
  load_.survive(survivor != nullptr && !survivor->is_worker ? const_cast<occupancy::thread*>(&survivor->share)
                                                            : nullptr);
  members_.for_each([&](arena& a) {
    allotment_.forget(a);
    duty_.forget(a);
    a.deputies.store(0, mo::relaxed);
    a.advertised.store(false, mo::relaxed);
    a.forget_threads(survivor);
    a.raise(attention_wake | standing_bits());
  });
  recompute();
}

}  // namespace ashlar::inline v1::sched
