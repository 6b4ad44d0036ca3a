// SPDX-License-Identifier: Apache-2.0
// collaborative_call_once: initialisation by one thread in which those that wait for it take part.
#pragma once

#include <ashlar/algo/call_once.h>
#include <ashlar/base/interface.h>
#include <ashlar/base/invoke.h>

namespace tbb {

/// Whether the call has been made. Constructed as: not yet. To be destroyed when no call uses it.
class collaborative_once_flag {
 public:
  collaborative_once_flag() noexcept = default;
  collaborative_once_flag(collaborative_once_flag const&) = delete;
  collaborative_once_flag& operator=(collaborative_once_flag const&) = delete;

 private:
  template <typename F, typename... Args>
  friend void collaborative_call_once(collaborative_once_flag& flag, F&& f, Args&&... args);

  ashlar::algo::once_state state_;
};

/// Calls f(args...) unless a call with this flag has returned already. Of several threads one makes the call; the
/// others take part in the parallel work that f does, and return when it is done. If f throws, its exception leaves the
/// call that made it, and one of the other threads calls its own function.
///
/// f runs isolated, as by this_task_arena::isolate. A call with the same flag from within f does not return. Throws
/// std::bad_alloc beside what f throws. Cost: one load, if the call was made before.
template <typename F, typename... Args>
void collaborative_call_once(collaborative_once_flag& flag, F&& f, Args&&... args) {
  while (!flag.state_.is_done()) {
    flag.state_.run([&] { ashlar::invoke(std::forward<F>(f), std::forward<Args>(args)...); });
  }
}

}  // namespace tbb

#include <tbb/detail/closure/groups.h>
#if !ASHLAR_LEAN_HEADERS
#if !ASHLAR_CLASSIC_DIALECT
#include <tbb/info.h>
#include <tbb/task_arena.h>
#endif
#endif
