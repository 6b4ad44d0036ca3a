// SPDX-License-Identifier: Apache-2.0
// Making workers, and what happens where the system has no thread or no memory for another one: the demand stays, the
// next push asks again, and where there is no worker at all, application threads do what only workers do otherwise.
#include "os/clock.h"
#include "os/thread.h"
#include "sched/market.h"
#include "sched/worker.h"

#include <cstdio>
#include <memory>
#include <new>
#include <utility>

namespace ashlar::sched {

namespace {

// Nanoseconds.
constexpr std::uint64_t first_pause = 100'000;
constexpr std::uint64_t longest_pause = 30'000'000;
constexpr std::uint64_t retry_after = 100'000'000;

bool start_worker(std::size_t stack_size) noexcept {
  char name[16];
  static atomic<unsigned> names{0};
  unsigned const number = names.fetch_add(1, mo::relaxed) + 1;
  std::snprintf(name, sizeof name, "ashlar-%u", number);
  std::unique_ptr<thread_data> data;
  try {
    data = std::make_unique<thread_data>(true);
  } catch (std::bad_alloc const&) {
    return false;
  }
  data->stack_size = stack_size;
  if (!os::start_detached(worker_main, data.get(), stack_size, name)) return false;
  data.release();
  return true;
}

}  // namespace

// Under the lock.
bool market::may_create() const noexcept {
  std::uint64_t const failed = failed_creation_.load(mo::relaxed);
  return failed == 0 || os::now_ns() - failed >= retry_after;
}

bool market::create_worker() noexcept {
  std::size_t const stack = stack_size();
  // A shortage is often over in a moment; after one that was not, one attempt at a time is enough.
  bool const patient = failed_creation_.load(mo::relaxed) == 0;
  for (std::uint64_t pause = first_pause;; pause *= 4) {
    if (start_worker(stack)) {
      failed_creation_.store(0, mo::relaxed);
      without_workers_.store(false, mo::relaxed);
      return true;
    }
    if (!patient || pause > longest_pause) break;
    os::sleep_ns(pause);
  }
  std::lock_guard guard(lock_);
  created_hint_.store(--created_, mo::relaxed);
  alive_.fetch_sub(1, mo::relaxed);
  failed_creation_.store(os::now_ns(), mo::relaxed);
  without_workers_.store(created_ == 0, mo::relaxed);
  if (!std::exchange(told_of_failure_, true)) {
    std::fputs(
        "ashlar: the system has no thread or no memory for another worker; the work goes on with those that there "
        "are\n",
        stderr);
  }
  return false;
}

}  // namespace ashlar::sched
