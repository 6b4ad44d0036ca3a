// SPDX-License-Identifier: Apache-2.0
// What the owner of a slot asks of its arena: that others hear of its pushes, and how many others could help.
#include <ashlar/sched/core/slot.h>

#include "sched/arena/arena.h"
#include "sched/core/observed.h"
#include "sched/core/stopwatch.h"
#include "sched/core/worker_source.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

namespace ashlar::inline v1::sched {

using obs::counter;

void slot::enqueue(job& what, int priority) { arena_->enqueue(what, priority); }

void slot::spawn_or_run_beyond(job& what, job_key key) noexcept {
  try {
    spawn(what, key);
  } catch (std::bad_alloc const&) {
    run(&what, key);
  }
}

void spawn_again(slot& s, job& what, job_key key) {
  s.spawn(what, key);
  uncount_spawn(s);
}

void uncount_spawn(slot& s) noexcept {
  if (s.attention_bits() & attention_observe) s.thread().counters.add(counter::spawned, ~std::uint64_t{0});
}

void slot::offer(job& what, job_key key, bool first) {
  index const at = bottom();
  push(&what, key | key_reserved);
  if (first) count_offer(at);
  fence_asymmetric();  // [S1]
  std::uint32_t const bits = attention_bits();
  if (bits & attention_observe) attend();
  // A thread that is awake sees the job before it sleeps, and takes the job when it is no longer young.
  if ((bits & attention_wake) == 0) return;
  // The owner may never come back to the job, so somebody has to watch over it: the watchdog or a searching thread.
  if (arena_->watched.load(mo::relaxed)) return;  // [E2]
  if (!arena_->answer_push(*this)) return;
  hint(attention_wake);
  if (!worker_source::get().watch(*arena_)) unreserve(at);
}

std::uint64_t slot::call_took(std::uint64_t since) const noexcept {
  return thread_->call_began >= since ? thread_->call_took : 0;
}

void slot::call_later(unsigned threads) noexcept {
  thread_->calls_due = threads;
  hint(attention_calls);
}

void slot::call_those_due() noexcept {
  drop_hint(attention_calls);
  worker_source::get().pass_on(*arena_, std::exchange(thread_->calls_due, 0u));
}

void slot::call_somebody() noexcept {
  thread_->call_began = os::ticks();
  worker_source::get().advertise(*arena_);
  thread_->call_took = os::ticks() - thread_->call_began;
}

static job_key unreserved(job_key key) noexcept {
  return of_small_loop(key) ? key & ~(key_reserved | key_unhelped) : key;
}

void slot::unreserve(index from) noexcept {
  rekey(from, unreserved);
  fence_asymmetric();  // [S1]
  if ((attention_bits() & attention_wake) && arena_->answer_push(*this)) call_somebody();
}

// Gives the newest job to everybody in the arena. False if there is no job or no memory, or if only `strangers` are to
// go and the job is of the running task's own region.
bool slot::move_aside(bool strangers) noexcept {
  std::unique_ptr<aside_jobs::node> place(new (std::nothrow) aside_jobs::node);
  if (place == nullptr) return false;
  place->what = pop(place->key);
  if (place->what == nullptr) return false;
  if (strangers && isolation_of(place->key) == isolation_of(key())) {
    spawn_again(*this, *place->what, place->key);  // there is room for it, and somebody may have looked meanwhile
    return false;
  }
  place->key = unreserved(place->key);
  arena_->aside.add(*place.release());
  return true;
}

// A wait takes what lies above its base for its own, and only a search asks whether a job is of an isolated region.
void slot::lay_aside() noexcept {
  if (!has_jobs()) return;
  while (has_jobs() && move_aside(false)) {
  }
  unreserve(0);  // a thread that looked meanwhile may have missed a job in both places
}

void slot::lay_strangers_aside() noexcept {
  while (has_spawned() && move_aside(true)) {
  }
  unreserve(base());
}

bool slot::can_share() const noexcept { return arena_->concurrency() > 1 && worker_source::get().has_workers(); }

unsigned slot::parallelism() const noexcept {
  unsigned const workers = worker_source::get().limit_hint();
  unsigned const slots = arena_->concurrency();
  return slots < workers + 1 ? slots : workers + 1;
}

unsigned slot::arena_size() const noexcept { return arena_->concurrency(); }

unsigned slot::helpers() const noexcept {
  unsigned const others = parallelism() - 1;
  unsigned const active = arena_->active.load(mo::relaxed);
  unsigned const absent = active < others ? others - active : 0;
  return std::min(others, absent + arena_->searchers());
}

void slot::expect_thieves() noexcept {
  constexpr unsigned many = 3;  // fewer thieves find enough jobs in what is published anyway
  constexpr index ahead = 16;
  if (arena_->searchers() >= many) publish_ahead(ahead);
}

// This holds only in the outermost frame: an enclosing frame would take the jobs again.
bool slot::is_recalled() const noexcept {
  return thread_->is_worker && base() == thread_->outermost_base &&
         arena_->active.load(mo::relaxed) > arena_->allotted.load(mo::relaxed);
}

void slot::attend() noexcept {
  std::uint32_t bits = attention_bits();
  if (ASHLAR_UNLIKELY(bits & attention_fence)) {
    fence_seq_cst();  // [S1]
    bits = attention_bits();
  }
  if ((bits & (attention_observe | attention_wake)) == 0) return;
  stopwatch const watch(*this, counter::spawn_ticks);
  if (bits & attention_observe) {
    thread_->counters.add(counter::spawned);
    trace_push(*this);
  }
  if (bits & attention_calls) return;  // those come for this job as well
  if ((bits & attention_wake) && arena_->answer_push(*this)) {
    call_somebody();
    expect_thieves();
  }
}

}  // namespace ashlar::inline v1::sched
