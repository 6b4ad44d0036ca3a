// SPDX-License-Identifier: Apache-2.0
// global_control and task_scheduler_handle of foreign programs.
#include "contract.h"

#include <ashlar/sched/api/global_control.h>

namespace tbb::detail::r1 {

namespace mo = ashlar::mo;
namespace sched = ashlar::sched;

ASHLAR_EXPORT void create(d1::global_control& c) {
  c.record.store(sched::add_control(c.parameter, c.value), mo::relaxed);
}
ASHLAR_EXPORT void destroy(d1::global_control& c) {
  sched::remove_control(static_cast<sched::control*>(c.record.load(mo::relaxed)));
}
ASHLAR_EXPORT std::size_t global_control_active_value(int parameter) { return sched::active_control(parameter); }

// What full handles point to: programs only look whether there is something.
static d1::global_control held{};

ASHLAR_EXPORT void get(d1::task_scheduler_handle& h) {
  sched::add_scheduler_handle();
  h.control = &held;
}

ASHLAR_EXPORT bool finalize(d1::task_scheduler_handle& h, std::intptr_t mode) {
  constexpr std::intptr_t only_release = 0, throwing = 2;
  h.control = nullptr;
  if (mode == only_release) {
    sched::release_scheduler_handle();
    return true;
  }
  bool const ended = sched::finalize_scheduler();
  if (!ended && mode == throwing) throw unsafe_wait("the scheduler can't be finalized here: it is still in use");
  return ended;
}

}  // namespace tbb::detail::r1
