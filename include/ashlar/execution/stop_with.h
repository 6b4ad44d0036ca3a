// SPDX-License-Identifier: Apache-2.0
// tbb::execution::stop_with: a sender that the cancellation of a context stops. Users include <ashlar/execution.h>.
#pragma once

#include <ashlar/execution/either_stop_token.h>
#include <ashlar/execution/group_stop_token.h>
#include <ashlar/sched/tasks/task_group_context.h>

#include <type_traits>
#include <utility>

ASHLAR_EXECUTION_PARTS

/// The receiver's token of stop, and the context's.
template <typename Env>
auto stop_token_with(sched::context& group, Env const& env) noexcept {
  if constexpr (ex::unstoppable_token<ex::stop_token_of_t<Env>>) {
    return group_stop_token(&group);
  } else {
    return either_stop_token(ex::get_stop_token(env), group_stop_token(&group));
  }
}
template <typename Env>
using stoppable_env = ex::env<
    ex::prop<ex::get_stop_token_t, decltype(stop_token_with(std::declval<sched::context&>(), std::declval<Env>()))>,
    Env>;

template <typename Receiver>
class stoppable_receiver {
  using outer_env = ex::env_of_t<Receiver>;

 public:
  using receiver_concept = ex::receiver_tag;

  stoppable_receiver(sched::context& c, Receiver&& r) : group_(&c), receiver_(std::move(r)) {}
  template <typename... Args>
  void set_value(Args&&... args) noexcept {
    ex::set_value(std::move(receiver_), std::forward<Args>(args)...);
  }
  template <typename Error>
  void set_error(Error&& e) noexcept {
    ex::set_error(std::move(receiver_), std::forward<Error>(e));
  }
  void set_stopped() noexcept { ex::set_stopped(std::move(receiver_)); }
  stoppable_env<outer_env> get_env() const noexcept {
    return {ex::prop(ex::get_stop_token, stop_token_with(*group_, ex::get_env(receiver_))), ex::get_env(receiver_)};
  }

 private:
  sched::context* group_;
  Receiver receiver_;
};

template <typename Sender>
class stoppable_sender {
 public:
  using sender_concept = ex::sender_tag;

  stoppable_sender(Sender&& s, sched::context& c) : sender_(std::move(s)), group_(&c) {}
  stoppable_sender(Sender const& s, sched::context& c) : sender_(s), group_(&c) {}

  template <typename Self, typename... Env>
  static consteval auto get_completion_signatures() {
    using sender = std::conditional_t<std::is_lvalue_reference_v<Self>, Sender const&, Sender>;
    return ex::completion_signatures_of_t<sender, stoppable_env<Env>...>();
  }
  template <typename Receiver>
  auto connect(Receiver r) && {
    return ex::connect(std::move(sender_), stoppable_receiver<Receiver>(*group_, std::move(r)));
  }
  template <typename Receiver>
  auto connect(Receiver r) const& {
    return ex::connect(sender_, stoppable_receiver<Receiver>(*group_, std::move(r)));
  }
  ex::env_of_t<Sender const&> get_env() const noexcept { return ex::get_env(sender_); }

 private:
  Sender sender_;
  sched::context* group_;
};

ASHLAR_EXECUTION_PARTS_END

namespace tbb {
namespace execution {
inline namespace ASHLAR_SENDERS {

/// The sender, whose stop token says stop, too, when the context is cancelled, which outlives it. Cost: none, and a
/// lock of the process for each callback that the sender registers for a stop.
template <typename Sender>
auto stop_with(task_group_context& c, Sender&& s) {
  return ::ashlar::execution::stoppable_sender<std::decay_t<Sender>>(std::forward<Sender>(s),
                                                                     c.use(::ashlar::sched::this_slot()));
}

}  // namespace ASHLAR_SENDERS
}  // namespace execution
}  // namespace tbb
