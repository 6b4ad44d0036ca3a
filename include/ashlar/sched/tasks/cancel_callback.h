// SPDX-License-Identifier: Apache-2.0
// tbb::cancel_callback: a function that is called when a context is cancelled. An extension, in the manner of
// std::stop_callback.
#pragma once

#include <ashlar/sched/core/cancel_listener.h>

#include <type_traits>
#include <utility>

namespace tbb {

class task_group_context;

/// Calls a function once when a context, or an ancestor of the context, is cancelled: by the thread that cancels,
/// before the call that cancels returns, or by another one that cancels something at the same time; at once by the
/// thread that makes the callback if the context is cancelled already. The function wakes code that blocks in tasks,
/// and should be short.
///
/// The destructor takes the callback back. If another thread is in the function it waits until that has returned; in
/// the function itself it does not wait. A context may end before its callbacks: then they are not called any more.
/// After reset() of the context, callbacks that were called are not called again.
///
/// A function that throws calls std::terminate. It may make and destroy callbacks, also its own, cancel contexts and
/// spawn tasks. It must not wait for the destruction of another callback that waits for it.
///
/// Thread safety: contexts may be cancelled from any thread meanwhile. Cost: a lock of the process to make and to
/// destroy; each cancellation looks at all callbacks of the process.
template <typename F>
class cancel_callback : private ashlar::sched::cancel_listener {
 public:
  using callback_type = F;

  /// Throws what the copy or move of `f` throws.
  template <typename G, typename = std::enable_if_t<std::is_constructible_v<F, G>>>
  cancel_callback(task_group_context& c, G&& f);
  /// For the library.
  template <typename G>
  cancel_callback(ashlar::sched::context& c, G&& f) : cancel_listener(&call), function_(std::forward<G>(f)) {
    attach(c);
  }
  cancel_callback(cancel_callback const&) = delete;
  cancel_callback& operator=(cancel_callback const&) = delete;
  ~cancel_callback() { detach(); }

 private:
  static void call(cancel_listener& l) noexcept { std::forward<F>(static_cast<cancel_callback&>(l).function_)(); }

  F function_;
};

template <typename F>
cancel_callback(task_group_context&, F) -> cancel_callback<F>;

}  // namespace tbb
