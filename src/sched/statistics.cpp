// SPDX-License-Identifier: Apache-2.0
#include "sched/statistics.h"

#include "base/sanitized_program.h"
#include "obs/trace.h"
#include "os/environment.h"
#include "sched/market.h"

#include <ashlar/sched/statistics.h>

#include <cstdio>
#include <cstdlib>

namespace ashlar::sched {

statistics& statistics::get() noexcept {
  static constinit statistics the_statistics;
  return the_statistics;
}

obs::counters& statistics::add_thread(thread_data const& t) {
  bool const worker = t.is_worker;
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
    if (r->user != survivor) r->user = nullptr;
  }
}

void statistics::observe(reason why, bool on) noexcept {
  std::lock_guard guard(lock_);
  auto const bit = static_cast<unsigned>(why);
  reasons_ = on ? reasons_ | bit : reasons_ & ~bit;
  if (reasons_ != 0) {
    market::get().raise_all(attention_observe);
  } else {
    market::get().lower_all(attention_observe);
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

void statistics::print() noexcept {
  std::lock_guard guard(lock_);
  std::fprintf(stderr, "ashlar: statistics\n  %-20s", "thread");
  for (char const* name : obs::counter_names) std::fprintf(stderr, " %19s", name);
  unsigned workers = 0;
  unsigned others = 0;
  for (record* r = first_; r != nullptr; r = r->next) {
    std::fprintf(stderr, "\n  %-12s %-7u", r->worker ? "worker" : "application", r->worker ? ++workers : ++others);
    for (std::size_t i = 0; i < obs::counter_count; ++i) {
      std::fprintf(stderr, " %19llu", static_cast<unsigned long long>(r->values.get(static_cast<obs::counter>(i))));
    }
  }
  std::fprintf(stderr, "\n");
}

namespace {

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
