// SPDX-License-Identifier: Apache-2.0
#include "sched/market/thread_limit.h"

#include "os/environment.h"
#include "os/topology.h"

#include <ashlar/base/atomic.h>

#include <algorithm>

namespace ashlar::inline v1::sched {

unsigned default_concurrency() noexcept {
  // Two threads may both find it out, and find the same.
  static atomic<unsigned> known{0};
  unsigned threads = known.load(mo::relaxed);
  if (threads != 0) return threads;
  threads = os::env_unsigned("ASHLAR_NUM_THREADS", 1, thread_limit::most)
                .value_or(std::min(os::available_cpus(), thread_limit::most));
  known.store(threads, mo::relaxed);
  return threads;
}

unsigned thread_limit::threads() const noexcept {
  if (control_ != 0) return bounded(control_);
  unsigned requested = most;
  while (requested != 0 && requests_[requested] == 0) --requested;
  return std::max(requested, default_concurrency());
}

std::size_t thread_limit::stack_size() const noexcept {
  constexpr std::size_t usual = std::size_t{4} << 20;
  if (control_stack_ != 0) return control_stack_;
  return requested_stack_ != 0 ? requested_stack_ : usual;
}

}  // namespace ashlar::inline v1::sched
