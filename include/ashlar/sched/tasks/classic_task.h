// SPDX-License-Identifier: Apache-2.0
// tbb::task: the low-level task interface of classic TBB (2007 paper; removed in oneTBB), and the names that oneTBB
// puts into a namespace of the same name, as static members. Users include <tbb/task.h>.
//
// Threads    a task belongs to the thread that made it until it is spawned, then to the one that runs it. Members that
//            any thread may call at any time say so.
#pragma once

#include <ashlar/base/assert.h>
#include <ashlar/sched/tasks/classic_prefix.h>

#include <cstddef>

namespace tbb {

class task_list;
ASHLAR_HOME(7)
class task_arena;
ASHLAR_HOME_END
ASHLAR_KNOWN_IN(7, task_arena)

namespace internal {

using reference_count = std::intptr_t;
using affinity_id = unsigned short;

/// What allocate_… returns: where and as what `new (…) T` makes the task. free() undoes the allocation, after T's
/// constructor has thrown.
struct allocate_root_proxy {
  ashlar::sched::context* group;  // null: that of the running task
  void* allocate(std::size_t size) const;
  void free(void* object) const noexcept;
};
/// A type of its own: classes overload operator new for it.
struct allocate_root_with_context_proxy : allocate_root_proxy {};
struct allocate_child_proxy {
  ashlar::sched::task_prefix* parent;
  void* allocate(std::size_t size) const;
  void free(void* object) const noexcept;
};
struct allocate_continuation_proxy {
  ashlar::sched::task_prefix* replaced;
  void* allocate(std::size_t size) const;
  void free(void* object) const noexcept;
};
struct allocate_additional_child_of_proxy {
  ashlar::sched::task_prefix* parent;
  void* allocate(std::size_t size) const;
  void free(void* object) const noexcept;
};

}  // namespace internal

/// A unit of work. A user's class derives from it (as the first base), overrides execute(), is made with
/// `new (task::allocate_…()) T(…)`, and is destroyed by the scheduler after execute() has run.
///
/// A task's reference count says how many children it waits for. In the blocking style the parent sets it to the
/// number of children plus one, and wait_for_all() returns when it is 1. In the continuation style it is the exact
/// number of children of a task that has not been spawned; the last child to finish makes that task run.
///
/// The task that execute() returns runs next, on the same thread (scheduler bypass, 2007 paper); it must not have been
/// spawned.
///
/// An exception that leaves execute() cancels the task's group and is rethrown, the first one only, by each wait of
/// that group that is under way, outwards, last by the one on its root. Tasks of a cancelled group are destroyed
/// without having run; counts go on as if they had.
class task {
 public:
  enum state_type { executing, reexecute, ready, allocated, freed, recycle, to_enqueue, to_resume };
  using affinity_id = internal::affinity_id;

  /// oneTBB: what suspend() hands to its function and resume() takes.
  using suspend_point = struct suspend_point_type*;

  virtual ~task() = default;
  task(task const&) = delete;
  task& operator=(task const&) = delete;

  /// The task's work. Returns the task to run next, or null.
  virtual task* execute() = 0;
  /// Called before execute() if the task was stolen, or has an affinity and runs elsewhere; `id` may be given to
  /// set_affinity() of a task that shall run on the same thread later.
  virtual void note_affinity(affinity_id id) { static_cast<void>(id); }

  // ---- making tasks. Each throws std::bad_alloc.
  // A task without a parent, in the group of the running task or in the given one.
  static internal::allocate_root_proxy allocate_root() noexcept { return {nullptr}; }
  static internal::allocate_root_with_context_proxy allocate_root(task_group_context& group) {
    return {{&group.use(ashlar::sched::this_slot())}};
  }
  /// A child of this task. Doesn't count it: set_ref_count does.
  internal::allocate_child_proxy allocate_child() noexcept { return {&prefix()}; }
  /// A task that takes this one's place in front of its parent; this one has no parent any more, so no wait includes
  /// its destruction.
  internal::allocate_continuation_proxy allocate_continuation() noexcept { return {&prefix()}; }
  /// A child of `parent`, counted at once. Any thread, while the count of the parent can't reach its goal.
  static internal::allocate_additional_child_of_proxy allocate_additional_child_of(task& parent) noexcept {
    return {&parent.prefix()};
  }
  /// Destroys a task that was not spawned; its parent's count goes down, which wakes a waiter but runs nothing.
  static void destroy(task& victim);

  // ---- keeping the task beyond its execute(); to be called by execute(). At most one of them.
  // The task will run again when its count reaches 0. That must not happen before execute() has returned: return a
  // child.
  void recycle_as_continuation() noexcept { keep(allocated); }
  /// The same without that danger: the count holds one more, which goes when execute() returns.
  void recycle_as_safe_continuation() noexcept { keep(recycle); }
  /// The task becomes a child of `new_parent`, which has counted it; return it.
  void recycle_as_child_of(task& new_parent) noexcept {
    ashlar::sched::task_prefix& p = prefix();
    ASHLAR_ASSERT(p.state == executing || p.state == allocated, "execute() isn't running, or it's recycled already");
    ASHLAR_ASSERT(p.count() == 0, "a task with children can't become a child");
    ASHLAR_ASSERT(p.parent == nullptr, "the task still has a parent: give it to a continuation first");
    p.state = allocated;
    p.parent = &new_parent.prefix();
    p.group = p.parent->group;
    p.depth = p.parent->depth + 1;
  }
  /// The task is spawned again when execute() has returned, behind the task that it returns.
  void recycle_to_reexecute() noexcept { keep(reexecute); }
  /// As recycle_as_safe_continuation, but the task is enqueued instead of spawned.
  void recycle_to_enqueue() noexcept { keep(to_enqueue); }

  // ---- the reference count
  void set_ref_count(int count) noexcept {
    ASHLAR_ASSERT(count >= 0, "a reference count can't be negative");
    prefix().references.store(count, ashlar::mo::relaxed);
  }
  /// Any thread.
  void increment_ref_count() noexcept { prefix().references.fetch_add(1, ashlar::mo::acquire); }  // [K2]
  /// Any thread. Returns the new count. A waiter is woken if it is 1; a continuation whose count becomes 0 is not run.
  int add_ref_count(int count) noexcept {
    ashlar::sched::task_prefix& p = prefix();
    std::int64_t const left = p.references.fetch_add(count, ashlar::mo::acq_rel) + count;  // [K1]
    if (ASHLAR_UNLIKELY(left < 0)) ashlar::sched::notify_waiter(p, left);
    return ashlar::sched::task_prefix::count_of(left);
  }
  int decrement_ref_count() noexcept { return add_ref_count(-1); }
  int ref_count() const noexcept { return prefix().count(); }

  // ---- running tasks. The static ones may be called as members, too. Spawning throws std::bad_alloc when the
  // deque can't grow; then the task is still the caller's.
  // Makes the task available to the threads of the arena; this thread takes its newest first, thieves the oldest.
  static void spawn(task& t) { ashlar::sched::spawn_classic(ashlar::sched::this_slot(), t.prefix(), ready); }
  /// All tasks of the list, which is empty afterwards; the first one is this thread's next.
  static void spawn(task_list& list);
  /// Runs other tasks until the count is 1, then sets it to 0 (unless the group's traits have concurrent_wait).
  /// Rethrows the exception of this task's group.
  void wait_for_all() {
    ashlar::sched::wait_for_children(prefix(), nullptr);
    ashlar::tsan::acquire(&prefix());
  }
  /// spawn and wait_for_all in one; the (first) child needs no deque.
  void spawn_and_wait_for_all(task& child) {
    ashlar::tsan::release(&child.prefix());
    ashlar::sched::wait_for_children(prefix(), &child.prefix());
    ashlar::tsan::acquire(&prefix());
  }
  void spawn_and_wait_for_all(task_list& list);
  /// Runs a task made by allocate_root and waits until it and its descendants are over.
  static void spawn_root_and_wait(task& root) { ashlar::sched::run_root_and_wait(root.prefix()); }
  static void spawn_root_and_wait(task_list& roots);
  /// Hands the task to the arena: the tasks of one priority run in this order, even if the caller never waits.
  /// Without a priority, with that of its group.
  static void enqueue(task& t) { enqueue(t, static_cast<priority_t>(t.prefix().group->priority())); }
  static void enqueue(task& t, priority_t priority) {
    t.prefix().state = ready;
    ashlar::tsan::release(&t.prefix());
    ashlar::sched::enqueue_classic(t.prefix(), static_cast<int>(priority) - static_cast<int>(priority_low));
  }
  /// The same in another arena.
  static void enqueue(task& t, task_arena& where) {
    enqueue(t, where, static_cast<priority_t>(t.prefix().group->priority()));
  }
  static void enqueue(task& t, task_arena& where, priority_t priority) {
    t.prefix().state = ready;
    ashlar::tsan::release(&t.prefix());
    // The class need not be complete here; what the scheduler knows of an arena is its first member.
    auto& held = reinterpret_cast<ashlar::sched::arena_holder&>(where);
    ashlar::sched::enqueue_classic(t.prefix(), held, static_cast<int>(priority) - static_cast<int>(priority_low));
  }

  // ---- asking
  // The innermost running task of the calling thread. In the body of a library algorithm, and outside of any task, a
  // dummy task that tells the group; nothing can wait for its children.
  static task& self() { return object_of(ashlar::sched::running_task(ashlar::sched::this_slot())); }
  task* parent() const noexcept {
    ashlar::sched::task_prefix* const p = prefix().parent;
    return p != nullptr ? &object_of(*p) : nullptr;
  }
  void set_parent(task* parent) noexcept { prefix().parent = parent != nullptr ? &parent->prefix() : nullptr; }
  bool is_stolen_task() const noexcept { return (prefix().flags & ashlar::sched::task_prefix::stolen) != 0; }
  bool is_enqueued_task() const noexcept { return (prefix().flags & ashlar::sched::task_prefix::enqueued) != 0; }
  state_type state() const noexcept { return static_cast<state_type>(prefix().state); }
  /// Always true, as since TBB 3.0: any thread may spawn a task.
  bool is_owned_by_current_thread() const noexcept { return true; }

  // ---- the group
  task_group_context* group() { return &prefix().group->facade(); }
  task_group_context* context() { return group(); }
  /// Moves the task, which has not been spawned, to another group.
  void change_group(task_group_context& group) {
    prefix().group = &group.use(ashlar::sched::this_slot());
    if (ashlar::sched::context::priorities_used()) prefix().flags |= ashlar::sched::task_prefix::foreign;
  }
  /// True for the one call that cancelled the group. Any thread.
  bool cancel_group_execution() noexcept { return prefix().group->cancel(); }
  bool is_cancelled() const noexcept { return prefix().group->is_cancelled(); }
  void set_group_priority(priority_t p) { group()->set_priority(p); }
  priority_t group_priority() const { return static_cast<priority_t>(prefix().group->priority()); }

  // ---- affinity: 0 is none, else a number that note_affinity() told. A hint: the task runs elsewhere if that thread
  // is busy.
  void set_affinity(affinity_id id) noexcept { prefix().affinity = id; }
  affinity_id affinity() const noexcept { return prefix().affinity; }

  // ---- depth in the task tree: one more than the parent's unless set. The wait policy `depth` obeys it.
  using depth_type = int;
  depth_type depth() const noexcept { return static_cast<depth_type>(prefix().depth); }
  void set_depth(depth_type depth) noexcept { prefix().depth = static_cast<std::uint32_t>(depth); }
  void add_to_depth(int delta) noexcept { prefix().depth += static_cast<std::uint32_t>(delta); }

  // ---- oneTBB
  template <typename F>
  static void suspend(F f);
  static void resume(suspend_point where);
  /// The group of the running task or algorithm; null outside of any.
  static task_group_context* current_context() {
    ashlar::sched::slot* const s = ashlar::sched::current_slot;
    if (s == nullptr || (s->in_no_task() && s->task() == nullptr)) return nullptr;
    return &s->group().facade();
  }

 protected:
  task() noexcept = default;

 private:
  friend class task_list;
  ashlar::sched::task_prefix& prefix() const noexcept {
    return reinterpret_cast<ashlar::sched::task_prefix*>(const_cast<task*>(this))[-1];
  }
  static task& object_of(ashlar::sched::task_prefix& p) noexcept { return p.object(); }
  void keep(state_type s) noexcept {
    ASHLAR_ASSERT(prefix().state == executing, "execute() isn't running, or the task is recycled already");
    prefix().state = s;
  }
};

/// A task that does nothing: a parent to wait on, or a join point.
class empty_task : public task {
  task* execute() override { return nullptr; }
};

/// Tasks to be spawned together. The list doesn't own them: what it still holds at its end is not destroyed.
class task_list {
 public:
  task_list() noexcept = default;
  task_list(task_list const&) = delete;
  task_list& operator=(task_list const&) = delete;

  bool empty() const noexcept { return first_ == nullptr; }
  void push_back(task& t) noexcept {
    t.prefix().next = nullptr;
    *end_ = &t.prefix();
    end_ = &t.prefix().next;
  }
  void push_front(task& t) noexcept {
    if (empty()) return push_back(t);
    t.prefix().next = first_;
    first_ = &t.prefix();
  }
  /// The list must not be empty.
  task& pop_front() noexcept {
    ASHLAR_ASSERT(!empty(), "pop_front of an empty task_list");
    ashlar::sched::task_prefix& p = *first_;
    first_ = p.next;
    if (first_ == nullptr) end_ = &first_;
    return p.object();
  }
  /// Forgets the tasks.
  void clear() noexcept {
    first_ = nullptr;
    end_ = &first_;
  }

 private:
  friend class task;
  int size() const noexcept {
    int n = 0;
    for (ashlar::sched::task_prefix* p = first_; p != nullptr; p = p->next) ++n;
    return n;
  }
  ashlar::sched::task_prefix* first_ = nullptr;
  ashlar::sched::task_prefix** end_ = &first_;
};

inline void task::destroy(task& victim) {
  ashlar::sched::task_prefix& p = victim.prefix();
  ASHLAR_ASSERT(p.count() <= 1, "a task with children can't be destroyed");
  ashlar::sched::task_prefix* const parent = p.parent;
  victim.~task();
  ashlar::sched::release_task(ashlar::sched::this_slot(), p);
  if (parent != nullptr) parent->object().decrement_ref_count();
}

inline void task::spawn(task_list& list) { ashlar::sched::spawn_list(list.first_, list.end_); }

inline void task::spawn_and_wait_for_all(task_list& list) {
  if (list.empty()) return wait_for_all();
  task& first = list.pop_front();
  spawn(list);
  spawn_and_wait_for_all(first);
}

inline void task::spawn_root_and_wait(task_list& roots) {
  if (roots.empty()) return;
  int const n = roots.size();
  ashlar::sched::task_prefix& first = *roots.first_;
  roots.clear();
  ashlar::sched::run_roots_and_wait(first, n);
}

namespace internal {

ASHLAR_ALWAYS_INLINE void* allocate_root_proxy::allocate(std::size_t size) const {
  ashlar::sched::slot& s = ashlar::sched::this_slot();
  void* const object = ashlar::sched::allocate_task(s, size, nullptr, group != nullptr ? group : &s.group(),
                                                    ashlar::sched::depth_of(s.child_key()), task::allocated);
  if (group != nullptr && ASHLAR_UNLIKELY(ashlar::sched::context::priorities_used())) {
    ashlar::sched::prefix_of(object).flags = ashlar::sched::task_prefix::foreign;
  }
  return object;
}
inline void allocate_root_proxy::free(void* object) const noexcept {
  ashlar::sched::release_task(ashlar::sched::this_slot(), ashlar::sched::prefix_of(object));
}

ASHLAR_ALWAYS_INLINE void* allocate_child_proxy::allocate(std::size_t size) const {
  return ashlar::sched::allocate_task(ashlar::sched::this_slot(), size, parent, parent->group, parent->depth + 1,
                                      task::allocated);
}
inline void allocate_child_proxy::free(void* object) const noexcept {
  ashlar::sched::release_task(ashlar::sched::this_slot(), ashlar::sched::prefix_of(object));
}

ASHLAR_ALWAYS_INLINE void* allocate_continuation_proxy::allocate(std::size_t size) const {
  void* const object = ashlar::sched::allocate_task(ashlar::sched::this_slot(), size, replaced->parent, replaced->group,
                                                    replaced->depth, task::allocated);
  replaced->parent = nullptr;
  return object;
}
inline void allocate_continuation_proxy::free(void* object) const noexcept {
  ashlar::sched::task_prefix& p = ashlar::sched::prefix_of(object);
  replaced->parent = p.parent;
  ashlar::sched::release_task(ashlar::sched::this_slot(), p);
}

inline void* allocate_additional_child_of_proxy::allocate(std::size_t size) const {
  void* const object = ashlar::sched::allocate_task(ashlar::sched::this_slot(), size, parent, parent->group,
                                                    parent->depth + 1, task::allocated);
  parent->references.fetch_add(1, ashlar::mo::relaxed);
  return object;
}
inline void allocate_additional_child_of_proxy::free(void* object) const noexcept {
  ashlar::sched::release_task(ashlar::sched::this_slot(), ashlar::sched::prefix_of(object));
  parent->object().decrement_ref_count();
}

}  // namespace internal
}  // namespace tbb

inline void* operator new(std::size_t size, tbb::internal::allocate_root_proxy const& p) { return p.allocate(size); }
inline void operator delete(void* object, tbb::internal::allocate_root_proxy const& p) noexcept { p.free(object); }
inline void* operator new(std::size_t size, tbb::internal::allocate_child_proxy const& p) { return p.allocate(size); }
inline void operator delete(void* object, tbb::internal::allocate_child_proxy const& p) noexcept { p.free(object); }
inline void* operator new(std::size_t size, tbb::internal::allocate_continuation_proxy const& p) {
  return p.allocate(size);
}
inline void operator delete(void* object, tbb::internal::allocate_continuation_proxy const& p) noexcept {
  p.free(object);
}
inline void* operator new(std::size_t size, tbb::internal::allocate_additional_child_of_proxy const& p) {
  return p.allocate(size);
}
inline void operator delete(void* object, tbb::internal::allocate_additional_child_of_proxy const& p) noexcept {
  p.free(object);
}
