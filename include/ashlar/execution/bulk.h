// SPDX-License-Identifier: Apache-2.0
// The bulk algorithms as loops of the library. Users include <ashlar/execution.h>.
//
// The thread on which the input completes runs the loop, with others, and completes the receiver: the values of the
// input are not copied, as it waits.
#pragma once

#include <ashlar/algo/parallel_for.h>
#include <ashlar/execution/get_partitioner.h>
#include <ashlar/execution/scheduler.h>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

ASHLAR_EXECUTION_PARTS

template <typename Policy>
inline constexpr bool is_parallel =
    !std::is_same_v<Policy, ex::sequenced_policy> && !std::is_same_v<Policy, ex::unsequenced_policy>;
// As an implementation may keep it.
template <template <typename> typename Wrapper, typename Policy>
inline constexpr bool is_parallel<Wrapper<Policy>> = is_parallel<Policy>;

/// Calls chunk(begin, end) for parts of [0, n).
template <typename Shape, typename Chunk, typename Partitioner>
void for_chunks(Shape n, Chunk const& chunk, Partitioner& how) {
  tbb::parallel_for(tbb::blocked_range<Shape>(Shape(0), n), chunk, how);
}

/// The same until the token says stop; whether it has.
template <typename Token, typename Shape, typename Chunk, typename Partitioner>
bool stop_or_for_chunks(Token const& token, Shape n, Chunk const& chunk, Partitioner& how) {
  tbb::task_group_context group;
  struct cancel {
    void operator()() const noexcept { group->cancel_group_execution(); }
    tbb::task_group_context* group;
  };
  ex::stop_callback_for_t<Token, cancel> const on_stop(token, cancel{&group});
  tbb::parallel_for(tbb::blocked_range<Shape>(Shape(0), n), chunk, how, group);
  return group.is_group_execution_cancelled();
}

template <typename Shape, typename Function, bool Chunked, bool Parallel>
struct bulk_loop {
  /// Whether it was stopped. Throws what the function throws, and std::bad_alloc.
  template <typename Env, typename... Args>
  bool run(Env const& env, Args&... args) {
    auto const chunk = [&](tbb::blocked_range<Shape> const& part) {
      if constexpr (Chunked) {
        function(part.begin(), part.end(), args...);
      } else {
        for (Shape i = part.begin(); i != part.end(); ++i) function(i, args...);
      }
    };
    if constexpr (!Parallel) {
      if (Shape(0) < n) chunk(tbb::blocked_range<Shape>(Shape(0), n));
      return false;
    } else {
      using by_default = std::conditional_t<Chunked, tbb::auto_partitioner, tbb::simple_partitioner>;
      auto const given = partitioner_of<by_default>(env);
      auto& how = partitioner_itself(given);
      if constexpr (!ex::unstoppable_token<ex::stop_token_of_t<Env>>) {
        auto const token = ex::get_stop_token(env);
        if (token.stop_possible()) return stop_or_for_chunks(token, n, chunk, how);
      }
      for_chunks(n, chunk, how);
      sched::slot& s = sched::this_slot();
      return s.cancelled(s.group());
    }
  }

  Shape n;
  Function function;
};

template <typename Receiver, typename Loop>
struct bulk_state {
  Receiver receiver;
  Loop loop;
};

template <typename Receiver, typename Loop>
class bulk_receiver {
 public:
  using receiver_concept = ex::receiver_tag;

  explicit bulk_receiver(bulk_state<Receiver, Loop>& s) noexcept : state_(&s) {}
  template <typename... Args>
  void set_value(Args&&... args) noexcept {
    bool stopped = false;
    std::exception_ptr error;
    ASHLAR_TRY { stopped = state_->loop.run(ex::get_env(state_->receiver), args...); }
    ASHLAR_CATCH_ALL { error = std::current_exception(); }
    // Not in the handler, which would last until all that comes after the loop is over.
    if (error) return ex::set_error(std::move(state_->receiver), std::move(error));
    if (stopped) return ex::set_stopped(std::move(state_->receiver));
    ex::set_value(std::move(state_->receiver), std::forward<Args>(args)...);
  }
  template <typename Error>
  void set_error(Error&& e) noexcept {
    ex::set_error(std::move(state_->receiver), std::forward<Error>(e));
  }
  void set_stopped() noexcept { ex::set_stopped(std::move(state_->receiver)); }
  ex::env_of_t<Receiver> get_env() const noexcept { return ex::get_env(state_->receiver); }

 private:
  bulk_state<Receiver, Loop>* state_;
};

template <typename Child, typename Receiver, typename Loop>
class bulk_operation {
 public:
  using operation_state_concept = ex::operation_state_tag;

  bulk_operation(Child&& c, Receiver&& r, Loop&& l)
      : state_{std::move(r), std::move(l)},
        child_(ex::connect(std::forward<Child>(c), bulk_receiver<Receiver, Loop>(state_))) {}
  bulk_operation(bulk_operation const&) = delete;
  bulk_operation& operator=(bulk_operation const&) = delete;

  void start() & noexcept { ex::start(child_); }

 private:
  bulk_state<Receiver, Loop> state_;
  ex::connect_result_t<Child, bulk_receiver<Receiver, Loop>> child_;
};

/// The signatures of a list, and those that a loop adds, each once.
template <typename List, typename... More>
struct with_signatures {
  using type = List;
};
template <typename... Known, typename First, typename... More>
struct with_signatures<ex::completion_signatures<Known...>, First, More...>
    : with_signatures<std::conditional_t<(std::is_same_v<Known, First> || ...), ex::completion_signatures<Known...>,
                                         ex::completion_signatures<Known..., First>>,
                      More...> {};

template <typename Child, typename Loop>
class bulk_sender {
 public:
  using sender_concept = ex::sender_tag;

  bulk_sender(Child&& c, Loop&& l) : child_(std::move(c)), loop_(std::move(l)) {}
  bulk_sender(Child const& c, Loop&& l) : child_(c), loop_(std::move(l)) {}

  template <typename Self, typename... Env>
  static consteval auto get_completion_signatures() {
    using child = std::conditional_t<std::is_lvalue_reference_v<Self>, Child const&, Child>;
    return typename with_signatures<ex::completion_signatures_of_t<child, Env...>, ex::set_error_t(std::exception_ptr),
                                    ex::set_stopped_t()>::type();
  }
  template <typename Receiver>
  auto connect(Receiver r) && {
    return bulk_operation<Child, Receiver, Loop>(std::move(child_), std::move(r), std::move(loop_));
  }
  template <typename Receiver>
  auto connect(Receiver r) const& {
    return bulk_operation<Child const&, Receiver, Loop>(child_, std::move(r), Loop(loop_));
  }
  ex::env_of_t<Child const&> get_env() const noexcept { return ex::get_env(child_); }

 private:
  Child child_;
  Loop loop_;
};

ASHLAR_EXECUTION_PARTS_END

namespace tbb {
namespace execution {
inline namespace ASHLAR_SENDERS {

template <::ashlar::execution::bulk_algorithm Sender, typename Env>
auto arena_domain::transform_sender(::ashlar::execution::ASHLAR_SENDERS::ex::set_value_t, Sender&& s, Env const&) {
  namespace parts = ::ashlar::execution::ASHLAR_SENDERS;
  auto&& [tag, data, child] = s;
  auto&& [policy, shape, function] = data;
  using loop = parts::bulk_loop<std::remove_cvref_t<decltype(shape)>, std::remove_cvref_t<decltype(function)>,
                                std::is_same_v<std::remove_cvref_t<decltype(tag)>, ex::bulk_chunked_t>,
                                parts::is_parallel<std::remove_cvref_t<decltype(policy)>>>;
  using sender = parts::bulk_sender<std::remove_cvref_t<decltype(child)>, loop>;
  if constexpr (std::is_lvalue_reference_v<Sender>) {
    return sender(child, loop{shape, function});
  } else {
    return sender(std::move(child), loop{shape, std::move(function)});
  }
}

}  // namespace ASHLAR_SENDERS
}  // namespace execution
}  // namespace tbb
