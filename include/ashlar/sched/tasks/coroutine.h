// SPDX-License-Identifier: Apache-2.0
// Coroutines that run as tasks (C++20): tbb::co_task, and co_await on a task_group, a task_handle or a
// task_completion_handle. Ours: no TBB has it. Users include <tbb/coroutine.h>.
//
// A coroutine that awaits gives its thread back at once, and goes on as a task of the arena in which it stopped,
// perhaps on another thread: it must not hold a lock or a reference to thread-local data over a co_await.
#pragma once

#include <ashlar/base/config.h>

#if defined(__cpp_impl_coroutine)

#include <ashlar/obs/trace_region.h>
#include <ashlar/sched/arena/arena_handle.h>
#include <ashlar/sched/tasks/continuation.h>
#include <ashlar/sched/tasks/task_group.h>
#include <ashlar/sched/tasks/wait_count.h>

#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>

namespace tbb {
template <typename T = void>
class co_task;
}

namespace ashlar {
inline namespace v1 {
namespace sched {

/// The part of a co_task's frame that doesn't depend on its result.
class co_promise_base {
 public:
  co_promise_base() noexcept = default;
  co_promise_base(co_promise_base const&) = delete;
  co_promise_base& operator=(co_promise_base const&) = delete;

  static std::suspend_always initial_suspend() noexcept { return {}; }
  struct final_awaiter {
    static bool await_ready() noexcept { return false; }
    /// Whoever awaits goes on in the place of the coroutine: no stack grows.
    template <typename Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) noexcept {
      co_promise_base& p = h.promise();
      if (p.awaiting) return p.awaiting;
      p.over(p, h);
      return std::noop_coroutine();
    }
    void await_resume() noexcept {}
  };
  static final_awaiter final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { failure = std::current_exception(); }

  std::coroutine_handle<> awaiting;  // who goes on after it; null: `over` is called
  /// After this the frame may be gone.
  void (*over)(co_promise_base& p, std::coroutine_handle<> frame) noexcept = nullptr;
  void* owner = nullptr;  // for `over`
  std::exception_ptr failure;
  /// The coroutine runs in the group of the one that started it and waits for it; else in none.
  bool has_group = false;
};

template <typename T>
class co_promise : public co_promise_base {
 public:
  tbb::co_task<T> get_return_object() noexcept;
  template <typename U>
    requires std::is_constructible_v<T, U&&>
  void return_value(U&& value) {
    auto make = [&]() -> T { return static_cast<T>(std::forward<U>(value)); };
    place_.fill(make);
  }
  T take() {
    if (failure) std::rethrow_exception(std::move(failure));
    return static_cast<T>(place_.take());
  }

 private:
  result_place<T> place_;
};
template <>
class co_promise<void> : public co_promise_base {
 public:
  tbb::co_task<void> get_return_object() noexcept;
  static void return_void() noexcept {}
  void take() {
    if (failure) std::rethrow_exception(std::move(failure));
  }
};

/// What a coroutine of the type Promise, which awaits on the calling thread, runs in.
template <typename Promise>
context* group_of_coroutine(Promise const& p, slot& s) noexcept {
  if constexpr (std::is_base_of_v<co_promise_base, Promise>) {
    return p.has_group ? &s.group() : nullptr;
  } else {
    static_cast<void>(p);
    static_cast<void>(s);
    return nullptr;
  }
}

/// A coroutine's frame begins with the address of its code, in g++ and clang.
ASHLAR_ALWAYS_INLINE void name_coroutine(slot& here, std::coroutine_handle<> frame) noexcept {
  if (ASHLAR_UNLIKELY(here.disturbed())) obs::begin_code_region(*static_cast<void* const*>(frame.address()));
}

/// Continues a coroutine.
class co_continuation : public continuation {
 public:
  template <typename Promise>
  co_continuation(std::coroutine_handle<Promise> h, slot& s) noexcept
      : continuation(&run_it, s, group_of_coroutine(h.promise(), s)), frame_(h) {}

 private:
  static job* run_it(job* self, slot& here) noexcept {
    auto& c = *static_cast<co_continuation*>(self);
    void* const outer = here.task();
    c.enter(here);
    name_coroutine(here, c.frame_);
    c.frame_.resume();
    here.return_to(outer);
    return nullptr;
  }
  std::coroutine_handle<> frame_;
};

/// A continuation that is made when the coroutine stops, in its frame.
class co_place {
 public:
  co_place() noexcept {}
  co_place(co_place const&) = delete;
  co_place& operator=(co_place const&) = delete;
  ~co_place() {
    if (full_) continuation_.~co_continuation();
  }
  template <typename Promise>
  continuation& make(std::coroutine_handle<Promise> h, slot& s) noexcept {
    new (&continuation_) co_continuation(h, s);
    full_ = true;
    // The library, in which ThreadSanitizer sees nothing, hands it to the thread that goes on with the coroutine.
    tsan::release(static_cast<job*>(&continuation_));
    return continuation_;
  }

 private:
  union {
    co_continuation continuation_;
  };
  bool full_ = false;
};

struct group_access {
  static group_counter& counter(tbb::task_group& g) noexcept { return g.counter_; }
  static context& group(tbb::task_group& g) noexcept { return *g.context_; }
};

class group_awaiter {
 public:
  explicit group_awaiter(tbb::task_group& g) noexcept : group_(g) {}
  bool await_ready() const noexcept { return group_access::counter(group_).done(); }
  template <typename Promise>
  bool await_suspend(std::coroutine_handle<Promise> h) {
    watch_.counter = &group_access::counter(group_);
    watch_.waiting = &place_.make(h, this_slot());
    tsan::release(static_cast<job*>(watch_.waiting));  // once more: the write to watch_ comes before it, too
    return watch_group(watch_);
  }
  /// Nothing is left to wait for, unless somebody ran more tasks meanwhile.
  tbb::task_group_status await_resume() { return group_.wait(); }

 private:
  tbb::task_group& group_;
  group_watch watch_{};
  co_place place_;
};

/// Starts a coroutine that a group waits for, and ends its frame.
struct co_start : job {
  static job* run_it(job* self, slot& here) noexcept {
    auto& s = *static_cast<co_start*>(self);
    void* const outer = here.task();
    here.enter_apart(s.group);
    if (here.cancelled(s.group)) {
      end(s, s.frame);
    } else {
      name_coroutine(here, s.frame);
      s.frame.resume();
    }
    here.return_to(outer);
    return nullptr;
  }
  static void over(co_promise_base& p, std::coroutine_handle<> frame) noexcept {
    auto& s = *static_cast<co_start*>(p.owner);
    if (p.failure) s.group->record_exception(p.failure);
    end(s, frame);
  }
  static void end(co_start& s, std::coroutine_handle<> frame) noexcept {
    slot& here = this_slot();
    group_counter& counter = *s.counter;
    slot* const by = s.by;
    frame.destroy();
    destroy(here, s);
    counter.finish(by, here);
  }
  static void destroy(slot& here, co_start& s) noexcept { here.pool().release(&s, sizeof(co_start), s.home); }

  std::coroutine_handle<> frame;
  context* group = nullptr;
  group_counter* counter = nullptr;
  slot* by = nullptr;
  task_pool* home = nullptr;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar

namespace tbb {

/// A coroutine that starts when it is awaited, passed to co_run, or to co_wait. The object owns it: once, and
/// move-only. co_await on it starts it on this thread and returns what it returns, or throws what it throws; both ways
/// the threads of control follow each other without growing the stack. Must not be destroyed while the coroutine is
/// under way.
template <typename T>
class [[nodiscard]] co_task {
 public:
  using promise_type = ashlar::sched::co_promise<T>;

  co_task() noexcept = default;
  co_task(co_task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  co_task& operator=(co_task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~co_task() {
    if (frame_) frame_.destroy();
  }
  explicit operator bool() const noexcept { return frame_ != nullptr; }

  auto operator co_await() && noexcept {
    ASHLAR_ASSERT(frame_ != nullptr, "the co_task is empty");
    return awaiter{frame_};
  }

  /// For the library: the coroutine, which the object doesn't own any more.
  explicit co_task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
  std::coroutine_handle<promise_type> release() noexcept { return std::exchange(frame_, nullptr); }

 private:
  template <typename U>
  friend U co_wait(co_task<U> t);
  struct awaiter {
    static bool await_ready() noexcept { return false; }
    template <typename Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) noexcept {
      promise_type& p = frame.promise();
      p.awaiting = h;
      if constexpr (std::is_base_of_v<ashlar::sched::co_promise_base, Promise>) p.has_group = h.promise().has_group;
      return frame;
    }
    T await_resume() { return frame.promise().take(); }
    std::coroutine_handle<promise_type> frame;
  };

  std::coroutine_handle<promise_type> frame_;
};

/// Runs the coroutine as a task of the group, which is over when the coroutine is: wait() and co_await on the group
/// wait for it and rethrow its exception. If the group is cancelled before it starts, it is destroyed instead; later it
/// can ask is_current_task_group_canceling(). Throws std::bad_alloc. It must not await its own group.
inline void co_run(task_group& group, co_task<void> t) {
  namespace sched = ashlar::sched;
  sched::slot& s = sched::this_slot();
  sched::task_pool* home;
  auto* const start = new (s.pool().allocate(sizeof(sched::co_start), home)) sched::co_start;
  auto const frame = t.release();
  ASHLAR_ASSERT(frame != nullptr, "the co_task is empty");
  start->run = &sched::co_start::run_it;
  start->frame = frame;
  start->group = &sched::group_access::group(group);
  start->counter = &sched::group_access::counter(group);
  start->by = &s;
  start->home = home;
  auto& p = frame.promise();
  p.over = &sched::co_start::over;
  p.owner = start;
  p.has_group = true;
  start->counter->add(s);
  ASHLAR_TRY { s.spawn(*start); }
  ASHLAR_CATCH_ALL {
    start->counter->undo(s);
    frame.destroy();
    sched::co_start::destroy(s, *start);
    ASHLAR_RETHROW;
  }
}

/// Starts the coroutine on the calling thread, which then runs other tasks until it is over. Returns what it returns,
/// or throws what it throws. Not for use in coroutines: they co_await.
template <typename T>
T co_wait(co_task<T> t) {
  namespace sched = ashlar::sched;
  sched::slot& s = sched::this_slot();
  ASHLAR_ASSERT(t.frame_ != nullptr, "the co_task is empty");
  sched::wait_count under_way(1);
  auto& p = t.frame_.promise();
  p.owner = &under_way;
  p.over = [](sched::co_promise_base& promise, std::coroutine_handle<>) noexcept {
    static_cast<sched::wait_count*>(promise.owner)->release();
  };
  p.has_group = true;
  t.frame_.resume();
  under_way.wait(s);
  return p.take();
}

/// Goes on when all tasks of the group are over; the value, and what it throws, are those of wait(). The group must
/// live until then. Cost: a lock and a fence in all threads, once; completions of groups look for it as for a sleeping
/// thread.
inline ashlar::sched::group_awaiter operator co_await(task_group& group) noexcept {
  return ashlar::sched::group_awaiter(group);
}

#if !ASHLAR_CLASSIC_DIALECT
/// Goes on when the task is over, and tells whether it ran: task_complete or canceled. An exception is left to the
/// group's wait().
class completion_awaiter {
 public:
  explicit completion_awaiter(task_completion_handle h) noexcept : task_(std::move(h)) {}
  bool await_ready() const noexcept { return task_.status() != not_complete; }
  template <typename Promise>
  bool await_suspend(std::coroutine_handle<Promise> h) {
    return task_.node().precede(place_.make(h, ashlar::sched::this_slot()));
  }
  task_group_status await_resume() const noexcept { return task_.status(); }

 private:
  task_completion_handle task_;
  ashlar::sched::co_place place_;
};
inline completion_awaiter operator co_await(task_completion_handle h) noexcept {
  return completion_awaiter(std::move(h));
}

/// What co_await of a task_handle makes: runs the deferred task, goes on when it is over, and tells whether it ran:
/// task_complete or canceled. An exception is left to the group's wait().
class handle_awaiter {
 public:
  explicit handle_awaiter(task_handle&& h) : task_(h), handle_(std::move(h)) {}
  static bool await_ready() noexcept { return false; }
  template <typename Promise>
  void await_suspend(std::coroutine_handle<Promise> h) {
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    // The coroutine may be over, and this object gone, as soon as the task is run.
    task_handle handle = std::move(handle_);
    task_.node().precede(place_.make(h, s));
    if (auto* const j = handle.take()) ashlar::sched::start_deferred(s, *j);
  }
  task_group_status await_resume() const noexcept { return task_.status(); }

 private:
  task_completion_handle task_;
  task_handle handle_;
  ashlar::sched::co_place place_;
};
inline handle_awaiter operator co_await(task_handle&& h) { return handle_awaiter(std::move(h)); }
#endif

}  // namespace tbb

namespace ashlar {
inline namespace v1 {
namespace sched {

template <typename T>
tbb::co_task<T> co_promise<T>::get_return_object() noexcept {
  return tbb::co_task<T>(std::coroutine_handle<co_promise>::from_promise(*this));
}
inline tbb::co_task<void> co_promise<void>::get_return_object() noexcept {
  return tbb::co_task<void>(std::coroutine_handle<co_promise>::from_promise(*this));
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar

#endif
