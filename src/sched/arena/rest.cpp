// SPDX-License-Identifier: Apache-2.0
#include "sched/arena/rest.h"

#include "sched/core/worker_source.h"

#include <algorithm>

namespace ashlar::inline v1::sched {

namespace {

// Between two looks that find nothing; a multiple of place_kept_ns().
constexpr std::uint64_t longest_interval = 8;

}  // namespace

#ifndef ASHLAR_MODEL  // a model says itself what it looks at
std::uint64_t place_kept_ns() noexcept { return 10'000'000; }
#endif

void rest::sleep() noexcept {
  for (;;) {
    std::uint64_t const limit = begun_ ? interval_ : place_kept_ns();
    if (thread_.parking.sleep(limit)) return end();
    look();
  }
}

void rest::has_slept(std::uint64_t nanoseconds) noexcept {
  slept_ += nanoseconds;
  if (slept_ < (begun_ ? interval_ : place_kept_ns())) return;
  look();
}

void rest::look() noexcept {
  slept_ = 0;
  worker_source& m = worker_source::get();
  if (!begun_) {
    begun_ = true;
    interval_ = place_kept_ns();
    m.begin_rest(thread_);
  }
  bool const again = m.send_deputy();
  interval_ = again ? place_kept_ns() : std::min(2 * interval_, longest_interval * place_kept_ns());
}

void rest::give_up() noexcept {
  begun_ = false;
  worker_source::get().end_rest(thread_);
}

}  // namespace ashlar::inline v1::sched
