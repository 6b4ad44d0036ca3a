// SPDX-License-Identifier: Apache-2.0
#include "sched/market/workers.h"

#include "os/clock.h"
#include "os/futex.h"
#include "os/thread.h"
#include "sched/core/thread_data.h"

#include <climits>
#include <cstdio>
#include <memory>
#include <new>
#include <utility>

namespace ashlar::inline v1::sched {

namespace {

// Nanoseconds.
constexpr std::uint64_t first_pause = 100'000;
constexpr std::uint64_t longest_pause = 30'000'000;
constexpr std::uint64_t retry_after = 100'000'000;
constexpr std::uint64_t look_again = 500'000;

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

bool workers::may_create() const noexcept {
  std::uint64_t const failed = failed_.load(mo::relaxed);
  return failed == 0 || os::now_ns() - failed >= retry_after;
}

void workers::reserve() noexcept {
  hint_.store(++count_, mo::relaxed);
  alive_.fetch_add(1, mo::relaxed);
}

bool workers::start(std::size_t stack_size) noexcept {
  // A shortage is often over in a moment; after one that was not, one attempt at a time is enough.
  bool const patient = failed_.load(mo::relaxed) == 0;
  for (std::uint64_t pause = first_pause;; pause *= 4) {
    if (start_worker(stack_size)) {
      failed_.store(0, mo::relaxed);
      none_.store(false, mo::relaxed);
      return true;
    }
    if (!patient || pause > longest_pause) return false;
    os::sleep_ns(pause);
  }
}

void workers::give_up() noexcept {
  retire();
  alive_.fetch_sub(1, mo::relaxed);
  failed_.store(os::now_ns(), mo::relaxed);
  none_.store(count_ == 0, mo::relaxed);
  if (std::exchange(told_of_failure_, true)) return;
  std::fputs(
      "ashlar: the system has no thread or no memory for another worker; the work goes on with those that there are\n",
      stderr);
}

// Each waits for the one that left before it: so when nobody is alive, all but the last have returned.
void workers::leave() noexcept {
  if (int const before = last_to_leave_.exchange(os::thread_id(), mo::relaxed)) os::wait_until_gone(before);
  if (alive_.fetch_sub(1, mo::acq_rel) == 1) os::futex_wake(alive_, INT_MAX);  // [M2]
}

void workers::wait_for_end(std::uint32_t seen) noexcept { os::futex_wait_for(alive_, seen, look_again); }

void workers::wait_for_last() noexcept {
  if (int const last = last_to_leave_.exchange(0, mo::relaxed)) os::wait_until_gone(last);
}

void workers::forget() noexcept {
  last_to_leave_.store(0, mo::relaxed);
  count_ = 0;
  hint_.store(0, mo::relaxed);
  alive_.store(0, mo::relaxed);
  set_ending(false);
  failed_.store(0, mo::relaxed);
  none_.store(false, mo::relaxed);
}

}  // namespace ashlar::inline v1::sched
