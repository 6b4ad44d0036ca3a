// SPDX-License-Identifier: Apache-2.0
// A job that tells of which context it is. Its key says so (key_of_context), and the context lies in each such job at
// the same place.
#pragma once

#include <ashlar/sched/core/context.h>
#include <ashlar/sched/policy/job.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

struct context_job : job {
  context_job(entry e, context& g) noexcept : job{e}, group(&g) {}

  context* group;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
