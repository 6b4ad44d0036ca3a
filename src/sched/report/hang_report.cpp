// SPDX-License-Identifier: Apache-2.0
#include "sched/report/hang_report.h"

#include "obs/symbol.h"
#include "obs/user_name.h"
#include "os/clock.h"
#include "os/futex.h"
#include "sched/core/statistics.h"
#include "sched/core/suspension_log.h"
#include "sched/market/market.h"

#include <ashlar/sched/report/hang_report.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

namespace ashlar::inline v1::sched {

namespace {

using doing = hang_thread::doing;

double seconds_since(std::uint64_t then, std::uint64_t now) noexcept {
  return now > then ? static_cast<double>(now - then) * 1e-9 : 0;
}

// What a thread blocks in, by a function of its backtrace.
struct obstacle {
  char const* function;
  char const* words;
};
constexpr obstacle obstacles[] = {
    {"sync::wait_gate::", "a bounded queue, to push or to pop"},
    {"sync::detail::wait_for_mutex", "a lock"},
    {"rw_mutex", "a reader-writer lock"},
    {"spin_mutex", "a lock"},
    {"queuing_mutex", "a lock"},
    {"condition_variable", "a condition"},
    {"pthread_cond_", "a condition"},
    {"pthread_rwlock_", "a reader-writer lock"},
    {"pthread_mutex_", "a lock"},
    {"mutex_lock", "a lock"},
    {"pthread_barrier_wait", "a barrier"},
    {"sem_wait", "a semaphore"},
    {"sem_clockwait", "a semaphore"},
    {"_Semaphore", "a semaphore"},
    {"counting_semaphore", "a semaphore"},
    {"__pthread_clockjoin", "the end of a thread"},
    {"pthread_join", "the end of a thread"},
    {"std::latch", "a latch"},
    {"std::barrier", "a barrier"},
    {"_State_baseV2", "a future"},
    {"__atomic_futex_unsigned", "a future"},
    {"__atomic_wait", "a flag"},
    {"std::atomic", "a flag"},
};

char const* obstacle_in(std::vector<obs::symbol> const& frames) noexcept {
  constexpr std::size_t near = 10;
  for (obstacle const& o : obstacles) {
    for (std::size_t i = 0; i < frames.size() && i < near; ++i) {
      if (frames[i].name.find(o.function) != std::string::npos) return o.words;
      if (i != 0 && !obs::is_of_library(frames[i])) break;
    }
  }
  return nullptr;
}

std::vector<obs::symbol> symbols_of(os::thread_place const& place) {
  std::vector<obs::symbol> frames;
  for (int i = 0; i < place.count; ++i) {
    // A return address may be the next function's first: the call lies before it.
    auto* const at = static_cast<char*>(place.frames[i]);
    frames.push_back(obs::symbol_at(i == 0 ? at : at - 1));
  }
  return frames;
}

void print_frames(std::vector<obs::symbol> const& frames) {
  int number = 0;
  for (obs::symbol const& f : frames) {
    std::fprintf(stderr, "      #%d %s+%#zx %s\n", number++, f.file.empty() ? "?" : f.file.c_str(),
                 static_cast<std::size_t>(f.offset), obs::shortened(f.name).c_str());
  }
}

// The task by its code; else by where its thread is.
std::string name_of_task(void const* kind, std::vector<obs::symbol> const& frames) {
  if (kind != nullptr) {
    obs::symbol const s = obs::symbol_at(kind);
    if (!s.name.empty()) return obs::shortened(obs::user_part(s.name));
  }
  for (obs::symbol const& f : frames) {
    if (!f.name.empty() && !obs::is_of_library(f)) return obs::shortened(f.name);
  }
  return kind != nullptr ? "of a stripped program" : "";
}

void print_doing(hang_thread const& t, char const* obstacle) {
  char const* const call = os::name_of_call(t.look.call);
  switch (t.now) {
    case doing::nothing:
      std::fputs("in no task", stderr);
      break;
    case doing::waits:
      std::fprintf(stderr, "waits for %s", t.waits.back().what);
      break;
    case doing::suspends:
      std::fprintf(stderr, "waits for %s", t.waits.back().what);
      break;
    case doing::blocks:
      std::fprintf(stderr, "is inside of a task, which blocks: waits for %s",
                   obstacle != nullptr ? obstacle : "a system call");
      if (call != nullptr) std::fprintf(stderr, " (%s)", call);
      break;
    case doing::polls:
      if (t.awaited != nullptr) {
        std::fprintf(stderr, "waits for %s", obstacle);
        break;
      }
      std::fprintf(stderr, "is inside of a task, which looks for %s again and again, with short sleeps",
                   obstacle != nullptr ? obstacle : "something");
      break;
    case doing::spins:
      std::fprintf(stderr, "is inside of a task, which spins: it waits for %s, and all its registers repeat themselves",
                   obstacle != nullptr ? obstacle : "a flag");
      break;
    case doing::sleeps:
      std::fprintf(stderr, "is inside of a task, which sleeps (%s)", call != nullptr ? call : "?");
      break;
    case doing::computes:
      std::fputs("is inside of a task, which computes: a long task", stderr);
      break;
  }
}

void print_hints(hang_thread const& t) noexcept {
  auto const hint = [](char const* text) noexcept { std::fprintf(stderr, "    hint: %s\n", text); };
  for (hang_wait const& w : t.waits) {
    if (w.job_since == 0) continue;
    hint(
        "it took another task while it waited, and that one has not ended: if that needs what the waiting task holds (a"
        " lock), this_task_arena::isolate around the wait keeps them apart");
    break;
  }
  if (t.now == doing::waits && t.shut_out) {
    hint(
        "it waits in an isolated region, and takes no task from outside of it: wait outside of "
        "this_task_arena::isolate, or"
        " spawn what it waits for in the region");
  }
  if (t.now == doing::waits && t.in == nullptr) {
    hint("nobody leaves a slot: make the arena larger, or let its tasks wait in the library instead of blocking");
  }
  if (t.now == doing::suspends) {
    hint("the suspended tasks are listed below: nobody has called tbb::task::resume with their suspend points");
  }
  if (t.awaited != nullptr) {
    hint("an accessor is held until release() or its end: a second one on the same key, or erase(key), waits for it");
    return;
  }
  if (t.now != doing::blocks && t.now != doing::polls && t.now != doing::spins) return;
  hint(t.every_thread_stuck
           ? "all threads of its arena are stuck, and there are tasks that have not begun: if it waits for one of them,"
             " allow more threads, or let it wait in the library (task_group::wait, task::suspend)"
           : "if it waits for another task, that one has to have a thread of its own: let it wait in the library"
             " (task_group::wait, task::suspend)");
}

void print_waits(hang_thread const& t, std::uint64_t now) noexcept {
  for (hang_wait const& w : t.waits) {
    std::fprintf(stderr, "    waits for %s (%p), for %.1f s", w.what, w.address, seconds_since(w.since, now));
    if (w.job_since != 0) {
      std::fprintf(stderr, "; there it took another job %.1f s ago", seconds_since(w.job_since, now));
    }
    std::fputc('\n', stderr);
  }
}

void print_thread(hang_thread const& t, std::uint64_t now) {
  std::vector<obs::symbol> const frames = symbols_of(t.place);
  char const* const kind = !t.known ? "not of the library" : t.worker ? "worker" : "application";
  std::fprintf(stderr, "  thread %d \"%s\" (%s) ", t.tid, t.look.name, kind);
  print_doing(t, t.awaited != nullptr ? t.awaited : obstacle_in(frames));
  std::fputs(t.parked ? ", parked\n" : "\n", stderr);
  std::string const task = t.inside || t.kind != nullptr ? name_of_task(t.kind, frames) : "";
  if (!task.empty()) std::fprintf(stderr, "    task: %s", task.c_str());
  if (!task.empty() && t.task_since != 0) std::fprintf(stderr, ", for %.1f s", seconds_since(t.task_since, now));
  if (!task.empty()) std::fputc('\n', stderr);
  print_waits(t, now);
  for (int const waiter : t.waiters) std::fprintf(stderr, "    thread %d waits for it\n", waiter);
  print_hints(t);
  if (!t.stuck()) return;
  if (!t.located) std::fputs("      no backtrace: the thread doesn't answer\n", stderr);
  print_frames(frames);
}

void print_suspensions(hang_roll const& roll, std::uint64_t now) {
  bool first = true;
  suspension::for_each([&](suspension const& s) {
    if (first) std::fputs("ashlar: suspended tasks\n", stderr);
    first = false;
    std::vector<obs::symbol> const frames = symbols_of(s.place);
    std::string const task = name_of_task(s.kind, frames);
    std::fprintf(stderr, "  task: %s, suspended by thread %d %.1f s ago (suspend point %p)\n", task.c_str(), s.tid,
                 seconds_since(s.since, now), s.left);
    for (int const waiter : roll.waiters_of(s.task)) std::fprintf(stderr, "    thread %d waits for it\n", waiter);
    std::fputs("    hint: call tbb::task::resume with this suspend point, once, from any thread\n", stderr);
    print_frames(frames);
  });
}

void print_arena(arena& a, std::vector<hang_thread> const& threads) noexcept {
  static constexpr char const* priorities[] = {"low", "normal", "high"};
  std::fprintf(stderr, "  arena %p: %u slots, %u reserved, priority %s, workers: %u allotted, %u there; %s enqueued\n",
               static_cast<void*>(&a), a.concurrency(), a.reserved(), priorities[a.priority()],
               a.allotted.load(mo::relaxed), a.active.load(mo::relaxed), a.enqueued.empty() ? "nothing" : "jobs are");
  if (unsigned const n = a.slot_waiters.load(mo::relaxed)) std::fprintf(stderr, "    %u threads wait for a slot\n", n);
  for (unsigned i = 0; i < a.slots_in_use(); ++i) {
    slot& s = a.at(i);
    static constexpr char const* states[] = {"application thread", "worker that looks for work", "busy worker"};
    bool const taken = s.occupant() != nullptr;
    auto const jobs = s.jobs_guess();
    if (!taken && jobs <= 0) continue;
    int tid = 0;
    for (hang_thread const& t : threads) {
      if (t.occupied == &s) tid = t.tid;
    }
    std::fprintf(stderr, "    slot %u: %s %d, %lld jobs in its deque\n", i, taken ? states[s.state()] : "nobody", tid,
                 static_cast<long long>(jobs));
  }
}

atomic<report_part> part_of_others{nullptr};

void print_parts(std::vector<hang_thread> const& threads) {
  report_part const print = part_of_others.load(mo::relaxed);
  if (print == nullptr) return;
  std::vector<void const*> addresses;
  for (hang_thread const& t : threads) {
    for (hang_wait const& w : t.waits) addresses.push_back(w.address);
  }
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  for (void const* a : addresses) print(a);
}

}  // namespace

void set_report_part(report_part print) noexcept { part_of_others.store(print, mo::relaxed); }

void print_stuck(hang_roll const& roll) {
  std::uint64_t const now = os::now_ns();
  std::fputs("ashlar: threads\n", stderr);
  unsigned idle = 0;
  for (hang_thread const& t : roll.threads()) {
    bool const shown = t.now != doing::nothing || t.external_goes_on;
    if (shown) print_thread(t, now);
    idle += !shown && t.known;
  }
  if (idle != 0) std::fprintf(stderr, "  %u more in no task\n", idle);
  print_suspensions(roll, now);
  std::fputs("ashlar: arenas\n", stderr);
  market::get().for_each_arena([&roll](arena& a) noexcept { print_arena(a, roll.threads()); });
  print_parts(roll.threads());
  std::fputs("ashlar: end of the report\n", stderr);
}

void print_busy(hang_roll const& roll) {
  std::uint64_t const now = os::now_ns();
  for (hang_thread const& t : roll.threads()) {
    if (t.now == doing::computes || t.now == doing::sleeps) print_thread(t, now);
  }
}

void print_hang_report() noexcept {
  try {
    looks const before = look_at_all_threads();
    atomic<std::uint32_t> never{0};
    os::futex_wait_for(never, 0, 50'000'000);
    hang_roll roll(before);
    roll.locate_stuck();
    print_stuck(roll);
  } catch (std::bad_alloc const&) {
    std::fputs("ashlar: no memory for a hang report\n", stderr);
  }
}

}  // namespace ashlar::inline v1::sched
