// SPDX-License-Identifier: Apache-2.0
#include "sched/arena/search.h"

#include "obs/trace.h"
#include "os/clock.h"
#include "os/thread.h"
#include "os/topology.h"
#include "sched/arena/arena.h"
#include "sched/policy/lost_theft.h"
#include "sched/policy/policies.h"
#include "sched/queue/mailbox.h"

#include <algorithm>
#include <memory>
#include <new>

namespace ashlar::inline v1::sched {

namespace {

using obs::counter;

// [V1] learn_topology: release, after the first reading -> [V2] distance: acquire
atomic<bool> topology_known{false};

// How long a job stays reserved for its owner once a thief has seen it, in clock ticks: a small loop is over then.
std::uint64_t reserve_ticks() noexcept { return os::tuned.small_loop; }

struct arena_view {
  arena& a;
  slot& s;

  unsigned size() const noexcept { return a.slots_in_use(); }
  unsigned self() const noexcept { return s.position(); }
  long occupancy(unsigned i) const noexcept { return static_cast<long>(a.at(i).jobs_guess()); }
  bool visited(unsigned i) const noexcept { return a.at(i).visited(); }
  // Zero for all until a thread with nothing to do has read the topology: that takes longer than a short program.
  unsigned distance(unsigned i) const noexcept {
    if (!topology_known.load(mo::acquire)) return 0;  // [V2]
    return os::distance(s.cpu(), a.at(i).cpu());
  }
  std::uint32_t random() const noexcept { return s.thread().random(); }
};

bool helps_with_small_loops(thread_data& t, slot& victim) noexcept {
  return t.small_loops.take(&victim, [&] { return victim.offers(); }, os::ticks());
}

// Has the thief seen this reserved job for long enough to take it? Where a job was offered meanwhile, the older one is
// gone.
bool reservation_over(thread_data& t, slot& victim) noexcept {
  deque::index const at = victim.oldest_guess();
  std::uint64_t const newest = victim.newest_offer();
  bool const another =
      newest != t.reserved_offer && static_cast<std::uint32_t>(newest) == static_cast<std::uint32_t>(at);
  t.reserved_offer = newest;
  if (t.reserved_victim != &victim || t.reserved_at != at || another) {
    t.reserved_victim = &victim;
    t.reserved_at = at;
    t.reserved_since = os::ticks();
    return false;
  }
  return os::ticks() - t.reserved_since > reserve_ticks();
}

// The same for jobs about which another thread has a proxy: a thief leaves all of them alone for as long.
bool mail_is_late(thread_data& t) noexcept {
  std::uint64_t const now = os::ticks();
  if (t.refused_mail_since == 0) t.refused_mail_since = now;
  return now - t.refused_mail_since > reserve_ticks();
}

void back_off(unsigned attempt) noexcept {
  unsigned const pauses = lost_theft::pauses(attempt);
  if (pauses == 0) return os::yield();
  for (unsigned i = 0; i < pauses; ++i) cpu_pause();
}

// Whether a small loop's jobs are worth it is for small_loops to tell.
void remember_theft(thread_data& t, slot& victim, job_key key) noexcept {
  if ((key & key_reserved) == 0) t.past_thefts.stolen(os::ticks(), t.more_to_steal == 0);
  obs::trace(obs::trace_event::steal, &victim);
}

job* steal_from(slot& thief, slot& victim, search_limits const& limits, job_key& key, victim_policy policy) noexcept {
  thread_data& t = thief.thread();
  for (unsigned attempt = 0;; ++attempt) {
    job* what = nullptr;
    auto const accept = [&](job_key offered) {
      if (!limits.allow(offered)) return false;
      if ((offered & key_reserved) == 0) return true;
      if ((offered & key_mailed) != 0) return mail_is_late(t);
      return ((offered & key_unhelped) == 0 && helps_with_small_loops(t, victim)) || reservation_over(t, victim);
    };
    switch (victim.steal(what, key, accept, [&] { return thief.home().publish_deques(); })) {
      case deque::outcome::taken:
        t.counters.add(counter::stolen);
        t.more_to_steal = wake_rule::left_for_others(static_cast<long>(victim.jobs_guess()));
        if (&thief != &victim) remember_theft(t, victim, key);
        return what;
      case deque::outcome::lost:
        t.counters.add(counter::conflicts);
        t.past_thefts.failed();
        if (!lost_theft::tries_again(policy)) return nullptr;
        back_off(attempt);
        break;
      case deque::outcome::empty:
        t.counters.add(counter::failed_steals);
        t.past_thefts.failed();
        return nullptr;
      case deque::outcome::refused:
        t.counters.add(counter::refused_steals);
        t.refused = true;
        return nullptr;
    }
  }
}

// A theft that other thieves hear of, so that they leave the victim alone as long.
job* visit(slot& thief, slot& victim, search_limits const& limits, job_key& key, victim_policy policy) noexcept {
  thread_data& t = thief.thread();
  bool const alone = victim.begin_visit();
  if (!alone && t.victims.minds_visits()) {
    t.counters.add(counter::failed_steals);
    return nullptr;
  }
  job* const what = steal_from(thief, victim, limits, key, policy);
  if (alone) victim.end_visit();
  return what;
}

job* steal_round(slot& s, search_limits const& limits, job_key& key) noexcept {
  arena& a = s.home();
  thread_data& t = s.thread();
  victim_policy const policy = policies::get().victim.load(mo::relaxed);
  t.refused = false;
  if (t.past_thefts.done(os::ticks())) {
    pause_before_theft(t, limits.nested ? theft_memory::longest_pause_of_waiter_ns : theft_memory::longest_pause_ns);
  }
  if (limits.only_from != search_limits::anybody) return steal_from(s, a.at(limits.only_from), limits, key, policy);
  arena_view const view{a, s};
  bool const announces = victim_selector::announces_visits(policy, view.size());
  bool const timed = s.attention_bits() & attention_observe;
  for (;;) {
    std::uint64_t const start = timed ? os::ticks() : 0;
    unsigned const v = t.victims.next(policy, view);
    if (v == victim_selector::none) return nullptr;
    slot& victim = a.at(v);
    if (victim.looks_empty()) {
      t.counters.add(counter::failed_steals);
      continue;
    }
    job* const what = announces ? visit(s, victim, limits, key, policy) : steal_from(s, victim, limits, key, policy);
    if (timed) t.counters.add(counter::acquire_queue_ticks, os::ticks() - start);
    if (what == nullptr) continue;
    t.victims.stolen(v);
    return what;
  }
}

// What came out of the arena's queue, or null.
job* dequeued(slot& s, job* what, job_key& key, job_place place = job_place::elsewhere) noexcept {
  if (what == nullptr) return nullptr;
  thread_data& t = s.thread();
  t.found = place;
  t.more_to_steal = s.home().enqueued.has_jobs() ? 2 : 0;
  t.counters.add(counter::dequeued);
  key = 1;
  return what;
}

}  // namespace

unsigned pause_before_theft(thread_data const& t, unsigned longest_ns) noexcept {
  unsigned const ns = std::min(t.past_thefts.pause_ns(), longest_ns);
  if (ns == 0) return 0;
  std::uint64_t const start = os::ticks();
  for (std::uint64_t const ticks = os::tuned.ticks_of_ns(ns); os::ticks() - start < ticks;) cpu_pause();
  return ns;
}

void learn_topology() noexcept {
  if (topology_known.load(mo::acquire)) return;  // [V2]
  os::distance(0, 0);
  topology_known.store(true, mo::release);  // [V1]
}

namespace {

// What lies ready for the thread, or for anybody, before it has to steal.
job* receive(slot& s, search_limits const& limits, job_key& key) noexcept {
  thread_data& t = s.thread();
  job* what = nullptr;
  if (limits.only_from == search_limits::anybody) what = s.home().mail(s.position()).receive(s.pool(), limits, key);
  if (what != nullptr) {
    t.counters.add(counter::mailed);
    t.more_to_steal = 2;  // who sends one proxy sends many
    return what;
  }
  return limits.takes_any() ? dequeued(s, s.home().enqueued.try_pop_call(), key) : nullptr;
}

// What was enqueued comes after what can be stolen: a request that has been begun is answered before the next one is
// begun, which shortens the time of both. But a thread that spawns without end must not hold up enqueued jobs for ever.
job* steal_or_dequeue(slot& s, search_limits const& limits, job_key& key) noexcept {
  constexpr unsigned most_thefts = 8;
  thread_data& t = s.thread();
  bool const enqueued = limits.takes_enqueued() && !limits.leaves_enqueued;
  auto const dequeue = [&] {
    t.thefts = 0;
    return dequeued(s, s.home().enqueued.try_pop(1), key, job_place::queue);
  };
  job* what = enqueued && t.thefts >= most_thefts ? dequeue() : nullptr;
  if (what != nullptr) return what;
  what = steal_round(s, limits, key);
  if (what == nullptr) return enqueued ? dequeue() : nullptr;
  ++t.thefts;
  return what;
}

// What remains when there was nothing to steal.
job* last_resort(slot& s, search_limits const& limits, job_key& key) noexcept {
  job* what = nullptr;
  // A waiting thread's own older jobs lie below its base: it takes them as a thief would, oldest first.
  if (limits.nested && limits.only_from == search_limits::anybody && !s.looks_empty()) {
    what = steal_from(s, s, limits, key, policies::get().victim.load(mo::relaxed));
  }
  if (what != nullptr) return what;
  what = s.home().aside.take(key, [&](job const&, job_key k) { return limits.allow(k); });
  if (what != nullptr || !limits.takes_enqueued()) return what;
  injector& queue = s.home().enqueued;
  return dequeued(s, limits.leaves_enqueued ? queue.try_pop_deferred() : queue.try_pop_low(), key);
}

}  // namespace

job* search_elsewhere(slot& s, search_limits const& limits, job_key& key) noexcept {
  if (ASHLAR_UNLIKELY(limits.enqueued_only)) {
    key = 1;
    return s.home().enqueued.try_pop_job();
  }
  s.thread().found = job_place::deque;
  mailbox& mail = s.home().mail(s.position());
  if (job* const what = receive(s, limits, key)) {
    mail.set_idle(false);
    return what;
  }
  bool const timed = s.attention_bits() & attention_observe;
  std::uint64_t const start = timed ? os::ticks() : 0;
  job* what = steal_or_dequeue(s, limits, key);
  if (what == nullptr) what = last_resort(s, limits, key);
  mail.set_idle(what == nullptr);
  if (timed) s.thread().counters.add(counter::steal_ticks, os::ticks() - start);
  return what;
}

namespace {

// What a thread may take that may take some jobs only, and asks when it has claimed them.
struct claimed_limits {
  search_limits const& limits;
  own_jobs const* own;

  // An own job that was spawned without knowing of the wait comes into its region now. False if the job is for others.
  bool take(job const& what, job_key& key) const noexcept {
    if (limits.allow(key)) return true;
    job_key const inside = key_in_region(key, isolation_of(limits.waiting));
    if (own == nullptr || !limits.allow(inside) || !own->include(what, key)) return false;
    key = inside;
    return true;
  }
};

}  // namespace

job* dig_for_work(slot& s, search_limits const& limits, own_jobs const* own, job_key& key) noexcept {
  if (limits.only_from != search_limits::anybody) return nullptr;
  arena& a = s.home();
  claimed_limits const claimed{limits, own};
  if (own != nullptr) {
    job* const what = a.aside.take(key, [&](job const& j, job_key& k) { return claimed.take(j, k); });
    if (what != nullptr) return what;
  }
  auto const any = [](job_key) { return true; };
  std::unique_ptr<aside_jobs::node> place;
  for (unsigned i = 0; i < a.slots_in_use(); ++i) {
    if (i == s.position() && own == nullptr) continue;
    deque::outcome got = deque::outcome::taken;
    while (got != deque::outcome::empty) {
      if (place == nullptr) place.reset(new (std::nothrow) aside_jobs::node);
      if (place == nullptr) return nullptr;
      got = a.at(i).steal(place->what, place->key, any, [&a] { return a.publish_deques(); });
      if (got != deque::outcome::taken) continue;
      if (claimed.take(*place->what, place->key)) {
        key = place->key;
        return place->what;
      }
      a.aside.add(*place.release());
    }
  }
  return nullptr;
}

}  // namespace ashlar::inline v1::sched
