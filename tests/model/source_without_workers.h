// SPDX-License-Identifier: Apache-2.0
// For models of contexts: a source of workers that has none, and the locks that contexts take.
#pragma once

#include "base/strict_exceptions.h"
#include "sched/core/worker_source.h"
#include "sched/park/process_locks.h"

namespace ashlar::model {

struct source_without_workers : sched::worker_source {
  void add(sched::arena&) noexcept override {}
  void remove(sched::arena&) noexcept override {}
  void abandon(sched::arena&) noexcept override {}
  void advertise(sched::arena&) noexcept override {}
  void pass_on(sched::arena&, unsigned) noexcept override {}
  bool watch(sched::arena&) noexcept override { return false; }
  void look_at_load() noexcept override {}
  bool wanted_elsewhere(sched::arena const&) const noexcept override { return false; }
  void raise_all(std::uint32_t) noexcept override {}
  void lower_all(std::uint32_t) noexcept override {}
  std::size_t stack_size() noexcept override { return 0; }
  void visit_arenas(void (*)(sched::arena&, void const*) noexcept, void const*) noexcept override {}
};

}  // namespace ashlar::model

namespace ashlar::inline v1::sched {

atomic<worker_source*> worker_source::the_source_{nullptr};
std::mutex process_locks::facades;
std::mutex process_locks::bindings;
std::mutex process_locks::cancel_listeners;

}  // namespace ashlar::inline v1::sched

bool ashlar::exceptions_end_process() noexcept { return false; }
