// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/hang_report.h>

#include "os/clock.h"
#include "os/environment.h"
#include "os/futex.h"
#include "os/misspelt.h"
#include "os/thread.h"
#include "os/thread_backtrace.h"
#include "sched/hang_watch.h"
#include "sched/market.h"
#include "sched/statistics.h"
#include "sched/wait_log.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <new>

namespace ashlar::sched {

namespace {

double seconds_since(std::uint64_t then, std::uint64_t now) noexcept {
  return now > then ? static_cast<double>(now - then) * 1e-9 : 0;
}

// Name and state of a thread, as the system tells them.
struct system_view {
  char name[32] = "?";
  char const* state = "unknown";

  explicit system_view(int tid) noexcept {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    std::FILE* const f = std::fopen(path, "re");
    if (f == nullptr) return;
    char text[128] = "";
    std::size_t const n = std::fread(text, 1, sizeof text - 1, f);
    std::fclose(f);
    text[n] = '\0';
    // "tid (name) state ...", and the name may hold anything.
    char const* const open = std::strchr(text, '(');
    char const* const close = std::strrchr(text, ')');
    if (open == nullptr || close == nullptr || close < open || close[1] == '\0') return;
    std::snprintf(name, sizeof name, "%.*s", static_cast<int>(close - open - 1), open + 1);
    switch (close[2]) {
      case 'R': state = "running"; break;
      case 'S': state = "sleeping"; break;
      case 'D': state = "in the kernel"; break;
      case 'T': state = "stopped"; break;
      default: break;
    }
  }
};

// Does the seat's occupant run a task now? Another thread's pointer, only to be compared: a guess, and a race that
// ThreadSanitizer need not tell of.
__attribute__((no_sanitize("thread"), noinline)) bool inside_task(slot& s) noexcept {
  return s.seat_.occupant() != 0 && *const_cast<context* const volatile*>(&s.context_) != &s.root_;
}

bool waits(thread_data const& t) noexcept {
  for (unsigned i = 0; i < wait_log::most; ++i) {
    if (t.waits.entries()[i].what.load(mo::relaxed) != nullptr) return true;
  }
  return false;
}

void print_waits(thread_data const& t, std::uint64_t now) noexcept {
  for (unsigned i = 0; i < wait_log::most; ++i) {
    wait_log::entry const& e = t.waits.entries()[i];
    char const* const what = e.what.load(mo::relaxed);
    if (what == nullptr) continue;
    std::fprintf(stderr, "    waits for %s (%p), for %.1f s", what, e.address.load(mo::relaxed),
                 seconds_since(e.since.load(mo::relaxed), now));
    std::uint64_t const job = e.job_since.load(mo::relaxed);
    if (job != 0) {
      std::fprintf(stderr,
                   "; there it took another job %.1f s ago, which has not ended: if that needs what the waiting task"
                   " holds (a lock), this_task_arena::isolate around the wait keeps them apart",
                   seconds_since(job, now));
    }
    std::fputc('\n', stderr);
  }
}

void print_thread(thread_data const& t, std::uint64_t now) noexcept {
  int const tid = t.tid.load(mo::relaxed);
  system_view const seen(tid);
  std::fprintf(stderr, "  thread %d \"%s\" (%s), %s%s\n", tid, seen.name, t.is_worker ? "worker" : "application",
               seen.state, parking_lot::get().lists(t.bed) ? ", parked" : "");
  print_waits(t, now);
}

// The threads of a report, to name the occupants of seats; those beyond stay without a number.
class roll {
 public:
  void add(thread_data const& t) noexcept {
    if (count_ == most) return;
    entries_[count_++] = {reinterpret_cast<std::uintptr_t>(&t), t.tid.load(mo::relaxed), false, waits(t)};
  }
  int tid_of(std::uintptr_t occupant) const noexcept {
    for (unsigned i = 0; i < count_; ++i) {
      if (entries_[i].who == occupant) return entries_[i].tid;
    }
    return 0;
  }
  // Those that are inside of a task.
  void note_tasks() noexcept {
    market::get().for_each_arena([this](arena& a) noexcept {
      for (unsigned i = 0; i < a.slots_in_use(); ++i) {
        for (unsigned e = 0; e < count_; ++e) {
          if (entries_[e].who == a.at(i).seat_.occupant() && inside_task(a.at(i))) entries_[e].inside = true;
        }
      }
    });
  }
  // take(thread's number, true if it waits in the library) for each of them.
  template <typename Take>
  void each_inside(Take const& take) const noexcept {
    for (unsigned i = 0; i < count_; ++i) {
      if (entries_[i].inside) take(entries_[i].tid, entries_[i].waits);
    }
  }

 private:
  static constexpr unsigned most = 256;
  struct entry {
    std::uintptr_t who;
    int tid;
    bool inside;  // of a task
    bool waits;   // for something that the library knows
  };
  entry entries_[most];
  unsigned count_ = 0;
};

void print_arena(arena& a, roll const& known) noexcept {
  static constexpr char const* priorities[] = {"low", "normal", "high"};
  std::fprintf(stderr, "  arena %p: %u seats, %u reserved, priority %s, workers: %u allotted, %u there; %s enqueued\n",
               static_cast<void*>(&a), a.concurrency(), a.reserved(), priorities[a.priority()],
               a.allotted.load(mo::relaxed), a.active.load(mo::relaxed), a.enqueued.empty() ? "nothing" : "jobs are");
  if (unsigned const n = a.seekers.load(mo::relaxed)) std::fprintf(stderr, "    %u threads wait for a seat\n", n);
  for (unsigned i = 0; i < a.slots_in_use(); ++i) {
    slot& s = a.at(i);
    static constexpr char const* states[] = {"application thread", "worker that looks for work", "busy worker"};
    std::uintptr_t const occupant = s.seat_.occupant();
    auto const jobs = s.deque_.size_guess();
    if (occupant == 0 && jobs <= 0) continue;
    std::fprintf(stderr, "    seat %u: %s %d, %lld jobs in its deque\n", i,
                 occupant != 0 ? states[s.state_.load(mo::relaxed)] : "nobody", known.tid_of(occupant),
                 static_cast<long long>(jobs));
  }
}

void call_the_roll(roll& known) noexcept {
  statistics::get().any_thread([&known](thread_data const& t) noexcept {
    known.add(t);
    return false;
  });
  known.note_tasks();
}

// Where the threads are that are inside of a task, from themselves.
void print_tasks(roll const& known) noexcept {
  known.each_inside([](int tid, bool waits) noexcept {
    system_view const seen(tid);
    bool const computes = std::strcmp(seen.state, "running") == 0;
    std::fprintf(stderr, "  thread %d \"%s\" is inside of a task%s\n", tid, seen.name,
                 waits ? ""
                 : computes
                     ? ", and computes: a long task, or a loop that waits for something"
                     : ", which blocks: if it waits for another task, that one has no thread to run on; let it wait in"
                       " the library (wait, suspend), or allow more threads");
    os::print_backtrace(tid);
  });
}

class watch {
 public:
  static watch& get() noexcept {
    static constinit watch w;
    return w;
  }

  void set(unsigned milliseconds) noexcept {
    std::lock_guard guard(lock_);
    period_.store(milliseconds, mo::relaxed);
    changes_.fetch_add(1, mo::relaxed);
    os::futex_wake(changes_, 1);
    statistics::get().observe(statistics::reason::hang_watch, milliseconds != 0);
    // A forked child has its parent's memory, but not the thread.
    if (milliseconds != 0 && process_ != getpid() && os::start_detached(run, this, 0, "ashlar-watch")) process_ = getpid();
  }
  void forget() noexcept { new (&lock_) std::mutex; }
  unsigned reports() const noexcept { return reports_.load(mo::relaxed); }

 private:
  static constexpr unsigned looks = 4;  // in one period; so a process that was stopped is not taken for one that hangs

  static void run(void* self) { static_cast<watch*>(self)->look_on(); }

  void look_on() noexcept {
    std::uint64_t last = progress();
    unsigned quiet = 0;
    standstill before = standstill::none;
    for (;;) {
      std::uint32_t const seen = changes_.load(mo::relaxed);
      std::uint64_t const period = period_.load(mo::relaxed);
      if (period == 0) {
        os::futex_wait(changes_, seen);
      } else {
        os::futex_wait_for(changes_, seen, period * 1'000'000 / looks);
      }
      std::uint64_t const now = progress();
      standstill const still = now == last && period != 0 ? look() : standstill::none;
      last = now;
      quiet = still != standstill::none && (quiet == 0 || still == before) ? quiet + 1 : 0;
      before = still;
      if (quiet != looks) continue;
      std::fprintf(stderr, "ashlar: no task has completed for %.1f s%s\n", static_cast<double>(period) * 1e-3,
                   still == standstill::waiting   ? " while a thread waits"
                   : still == standstill::blocked ? " while tasks block"
                                                  : "; a task is long");
      if (still == standstill::computing) {
        roll known;
        call_the_roll(known);
        print_tasks(known);
      } else {
        print_hang_report();
        reports_.fetch_add(1, mo::relaxed);
      }
    }
  }

  // What goes on while no task completes: a thread waits in the library; tasks block elsewhere, all that there are; or
  // one of them computes, which is no hang.
  enum class standstill { none, waiting, blocked, computing };
  static standstill look() noexcept {
    if (statistics::get().any_thread([](thread_data const& t) noexcept { return waits(t); }))
      return standstill::waiting;
    roll known;
    call_the_roll(known);
    standstill result = standstill::none;
    known.each_inside([&result](int tid, bool) noexcept {
      if (result == standstill::computing) return;
      result = std::strcmp(system_view(tid).state, "running") == 0 ? standstill::computing : standstill::blocked;
    });
    return result;
  }

  static std::uint64_t progress() noexcept {
    statistics& s = statistics::get();
    return s.total(obs::counter::executed) + s.total(obs::counter::spawned) + s.total(obs::counter::stolen) +
           s.total(obs::counter::dequeued);
  }

  std::mutex lock_;
  pid_t process_ = 0;  // whose thread looks on
  atomic<std::uint32_t> changes_{0};
  atomic<unsigned> period_{0};
  atomic<unsigned> reports_{0};
};

}  // namespace

void print_hang_report() noexcept {
  std::uint64_t const now = os::now_ns();
  std::fputs("ashlar: threads\n", stderr);
  roll known;
  statistics::get().any_thread([now, &known](thread_data const& t) noexcept {
    known.add(t);
    print_thread(t, now);
    return false;
  });
  known.note_tasks();
  print_tasks(known);
  std::fputs("ashlar: arenas\n", stderr);
  market::get().for_each_arena([&known](arena& a) noexcept { print_arena(a, known); });
}

void watch_for_hangs(unsigned milliseconds) noexcept { watch::get().set(milliseconds); }
unsigned hangs_reported() noexcept { return watch::get().reports(); }

void forget_hang_watch() noexcept { watch::get().forget(); }

void watch_if_environment_asks() noexcept {
  constexpr unsigned day = 86400;
  static atomic<bool> asked{false};
  if (asked.load(mo::relaxed) || asked.exchange(true, mo::relaxed)) return;
  os::tell_misspelt_variables();
  if (auto const seconds = os::env_unsigned("ASHLAR_HANG_REPORT", 1, day)) watch_for_hangs(*seconds * 1000);
}

}  // namespace ashlar::sched
