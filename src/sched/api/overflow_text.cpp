// SPDX-License-Identifier: Apache-2.0
#include "sched/api/overflow_text.h"

#include "obs/code_name.h"
#include "obs/overflow_watch.h"
#include "os/environment.h"
#include "os/process.h"
#include "os/thread.h"
#include "sched/core/thread_data.h"

#include <ashlar/sched/core/slot.h>

#include <cstring>
#include <new>

namespace ashlar::inline v1::sched {

namespace {

// The innermost task whose kind is known: while the hang report watches.
void add_task(obs::text_line& to, slot const& s) noexcept {
  task_log::entry const* newest = nullptr;
  if (thread_data const* const t = current_thread; t != nullptr) newest = t->tasks.newest(stack_identity());
  if (newest != nullptr) {
    to.add(", task of ");
    obs::add_code_name(to, reinterpret_cast<std::uintptr_t>(newest->kind.load(mo::relaxed)));
  }
  to.add(", in a task of depth ");
  to.add_number(depth_of(s.key()));
}

std::size_t describe(char* to, std::size_t room) noexcept {
  obs::text_line line;
  line.add("thread ");
  line.add_number(static_cast<std::uint64_t>(os::thread_id()));
  thread_data const* const t = current_thread;
  line.add(t == nullptr ? " of the program" : t->is_worker ? " (a worker)" : " (an application's thread)");
  if (slot const* const s = t != nullptr ? current_slot : nullptr; s != nullptr) {
    line.add(", arena ");
    line.add_address(reinterpret_cast<std::uintptr_t>(&s->home()));
    line.add(", slot ");
    line.add_number(s->position());
    s->outside_tasks() ? line.add(", in no task") : add_task(line, *s);
  }
  std::size_t const size = line.size() < room ? line.size() : room;
  std::memcpy(to, line.text(), size);
  return size;
}

}  // namespace

bool watch_overflows_now() noexcept {
  return os::env_flag("ASHLAR_STACK_REPORT", true) && obs::watch_overflows(&describe);
}

void watch_overflows_unless_told() noexcept {
  static bool const watches = watch_overflows_now();
  if (!watches || os::thread_id() != os::process_id()) return;
  static obs::signal_stack* const of_main_thread = new (std::nothrow) obs::signal_stack;  // until the process ends
  static_cast<void>(of_main_thread);
}

}  // namespace ashlar::inline v1::sched
