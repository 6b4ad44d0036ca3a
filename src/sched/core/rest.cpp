// SPDX-License-Identifier: Apache-2.0
#include "sched/core/rest.h"

#include "sched/core/thread_data.h"
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

void rest::sleep(thread_data& t) noexcept {
  for (;;) {
    std::uint64_t const limit = begun() ? interval_ : place_kept_ns();
    if (t.parking.sleep(limit)) return end(t);
    look(t);
  }
}

void rest::has_slept(thread_data& t, std::uint64_t nanoseconds) noexcept {
  slept_ += nanoseconds;
  if (slept_ < (begun() ? interval_ : place_kept_ns())) return;
  look(t);
}

void rest::look(thread_data& t) noexcept {
  slept_ = 0;
  worker_source& m = worker_source::get();
  if (!begun()) {
    begun_.store(true, mo::relaxed);
    interval_ = place_kept_ns();
    m.begin_rest(t);
  }
  bool const again = m.send_deputy();
  interval_ = again ? place_kept_ns() : std::min(2 * interval_, longest_interval * place_kept_ns());
}

void rest::give_up(thread_data& t) noexcept {
  begun_.store(false, mo::relaxed);
  worker_source::get().end_rest(t);
}

}  // namespace ashlar::inline v1::sched
