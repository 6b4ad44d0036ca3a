// SPDX-License-Identifier: Apache-2.0
#include "sched/statistics.h"

#include "base/sanitized_program.h"
#include "obs/trace.h"
#include "os/clock.h"
#include "os/environment.h"
#include "sched/process_locks.h"
#include "sched/worker_source.h"

#include <ashlar/sched/attention.h>
#include <ashlar/sched/statistics.h>

#include <cstdio>
#include <cstdlib>

namespace ashlar::sched {

statistics& statistics::get() noexcept {
  static constinit statistics the_statistics;
  return the_statistics;
}

obs::counters& statistics::add_thread(thread_data const& t, bool worker) {
  std::lock_guard guard(lock_);
  for (record* r = first_; r != nullptr; r = r->next) {
    if (r->user != nullptr || r->worker != worker) continue;
    r->user = &t;  // goes on counting where the thread before stopped
    return r->values;
  }
  auto* const r = new record;
  r->worker = worker;
  r->user = &t;
  r->next = first_;
  first_ = r;
  return r->values;
}

void statistics::remove_thread(obs::counters& c) noexcept {
  std::lock_guard guard(lock_);
  for (record* r = first_; r != nullptr; r = r->next) {
    if (&r->values == &c) r->user = nullptr;
  }
}

void statistics::forget_threads(thread_data const* survivor) noexcept {
  for (record* r = first_; r != nullptr; r = r->next) {
    if (r->user == nullptr || r->user == survivor) continue;
    r->lost = r->user;
    r->user = nullptr;
  }
}

void statistics::observe(reason why, bool on) noexcept {
  std::lock_guard guard(lock_);
  auto const bit = static_cast<unsigned>(why);
  reasons_ = on ? reasons_ | bit : reasons_ & ~bit;
  if (reasons_ != 0) {
    worker_source::get().raise_all(attention_observe);
  } else {
    worker_source::get().lower_all(attention_observe);
  }
}

std::uint64_t statistics::total(obs::counter what) noexcept {
  std::lock_guard guard(lock_);
  std::uint64_t sum = 0;
  for (record* r = first_; r != nullptr; r = r->next) sum += r->values.get(what);
  return sum;
}

void statistics::reset() noexcept {
  std::lock_guard guard(lock_);
  for (record* r = first_; r != nullptr; r = r->next) r->values.reset();
}

namespace {

// A line of the summary: what one thread did, or all.
struct summary_line {
  std::uint64_t values[obs::counter_count] = {};

  std::uint64_t of(obs::counter c) const noexcept { return values[static_cast<std::size_t>(c)]; }
  void add(obs::counters const& c) noexcept {
    for (std::size_t i = 0; i < obs::counter_count; ++i) values[i] += c.get(static_cast<obs::counter>(i));
  }
  void print(char const* kind, unsigned number, double ticks_per_ms) const noexcept {
    using obs::counter;
    char name[24];
    std::snprintf(name, sizeof name, number != 0 ? "%s %u" : "%s", kind, number);
    auto const count = [this](counter c) { return static_cast<unsigned long long>(of(c)); };
    auto const ms = [this, ticks_per_ms](counter c) { return static_cast<double>(of(c)) / ticks_per_ms; };
    std::fprintf(stderr, "  %-16s %10llu %10llu %9llu %10llu %9llu %7llu %9.1f %9.1f\n", name, count(counter::spawned),
                 count(counter::executed), count(counter::stolen),
                 count(counter::failed_steals) + count(counter::conflicts),
                 count(counter::dequeued) + count(counter::mailed), count(counter::parks), ms(counter::steal_ticks),
                 ms(counter::wait_ticks));
  }
};

double share(std::uint64_t part, std::uint64_t of) noexcept {
  return of != 0 ? 100 * static_cast<double>(part) / static_cast<double>(of) : 0;
}

}  // namespace

void statistics::print() noexcept {
  using obs::counter;
  double const ticks_per_ms = os::ticks_per_ns() * 1e6;
  std::lock_guard guard(lock_);
  std::fprintf(stderr, "ashlar: statistics\n  %-16s %10s %10s %9s %10s %9s %7s %9s %9s\n", "thread", "spawned",
               "executed", "stolen", "in vain", "received", "parked", "search ms", "wait ms");
  unsigned workers = 0;
  unsigned others = 0;
  summary_line all;
  for (record* r = first_; r != nullptr; r = r->next) {
    summary_line one;
    one.add(r->values);
    all.add(r->values);
    one.print(r->worker ? "worker" : "application", r->worker ? ++workers : ++others, ticks_per_ms);
  }
  all.print("all", 0, ticks_per_ms);
  std::uint64_t const vain = all.of(counter::failed_steals) + all.of(counter::conflicts);
  std::uint64_t const tries = vain + all.of(counter::stolen);
  std::fprintf(
      stderr,
      "  Of %llu attempts to steal %.1f %% got a task, %.1f %% found nothing to take, %.1f %% lost it to another "
      "thread.\n"
      "  Executed: by the scheduler; a task that its spawner takes back and calls directly counts as spawned only.\n",
      static_cast<unsigned long long>(tries), share(all.of(counter::stolen), tries),
      share(all.of(counter::failed_steals), tries), share(all.of(counter::conflicts), tries));
}

namespace {

fork_part part({[]() noexcept { statistics::get().before_fork(); }, []() noexcept { statistics::get().after_fork(); },
                [](thread_data const* survivor) noexcept { statistics::get().forget_threads(survivor); }});

[[maybe_unused]] bool const stats_from_environment = [] {
  if (!os::env_flag("ASHLAR_STATS")) return false;
  statistics::get().observe(statistics::reason::counting, true);
  std::atexit([] { statistics::get().print(); });
  return true;
}();

[[maybe_unused]] bool const trace_from_environment = [] {
  char const* const path = os::env_text("ASHLAR_TRACE");
  if (path == nullptr) return false;
  std::uint64_t const megabytes = os::env_unsigned("ASHLAR_TRACE_LIMIT", 1, 1'000'000).value_or(1024);
  if (!obs::start_trace(path, megabytes << 20)) return false;
  statistics::get().observe(statistics::reason::tracing, true);
  std::atexit(&obs::finish_trace);
  return true;
}();

// Each task takes the slow path, which tells ThreadSanitizer of it.
[[maybe_unused]] bool const for_sanitizer = [] {
  if (!tsan::watches_program()) return false;
  statistics::get().observe(statistics::reason::sanitizer, true);
  return true;
}();

}  // namespace

scheduler_statistics read_statistics() noexcept {
  statistics& s = statistics::get();
  using obs::counter;
  return {s.total(counter::spawned),        s.total(counter::executed),    s.total(counter::stolen),
          s.total(counter::failed_steals),  s.total(counter::conflicts),   s.total(counter::mailed),
          s.total(counter::dequeued),       s.total(counter::parks),       s.total(counter::wakes),
          s.total(counter::spawn_ticks),    s.total(counter::get_task_ticks), s.total(counter::steal_ticks),
          s.total(counter::wait_ticks),     s.total(counter::acquire_queue_ticks)};
}

void reset_statistics() noexcept { statistics::get().reset(); }
void observe_statistics(bool on) noexcept { statistics::get().observe(statistics::reason::counting, on); }

}  // namespace ashlar::sched
