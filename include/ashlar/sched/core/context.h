// SPDX-License-Identifier: Apache-2.0
// A node of the cancellation tree. A fork-join keeps one in its stack frame and pays four stores for it: nothing
// is registered anywhere. Cancelling marks one node and counts it globally; while the count is zero nobody looks
// at the tree, and while it is not, a check walks towards the root and remembers what it found.
//
// Threads    parent and fp are written before the node is published with a job; state and clean_epoch by anyone.
// Invariants C1 a parent outlives its children.
//            C2 state is 0 or `inborn` bits as long as nothing unusual happened; else whoever ends the node calls
//               retire().
//            C3 who moves or copies the stored exception holds it: exception_held is up. Several threads may wait for a
//               group at once.
// Ordering   [C1] cancel: state or-ed, release            -> [C2] is_cancelled: state acquire
//            [C3] cancel: epoch advanced after state      -> [C4] is_cancelled: epoch read before the walk
//            [C5] the exception is stored, or given back  -> [C6] a waiter holds it, or finds it stored
//            [C9] [C10] see task_group_context.h
//            [C7] the last retire counts down, a slot drops its cancel bit <-> [C8] cancel counts up, raises the bit
// Model      tests/model/context_model.cpp
#pragma once

#include <cstdint>
#include <exception>

#include <ashlar/base/atomic.h>

namespace tbb {
class task_group_context;
}

namespace ashlar {
inline namespace v1 {
namespace sched {

// The floating-point control settings (rounding, denormals, exception masks) that a context may carry.
struct fp_settings {
  std::uint32_t mxcsr;
  std::uint16_t x87_control;
};

class context {
 public:
  enum : std::uint32_t {
    cancelled = 1,          // cancel() was called on this very node; counted in the global number
    inherited = 2,          // an ancestor was found cancelled
    exception_claimed = 4,  // a thread is storing its exception; later ones are dropped (first wins)
    exception_ready = 8,
    has_facade = 16,        // a task_group_context was handed out for this node
    embedded = 32,          // the node is part of a task_group_context
    has_priority = 128,     // the public object, which there is, has one
    concurrent_wait = 64,   // several threads may wait for one classic task of the group
    exception_held = 256,   // a thread moves or copies the exception
    standing = 512,         // no node of an algorithm, which ends what it starts before it returns
    counted = 1024,         // the node of a task group of its own (tbb::task_group)
    mixed = 2048,           // something has run in it that its algorithm or its group does not wait for
    has_listeners = 4096,   // cancel_listener.h
    own_tasks_only = 8192,  // waits for what runs in it take nothing else
    hidden = 16384          // a part of a graph below a context of the program's, which lives longer
  };
  // What a node may carry from the start; it is no reason to look closer.
  static constexpr std::uint32_t inborn =
      embedded | concurrent_wait | standing | counted | mixed | own_tasks_only | hidden;

  // An algorithm's node, below `parent` and with the parent's floating-point settings.
  ASHLAR_ALWAYS_INLINE explicit context(context* parent) noexcept
      : parent_(parent), fp_(parent->fp_), state_(0), clean_epoch_(0) {}
  context(context* parent, fp_settings const* fp, std::uint32_t kind = standing) noexcept
      : parent_(parent), fp_(fp), state_(kind), clean_epoch_(0) {}
  context(context const&) = delete;
  context& operator=(context const&) = delete;
  ASHLAR_ALWAYS_INLINE ~context() {
    if (ASHLAR_UNLIKELY((state_.load(mo::relaxed) & ~inborn) != 0)) retire();
  }

  context* parent() const noexcept { return parent_; }
  bool is_hidden() const noexcept { return (state_.load(mo::relaxed) & hidden) != 0; }
  fp_settings const* fp() const noexcept { return fp_; }
  void bind(context* parent) noexcept {
    parent_ = parent;
    clean_epoch_.store(0, mo::relaxed);  // whatever was found on the path to the old root
  }
  void set_fp(fp_settings const* fp) noexcept { fp_ = fp; }
  // The priority of the subtree's tasks: 1 low, 2 normal (unless set), 3 high. The call that came last counts, be it
  // for this node or for an ancestor. O(depth), but O(1) as long as nobody sets any. Any thread.
  int priority() const noexcept { return ASHLAR_LIKELY(!priorities_used()) ? 2 : find_priority(); }
  static bool priorities_used() noexcept { return priority_changes.load(mo::relaxed) != 0; }
  // For the node inside a public object: the object is its facade.
  // `how`: concurrent_wait and own_tasks_only, or none of them.
  void embed(tbb::task_group_context& owner, std::uint32_t how) noexcept {
    facade_ = &owner;
    state_.store(embedded | how, mo::relaxed);
  }
  // False: no exception, no cancellation of this very node, nothing else that the end of a classic wait must look at.
  ASHLAR_ALWAYS_INLINE bool unusual() const noexcept {
    return (state_.load(mo::relaxed) & ~((inborn & ~concurrent_wait) | has_facade | has_priority | has_listeners)) != 0;
  }
  // An algorithm's node, or that of a task group of its own, if nothing has run in it but what the algorithm or the
  // group waits for.
  bool is_of_algorithm() const noexcept { return kind() == 0; }
  bool is_of_group() const noexcept { return kind() == counted; }
  // Something runs in the node that its algorithm or group does not wait for.
  context& mix() noexcept {
    if ((state_.load(mo::relaxed) & (embedded | standing | mixed)) == 0) state_.fetch_or(mixed, mo::relaxed);
    return *this;
  }
  bool waits_for_own_tasks_only() const noexcept { return (state_.load(mo::relaxed) & own_tasks_only) != 0; }
  bool waited_for_by_several() const noexcept { return (state_.load(mo::relaxed) & concurrent_wait) != 0; }

  // Marks the subtree as cancelled. True for the one call that did it. Thread-safe; wait-free but for raising
  // the attention of running threads.
  ASHLAR_EXPORT bool cancel() noexcept;
  // False: no context of the process is cancelled, and nobody needs to look.
  ASHLAR_EXPORT static bool any_cancelled() noexcept;
  // True if this node or an ancestor is cancelled. Thread-safe. O(1) while nothing in the process is cancelled.
  ASHLAR_EXPORT bool is_cancelled() noexcept;
  // Stores the exception that is being handled, unless another one was first, and cancels the node.
  ASHLAR_EXPORT void record_exception() noexcept;
  // For exceptions that are not being handled (rethrown from elsewhere).
  ASHLAR_EXPORT void record_exception(std::exception_ptr const& what) noexcept;
  bool has_exception() const noexcept { return state_.load(mo::acquire) & exception_ready; }  // [C6]
  // Rethrows the stored exception, if there is one, and keeps it: other waits of the group may be under way.
  ASHLAR_EXPORT void rethrow();
  // The stored exception, or null; the node forgets it. Of several threads that call it one gets the exception.
  ASHLAR_EXPORT std::exception_ptr take_exception() noexcept;
  // Back to the fresh state. Nothing may run in the context; other threads may be at the end of their waits, and call
  // the same functions.
  ASHLAR_EXPORT void reset() noexcept;
  // The public object of this node, made on first use; it lives as long as the node.
  ASHLAR_EXPORT tbb::task_group_context& facade();

  // What is called with a context that was cancelled, and with one that ends and has listeners. Null until a listener
  // is attached.
  struct watch {
    void (*cancelled)() noexcept;
    void (*gone)(context&) noexcept;
  };
  static atomic<watch const*> watched_by;
  // After a node may have come to be cancelled.
  static void call_listeners() noexcept;
  // It has been bound below a context that is cancelled.
  bool has_cancelled_listeners() noexcept;

 private:
  friend class tbb::task_group_context;
  friend class cancel_listener;
  ASHLAR_EXPORT ASHLAR_COLD void retire() noexcept;
  std::uint32_t kind() const noexcept {
    return state_.load(mo::relaxed) & (embedded | standing | counted | mixed | has_facade);
  }
  bool hold_exception() noexcept;
  void give_exception_back(std::uint32_t bits) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD int find_priority() const noexcept;
  // Calls of set_priority in the process.
  ASHLAR_EXPORT static atomic<std::uint32_t> priority_changes;
  std::exception_ptr& exception() noexcept { return *reinterpret_cast<std::exception_ptr*>(exception_); }

  context* parent_;
  fp_settings const* fp_;  // null: those of the arena
  atomic<std::uint32_t> state_;
  atomic<std::uint32_t> clean_epoch_;  // last epoch at which the path to the root was found uncancelled
  alignas(std::exception_ptr) unsigned char exception_[sizeof(std::exception_ptr)];
  tbb::task_group_context* facade_;  // valid if state has has_facade or embedded
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
