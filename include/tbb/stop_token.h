// SPDX-License-Identifier: Apache-2.0
// Contexts and std::stop_token, each of which can end the other's work (C++20): cancel_on_stop, stop_on_cancel. An
// extension.
#pragma once

#include <tbb/task_group.h>

#if defined(__has_include) && __cplusplus >= 202002L
#if __has_include(<stop_token>)
#include <stop_token>
#endif
#endif

#ifdef __cpp_lib_jthread

namespace tbb {

/// As long as it lives, a stop that is requested of the token's source cancels the context; at once if it was requested
/// before. The destructor waits as that of std::stop_callback does. The context outlives this object.
class cancel_on_stop {
 public:
  cancel_on_stop(std::stop_token const& t, task_group_context& c) : callback_(t, cancel{&c}) {}
  cancel_on_stop(cancel_on_stop const&) = delete;
  cancel_on_stop& operator=(cancel_on_stop const&) = delete;

 private:
  struct cancel {
    task_group_context* context;
    void operator()() const noexcept { context->cancel_group_execution(); }
  };
  std::stop_callback<cancel> callback_;
};

/// As long as it lives, the cancellation of the context, or of an ancestor, requests a stop of the source; at once if
/// the context is cancelled. Both may refer to each other: each ends the other once.
class stop_on_cancel {
 public:
  stop_on_cancel(task_group_context& c, std::stop_source s) : callback_(c, stop{std::move(s)}) {}
  /// The same for a task_group.
  stop_on_cancel(task_group& g, std::stop_source s) : callback_(g.on_cancel(stop{std::move(s)})) {}
  stop_on_cancel(stop_on_cancel const&) = delete;
  stop_on_cancel& operator=(stop_on_cancel const&) = delete;

 private:
  struct stop {
    std::stop_source source;
    void operator()() noexcept { source.request_stop(); }
  };
  cancel_callback<stop> callback_;
};

}  // namespace tbb

#endif
