// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/api/global_control.h>

#include "base/strict_exceptions.h"
#include "sched/api/application_thread.h"
#include "sched/market/market.h"
#include "sched/park/process_locks.h"

#include <ashlar/sched/core/context.h>

#include <algorithm>
#include <mutex>

namespace ashlar::inline v1::sched {

struct control {
  int const parameter;
  std::size_t const value;
  control* next;
};

namespace {

using tbb::global_control;

control* controls = nullptr;
unsigned handles = 0;

// The strictest value of all objects for the parameter, or 0 if there is none.
std::size_t strictest(int parameter) noexcept {
  std::size_t value = 0;
  for (control* c = controls; c != nullptr; c = c->next) {
    if (c->parameter != parameter) continue;
    bool const smaller_wins = parameter == global_control::max_allowed_parallelism;
    value = value == 0 ? c->value : smaller_wins ? std::min(value, c->value) : std::max(value, c->value);
  }
  return value;
}

void apply() noexcept {
  std::size_t const threads = strictest(global_control::max_allowed_parallelism);
  market::get().set_controls(static_cast<unsigned>(std::min<std::size_t>(threads, 1u << 20)),
                             strictest(global_control::thread_stack_size),
                             strictest(global_control::leave_policy) != 0);
  end_process_on_exception(strictest(global_control::terminate_on_exception) != 0);
}

}  // namespace

control* add_control(int parameter, std::size_t value) {
  auto* const c = new control{parameter, value, nullptr};
  {
    std::lock_guard guard(process_locks::controls);
    c->next = controls;
    controls = c;
    apply();
  }
  if (parameter == global_control::max_allowed_parallelism) renew_idle_slot();
  return c;
}

void remove_control(control* c) noexcept {
  {
    std::lock_guard guard(process_locks::controls);
    control** at = &controls;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    apply();
  }
  delete c;
}

std::size_t active_control(int parameter) noexcept {
  std::lock_guard guard(process_locks::controls);
  std::size_t const value = strictest(parameter);
  if (parameter == global_control::max_allowed_parallelism) return market::get().worker_limit() + 1;
  if (parameter == global_control::thread_stack_size) return market::get().stack_size();
  if (parameter == global_control::scheduler_handle && handles != 0) return 1;
  return value != 0 ? 1 : 0;
}

void add_scheduler_handle() noexcept {
  std::lock_guard guard(process_locks::controls);
  ++handles;
}

void release_scheduler_handle() noexcept {
  std::lock_guard guard(process_locks::controls);
  --handles;
}

bool finalize_scheduler() noexcept {
  {
    std::lock_guard guard(process_locks::controls);
    if (--handles != 0) return !market::exists() || !market::get().in_use();
  }
  return leave_scheduler() && !market::get().members().has_users() && market::get().terminate_workers();
}

}  // namespace ashlar::inline v1::sched
