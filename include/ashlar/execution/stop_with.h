// SPDX-License-Identifier: Apache-2.0
// tbb::execution::stop_with: a sender that the cancellation of a context stops. Users include <ashlar/execution.h>.
#pragma once

#include <ashlar/execution/implementation.h>
#include <ashlar/sched/tasks/cancel_callback.h>
#include <ashlar/sched/tasks/task_group_context.h>

#include <optional>
#include <type_traits>
#include <utility>

ASHLAR_EXECUTION_PARTS

struct request_stop_of {
  void operator()() const noexcept { stop->request_stop(); }
  ex::inplace_stop_source* stop;
};

/// The environment of the receiver with another stop token.
template <typename Env>
using stoppable_env = ex::env<ex::prop<ex::get_stop_token_t, ex::inplace_stop_token>, Env>;

template <typename Receiver>
class stoppable_state {
  using outer_env = ex::env_of_t<Receiver>;

 public:
  stoppable_state(sched::context& c, Receiver&& r) : group_(c), receiver_(std::move(r)) {}

  void listen() noexcept {
    on_stop_.emplace(ex::get_stop_token(ex::get_env(receiver_)), request_stop_of{&stop_});
    on_cancel_.emplace(group_, request_stop_of{&stop_});
  }
  /// The receiver, to be completed.
  Receiver&& leave() noexcept {
    on_cancel_.reset();
    on_stop_.reset();
    return std::move(receiver_);
  }
  stoppable_env<outer_env> env() const noexcept {
    return {ex::prop(ex::get_stop_token, stop_.get_token()), ex::get_env(receiver_)};
  }

 private:
  sched::context& group_;
  Receiver receiver_;
  ex::inplace_stop_source stop_;
  std::optional<ex::stop_callback_for_t<ex::stop_token_of_t<outer_env>, request_stop_of>> on_stop_;
  std::optional<tbb::cancel_callback<request_stop_of>> on_cancel_;
};

template <typename Receiver>
class stoppable_receiver {
 public:
  using receiver_concept = ex::receiver_tag;

  explicit stoppable_receiver(stoppable_state<Receiver>& s) noexcept : state_(&s) {}
  template <typename... Args>
  void set_value(Args&&... args) noexcept {
    ex::set_value(state_->leave(), std::forward<Args>(args)...);
  }
  template <typename Error>
  void set_error(Error&& e) noexcept {
    ex::set_error(state_->leave(), std::forward<Error>(e));
  }
  void set_stopped() noexcept { ex::set_stopped(state_->leave()); }
  auto get_env() const noexcept { return state_->env(); }

 private:
  stoppable_state<Receiver>* state_;
};

template <typename Sender, typename Receiver>
class stoppable_operation {
 public:
  using operation_state_concept = ex::operation_state_tag;

  stoppable_operation(Sender&& s, sched::context& c, Receiver&& r)
      : state_(c, std::move(r)), sender_(ex::connect(std::forward<Sender>(s), stoppable_receiver<Receiver>(state_))) {}
  stoppable_operation(stoppable_operation const&) = delete;
  stoppable_operation& operator=(stoppable_operation const&) = delete;

  void start() & noexcept {
    state_.listen();
    ex::start(sender_);
  }

 private:
  stoppable_state<Receiver> state_;
  ex::connect_result_t<Sender, stoppable_receiver<Receiver>> sender_;
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
    return stoppable_operation<Sender, Receiver>(std::move(sender_), *group_, std::move(r));
  }
  template <typename Receiver>
  auto connect(Receiver r) const& {
    return stoppable_operation<Sender const&, Receiver>(sender_, *group_, std::move(r));
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

/// The sender, whose stop token says stop, too, when the context is cancelled, which outlives it. Cost: a lock of the
/// process when it is started, and when it completes.
template <typename Sender>
auto stop_with(task_group_context& c, Sender&& s) {
  return ::ashlar::execution::stoppable_sender<std::decay_t<Sender>>(std::forward<Sender>(s),
                                                                     c.use(::ashlar::sched::this_slot()));
}

}  // namespace ASHLAR_SENDERS
}  // namespace execution
}  // namespace tbb
