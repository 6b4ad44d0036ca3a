// SPDX-License-Identifier: Apache-2.0
// What a body of a node with one input and one output may be, and how it is called.
#pragma once

#include <ashlar/flow/engine/body.h>

namespace ashlar {
inline namespace v1 {
namespace flow {

/// The result is an output. Where that is continue_msg, it may be anything, and is dropped.
template <typename Result, typename Output>
inline constexpr bool makes = std::is_same_v<Output, tbb::flow::continue_msg> || std::is_convertible_v<Result, Output>;

template <typename Body, typename Input, typename Output>
constexpr bool accepts_function_body() {
  if constexpr (takes_const<Body, Input>) {
    return makes<decltype(::ashlar::invoke(std::declval<Body&>(), std::declval<Input const&>())), Output>;
  } else if constexpr (std::is_invocable_v<Body&, Input&&>) {
    return makes<decltype(::ashlar::invoke(std::declval<Body&>(), std::declval<Input&&>())), Output>;
  } else {
    return false;
  }
}
template <typename Body, typename Input, typename Output>
inline constexpr bool is_function_body = accepts_function_body<Body, Input, Output>();

/// Calls the body.
template <typename Input, typename Output>
struct function_adapter {
  template <typename F>
  static Output call(F& f, Input& v) {
    static_assert(is_function_body<F, Input, Output>,
                  "the body of the node must be callable with an Input const& (or an rvalue) and return an Output");
    if constexpr (takes_const<F, Input>) {
      return finish(f, static_cast<Input const&>(v));
    } else {
      return finish(f, std::move(v));
    }
  }
  /// A body that moves from its message can't be called with the sender's.
  template <typename F>
  static constexpr bool takes_any = takes_const<F, Input>;
  template <typename F>
  static constexpr bool never_throws = std::is_nothrow_invocable_v<F&, Input const&>;

 private:
  template <typename F, typename Value>
  static Output finish(F& f, Value&& v) {
    if constexpr (std::is_same_v<Output, tbb::flow::continue_msg>) {
      static_cast<void>(::ashlar::invoke(f, std::forward<Value>(v)));
      return Output();
    } else {
      return ::ashlar::invoke(f, std::forward<Value>(v));
    }
  }
};

/// Whether a body may be called in the sender's task, for a policy that asks for it. oneTBB wants noexcept.
template <typename Adapter, typename Body, bool Classic>
inline constexpr bool may_be_lightweight =
    Adapter::template takes_any<Body> && (Classic || Adapter::template never_throws<Body>);

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
