// SPDX-License-Identifier: Apache-2.0
#include "sched/policy/job_kind.h"

namespace ashlar::inline v1::sched {

constinit atomic<job_kind const*> job_kind::first_{nullptr};

job_kind::job_kind(job::entry r, bool itself, label_of l, parent_of p) noexcept
    : run(r), traces_itself(itself), label(l), parent(p), next_(first_.load(mo::relaxed)) {
  while (!first_.compare_exchange(next_, this, mo::release, mo::relaxed)) {  // [Z1]
  }
}

job_kind const* job_kind::of(job const& j) noexcept {
  job_kind const* k = first_.load(mo::acquire);  // [Z2]
  while (k != nullptr && k->run != j.run) k = k->next_;
  return k;
}

}  // namespace ashlar::inline v1::sched
