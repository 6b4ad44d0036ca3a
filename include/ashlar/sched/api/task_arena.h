// SPDX-License-Identifier: Apache-2.0
// tbb::task_arena: a place for a bounded number of threads to work in, and namespace this_task_arena. Users include
// <tbb/task_arena.h>.
#pragma once

#include <ashlar/sched/arena/arena_handle.h>
#include <ashlar/sched/tasks/task_group.h>

namespace tbb {

ASHLAR_HOME(6)
class task_scheduler_observer;
ASHLAR_HOME_END
ASHLAR_KNOWN_IN(6, task_scheduler_observer)
ASHLAR_HOME(7)

/// An arena of its own: work in it is shared among the threads that are in it, at most max_concurrency at a time. The
/// object holds settings until the first use, which makes the arena; copies copy the settings.
///
/// Threads enter by execute(); workers come when there is work. Where constraints name processors (a NUMA node, core
/// types, threads per core), threads that enter are bound to these, and get their own affinity back when they leave.
/// `reserved_slots` of the places are kept for threads of the application. Arenas of a higher priority get workers
/// first.
///
/// Thread safety: everything but construction, initialize with other settings, terminate and destruction. An arena that
/// is terminated or destroyed while others work in it goes on until they have left and enqueued work is done; a call of
/// this object at the same time is an error of the program. Cost: execute about 10 ns, enqueue about 30 ns,
/// construction and first use about 200 ns.
class task_arena {
 public:
  static constexpr int automatic = ashlar::sched::automatic_setting;  // as many threads as the default arena
  static constexpr int not_initialized =
      ashlar::sched::not_initialized_setting;                           // what current_thread_index may return
  static constexpr int selectable = ashlar::sched::selectable_setting;  // core types of a selector

  enum class priority : int { low = 0, normal = 1, high = 2 };
  // What workers do without work. automatic: they look for it some 20 microseconds long; fast: they leave at once.
  enum class leave_policy : int { automatic = 0, fast = 1 };
  using constraints = ashlar::sched::constraints;
  using attach = tbb::attach;

  task_arena(int max_concurrency = automatic, unsigned reserved_slots = 1, priority p = priority::normal,
             leave_policy leave = leave_policy::automatic)  // NOLINT: implicit, as in oneTBB
      : holder_(make_settings(constraints(automatic, max_concurrency), reserved_slots, p, leave)) {}
  task_arena(constraints const& where, unsigned reserved_slots = 1, priority p = priority::normal,
             leave_policy leave = leave_policy::automatic)  // NOLINT: implicit, as in oneTBB
      : holder_(make_settings(where, reserved_slots, p, leave)) {}
  // On the core types to which the selector, called with (id, index, count) of each of info::core_types(), gives a
  // positive score; on all of them if it likes none. Constraints that name a core type keep it.
  template <typename Selector, typename = std::enable_if_t<!std::is_convertible_v<Selector, unsigned>>>
  task_arena(constraints where, Selector selector, unsigned reserved_slots = 1, priority p = priority::normal,
             leave_policy leave = leave_policy::automatic)
      : task_arena(ashlar::sched::select_core_types(where, selector), reserved_slots, p, leave) {}
  // The arena that the calling thread is in, with all of its settings; a new one, with default settings, if it is in
  // none.
  explicit task_arena(attach) { join_current(); }
  task_arena(task_arena const& other) : holder_(other.holder_.settings_) {}
  task_arena& operator=(task_arena const&) = delete;
  ~task_arena() { terminate(); }

  // Makes the arena now. Throws std::bad_alloc.
  void initialize() { get(); }
  // The same with other settings, if it hasn't been made yet.
  void initialize(int max_concurrency, unsigned reserved_slots = 1, priority p = priority::normal,
                  leave_policy leave = leave_policy::automatic) {
    initialize(constraints(automatic, max_concurrency), reserved_slots, p, leave);
  }
  void initialize(constraints const& where, unsigned reserved_slots = 1, priority p = priority::normal,
                  leave_policy leave = leave_policy::automatic) {
    if (is_active()) return;
    holder_.settings_ = make_settings(where, reserved_slots, p, leave);
    get();
  }
  template <typename Selector, typename = std::enable_if_t<!std::is_convertible_v<Selector, unsigned>>>
  void initialize(constraints where, Selector selector, unsigned reserved_slots = 1, priority p = priority::normal,
                  leave_policy leave = leave_policy::automatic) {
    if (!is_active()) initialize(ashlar::sched::select_core_types(where, selector), reserved_slots, p, leave);
  }
  void initialize(attach) {
    if (is_active()) return;
    join_current();
    get();
  }
  // Gives up the arena; the next use makes another one.
  void terminate() noexcept {
    if (ashlar::sched::arena* const a = holder_.arena_.exchange(nullptr, ashlar::mo::acq_rel)) {  // [J2]
      ashlar::sched::drop_arena(*a);
    }
  }
  bool is_active() const noexcept { return holder_.arena_.load(ashlar::mo::acquire) != nullptr; }  // [J2]

  int max_concurrency() const {
    ashlar::sched::arena* const a = holder_.arena_.load(ashlar::mo::acquire);  // [J2]
    return a != nullptr ? ashlar::sched::arena_concurrency(*a)
                        : ashlar::sched::constrained_concurrency(holder_.settings_.where);
  }

  // Calls f in the arena and returns what it returns; its exception passes. If all places are taken the call waits for
  // one, or for a thread in the arena to call f. Tasks of f neither see the caller's group nor its isolation. Where f
  // waits, this thread runs what was spawned in the arena, and leaves what was enqueued there to workers: that may wait
  // for f.
  template <typename F>
  auto execute(F&& f) -> decltype(std::forward<F>(f)()) {
    return ashlar::sched::call_in_arena(get(), std::forward<F>(f));
  }
  // Leaves a copy of f to the arena and returns: first in, first out, roughly. A worker will call it even if the arena
  // has room for none, and even if the object is gone by then. f must not throw.
  template <typename F>
  void enqueue(F&& f) {
    ashlar::sched::enqueue_function(get(), std::forward<F>(f), 1);
  }
  // Classic: before or after others that wait in the arena.
  template <typename F>
  void enqueue(F&& f, priority_t p) {
    ashlar::sched::enqueue_function(get(), std::forward<F>(f), static_cast<int>(p) - 1);
  }
#if !ASHLAR_CLASSIC_DIALECT
  // A deferred task, which the arena runs once its predecessors are over. The handle is empty afterwards.
  void enqueue(task_handle&& h) { ashlar::sched::enqueue_deferred(get(), h.detach()); }
  // The same for a new task of the group: its wait() includes it and rethrows what f throws.
  template <typename F>
  void enqueue(F&& f, task_group& group) {
    enqueue(group.defer(std::forward<F>(f)));
  }
#endif

  // Waits for the group in the arena, taking part in its work.
  task_group_status wait_for(task_group& group) {
    return execute([&group] { return group.wait(); });
  }
#if !ASHLAR_CLASSIC_DIALECT
  // The same for one task; an exception is left to the group's wait().
  task_group_status wait_for(task_completion_handle& h) {
    return execute([&h] {
      h.node().wait(ashlar::sched::this_slot());
      return h.status();
    });
  }
#endif
  // A series of parallel work is about to come, or is over: until the end, workers wait longer for more. A hint; the
  // calls come in pairs and may be nested.
  class parallel_phase {
   public:
    // Asks for workers to leave as soon as the phase ends. They do so within some 20 microseconds in any case.
    struct end_flag_fast_leave {};
    class flags {
     public:
      template <typename... Tags,
                typename = std::enable_if_t<std::conjunction_v<std::is_same<Tags, end_flag_fast_leave>...>>>
      constexpr flags(Tags...) noexcept {}  // NOLINT: implicit, as in oneTBB
    };

    parallel_phase(task_arena& a, flags = {}) : arena_(&a.get()) { begin(); }  // NOLINT: implicit, as in oneTBB
    // In the arena of the calling thread.
    parallel_phase(tbb::attach, flags = {})  // NOLINT: implicit, as in oneTBB
        : arena_(&ashlar::sched::this_slot().home()) {
      begin();
    }
    parallel_phase(parallel_phase&& other) noexcept : arena_(std::exchange(other.arena_, nullptr)) {}
    parallel_phase& operator=(parallel_phase&& other) noexcept {
      if (this != &other) {
        end();
        arena_ = std::exchange(other.arena_, nullptr);
      }
      return *this;
    }
    ~parallel_phase() { end(); }
    // Ends the phase early.
    void end() noexcept {
      if (arena_ != nullptr) ashlar::sched::end_phase(*std::exchange(arena_, nullptr));
    }

   private:
    void begin() noexcept { ashlar::sched::begin_phase(*arena_); }
    ashlar::sched::arena* arena_;
  };
  // As the construction and the end of a parallel_phase.
  void start_parallel_phase(parallel_phase::flags = {}) { ashlar::sched::begin_phase(get()); }
  void end_parallel_phase(parallel_phase::flags = {}) noexcept {
    if (ashlar::sched::arena* const a = holder_.arena_.load(ashlar::mo::acquire)) ashlar::sched::end_phase(*a);  // [J2]
  }
  // Classic: waits until nobody works in the arena and nothing is left to do there.
  void debug_wait_until_empty() { ashlar::sched::wait_until_empty(get()); }

  // Classic: this_task_arena::current_thread_index().
  static int current_thread_index() noexcept { return ashlar::sched::this_thread_index(); }

 private:
  friend tbb::task_scheduler_observer;
  static ashlar::sched::arena_settings make_settings(constraints const& where, unsigned reserved, priority p,
                                                     leave_policy leave) noexcept {
    ashlar::sched::arena_settings s;
    s.where = where;
    s.reserved = reserved;
    s.priority = static_cast<int>(p);
    s.fast_leave = leave == leave_policy::fast;
    return s;
  }
  void join_current() noexcept {
    ashlar::sched::arena* const a = ashlar::sched::share_current_arena();
    if (a == nullptr) return;
    holder_.settings_ = ashlar::sched::settings_of_arena(*a);
    holder_.arena_.store(a, ashlar::mo::release);  // [J1]
  }
  ASHLAR_ALWAYS_INLINE ashlar::sched::arena& get() { return holder_.get(); }

  ashlar::sched::arena_holder holder_;  // first: classic tasks know no more of an arena than its address
};
static_assert(std::is_standard_layout_v<task_arena>,
              "task::enqueue takes an arena's address for that of its first member");

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(7, task_arena)

// What concerns the arena that the calling thread is in.
namespace this_task_arena {

/// The thread's place in its arena: less than max_concurrency(), and nobody else's at the same time.
/// task_arena::not_initialized for a thread that hasn't used the scheduler.
inline int current_thread_index() noexcept { return ashlar::sched::this_thread_index(); }
/// How many threads can be in the calling thread's arena at a time. The default for a thread that hasn't used the
/// scheduler.
inline int max_concurrency() noexcept { return ashlar::sched::this_arena_concurrency(); }

/// Calls f and returns what it returns. While f waits for its tasks, the thread takes none but those that f and they
/// spawned: a lock that f holds, or thread-local data in use, is not met again in an unrelated task.
template <typename F>
auto isolate(F&& f) -> decltype(std::forward<F>(f)()) {
  ashlar::sched::isolation_scope const scope;
  return std::forward<F>(f)();
}

/// As the task_arena::enqueue of the calling thread's arena, which is the default arena for a thread that is in no
/// other one: f is copied, starts even if nobody waits, and must not throw; a deferred task starts once its
/// predecessors are over; with a group, its wait() includes f and rethrows what f throws. About 30 ns.
template <typename F>
void enqueue(F&& f) {
  ashlar::sched::enqueue_function(ashlar::sched::this_slot().home(), std::forward<F>(f), 1);
}
#if !ASHLAR_CLASSIC_DIALECT
inline void enqueue(task_handle&& h) { ashlar::sched::enqueue_deferred(ashlar::sched::this_slot().home(), h.detach()); }
template <typename F>
void enqueue(F&& f, task_group& group) {
  enqueue(group.defer(std::forward<F>(f)));
}
#endif

/// A parallel phase of the calling thread's arena, as task_arena::parallel_phase: until its end, workers wait longer
/// for more work. A hint; the calls come in pairs and may be nested.
inline void start_parallel_phase(task_arena::parallel_phase::flags = {}) {
  ashlar::sched::begin_phase(ashlar::sched::this_slot().home());
}
inline void end_parallel_phase(task_arena::parallel_phase::flags = {}) {
  ashlar::sched::end_phase(ashlar::sched::this_slot().home());
}

}  // namespace this_task_arena

}  // namespace tbb
