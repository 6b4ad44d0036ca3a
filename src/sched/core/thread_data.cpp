// SPDX-License-Identifier: Apache-2.0
#include "sched/core/thread_data.h"

#include "os/thread.h"
#include "os/topology.h"
#include "sched/core/statistics.h"

namespace ashlar::inline v1::sched {

__thread thread_data* current_thread = nullptr;

namespace {

std::uint64_t seed() noexcept {
  static atomic<std::uint64_t> counter{0x9E3779B97F4A7C15ull};
  return counter.fetch_add(0x9E3779B97F4A7C15ull, mo::relaxed) | 1;
}

// A new thread's counters; the pool that it has already is given back if there is no memory for them.
obs::counters& counters_beside(task_pool& pool, thread_data& t) {
  try {
    return statistics::get().add_thread(t, t.is_worker);
  } catch (...) {
    pool.abandon();
    throw;
  }
}

}  // namespace

thread_data::thread_data(bool worker)
    : is_worker(worker),
      made_on(os::current_cpu()),
      pool(task_pool::acquire()),
      counters(counters_beside(pool, *this)),
      random_(seed()) {}

void thread_data::measure_stack() noexcept {
  os::stack_bounds const stack = os::current_stack();
  stack_middle_ = stack.low != nullptr ? stack.low + (stack.high - stack.low) / 2 : nullptr;
  stack_size = static_cast<std::size_t>(stack.high - stack.low);
}

thread_data::~thread_data() {
  statistics::get().remove_thread(counters);
  pool.abandon();
}

}  // namespace ashlar::inline v1::sched
