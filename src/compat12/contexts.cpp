// SPDX-License-Identifier: Apache-2.0
#include "contexts.h"
#include "running.h"

#include <ashlar/base/atomic.h>
#include <ashlar/sched/api/global_control.h>
#include <ashlar/sched/tasks/task_group_context.h>
#include <ashlar/sync/backoff.h>

#include <utility>

namespace ashlar::inline v1::compat12 {

// Another thread uses it for the first time, too.
ASHLAR_COLD static void wait_until_bound(foreign_context& c) noexcept {
  while (c.state.load(mo::acquire) == foreign_context::binding) sync::yield_thread();  // [CT2]
}

void bind(foreign_context& c, sched::slot& here) noexcept {
  std::uint8_t found = foreign_context::unbound;
  bool const first = c.state.compare_exchange(found, foreign_context::binding, mo::acquire, mo::acquire);  // [CT2]
  if (ASHLAR_UNLIKELY(!first)) return wait_until_bound(c);
  if (here.outside_tasks()) return c.state.store(foreign_context::top, mo::release);  // [CT1]
  sched::context& parent = here.group();
  c.care.store(plain, mo::relaxed);  // no loop of application code
  c.node().bind(&parent);
  if ((c.traits & foreign_context::own_fp) == 0) c.node().set_fp(parent.fp());
  c.state.store(foreign_context::below, mo::release);  // [CT1]
}

void record_exception(foreign_context& c) noexcept {
  if (sched::active_control(tbb::global_control::terminate_on_exception) != 0) std::terminate();
  auto* const fresh = new std::exception_ptr(std::current_exception());
  std::exception_ptr* none = nullptr;
  if (!c.exception.compare_exchange(none, fresh, mo::release, mo::relaxed)) delete fresh;  // [CT3]
  c.node().cancel();
}

void rethrow_recorded(foreign_context& c) {
  std::exception_ptr* const taken = c.exception.exchange(nullptr, mo::acquire);  // [CT4]
  if (taken == nullptr) return;
  std::exception_ptr const what = std::move(*taken);
  delete taken;
  std::rethrow_exception(what);
}

// The node of a context that has one is cancelled, too.
ASHLAR_COLD static void drop_exception(foreign_context& c) noexcept {
  delete c.exception.exchange(nullptr, mo::acquire);  // [CT4]
}

// Made when the library is loaded, and never destroyed: enqueued functions may run while the process ends.
alignas(foreign_context) static unsigned char nobodys[sizeof(foreign_context)];
static foreign_context& make_no_group() noexcept {
  foreign_context& c = *reinterpret_cast<foreign_context*>(nobodys);
  new (c.node_bytes) sched::context(nullptr, nullptr);
  c.state.store(foreign_context::top, mo::release);  // [CT1]
  return c;
}
static foreign_context& nobodys_group = make_no_group();

foreign_context& no_group() noexcept { return nobodys_group; }

}  // namespace ashlar::inline v1::compat12

namespace tbb::detail::r1 {

using namespace ashlar::compat12;
using ashlar::sched::context;
namespace mo = ashlar::mo;

ASHLAR_EXPORT void capture_fp_settings(d1::task_group_context& c);

ASHLAR_EXPORT void initialize(d1::task_group_context& c) {
  new (c.node_bytes) context(nullptr, nullptr);
  c.exception.store(nullptr, mo::relaxed);
  c.kind.store(nullptr, mo::relaxed);
  c.care.store(fresh, mo::relaxed);
  bool const bound = (c.traits & foreign_context::bound) != 0;
  c.state.store(bound ? foreign_context::unbound : foreign_context::top, mo::release);  // [CT1]
  if (ASHLAR_UNLIKELY((c.traits & foreign_context::own_fp) != 0)) capture_fp_settings(c);
}

ASHLAR_EXPORT void destroy(d1::task_group_context& c) {
  if (ASHLAR_UNLIKELY(c.exception.load(mo::relaxed) != nullptr)) drop_exception(c);
  c.state.store(foreign_context::ended, mo::relaxed);
  c.node().~context();
}

ASHLAR_COLD static void reset_used(d1::task_group_context& c) {
  c.node().reset();
  drop_exception(c);
}
ASHLAR_EXPORT void reset(d1::task_group_context& c) {
  if (ASHLAR_UNLIKELY(c.node().unusual())) reset_used(c);
}

ASHLAR_EXPORT bool cancel_group_execution(d1::task_group_context& c) { return c.node().cancel(); }
ASHLAR_EXPORT bool is_group_execution_cancelled(d1::task_group_context& c) {
  return (c.node().unusual() || context::any_cancelled()) && c.node().is_cancelled();
}

ASHLAR_EXPORT void capture_fp_settings(d1::task_group_context& c) {
  c.fp = ashlar::sched::capture_fp();
  c.traits |= foreign_context::own_fp;
  c.node().set_fp(&c.fp);
}

// The group of the innermost running task, if a foreign program has made it; else the next enclosing one of this
// thread's that has. Of groups of native code there is no object that a foreign program could use.
ASHLAR_EXPORT d1::task_group_context* current_context() {
  ashlar::sched::slot const* const here = ashlar::sched::current_slot;
  if (here == nullptr) return nullptr;
  context const* const group = const_cast<ashlar::sched::slot*>(here)->enclosing_group();
  if (group == nullptr) return nullptr;
  for (running const* r = innermost(); r != nullptr; r = r->outer) {
    for (context const* c = group; c != nullptr; c = c->parent()) {
      if (c == &r->context->node()) return r->context;
    }
  }
  return nullptr;
}

}  // namespace tbb::detail::r1
