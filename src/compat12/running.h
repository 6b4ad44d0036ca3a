// SPDX-License-Identifier: Apache-2.0
// What a task of a foreign program runs with: the record behind the execution_data that it is given, one for each task
// on the thread's stack, the innermost one first.
#pragma once

#include "contract.h"

#include <ashlar/sched/core/slot.h>

namespace ashlar {
inline namespace v1 {
namespace compat12 {

namespace d1 = tbb::detail::d1;

struct running : d1::execution_data {
  sched::slot* here;
  d1::task* what;  // null in the filter of a pipeline
  running* outer;
};

// Of the calling thread, or null. It belongs to the stack on which the task runs: who leaves the stack for others' work
// and comes back restores it.
extern ASHLAR_INITIAL_EXEC __thread running* innermost;

// Keeps it for a scope.
class kept_innermost {
 public:
  kept_innermost() noexcept : kept_(innermost) {}
  ~kept_innermost() { innermost = kept_; }
  kept_innermost(kept_innermost const&) = delete;
  kept_innermost& operator=(kept_innermost const&) = delete;

 private:
  running* const kept_;
};

}  // namespace compat12
}  // namespace v1
}  // namespace ashlar
