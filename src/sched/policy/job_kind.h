// SPDX-License-Identifier: Apache-2.0
// What the trace knows of a kind of job beyond its entry point: each kind that has more to tell registers itself.
//
// Threads    registered before main, or while the library is loaded; of: any.
// Ordering   [Z1] register: release -> [Z2] of: acquire
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/sched/policy/job.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

class job_kind {
 public:
  // The address of code or of a virtual table that names the job in a trace.
  using label_of = void const* (*)(job& j) noexcept;
  // The job that may go on when this one is over, without being spawned; or null.
  using parent_of = job const* (*)(job& j) noexcept;

  // The kind of the jobs with this entry point. `traces_itself`: such a job writes its beginning and end into the trace
  // itself, or has none.
  explicit job_kind(job::entry run, bool traces_itself = true, label_of label = nullptr,
                    parent_of parent = nullptr) noexcept;
  job_kind(job_kind const&) = delete;
  job_kind& operator=(job_kind const&) = delete;

  // Null if the job's kind is not registered: then the entry point says all.
  static job_kind const* of(job const& j) noexcept;

  job::entry const run;
  bool const traces_itself;
  label_of const label;    // null: the entry point
  parent_of const parent;  // null: none

 private:
  job_kind const* next_;
  static atomic<job_kind const*> first_;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
