// SPDX-License-Identifier: Apache-2.0
// tbb::task_scheduler_observer: callbacks when threads enter and leave arenas. Users include
// <tbb/task_scheduler_observer.h>.
#pragma once

#include <ashlar/sched/api/task_arena.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

struct observer_record;
/// What to call for an observer when a thread enters (or leaves), and whether that is a worker.
using observer_call = void (*)(void* observer, bool enters, bool worker) noexcept;
/// Calls it for threads that enter or leave the arena from now on (null: for every thread that uses the scheduler), and
/// for the calling thread if it is there. Throws std::bad_alloc.
ASHLAR_EXPORT observer_record* start_observing(void* who, arena* where, observer_call call);
/// Waits for calls that are under way in other threads.
ASHLAR_EXPORT void stop_observing(observer_record* r) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar

namespace tbb {
ASHLAR_HOME(6)

/// Derive from it, and call observe(true) to be told of threads. on_scheduler_entry is called by a thread that enters
/// the arena, and before its first task if it was there already; on_scheduler_exit when it leaves, in the order of
/// activation. An exception that leaves a callback ends the process.
///
/// Which arena: the one given, or the one of the thread that calls observe(true). With the classic dialect (and by the
/// constructor from `false`) a default-constructed observer is told of every thread, once in its life, whatever the
/// arena. Thread safety: observe may be called by any thread, by one at a time. A derived class calls observe(false) in
/// its destructor: afterwards no callback runs or will run.
class task_scheduler_observer {
 public:
  // Two functions for the two dialects, as the linker would merge one of a name.
  template <bool Everywhere = ASHLAR_CLASSIC_DIALECT != 0>
  task_scheduler_observer() noexcept : everywhere_(Everywhere) {}
  explicit task_scheduler_observer(task_arena& a) noexcept : place_(&a) {}
  // Classic: true for the arena of the thread that calls observe(true), false for all threads.
  explicit task_scheduler_observer(bool local) noexcept : everywhere_(!local) {}
  task_scheduler_observer(task_scheduler_observer const&) = delete;
  task_scheduler_observer& operator=(task_scheduler_observer const&) = delete;
  virtual ~task_scheduler_observer() { observe(false); }

  virtual void on_scheduler_entry(bool /*is_worker*/) {}
  virtual void on_scheduler_exit(bool /*is_worker*/) {}

  void observe(bool on = true) {
    ashlar::sched::observer_record* const r = record_.load(ashlar::mo::relaxed);
    if (on == (r != nullptr)) return;
    if (!on) {
      record_.store(nullptr, ashlar::mo::relaxed);
      return ashlar::sched::stop_observing(r);
    }
    record_.store(ashlar::sched::start_observing(this, where(), &call), ashlar::mo::relaxed);
  }
  bool is_observing() const noexcept { return record_.load(ashlar::mo::relaxed) != nullptr; }

 private:
  static void call(void* self, bool enters, bool worker) noexcept {
    auto& o = *static_cast<task_scheduler_observer*>(self);
    enters ? o.on_scheduler_entry(worker) : o.on_scheduler_exit(worker);
  }
  ashlar::sched::arena* where() {
    if (everywhere_) return nullptr;
    return place_ != nullptr ? &place_->get() : &ashlar::sched::this_slot().home();
  }

  task_arena* place_ = nullptr;
  bool everywhere_ = false;
  ashlar::atomic<ashlar::sched::observer_record*> record_{nullptr};
};

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(6, task_scheduler_observer)

}  // namespace tbb
