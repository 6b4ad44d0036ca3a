// SPDX-License-Identifier: Apache-2.0
// tbb::execution::group_token: a task_group as a scope of senders. Users include <ashlar/execution.h>.
#pragma once

#include <ashlar/execution/stop_with.h>
#include <ashlar/sched/tasks/coroutine.h>

#include <utility>

namespace tbb {
namespace execution {
inline namespace ASHLAR_SENDERS {

/// A token by which senders are spawned into a task_group, as into a counting_scope: spawn(sender, group_token(group)).
/// The group's wait() waits for them, and runs other tasks meanwhile. If the group is cancelled the senders' stop
/// tokens say so, and no others are taken. The group outlives the token, and what it has spawned.
class group_token {
 public:
  explicit group_token(task_group& g) noexcept : group_(&g) {}

  /// One count of the group, or none if the group is cancelled.
  class association {
   public:
    association() noexcept = default;
    association(association&& other) noexcept : group_(std::exchange(other.group_, nullptr)), by_(other.by_) {}
    association& operator=(association&& other) noexcept {
      std::swap(group_, other.group_);
      std::swap(by_, other.by_);
      return *this;
    }
    ~association() {
      if (group_ != nullptr) access::counter(*group_).finish(by_, ::ashlar::sched::current_slot);
    }
    explicit operator bool() const noexcept { return group_ != nullptr; }
    association try_associate() const noexcept { return group_ != nullptr ? association(*group_) : association(); }

   private:
    friend class group_token;
    using access = ::ashlar::sched::group_access;
    explicit association(task_group& g) noexcept : by_(::ashlar::sched::current_slot) {
      if (access::group(g).is_cancelled()) return;
      group_ = &g;
      access::counter(g).add(by_);
    }

    task_group* group_ = nullptr;
    ::ashlar::sched::slot const* by_ = nullptr;
  };

  association try_associate() const noexcept { return association(*group_); }
  template <typename Sender>
  auto wrap(Sender&& s) const {
    return ::ashlar::execution::stoppable_sender<std::decay_t<Sender>>(std::forward<Sender>(s),
                                                                       ::ashlar::sched::group_access::group(*group_));
  }

 private:
  task_group* group_;
};

}  // namespace ASHLAR_SENDERS
}  // namespace execution
}  // namespace tbb
