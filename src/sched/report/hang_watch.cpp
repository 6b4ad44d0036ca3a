// SPDX-License-Identifier: Apache-2.0
#include "sched/report/hang_watch.h"

#include "os/environment.h"
#include "os/futex.h"
#include "os/misspelt.h"
#include "os/process.h"
#include "os/signal_use.h"
#include "os/thread.h"
#include "sched/core/statistics.h"
#include "sched/core/suspension_log.h"
#include "sched/core/wait_log.h"
#include "sched/policy/policies.h"
#include "sched/report/hang_report.h"

#include <ashlar/sched/report/hang_report.h>
#include <ashlar/sync/held_elements.h>

#include <cstdio>
#include <mutex>
#include <new>

namespace ashlar::inline v1::sched {

namespace {

class watch {
 public:
  static watch& get() noexcept {
    static ASHLAR_CONSTINIT_MUTEX watch w;
    return w;
  }

  void set_period(unsigned milliseconds) noexcept {
    std::lock_guard guard(lock_);
    period_.store(milliseconds, mo::relaxed);
    update();
  }
  bool set_signal(int number) noexcept {
    std::lock_guard guard(lock_);
    if (number != 0) {
      if (!os::take_signal(number, [](int) { get().ask(); }, number == signal_)) return false;
    }
    if (signal_ != 0 && signal_ != number) os::release_signal(signal_);
    signal_ = number;
    update();
    return true;
  }
  void forget() noexcept { new (&lock_) std::mutex; }
  unsigned reports() const noexcept { return reports_.load(mo::relaxed); }

 private:
  static constexpr unsigned looks_in_period = 4;  // so a process that was stopped is not taken for one that hangs

  static void run(void* self) { static_cast<watch*>(self)->look_on(); }

  // Called under the lock.
  void update() noexcept {
    bool const on = period_.load(mo::relaxed) != 0 || signal_ != 0;
    changes_.fetch_add(1, mo::relaxed);
    os::futex_wake(changes_, 1);
    tasks_are_logged.store(on, mo::relaxed);
    if (on) sync::record_elements(false);
    statistics::get().observe(statistics::reason::hang_watch, on);
    // A forked child has its parent's memory, but not the thread.
    int const here = os::process_id();
    if (on && process_ != here && os::start_detached(run, this, 0, "ashlar-watch")) process_ = here;
  }

  // In a signal handler.
  void ask() noexcept {
    asked_.store(true, mo::relaxed);
    changes_.fetch_add(1, mo::relaxed);
    os::futex_wake(changes_, 1);
  }

  void look_on() noexcept {
    std::uint64_t last = progress();
    unsigned quiet = 0;
    looks before;
    hang_roll::verdict told = hang_roll::verdict::nothing;  // since the last progress
    for (;;) {
      std::uint32_t const seen = changes_.load(mo::relaxed);
      std::uint64_t const period = period_.load(mo::relaxed);
      if (asked_.exchange(false, mo::relaxed)) {
        std::fputs("ashlar: a report was asked for\n", stderr);
        print_hang_report();
      } else if (period == 0) {
        os::futex_wait(changes_, seen);
      } else {
        os::futex_wait_for(changes_, seen, period * 1'000'000 / looks_in_period);
      }
      std::uint64_t const now = progress();
      quiet = now == last && period != 0 ? quiet + 1 : 0;
      last = now;
      try {
        if (quiet == 0) told = hang_roll::verdict::nothing;
        if (quiet % looks_in_period == 1) before = look_at_all_threads();
        if (quiet != 0 && quiet % looks_in_period == 0) told = judge(before, period * (quiet / looks_in_period), told);
      } catch (std::bad_alloc const&) {
        std::fputs("ashlar: no memory for a hang report\n", stderr);
      }
    }
  }

  // Tells what is new since `told`, and returns what is known now.
  hang_roll::verdict judge(looks const& before, std::uint64_t quiet, hang_roll::verdict told) {
    using verdict = hang_roll::verdict;
    hang_roll roll(before);
    verdict const v = roll.judge();
    if (v == verdict::nothing || v == told) return told;
    char const* const words = v == verdict::working     ? "; a task is long"
                              : v == verdict::sleeping  ? "; a task sleeps"
                              : v == verdict::elsewhere ? "; a thread that is in no task goes on, and may be waited for"
                                                        : ": a hang";
    std::fprintf(stderr, "ashlar: no task has completed for %.1f s%s\n", static_cast<double>(quiet) * 1e-3, words);
    if (v == verdict::working || v == verdict::sleeping) {
      print_busy(roll);
      return v;
    }
    roll.locate_stuck();
    print_stuck(roll);
    if (v == verdict::hang) reports_.fetch_add(1, mo::relaxed);
    return v;
  }

  static std::uint64_t progress() noexcept {
    statistics& s = statistics::get();
    return s.total(obs::counter::executed) + s.total(obs::counter::spawned) + s.total(obs::counter::stolen) +
           s.total(obs::counter::dequeued);
  }

  std::mutex lock_;
  int process_ = 0;  // whose thread looks on
  int signal_ = 0;
  atomic<std::uint32_t> changes_{0};
  atomic<unsigned> period_{0};
  atomic<unsigned> reports_{0};
  atomic<bool> asked_{false};
};

}  // namespace

void watch_for_hangs(unsigned milliseconds) noexcept { watch::get().set_period(milliseconds); }
bool report_hangs_on_signal(int number) noexcept { return watch::get().set_signal(number); }
unsigned hangs_reported() noexcept { return watch::get().reports(); }

void forget_hang_watch() noexcept {
  watch::get().forget();
  suspension::forget_all();
}

void watch_if_environment_asks() noexcept {
  constexpr unsigned day = 86400;
  constexpr unsigned last_signal = 64;
  static atomic<bool> asked{false};
  if (asked.load(mo::relaxed) || asked.exchange(true, mo::relaxed)) return;
  os::tell_misspelt_variables();
  policies::get();  // a bad value is told although no worker starts
  if (auto const seconds = os::env_unsigned("ASHLAR_HANG_REPORT", 1, day)) watch_for_hangs(*seconds * 1000);
  auto const number = os::env_unsigned("ASHLAR_HANG_SIGNAL", 1, last_signal);
  if (number && !report_hangs_on_signal(static_cast<int>(*number))) {
    std::fprintf(
        stderr,
        "ashlar: ASHLAR_HANG_SIGNAL=%u has no effect: the program handles that signal, or it can't be handled\n",
        static_cast<unsigned>(*number));
  }
}

}  // namespace ashlar::inline v1::sched
