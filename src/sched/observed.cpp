// SPDX-License-Identifier: Apache-2.0
#include "sched/observed.h"

#include "base/sanitized_program.h"

#include "sched/mailbox.h"
#include "sched/running_task.h"
#include "sched/thread_data.h"

#include <ashlar/sched/classic_prefix.h>
#include <ashlar/sched/completion.h>

#include <cstring>

namespace ashlar::sched {

namespace {

using obs::trace_event;

// The address of code or of a virtual table that tells what kind of job this is.
void const* kind_of(job& j) noexcept {
  void const* at;
  if (j.run == &run_classic) {
    std::memcpy(&at, static_cast<void const*>(static_cast<task_prefix*>(&j) + 1), sizeof at);
    return at;
  }
  if (j.run == &deferred_job::run_it) {
    auto const call = static_cast<deferred_job&>(j).call;
    std::memcpy(&at, &call, sizeof at);
    return at;
  }
  if (void const* const table = d1_kind(j)) return table;
  std::memcpy(&at, &j.run, sizeof at);
  return at;
}

std::uint64_t address_of(job const& j) noexcept {
  return (reinterpret_cast<std::uintptr_t>(&j) >> obs::trace_address_shift) & obs::trace_payload_most;
}

}  // namespace

void trace_spawn(job& what) noexcept { obs::trace(trace_event::spawn, &what); }

void note_push(slot& s) noexcept {
  // A thief may have run it already: only its address is used.
  obs::trace(trace_event::spawn, s.deque_.newest());
}

void trace_begin(job& what) noexcept {
  obs::trace_lane* const lane = obs::this_trace_lane();
  if (lane == nullptr) return;
  lane->label(kind_of(what));
  lane->write(trace_event::begin, address_of(what));
  // When a classic task is over, its parent may go on: a continuation that nobody spawns.
  if (what.run != &run_classic) return;
  if (task_prefix* const parent = static_cast<task_prefix&>(what).parent) {
    lane->annotate(trace_event::parent, address_of(*parent));
  }
}

void run_observed(slot& s, job* what) noexcept {
  std::uint64_t executed = 0;
  tsan::acquire_there(&s);
  do {
    ++executed;
    // A classic task tells of itself, and so do those that follow it directly.
    bool const told = obs::tracing() && what->run != &run_classic && content_of_letter(*what) == nullptr;
    if (told) trace_begin(*what);
    tsan::acquire_there(what);
    job* const next = what->run(what, s);
    if (told) {
      if (next != nullptr) note_spawn(*next);
      obs::trace(trace_event::end, what);
    }
    what = next;
  } while (what != nullptr);
  s.thread_->counters.add(obs::counter::executed, executed);
  tsan::release_there(&s);
}

void slot::begin_taken_back(job& what) noexcept { note_begin(what); }
void slot::end_taken_back(job& what) noexcept { obs::trace(trace_event::end, &what); }

}  // namespace ashlar::sched
