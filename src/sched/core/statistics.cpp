// SPDX-License-Identifier: Apache-2.0
#include "sched/core/statistics.h"

#include "base/sanitized_program.h"
#include "obs/trace.h"
#include "os/environment.h"
#include "sched/core/worker_source.h"
#include "sched/park/process_locks.h"

#include <ashlar/sched/core/attention.h>
#include <cstdio>
#include <cstdlib>

namespace ashlar::inline v1::sched {

statistics& statistics::get() noexcept {
  static ASHLAR_CONSTINIT_MUTEX statistics the_statistics;
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
  *end_ = r;
  end_ = &r->next;
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

void statistics::print(statistics_form form) noexcept {
  char small[4096];
  char* text = small;
  std::size_t room = sizeof small;
  for (std::size_t length; (length = write_statistics(text, room, form)) >= room;) {
    if (text != small) std::free(text);
    room = length + length / 8 + 1;  // the numbers grow while threads work
    text = static_cast<char*>(std::malloc(room));
    if (text == nullptr) return;
  }
  std::fputs(text, stderr);
  if (text != small) std::free(text);
}

namespace {

fork_part part({[]() noexcept { statistics::get().before_fork(); }, []() noexcept { statistics::get().after_fork(); },
                [](thread_data const* survivor) noexcept { statistics::get().forget_threads(survivor); }});

[[maybe_unused]] bool const stats_from_environment = [] {
  static constexpr char const* words[] = {"0", "off", "no", "false", "1", "on", "yes", "true", "json"};
  constexpr std::size_t first_table = 4, json = 8;
  std::size_t const word = os::env_choice("ASHLAR_STATS", words).value_or(0);
  if (word < first_table) return false;
  statistics::get().observe(statistics::reason::counting, true);
  if (word == json) {
    std::atexit([] { statistics::get().print(statistics_form::json); });
  } else {
    std::atexit([] { statistics::get().print(statistics_form::table); });
  }
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

void reset_statistics() noexcept { statistics::get().reset(); }
void observe_statistics(bool on) noexcept { statistics::get().observe(statistics::reason::counting, on); }

}  // namespace ashlar::inline v1::sched
