// SPDX-License-Identifier: Apache-2.0
// Activations: jobs of a graph, each with what a node is to do. They lie in the threads' small-object pools.
#pragma once

#include <ashlar/flow/edges/edges.h>

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace flow {

/// How many bodies and pass-through nodes call each other on this stack. Beyond `deepest` a message takes the way of a
/// job.
extern ASHLAR_EXPORT ASHLAR_INITIAL_EXEC __thread unsigned call_depth;
/// Where the first of the lightweight bodies on this stack was called; 0: none. Those that it calls, directly and not,
/// need not count: the address of a local variable tells how deep they are.
extern ASHLAR_EXPORT ASHLAR_INITIAL_EXEC __thread std::uintptr_t call_entry;

class call_scope {
 public:
  static constexpr unsigned deepest = 64;
  static bool has_room() noexcept { return call_depth < deepest; }
  /// The end restores what it found: a body that is suspended may end on another thread.
  call_scope() noexcept : outer_(call_depth) { call_depth = outer_ + 1; }
  ~call_scope() { call_depth = outer_; }
  call_scope(call_scope const&) = delete;
  call_scope& operator=(call_scope const&) = delete;

 private:
  unsigned const outer_;
};

/// Makes a group the thread's for a body that is called in a sender's task.
class body_scope {
 public:
  body_scope(slot& s, sched::context& group) noexcept : group_(s, group) {}

 private:
  call_scope depth_;
  slot::lent_scope group_;
};

/// The first lightweight body of a stack is called in such a scope. What a body that was suspended leaves behind on the
/// thread where it began lies on another stack, and is near to nothing there.
class entry_scope {
 public:
  static constexpr std::uintptr_t near_bytes = 8 * 1024, far_bytes = 9 * near_bytes;
  /// `here`: of the caller's frame.
  static bool is_near(char& here) noexcept { return call_entry - address_of(here) < near_bytes; }
  /// Called by bodies that fill what is near: the next one is to be a job.
  static bool is_deep(char& here) noexcept { return !is_near(here) && call_entry - address_of(here) < far_bytes; }
  explicit entry_scope(char& here) noexcept : outer_(call_entry) {
    if (!is_near(here)) call_entry = address_of(here);
  }
  ~entry_scope() { call_entry = outer_; }
  entry_scope(entry_scope const&) = delete;
  entry_scope& operator=(entry_scope const&) = delete;

 private:
  static std::uintptr_t address_of(char& here) noexcept { return reinterpret_cast<std::uintptr_t>(&here); }
  std::uintptr_t const outer_;
};

/// A job of a node: Node::activate(slot&, Self&) runs it, and returns what sched::job::entry does. It ends or keeps the
/// activation, and the graph's count. A node may have an entry of its own. `Self`: the class that derives from this
/// one; it may have a size_in() of its own, to lie before something.
template <typename Self, typename Node>
struct node_job : job {
  node_job(Node& n, sched::task_pool* h, entry e) noexcept : job{e}, node(&n), home(h) {}
  static job* run_it(job* self, slot& here) noexcept {
    auto& a = *static_cast<Self*>(self);
    Node& n = *a.node;
    here.enter(n.core().group());
    return n.activate(here, a);
  }
  static std::size_t size_in(Node const&) noexcept { return sizeof(Self); }
  /// Throws std::bad_alloc.
  static Self& make(slot& s, Node& n, entry e = &run_it) {
    static_assert(alignof(Self) <= sched::task_pool::granule, "messages are aligned to a cache line at most");
    sched::task_pool* home;
    void* const place = s.pool().allocate(Self::size_in(n), home);
    return *new (place) Self(n, home, e);
  }
  /// It has no message.
  ASHLAR_ALWAYS_INLINE static void end(slot& here, Self& a) noexcept {
    sched::task_pool* const home = a.home;
    std::size_t const size = Self::size_in(*a.node);
    a.~Self();
    here.pool().release(&a, size, home);
  }

  Node* const node;
  sched::task_pool* const home;
  wait_token* token = nullptr;
};

/// pass_on() at the end of a message: if the thread's own wait may be over, the job is started.
inline job* pass_on(graph_core& g, slot& here, job* answer, own_wait const& wait) noexcept {
  job* const next = job_or_null(answer);
  return next != nullptr && wait.over() ? leave_to_others(g, here, *next) : pass_on(g, here, next);
}

/// An activation of `Node`.
template <typename Node>
struct activation : node_job<activation<Node>, Node> {
  using node_job<activation, Node>::node_job;
};

/// pass_on() with a job that comes after the newest one of the thread's deque. `tiny`: see graph_core::start.
ASHLAR_EXPORT job* pass_on_after_newest(graph_core& g, slot& here, job& more, bool tiny = false) noexcept;

template <typename Node, typename T>
struct message_activation;

/// An activation with a message, which is the base of `Self` or is that itself.
template <typename Node, typename T, typename Self = message_activation<Node, T>>
struct message_job : node_job<Self, Node> {
  using node_job<Self, Node>::make;
  message_job(Node& n, sched::task_pool* h, job::entry e) noexcept : node_job<Self, Node>(n, h, e) {}
  ~message_job() {}  // NOLINT: the message has ended before
  /// The same of memory that is at hand, or null. Calls nothing.
  ASHLAR_ALWAYS_INLINE static Self* make_at_hand(slot& s, Node& n, job::entry e) noexcept {
    sched::task_pool& pool = s.pool();
    void* const place = pool.try_allocate(sizeof(Self));
    return place != nullptr ? new (place) Self(n, &pool, e) : nullptr;
  }
  /// Throws std::bad_alloc, and what copying the message throws.
  static Self& make(slot& s, Node& n, T& v, passage p, job::entry e = &message_job::run_it) {
    Self& a = make(s, n, e);
    ASHLAR_TRY { a.put(v, p); }
    ASHLAR_CATCH_ALL {
      message_job::end(s, a);
      ASHLAR_RETHROW;
    }
    return a;
  }
  void put(T& v, passage p) {
    put_into<T>(std::addressof(message), v, p);
    this->token = p.use();
  }
  /// A copy that needs no call, without a token.
  void put_alone(T& v) noexcept {
    ::new (static_cast<void*>(std::addressof(message))) T(static_cast<T const&>(v));
    this->token = nullptr;
  }
  /// The same with one, by the thread that has the slot.
  ASHLAR_ALWAYS_INLINE void put_waited_for(T& v, wait_token& t, slot const& s) noexcept {
    put_alone(v);
    t.retain(&s);
    this->token = &t;
  }
  /// Takes over the use of the token.
  void take(T& v, wait_token* t) {
    put_into<T>(std::addressof(message), v, passage::moved());
    this->token = t;
  }
  void drop(slot& here) noexcept {
    message.~T();
    if (ASHLAR_UNLIKELY(this->token != nullptr)) this->token->release(here);
  }

  union {
    T message;
  };
};

/// The usual one.
template <typename Node, typename T>
struct message_activation : message_job<Node, T> {
  using message_job<Node, T>::message_job;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
