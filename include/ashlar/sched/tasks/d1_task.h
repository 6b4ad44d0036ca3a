// SPDX-License-Identifier: Apache-2.0
// oneTBB's inner task interface, tbb::detail::d1::task and what belongs to it: private by its documentation, but
// libstdc++'s parallel algorithms and some programs are written for it. The names and meanings are oneTBB's.
//
// Threads    a task belongs to whoever made it until it is spawned, then to the thread that runs it; it may destroy
//            itself in execute() or cancel(). Nothing of it, of its context or of the wait_context is touched after
//            that.
// Cost       a task that nobody steals: the deque's locked instruction, and what the task itself counts.
#pragma once

#include <ashlar/base/assert.h>
#include <ashlar/sched/queue/task_pool.h>
#include <ashlar/sched/tasks/task_group_context.h>
#include <ashlar/sched/tasks/wait_count.h>

#include <new>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace sched {

struct d1_dispatch;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar

namespace tbb {
namespace detail {
namespace d1 {
inline namespace ashlar_v1 {

using slot_id = unsigned short;
inline constexpr slot_id no_slot = static_cast<slot_id>(~0);
inline constexpr slot_id any_slot = static_cast<slot_id>(~1);

/// What a task is told about its execution.
struct execution_data {
  task_group_context* context = nullptr;
  slot_id original_slot = no_slot;  // where the task was spawned
  slot_id affinity_slot = no_slot;  // where it was asked to run
};

/// How many references there are to work that somebody waits for.
class wait_context {
 public:
  explicit wait_context(std::uint32_t references) noexcept : count_(references) {}
  wait_context(wait_context const&) = delete;
  ~wait_context() { ASHLAR_ASSERT(!continue_execution(), "a wait_context ends while it is referred to"); }

  bool continue_execution() const noexcept { return count_.busy(); }
  unsigned reference_count() const noexcept { return static_cast<unsigned>(count_.value()); }
  void reserve(std::uint32_t n = 1) noexcept { count_.reserve(n); }
  /// The object may be gone when this returns.
  void release(std::uint32_t n = 1) noexcept { count_.release(n); }

 private:
  friend struct ashlar::sched::d1_dispatch;
  ashlar::sched::wait_count count_;
};

/// A unit of work. execute() or, if its group is cancelled, cancel() is called once, and returns the task that runs
/// next on the same thread in the same group, or null. When execute() throws, the exception is the group's, and
/// cancel() is called.
class alignas(64) task {
 public:
  task() noexcept : link_(*this) {}
  // A copy is a task of its own, which is not spawned; so a container may hold tasks until they are.
  task(task const&) noexcept : task() {}
  task& operator=(task const&) noexcept { return *this; }
  virtual ~task() = default;
  virtual task* execute(execution_data&) = 0;
  virtual task* cancel(execution_data&) = 0;

 private:
  friend struct ashlar::sched::d1_dispatch;
  struct link : ashlar::sched::job {
    explicit link(task& owner) noexcept : job{nullptr}, self(&owner) {}
    task* self;
    task_group_context* context = nullptr;
    slot_id spawner = no_slot;
    slot_id affinity = no_slot;
  };
  link link_;
};

/// Memory for tasks from the calling thread's pool. The allocator that made an object, or a copy of it, frees it, on
/// any thread.
class small_object_allocator {
 public:
  template <typename T, typename... Args>
  T* new_object(Args&&... args) {
    static_assert(alignof(T) <= ashlar::sched::task_pool::granule, "tasks are aligned to a cache line at most");
    void* const place = ashlar::sched::this_slot().pool().allocate(sizeof(T), pool_);
    ASHLAR_TRY { return new (place) T(std::forward<Args>(args)...); }
    ASHLAR_CATCH_ALL {
      deallocate(static_cast<T*>(place));
      ASHLAR_RETHROW;
    }
    return nullptr;
  }
  template <typename T, typename... Args>
  T* new_object(execution_data&, Args&&... args) {
    return new_object<T>(std::forward<Args>(args)...);
  }
  template <typename T>
  void delete_object(T* object) noexcept {
    small_object_allocator const copy = *this;  // this allocator may be part of the object
    object->~T();
    copy.deallocate(object);
  }
  template <typename T>
  void delete_object(T* object, execution_data const&) noexcept {
    delete_object(object);
  }
  template <typename T>
  void deallocate(T* place) const noexcept {
    ashlar::sched::this_slot().pool().release(place, sizeof(T), pool_);
  }
  template <typename T>
  void deallocate(T* place, execution_data const&) const noexcept {
    deallocate(place);
  }

 private:
  ashlar::sched::task_pool* pool_ = nullptr;
};

}  // namespace ashlar_v1
}  // namespace d1
}  // namespace detail
}  // namespace tbb

namespace ashlar {
inline namespace v1 {
namespace sched {

/// Throws std::bad_alloc; then the task is still the caller's.
ASHLAR_EXPORT void spawn_d1(tbb::detail::d1::task& t, tbb::task_group_context& group,
                            tbb::detail::d1::slot_id affinity);
/// Runs the task (may be null), then other work until the count is zero. Rethrows the exception of `waiting`.
ASHLAR_EXPORT void wait_d1(tbb::detail::d1::task* first, tbb::task_group_context* group,
                           tbb::detail::d1::wait_context& count, tbb::task_group_context& waiting);
ASHLAR_EXPORT tbb::detail::d1::slot_id current_slot_index() noexcept;
ASHLAR_EXPORT tbb::detail::d1::task* current_d1_task() noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar

namespace tbb {
namespace detail {
namespace d1 {
inline namespace ashlar_v1 {

inline void spawn(task& t, task_group_context& group) { ashlar::sched::spawn_d1(t, group, no_slot); }
/// Preferably on the thread in the given slot.
inline void spawn(task& t, task_group_context& group, slot_id where) { ashlar::sched::spawn_d1(t, group, where); }
inline void execute_and_wait(task& t, task_group_context& group, wait_context& count, task_group_context& waiting) {
  ashlar::sched::wait_d1(&t, &group, count, waiting);
}
inline void wait(wait_context& count, task_group_context& waiting) {
  ashlar::sched::wait_d1(nullptr, nullptr, count, waiting);
}

/// Index of the calling thread's slot; no_slot before its first use of the library.
inline slot_id execution_slot(execution_data const&) noexcept { return ashlar::sched::current_slot_index(); }
inline slot_id original_slot(execution_data const& ed) noexcept { return ed.original_slot; }
inline task_group_context* current_context() noexcept {
  ashlar::sched::slot* const s = ashlar::sched::current_slot;
  return s == nullptr || s->in_no_task() ? nullptr : &s->group().facade();
}
inline bool is_stolen(execution_data const& ed) noexcept { return original_slot(ed) != execution_slot(ed); }
inline bool is_same_affinity(execution_data const& ed) noexcept {
  return ed.affinity_slot == no_slot || ed.affinity_slot == execution_slot(ed);
}
/// The innermost running d1::task, or null.
inline task* current_task_ptr() noexcept { return ashlar::sched::current_d1_task(); }

}  // namespace ashlar_v1
}  // namespace d1
}  // namespace detail
}  // namespace tbb
