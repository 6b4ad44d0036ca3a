// SPDX-License-Identifier: Apache-2.0
// What tbb::task_arena calls: entering an arena, leaving work to it, and references to it. The arena itself is private
// to the library.
#pragma once

#include <ashlar/sched/arena/arena_settings.h>
#include <ashlar/sched/core/own_jobs.h>

#include <new>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace sched {

class wait_target;

// A reference to an arena. Each is given back by drop_arena. Throw std::bad_alloc.
ASHLAR_EXPORT arena& make_arena(arena_settings const& settings);
// From now on so many threads may work at once, if they are more than by default, unless the program limits them.
ASHLAR_EXPORT void request_threads(unsigned threads);
// The arena that the calling thread is in, or null.
ASHLAR_EXPORT arena* share_current_arena() noexcept;
// Jobs that are left in the arena run all the same.
ASHLAR_EXPORT void drop_arena(arena& a) noexcept;
// As the calling thread sees it: a worker that has come to a full arena for what was enqueued there counts itself.
ASHLAR_EXPORT int arena_concurrency(arena const& a) noexcept;
ASHLAR_EXPORT unsigned arena_reserved(arena const& a) noexcept;
ASHLAR_EXPORT int arena_priority(arena const& a) noexcept;
// With which another arena of the same kind can be made.
ASHLAR_EXPORT arena_settings settings_of_arena(arena const& a) noexcept;
// Of the calling thread: without an arena the default concurrency, and not_initialized_setting.
ASHLAR_EXPORT int this_arena_concurrency() noexcept;
ASHLAR_EXPORT int this_thread_index() noexcept;
// Parallel phases: in one, workers that find no work stay longer (a millisecond); without one they leave within some
// 20 microseconds. An end without a beginning does nothing.
ASHLAR_EXPORT void begin_phase(arena& a) noexcept;
ASHLAR_EXPORT void end_phase(arena& a) noexcept;
// Waits until no worker is in the arena and nothing is left to do. No worker comes before there is work again.
ASHLAR_EXPORT void wait_until_empty(arena& a);

// A thread's stay in an arena: its slot there and what it comes back to. In the arena that the thread is in already it
// keeps its slot, and leaves its group and its isolation for the time.
class arena_visit {
 public:
  explicit arena_visit(arena& a) : inside_(enter(a)) {
    if (inside_) tsan::acquire(current_slot);
  }
  ~arena_visit() {
    tsan::release(current_slot);
    if (ASHLAR_LIKELY(inside_)) leave();
  }
  arena_visit(arena_visit const&) = delete;
  arena_visit& operator=(arena_visit const&) = delete;
  // False: the arena is full.
  bool inside() const noexcept { return inside_; }

 private:
  // Throws std::bad_alloc at a thread's first use of the library.
  ASHLAR_EXPORT bool enter(arena& a);
  ASHLAR_EXPORT void leave() noexcept;
  bool enter_again(arena& a, thread_data& t, fp_settings const& words) noexcept;
  void take_words_of(arena const& a, fp_settings const& words) noexcept;
  void begin_call() noexcept {
    outer_call_ = slot_->call();
    slot_->begin_call(&call_);
  }

  slot* outer_;
  slot* slot_;
  // The words to go back to. Other arena: if this one is bound, the arena that the thread was bound to. Own arena: the
  // running task and what the slot knew of the words.
  fp_settings outer_fp_;  // if other_fp_
  arena const* outer_bound_;
  bool other_fp_;
  bool again_;           // the slot is the thread's from before: it stays there
  bool outer_function_;  // it was in a function there
  slot::frame outer_frame_;
  arena_call call_;
  arena_call const* outer_call_;  // the slot's before
  bool const inside_;
};

// What a tbb::task_arena holds: settings until the first use, which makes the arena.
class arena_holder {
 public:
  arena_holder() noexcept = default;
  explicit arena_holder(arena_settings const& s) noexcept : settings_(s) {}
  arena_holder(arena_holder const&) = delete;
  arena_holder& operator=(arena_holder const&) = delete;

  ASHLAR_ALWAYS_INLINE arena& get() {
    arena* const a = arena_.load(mo::acquire);  // [J2]
    return ASHLAR_LIKELY(a != nullptr) ? *a : make();
  }

  arena_settings settings_;
  // [J1] make: the arena's contents, release -> [J2] use: acquire
  atomic<arena*> arena_{nullptr};

 private:
  ASHLAR_COLD arena& make() {
    arena* const fresh = &make_arena(settings_);
    arena* expected = nullptr;
    if (arena_.compare_exchange(expected, fresh, mo::acq_rel, mo::acquire)) return *fresh;  // [J1] [J2]
    drop_arena(*fresh);
    return *expected;
  }
};

// Calls the function in the arena, in which there is no free slot at the moment: on the thread that has one first, or
// on the calling thread when one becomes free. Rethrows what the function throws.
ASHLAR_EXPORT void call_in_full_arena(arena& a, void (*call)(void*), void* function);
// The same, but when `instead` is done before anybody has begun with the call, it isn't made: false. The calling thread
// sleeps under instead.address as well.
ASHLAR_EXPORT bool call_in_full_arena_unless(wait_target const& instead, arena& a, void (*call)(void*), void* function);

// Where a function that another thread calls leaves its result.
template <typename Result>
class result_place {
 public:
  result_place() noexcept {}
  result_place(result_place const&) = delete;
  result_place& operator=(result_place const&) = delete;
  ~result_place() {
    if (full_) value_.~Result();
  }
  template <typename F>
  void fill(F& f) {
    ::new (static_cast<void*>(std::addressof(value_))) Result(std::forward<F>(f)());
    full_ = true;
  }
  Result take() { return std::move(value_); }

 private:
  union {
    Result value_;
  };
  bool full_ = false;
};
template <typename Result>
class result_place<Result&> {
 public:
  template <typename F>
  void fill(F& f) {
    value_ = std::addressof(std::forward<F>(f)());
  }
  Result& take() { return *value_; }

 private:
  Result* value_ = nullptr;
};
template <typename Result>
class result_place<Result&&> {
 public:
  template <typename F>
  void fill(F& f) {
    Result&& value = std::forward<F>(f)();
    value_ = std::addressof(value);
  }
  Result&& take() { return static_cast<Result&&>(*value_); }

 private:
  Result* value_ = nullptr;
};

template <typename F, typename Result>
struct delegated_call {
  F* function;
  result_place<Result> place;
  static void call(void* self) {
    auto& c = *static_cast<delegated_call*>(self);
    c.place.fill(*c.function);
  }
};
template <typename F>
struct delegated_call<F, void> {
  F* function;
  static void call(void* self) { std::forward<F> (*static_cast<delegated_call*>(self)->function)(); }
};

// Calls f in the arena.
template <typename F>
auto call_in_arena(arena& a, F&& f) -> decltype(std::forward<F>(f)()) {
  using result = decltype(std::forward<F>(f)());
  using function = std::remove_reference_t<F>;
  {
    arena_visit const visit(a);
    if (ASHLAR_LIKELY(visit.inside())) return std::forward<F>(f)();
  }
  delegated_call<function, result> c{};
  c.function = std::addressof(f);
  sched::call_in_full_arena(a, &delegated_call<function, result>::call, &c);
  if constexpr (!std::is_void_v<result>) return c.place.take();
}

// The same, but in a full arena f is not called when `instead` is done before anybody has begun with it: false.
template <typename F>
bool call_in_arena_unless(wait_target const& instead, arena& a, F& f) {
  {
    arena_visit const visit(a);
    if (ASHLAR_LIKELY(visit.inside())) {
      f();
      return true;
    }
  }
  return call_in_full_arena_unless(
      instead, a, [](void* function) { (*static_cast<F*>(function))(); },
      const_cast<void*>(static_cast<void const volatile*>(std::addressof(f))));
}

// Leaves a job to the arena: first in, first out within one priority (0 low, 1 normal, 2 high), run by whoever is
// there; a worker comes for it even if the arena has no place for one. Throws std::bad_alloc.
ASHLAR_EXPORT void enqueue_job(arena& a, job& what, int priority);

// The same for a job that somebody waits for: no worker comes where the arena has no place for one. Throws
// std::bad_alloc.
ASHLAR_EXPORT void submit_job(arena& a, job& what);
// The same, and threads of the arena take it before their own jobs, as spawn_urgent's.
ASHLAR_EXPORT void submit_urgent_job(arena& a, job& what);

// A function that is left to an arena. An exception that leaves it ends the process.
template <typename F>
struct enqueued_function : job {
  template <typename G>
  explicit enqueued_function(G&& f) : job{&run_it}, function(std::forward<G>(f)) {}

  static job* run_it(job* self, slot& here) noexcept {
    auto* const j = static_cast<enqueued_function*>(self);
    // As task_group does.
    if constexpr (std::is_invocable_v<F const&>) {
      std::as_const(j->function)();
    } else {
      j->function();
    }
    destroy(here, j);
    return nullptr;
  }
  static void destroy(slot& here, enqueued_function* j) noexcept {
    task_pool* const home = j->home;
    j->~enqueued_function();
    here.pool().release(j, sizeof(enqueued_function), home);
  }

  task_pool* home = nullptr;
  F function;
};

// Leaves a copy of f to the arena. Throws what copying f throws, and std::bad_alloc.
template <typename F>
void enqueue_function(arena& a, F&& f, int priority) {
  using stored = enqueued_function<std::decay_t<F>>;
  slot& s = this_slot();
  task_pool* home;
  void* const place = s.pool().allocate(sizeof(stored), home);
  stored* j;
  ASHLAR_TRY { j = new (place) stored(std::forward<F>(f)); }
  ASHLAR_CATCH_ALL {
    s.pool().release(place, sizeof(stored), home);
    ASHLAR_RETHROW;
  }
  j->home = home;
  tsan::release(static_cast<job*>(j));
  ASHLAR_TRY { sched::enqueue_job(a, *j, priority); }
  ASHLAR_CATCH_ALL {
    stored::destroy(s, j);
    ASHLAR_RETHROW;
  }
}

// A scope in which the calling thread, where it waits, takes only jobs that were spawned in the scope.
class isolation_scope {
 public:
  isolation_scope() : isolation_scope(new_isolation_tag()) {}
  // Jobs of all scopes with the same tag belong together.
  explicit isolation_scope(std::uint32_t tag) : isolation_scope(this_slot(), tag) {}
  isolation_scope(slot& s, std::uint32_t tag) noexcept : slot_(s), outer_(s.begin_region(tag)) {}
  ~isolation_scope() {
    slot_.end_region(outer_);
    slot_.end_inner_region();
  }
  isolation_scope(isolation_scope const&) = delete;
  isolation_scope& operator=(isolation_scope const&) = delete;
  static std::uint32_t new_isolation_tag() noexcept { return sched::new_isolation_tag(); }

 private:
  slot& slot_;
  slot::region const outer_;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
