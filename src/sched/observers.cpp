// SPDX-License-Identifier: Apache-2.0
#include "sched/observers.h"

#include "sched/market.h"
#include "sched/worker.h"

#include <ashlar/sched/observer.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace ashlar {
inline namespace v1 {
namespace sched {

struct observer_record {
  tbb::task_scheduler_observer* who;
  arena* where;  // null: all
  std::uint64_t number;
  unsigned calls = 0;  // under way
  bool closing = false;
  bool orphan = false;  // stopped by its own callback, which deletes it
  observer_record* next = nullptr;
};

namespace {

struct registry {
  std::mutex lock;
  std::condition_variable calls_over;
  observer_record* first = nullptr;  // by ascending number
  std::uint64_t newest = 0;
  atomic<std::uint64_t> newest_global{0};
};

registry& the_registry() noexcept {
  // Never destroyed: workers leave arenas after static destructors.
  alignas(registry) static unsigned char place[sizeof(registry)];
  static registry* const r = new (place) registry;
  return *r;
}

// The record whose callback the calling thread is in.
ASHLAR_INITIAL_EXEC __thread observer_record* calling = nullptr;

// Calls `call` for each record that `concerns` accepts, without the lock.
template <typename Concerns, typename Call>
void for_each(Concerns const& concerns, Call const& call) noexcept {
  registry& all = the_registry();
  std::unique_lock guard(all.lock);
  for (observer_record *r = all.first, *next; r != nullptr; r = next) {
    next = r->next;
    if (r->closing || !concerns(*r)) continue;
    ++r->calls;
    observer_record* const outer = calling;
    calling = r;
    guard.unlock();
    call(*r->who);
    guard.lock();
    calling = outer;
    // The record is still there: its owner waits for the calls.
    if (--r->calls <= 1 && r->closing) all.calls_over.notify_all();
    next = all.first;
    while (next != nullptr && next->number <= r->number) next = next->next;
    if (r->orphan) delete r;
  }
}

}  // namespace

std::uint64_t newest_global_observer() noexcept { return the_registry().newest_global.load(mo::relaxed); }

void announce_entry(slot& s) noexcept {
  arena* const a = s.arena_;
  thread_data& t = *s.thread_;
  std::uint64_t const upto = a->observed.load(mo::relaxed);
  std::uint64_t const known = std::exchange(s.announced_, upto);
  std::uint64_t const known_to_global = std::exchange(t.announced, std::max(t.announced, upto));
  bool const worker = t.is_worker;
  for_each(
      [&](observer_record const& r) {
        return r.number <= upto && (r.where == a ? r.number > known : r.where == nullptr && r.number > known_to_global);
      },
      [worker](tbb::task_scheduler_observer& o) { o.on_scheduler_entry(worker); });
}

void announce_exit(slot& s) noexcept {
  arena* const a = s.arena_;
  std::uint64_t const known = std::exchange(s.announced_, 0);
  bool const worker = s.thread_->is_worker;
  for_each([&](observer_record const& r) { return r.where == a && r.number <= known; },
           [worker](tbb::task_scheduler_observer& o) { o.on_scheduler_exit(worker); });
}

void announce_end(thread_data& t) noexcept {
  if (t.announced == 0) return;
  std::uint64_t const known = std::exchange(t.announced, 0);
  bool const worker = t.is_worker;
  for_each([&](observer_record const& r) { return r.where == nullptr && r.number <= known; },
           [worker](tbb::task_scheduler_observer& o) { o.on_scheduler_exit(worker); });
}

observer_record* start_observing(tbb::task_scheduler_observer& who, arena* where) {
  auto* const r = new observer_record{&who, where, 0};
  registry& all = the_registry();
  {
    std::lock_guard guard(all.lock);
    r->number = ++all.newest;
    observer_record** end = &all.first;
    while (*end != nullptr) end = &(*end)->next;
    *end = r;
    if (where == nullptr) all.newest_global.store(r->number, mo::relaxed);
  }
  if (where != nullptr) {
    where->retain();
    where->observed.store(r->number, mo::relaxed);
  } else {
    market::get().observe_all(r->number);
  }
  slot* const s = current_slot;
  if (s != nullptr && (where == nullptr || where == s->arena_)) observe_entry(*s->arena_, *s);
  return r;
}

void stop_observing(observer_record* r) noexcept {
  registry& all = the_registry();
  arena* const where = r->where;
  // An observer may stop itself in a callback.
  unsigned const own = calling == r ? 1 : 0;
  {
    std::unique_lock guard(all.lock);
    r->closing = true;
    while (r->calls > own) all.calls_over.wait(guard);
    observer_record** link = &all.first;
    while (*link != r) link = &(*link)->next;
    *link = r->next;
    r->orphan = own != 0;
  }
  if (where != nullptr) drop_arena(*where);
  if (!own) delete r;
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
