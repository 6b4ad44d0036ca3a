// SPDX-License-Identifier: Apache-2.0
// A call at a thread's end, after the destructors of its thread_local objects. Inline, so that the allocator, which
// links nothing of this layer, has it.
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

// A constant object of static storage, one for each function that is to be called. Any thread may call.
class thread_end {
 public:
  explicit constexpr thread_end(void (*call)(void*)) noexcept : call_(call) {}
  thread_end(thread_end const&) = delete;
  thread_end& operator=(thread_end const&) = delete;

  // Has call(value) made when the calling thread ends; `value` is not null, and takes the place of an earlier one. In
  // the call itself: it is made once more, after those of others. False: the system has no more room for such calls.
  bool ask(void* value) noexcept;

 private:
  // Two threads may both make the key: the first one stays. There is no lock and no static guard: a fork would leave
  // it taken in the child.
  void (*call_)(void*);
  atomic<std::uint64_t> made_{0};  // 1 + the key; 0: none yet. Relaxed: the word carries its whole meaning.
};

}  // namespace os
}  // namespace v1
}  // namespace ashlar

#include "os/posix/thread_end.h"
