// SPDX-License-Identifier: Apache-2.0
// Names for parts of a program in a trace (ASHLAR_TRACE, docs/tracing.md).
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace obs {

/// True while the process records a trace.
extern ASHLAR_EXPORT atomic<bool> trace_is_on;

ASHLAR_EXPORT ASHLAR_COLD void begin_trace_region(char const* name) noexcept;
/// The region is named after the user's function or class in the code at this address.
ASHLAR_EXPORT ASHLAR_COLD void begin_code_region(void const* code) noexcept;
ASHLAR_EXPORT ASHLAR_COLD void end_trace_region() noexcept;
/// A moment of the calling thread, not a region.
ASHLAR_EXPORT ASHLAR_COLD void trace_moment_named(char const* name) noexcept;

}  // namespace obs

/// While it lives, what the calling task does belongs to the region `name` in traces and reports, and so do the tasks
/// that it spawns meanwhile. The innermost region counts. `name` is copied, up to 200 bytes of it.
///
/// Threads: begins and ends in the same task. Throws nothing. Cost: a load and a branch each while no trace is
/// recorded.
class trace_region {
 public:
  explicit trace_region(char const* name) noexcept : on_(obs::trace_is_on.load(mo::relaxed)) {
    if (ASHLAR_UNLIKELY(on_)) obs::begin_trace_region(name);
  }
  ~trace_region() {
    if (ASHLAR_UNLIKELY(on_)) obs::end_trace_region();
  }
  trace_region(trace_region const&) = delete;
  trace_region& operator=(trace_region const&) = delete;

 private:
  bool const on_;
};

}  // namespace v1
}  // namespace ashlar
