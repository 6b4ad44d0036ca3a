// SPDX-License-Identifier: Apache-2.0
#include "sched/arena/observers.h"

#include "os/futex.h"
#include "os/thread.h"
#include "sched/core/worker_source.h"
#include "sched/park/process_locks.h"

#include <algorithm>
#include <climits>
#include <mutex>
#include <thread>
#include <utility>

namespace ashlar::inline v1::sched {

struct observer_record {
  void* who;
  arena* where;  // null: all
  observer_call call;
  std::uint64_t number;
  unsigned calls = 0;  // under way
  bool closing = false;
  bool orphan = false;    // stopped by its own callback, which deletes it
  bool on_stack = false;  // of its maker: gone with it when another thread forks
  std::thread::id maker{};
  observer_record* next = nullptr;
};

namespace {

// The registry is never destroyed: workers leave arenas after static destructors. Under process_locks::observers.
constinit observer_record* first = nullptr;  // by ascending number
constinit std::uint64_t newest = 0;
constinit atomic<std::uint64_t> newest_global{0};
constinit atomic<std::uint32_t> calls_ended{0};  // futex word of those who wait for a record's calls

// The callbacks that the calling thread is in, the innermost first.
struct running_call {
  observer_record* record;
  running_call* outer;
};
ASHLAR_INITIAL_EXEC __thread running_call* calling = nullptr;

// Calls each observer whose record `concerns` accepts, without the lock.
template <typename Concerns>
void tell(Concerns const& concerns, bool enters, bool worker) noexcept {
  std::unique_lock guard(process_locks::observers);
  for (observer_record *r = first, *next; r != nullptr; r = next) {
    next = r->next;
    if (r->closing || !concerns(*r)) continue;
    ++r->calls;
    running_call here{r, calling};
    calling = &here;
    guard.unlock();
    r->call(r->who, enters, worker);
    guard.lock();
    calling = here.outer;
    // The record is still there: its owner waits for the calls.
    if (--r->calls <= 1 && r->closing) {
      calls_ended.fetch_add(1, mo::relaxed);
      os::futex_wake(calls_ended, INT_MAX);
    }
    next = first;
    while (next != nullptr && next->number <= r->number) next = next->next;
    if (r->orphan) delete r;
  }
}

bool on_own_stack(void const* what) noexcept {
  os::stack_bounds const stack = os::current_stack();
  auto const* const at = static_cast<char const*>(what);
  return stack.low != nullptr && at >= stack.low && at < stack.high;
}

}  // namespace

std::uint64_t newest_global_observer() noexcept { return newest_global.load(mo::relaxed); }

void announce_entry(slot& s) noexcept {
  arena* const a = &s.home();
  thread_data& t = s.thread();
  std::uint64_t const upto = a->observed.load(mo::relaxed);
  std::uint64_t const known = s.announce_to(upto);
  std::uint64_t const known_to_global = std::exchange(t.announced, std::max(t.announced, upto));
  tell(
      [&](observer_record const& r) {
        return r.number <= upto && (r.where == a ? r.number > known : r.where == nullptr && r.number > known_to_global);
      },
      true, t.is_worker);
}

void announce_exit(slot& s) noexcept {
  arena* const a = &s.home();
  std::uint64_t const known = s.announce_to(0);
  tell([&](observer_record const& r) { return r.where == a && r.number <= known; }, false, s.thread().is_worker);
}

void announce_end(thread_data& t) noexcept {
  if (t.announced == 0) return;
  std::uint64_t const known = std::exchange(t.announced, 0);
  tell([&](observer_record const& r) { return r.where == nullptr && r.number <= known; }, false, t.is_worker);
}

observer_record* start_observing(void* who, arena* where, observer_call call) {
  auto* const r = new observer_record{who, where, call, 0};
  r->on_stack = on_own_stack(who);
  r->maker = std::this_thread::get_id();
  {
    std::lock_guard guard(process_locks::observers);
    r->number = ++newest;
    observer_record** end = &first;
    while (*end != nullptr) end = &(*end)->next;
    *end = r;
    if (where == nullptr) newest_global.store(r->number, mo::relaxed);
  }
  if (where != nullptr) {
    where->retain();
    where->holders.fetch_add(1, mo::relaxed);
    where->observed.store(r->number, mo::relaxed);
  } else {
    worker_source::get().for_each_arena([r](arena& a) { a.observed.store(r->number, mo::relaxed); });
  }
  slot* const s = current_slot;
  if (s != nullptr && (where == nullptr || where == &s->home())) observe_entry(s->home(), *s);
  return r;
}

void stop_observing(observer_record* r) noexcept {
  arena* const where = r->where;
  // An observer may stop itself in a callback.
  unsigned const own = calling != nullptr && calling->record == r ? 1 : 0;
  {
    std::unique_lock guard(process_locks::observers);
    r->closing = true;
    while (r->calls > own) {
      std::uint32_t const seen = calls_ended.load(mo::relaxed);
      guard.unlock();
      os::futex_wait(calls_ended, seen);
      guard.lock();
    }
    observer_record** link = &first;
    while (*link != r) link = &(*link)->next;
    *link = r->next;
    r->orphan = own != 0;
  }
  if (where != nullptr) {
    where->holders.fetch_sub(1, mo::relaxed);
    worker_source::get().abandon(*where);
  }
  if (!own) delete r;
}

// What is left out of the list stays in memory: the record's owner is gone, and the calling thread may be in its
// callback.
void forget_observing_threads() noexcept {
  for (observer_record** link = &first; *link != nullptr;) {
    observer_record* const r = *link;
    r->calls = 0;
    for (running_call const* c = calling; c != nullptr; c = c->outer) r->calls += c->record == r;
    bool const gone = r->closing || (r->on_stack && r->maker != std::this_thread::get_id());
    if (gone) {
      *link = r->next;
    } else {
      link = &r->next;
    }
  }
}

}  // namespace ashlar::inline v1::sched
