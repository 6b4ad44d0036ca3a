// SPDX-License-Identifier: Apache-2.0
#include "sched/core/observed.h"

#include "base/sanitized_program.h"
#include "sched/core/thread_data.h"

#include <cstring>

namespace ashlar::inline v1::sched {

namespace {

using obs::trace_event;

void const* label_of(job& j, job_kind const* kind) noexcept {
  if (kind != nullptr && kind->label != nullptr) return kind->label(j);
  void const* code;
  std::memcpy(&code, &j.run, sizeof code);
  return code;
}

std::uint64_t address_of(job const& j) noexcept {
  return (reinterpret_cast<std::uintptr_t>(&j) >> obs::trace_address_shift) & obs::trace_payload_most;
}

}  // namespace

void write_spawn(job& what) noexcept { obs::trace(trace_event::spawn, &what); }

void trace_push(slot& s) noexcept {
  // A thief may have run it already: only its address is used.
  obs::trace(trace_event::spawn, s.newest_job());
}

void write_begin(job& what) noexcept {
  obs::trace_lane* const lane = obs::this_trace_lane();
  if (lane == nullptr) return;
  job_kind const* const kind = job_kind::of(what);
  lane->label(label_of(what, kind));
  lane->write(trace_event::begin, address_of(what));
  job const* const parent = kind != nullptr && kind->parent != nullptr ? kind->parent(what) : nullptr;
  if (parent != nullptr) lane->annotate(trace_event::parent, address_of(*parent));
}

// Does whoever runs the job write its beginning and end?
static bool told_by_runner(job const& j) noexcept {
  job_kind const* const kind = job_kind::of(j);
  return kind == nullptr || !kind->traces_itself;
}

void run_observed(slot& s, job* what) noexcept {
  std::uint64_t executed = 0;
  tsan::acquire_there(&s);
  do {
    ++executed;
    bool const told = obs::tracing() && told_by_runner(*what);
    if (told) write_begin(*what);
    logged_task const running(s.thread().tasks, logs_tasks() ? label_of(*what, job_kind::of(*what)) : nullptr, what);
    tsan::acquire_there(what);
    job* const next = what->run(what, s);
    if (told) {
      if (next != nullptr) trace_spawn(*next);
      obs::trace(trace_event::end, what);
    }
    what = next;
  } while (what != nullptr);
  s.thread().counters.add(obs::counter::executed, executed);
  tsan::release_there(&s);
}

void slot::begin_taken_back(job& what) noexcept {
  slot& here = this_slot();
  if (here.attention_bits() & attention_observe) here.thread().counters.add(obs::counter::executed);
  trace_begin(what);
}
void slot::end_taken_back(job& what) noexcept { obs::trace(trace_event::end, &what); }

}  // namespace ashlar::inline v1::sched
