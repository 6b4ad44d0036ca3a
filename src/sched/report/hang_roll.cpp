// SPDX-License-Identifier: Apache-2.0
#include "sched/report/hang_roll.h"

#include "os/futex.h"
#include "os/thread.h"
#include "sched/core/statistics.h"
#include "sched/core/suspension_log.h"
#include "sched/market/market.h"

#include <ashlar/sched/tasks/group_counter.h>
#include <ashlar/sync/held_elements.h>

#include <algorithm>
#include <cstring>

namespace ashlar::inline v1::sched {

namespace {

// Reads what another thread may just have given back: false instead of a fault.
template <typename T>
bool peek(void const* from, T& to) noexcept {
  return os::read_memory(from, &to, sizeof to);
}

// Another thread's state, only to be compared: a guess, and a race that ThreadSanitizer need not tell of.
template <typename T>
__attribute__((no_sanitize("thread"), noinline)) T glance(T const& at) noexcept {
  return *const_cast<T const volatile*>(&at);
}

// Whether the group `inner` lies below `outer`.
bool lies_below(context const* inner, context const* outer) noexcept {
  constexpr int deepest = 256;
  for (int i = 0; i < deepest && inner != nullptr; ++i) {
    if (inner == outer) return true;
    alignas(context) unsigned char copy[sizeof(context)];
    if (!peek(inner, copy)) return false;
    inner = reinterpret_cast<context const*>(copy)->parent();
  }
  return false;
}

// Whether somebody who waits at the address waits for the task: the counter of its group, or a word of its own.
bool is_of(void const* task, void const* address) noexcept {
  constexpr std::uintptr_t own = 128;
  if (reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(task) < own) return true;
  unsigned char copy[sizeof(group_job)];
  if (!peek(task, copy)) return false;
  return reinterpret_cast<group_job const*>(copy)->counter == address;
}

os::thread_look const* found_in(looks const& all, int tid) noexcept {
  for (auto const& [who, look] : all) {
    if (who == tid) return &look;
  }
  return nullptr;
}

// A thread that computes is met at the same place with the same registers only if it repeats itself.
bool repeats_itself(int tid) noexcept {
  constexpr int samples = 24;
  constexpr int enough = 4;
  struct {
    void* at;
    std::uint64_t state;
  } seen[samples];
  int count = 0;
  int pairs = 0;
  atomic<std::uint32_t> never{0};
  for (int i = 0; i < samples; ++i) {
    os::thread_place place;
    if (!os::locate_thread(tid, place) || place.count == 0) return false;
    for (int j = 0; j < count; ++j) {
      if (seen[j].at != place.frames[0]) continue;
      if (seen[j].state != place.state) return false;
      ++pairs;
    }
    seen[count++] = {place.frames[0], place.state};
    os::futex_wait_for(never, 0, 500'000 + static_cast<std::uint64_t>(i) * 37'000);
  }
  return pairs >= enough;
}

// What a thread does inside of a task.
hang_thread::doing inside_task(int tid, os::activity does) noexcept {
  using doing = hang_thread::doing;
  switch (does) {
    case os::activity::computes:
      return repeats_itself(tid) ? doing::spins : doing::computes;
    case os::activity::polls:
      return doing::polls;
    case os::activity::sleeps:
      return doing::sleeps;
    case os::activity::blocks:
      break;
  }
  return doing::blocks;
}

}  // namespace

looks look_at_all_threads() {
  looks all;
  os::for_each_thread(
      [](int tid, void* to) noexcept {
        try {
          if (tid != os::thread_id()) static_cast<looks*>(to)->emplace_back(tid, os::look_at_thread(tid));
        } catch (std::bad_alloc const&) {
        }
      },
      &all);
  return all;
}

hang_roll::hang_roll(looks const& before) {
  copy_threads();
  copy_slots();
  add_other_threads(before);
  for (hang_thread& t : threads_) settle(t, before);
  find_waiters();
  find_shortage();
}

void hang_roll::copy_threads() {
  std::vector<std::pair<int, std::uintptr_t>> suspended;  // of which thread, and which of its stacks
  suspension::for_each([&suspended](suspension const& s) { suspended.emplace_back(s.tid, s.stack); });
  statistics::get().any_thread([&](thread_data const& from) {
    hang_thread t;
    t.known = true;
    t.tid = from.tid.load(mo::relaxed);
    t.worker = from.is_worker;
    t.parked = from.parking.listed();
    // What runs or waits on a stack that was left goes on when that stack is resumed: it is not what the thread does.
    auto const left = [&suspended, tid = t.tid](std::uintptr_t stack) {
      return std::find(suspended.begin(), suspended.end(), std::pair(tid, stack)) != suspended.end();
    };
    for (unsigned i = 0; i < wait_log::most; ++i) {
      wait_log::entry const& e = from.waits.entries()[i];
      char const* const what = e.what.load(mo::relaxed);
      if (what == nullptr || left(e.stack.load(mo::relaxed))) continue;
      bool const aside = e.stack.load(mo::relaxed) != from.waits.stack();
      t.waits.push_back(
          {what, e.address.load(mo::relaxed), e.since.load(mo::relaxed), e.job_since.load(mo::relaxed), aside});
    }
    std::sort(t.waits.begin(), t.waits.end(),
              [](hang_wait const& a, hang_wait const& b) { return a.aside != b.aside ? a.aside : a.since < b.since; });
    for (unsigned i = 0; i < task_log::most; ++i) {
      task_log::entry const& e = from.tasks.entries()[i];
      void const* const kind = e.kind.load(mo::relaxed);
      if (kind == nullptr || left(e.stack.load(mo::relaxed))) continue;
      t.tasks.push_back(e.task.load(mo::relaxed));
      std::uint64_t const since = e.since.load(mo::relaxed);
      if (since >= t.task_since) {
        t.kind = kind;
        t.task_since = since;
      }
    }
    t.occupied = reinterpret_cast<slot const*>(&from);  // until copy_slots: whose slot
    threads_.push_back(std::move(t));
    return false;
  });
}

void hang_roll::copy_slots() {
  std::vector<void const*> owners;
  for (hang_thread& t : threads_) {
    owners.push_back(t.occupied);
    t.occupied = nullptr;
  }
  market::get().for_each_arena([&](arena& a) noexcept {
    bool const work = a.has_visible_work();
    for (unsigned i = 0; i < a.slots_in_use(); ++i) {
      slot& s = a.at(i);
      thread_data const* const occupant = s.occupant();
      for (std::size_t n = 0; occupant != nullptr && n < owners.size(); ++n) {
        if (owners[n] != occupant) continue;
        hang_thread& t = threads_[n];
        context const* group;
        std::uint32_t isolation;
        s.glimpse([](auto const& at) noexcept { return glance(at); }, group, isolation);
        // A call in an arena whose slots others wait for counts as a task.
        bool const inside = group != &s.root() || a.slot_waiters.load(mo::relaxed) != 0;
        // A thread may sit in several arenas, one call inside of the other.
        if (t.occupied != nullptr && !inside && isolation == 0) continue;
        t.inside = t.inside || inside;
        t.occupied = &s;
        t.in = &a;
        t.group = group;
        t.isolation = isolation;
        t.shut_out = t.isolation != 0 && work;
      }
    }
  });
}

void hang_roll::add_other_threads(looks const& before) {
  for (auto const& [tid, look] : before) {
    int const wanted = tid;
    if (std::any_of(threads_.begin(), threads_.end(), [wanted](hang_thread const& t) { return t.tid == wanted; })) {
      continue;
    }
    hang_thread t;
    t.tid = tid;
    threads_.push_back(std::move(t));
  }
}

void hang_roll::settle(hang_thread& t, looks const& before) {
  using doing = hang_thread::doing;
  t.look = os::look_at_thread(t.tid);
  os::thread_look const* const first = found_in(before, t.tid);
  bool const gone = t.look.state == '?';
  t.lacks_processor = t.known && first != nullptr && os::lacks_processor(*first, t.look);
  os::activity does = first != nullptr ? os::between(*first, t.look) : os::activity::computes;
  t.awaited = sync::awaited_element(t.tid);
  bool const in_task = t.inside || !t.tasks.empty();
  if (hang_wait const* const in = t.waits_in()) {
    t.now = std::strncmp(in->what, "suspended", 9) == 0 ? doing::suspends : doing::waits;
  } else if (gone) {
    return;
  } else if (t.awaited != nullptr) {
    t.now = doing::polls;  // it yields, and gets a processor now and then
    t.lacks_processor = false;
  } else if (in_task) {
    t.now = inside_task(t.tid, does);
  } else if (!t.worker) {
    t.external_goes_on = does == os::activity::sleeps || (does == os::activity::computes && !repeats_itself(t.tid));
  }
}

void hang_roll::locate_stuck() noexcept {
  for (hang_thread& t : threads_) {
    if (t.stuck()) t.located = os::locate_thread(t.tid, t.place);
  }
}

namespace {

// Whether w waits for t, by what its waits are for: a task's own word, its group, a slot in its arena.
bool waits_at(hang_thread const& w, hang_thread const& t) noexcept {
  for (hang_wait const& wait : w.waits) {
    if (t.in != nullptr && wait.address == t.in) return true;
    for (void const* const task : t.tasks) {
      if (is_of(task, wait.address)) return true;
    }
  }
  return false;
}

// Whether w waits for t, by their groups: what runs in a group below the waiting task's was begun by that task.
bool waits_above(hang_thread const& w, hang_thread const& t) noexcept {
  return w.now == hang_thread::doing::waits && w.group != nullptr && t.group != w.group && lies_below(t.group, w.group);
}

}  // namespace

void hang_roll::find_waiters() {
  for (hang_thread& t : threads_) {
    if (!t.inside && t.tasks.empty()) continue;
    for (hang_thread const& w : threads_) {
      if (&w != &t && (waits_at(w, t) || waits_above(w, t))) t.waiters.push_back(w.tid);
    }
  }
}

std::vector<int> hang_roll::waiters_of(void const* task) const {
  std::vector<int> waiters;
  for (hang_thread const& w : threads_) {
    for (hang_wait const& wait : w.waits) {
      if (task != nullptr && is_of(task, wait.address)) waiters.push_back(w.tid);
    }
  }
  return waiters;
}

// An arena is short of threads if all that may work in it are stuck and it has more to run.
void hang_roll::find_shortage() {
  market::get().for_each_arena([this](arena& a) noexcept {
    unsigned stuck = 0;
    for (hang_thread const& t : threads_) stuck += t.in == &a && t.stuck();
    unsigned const places = std::min(a.concurrency(), market::get().limit_hint() + 1);
    bool const full = stuck >= places && a.has_visible_work();
    for (hang_thread& t : threads_) t.every_thread_stuck = t.every_thread_stuck || (full && t.in == &a);
  });
}

hang_roll::verdict hang_roll::judge() const noexcept {
  using doing = hang_thread::doing;
  bool stuck = false;
  bool sleeping = false;
  bool elsewhere = false;
  for (hang_thread const& t : threads_) {
    if (t.lacks_processor) return verdict::nothing;
    if (t.now == doing::computes) return verdict::working;
    sleeping = sleeping || t.now == doing::sleeps;
    stuck = stuck || t.stuck();
    elsewhere = elsewhere || t.external_goes_on;
  }
  if (sleeping) return verdict::sleeping;
  if (!stuck) return verdict::nothing;
  return elsewhere ? verdict::elsewhere : verdict::hang;
}

}  // namespace ashlar::inline v1::sched
