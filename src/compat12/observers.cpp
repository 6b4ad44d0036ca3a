// SPDX-License-Identifier: Apache-2.0
// task_scheduler_observer of foreign programs.
#include "places.h"

#include <ashlar/sched/api/observer.h>
#include <ashlar/sync/backoff.h>

namespace tbb::detail::r1 {

using namespace ashlar::compat12;
namespace mo = ashlar::mo;
namespace sched = ashlar::sched;

ASHLAR_EXPORT void initialize(d1::task_arena_base& a);

namespace {

void call(void* observer, bool enters, bool worker) noexcept {
  auto& o = *static_cast<d1::task_scheduler_observer*>(observer);
  enters ? o.on_scheduler_entry(worker) : o.on_scheduler_exit(worker);
}

// The program's inlined code does the same at an arena's first use.
// [OB1] initialized, release -> [OB2] another thread finds it initialized: acquire
sched::arena& initialized(d1::task_arena_base& a) {
  int found = d1::task_arena_base::uninitialized;
  if (a.initialization.compare_exchange(found, d1::task_arena_base::pending, mo::acquire, mo::acquire)) {  // [OB2]
    try {
      initialize(a);
    } catch (...) {
      a.initialization.store(d1::task_arena_base::uninitialized, mo::release);  // [OB1]
      throw;
    }
    a.initialization.store(d1::task_arena_base::initialized, mo::release);  // [OB1]
  }
  while (a.initialization.load(mo::acquire) == d1::task_arena_base::pending) ashlar::sync::yield_thread();  // [OB2]
  return *made_arena(a);
}

}  // namespace

ASHLAR_EXPORT void observe(d1::task_scheduler_observer& o, bool on) {
  auto* const record = static_cast<sched::observer_record*>(o.record.load(mo::relaxed));
  if (on == (record != nullptr)) return;
  if (!on) {
    o.record.store(nullptr, mo::relaxed);
    return sched::stop_observing(record);
  }
  sched::arena& where = o.where != nullptr ? initialized(*o.where) : sched::this_slot().home();
  o.record.store(sched::start_observing(&o, &where, &call), mo::relaxed);
}

}  // namespace tbb::detail::r1
