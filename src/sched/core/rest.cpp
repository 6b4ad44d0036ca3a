// SPDX-License-Identifier: Apache-2.0
#include "sched/core/rest.h"

#include "sched/core/worker_source.h"

#include <algorithm>

namespace ashlar::inline v1::sched {

namespace {

// Between two looks that find nothing; a multiple of place_kept_ns().
constexpr std::uint64_t longest_interval = 4;

}  // namespace

#ifndef ASHLAR_MODEL  // a model says itself what it looks at
std::uint64_t place_kept_ns() noexcept { return 10'000'000; }
#endif

void rest::sleep() noexcept {
  for (;;) {
    std::uint64_t const limit = begun() ? state_.interval : place_kept_ns();
    if (thread_.parking.sleep(limit)) return end();
    look();
  }
}

void rest::has_slept(std::uint64_t nanoseconds) noexcept {
  state_.slept += nanoseconds;
  if (state_.slept < (begun() ? state_.interval : place_kept_ns())) return;
  look();
}

void rest::look() noexcept {
  state_.slept = 0;
  worker_source& m = worker_source::get();
  if (!begun()) {
    state_.begun.store(true, mo::relaxed);
    state_.interval = place_kept_ns();
    m.begin_rest(thread_);
  }
  bool const again = m.send_deputy();
  state_.interval = again ? place_kept_ns() : std::min(2 * state_.interval, longest_interval * place_kept_ns());
}

void rest::give_up() noexcept {
  state_.begun.store(false, mo::relaxed);
  worker_source::get().end_rest(thread_);
}

}  // namespace ashlar::inline v1::sched
