// SPDX-License-Identifier: Apache-2.0
// tbb::task_group_context: the public object for a node of the cancellation tree. Library algorithms that are called
// without one keep a bare node in their frame instead and make the object only if somebody asks for it.
//
// Ordering   [C9] set_priority: value, then the bit, release -> [C10] find_priority: bit, acquire (the public object)
#pragma once

#include <ashlar/sched/core/slot.h>
#include <ashlar/sched/tasks/cancel_callback.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

/// The calling thread's floating-point control settings.
ASHLAR_EXPORT fp_settings capture_fp() noexcept;
/// Hangs the node below `parent` (null: it stays a root), once: several threads may use a context first.
ASHLAR_EXPORT void bind_context(context& node, context* parent, bool own_fp, atomic<bool>& settled) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar

namespace tbb {

/// The three priority levels of classic TBB. Threads take what is enqueued, or spawned from another group, with high
/// priority before their own jobs, and what has low priority when there is nothing else; a group's own recursion stays
/// depth first. Hints: a task that runs is not interrupted.
enum priority_t { priority_low = 1, priority_normal = 2, priority_high = 3 };

/// A group of tasks that can be cancelled together. Groups form a tree: a bound context hangs below the context of the
/// task in which it is first used, an isolated one is a root. Cancelling a context cancels its whole subtree.
///
/// Thread safety: cancel_group_execution and is_group_execution_cancelled from any thread; everything else while no
/// task runs in the context. A context outlives its tasks and its children.
class task_group_context {
 public:
  enum kind_type { isolated, bound };
  enum traits_type : unsigned {
    exact_exception = 0x0001u << 16,
    fp_settings = 0x0002u << 16,
    concurrent_wait = 0x0004u << 16,
    own_tasks_only = 0x0100u << 16,
    default_traits = 0
  };

  /// fp_settings in `traits` captures the calling thread's floating-point control settings. own_tasks_only, an
  /// extension: waits of algorithms that are called with the context, and of groups that are made with it, take only
  /// what belongs to them, as task_group::wait(own_tasks_only).
  explicit task_group_context(kind_type relation_with_parent = bound, std::uintptr_t traits = default_traits) noexcept
      : node_(nullptr, nullptr), actual_(&node_), traits_(traits), kind_(relation_with_parent), settled_(false) {
    using node = ashlar::sched::context;
    node_.embed(*this, ((traits & concurrent_wait) ? std::uint32_t{node::concurrent_wait} : 0) |
                           ((traits & own_tasks_only) ? std::uint32_t{node::own_tasks_only} : 0));
    if (traits & fp_settings) capture_fp_settings();
  }
  task_group_context(task_group_context const&) = delete;
  task_group_context& operator=(task_group_context const&) = delete;

  /// Cancels the group and its descendants. True for the one call that did it.
  bool cancel_group_execution() noexcept { return actual_->cancel(); }
  bool is_group_execution_cancelled() const noexcept { return actual_->is_cancelled(); }
  /// An extension: calls f once when the context or an ancestor is cancelled, as long as the object that this returns
  /// lives. See cancel_callback.
  template <typename F>
  [[nodiscard]] cancel_callback<std::decay_t<F>> on_cancel(F&& f) {
    return cancel_callback<std::decay_t<F>>(*actual_, std::forward<F>(f));
  }
  /// Makes a cancelled context usable again. No task may be running in it.
  void reset() noexcept { actual_->reset(); }
  /// From now on tasks of the group run with the calling thread's floating-point control settings.
  void capture_fp_settings() noexcept {
    fp_ = ashlar::sched::capture_fp();
    traits_ |= fp_settings;
    actual_->set_fp(&fp_);
  }
  std::uintptr_t traits() const noexcept { return traits_; }

  /// Classic: records the exception that is being handled and cancels the group.
  void register_pending_exception() noexcept { actual_->record_exception(); }
  /// Classic: the priority of the group and all its descendants from now on, until another one is set for them. Any
  /// thread.
  void set_priority(priority_t p) noexcept {
    std::uint32_t const number = ashlar::sched::context::priority_changes.fetch_add(1, ashlar::mo::relaxed) + 1;
    priority_.store(number << 2 | static_cast<std::uint32_t>(p), ashlar::mo::relaxed);
    actual_->state_.fetch_or(ashlar::sched::context::has_priority, ashlar::mo::release);  // [C9]
  }
  priority_t priority() const noexcept { return static_cast<priority_t>(actual_->priority()); }

  /// For the library: the node, hung into the tree below the caller's running task on first use.
  ashlar::sched::context& use(ashlar::sched::slot& s) noexcept {
    if (ASHLAR_UNLIKELY(!settled_.load(ashlar::mo::acquire))) {  // [G2]
      ashlar::sched::bind_context(*actual_, kind_ == bound ? s.binding_group() : nullptr, (traits_ & fp_settings) != 0,
                                  settled_);
    }
    return *actual_;
  }

 private:
  friend class ashlar::sched::context;
  template <typename F>
  friend class cancel_callback;
  // The object of a node that lives elsewhere.
  explicit task_group_context(ashlar::sched::context& node) noexcept
      : node_(nullptr, nullptr), actual_(&node), traits_(default_traits), kind_(bound), settled_(true) {}

  ashlar::sched::context node_;
  ashlar::sched::context* actual_;
  std::uintptr_t traits_;
  kind_type kind_;
  // [G1] bind_context: settled, release -> [G2] use: acquire (the node's parent)
  ashlar::atomic<bool> settled_;
  ashlar::atomic<std::uint32_t> priority_{0};  // 4 * (number of the call that set it) + level; 0: never set
  ashlar::sched::fp_settings fp_{};
};

template <typename F>
template <typename G, typename>
cancel_callback<F>::cancel_callback(task_group_context& c, G&& f) : cancel_callback(*c.actual_, std::forward<G>(f)) {}

}  // namespace tbb
