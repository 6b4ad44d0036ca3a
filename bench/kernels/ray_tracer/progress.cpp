// SPDX-License-Identifier: Apache-2.0
#include "ray_tracer/progress.h"

#include <cstdio>
#include <string>

#include <unistd.h>

#include <bench/clock.h>

namespace kernels::ray {
namespace {

constexpr int bar_width = 40;
constexpr double interval_s = 0.1;

}  // namespace

progress::progress(std::int64_t total)
    : total_(total), visible_(isatty(STDERR_FILENO)), start_(bench::wall_now()), next_(start_ + interval_s) {}

progress::~progress() {
  if (visible_) {
    std::fputs("\r\033[K", stderr);
  }
}

void progress::advance(std::int64_t amount) {
  std::int64_t const done = done_.fetch_add(amount, std::memory_order_relaxed) + amount;
  double const now = bench::wall_now();
  double next = next_.load(std::memory_order_relaxed);
  // Whoever moves the time of the next drawing draws this one; no order with other memory is needed.
  if (now >= next && next_.compare_exchange_strong(next, now + interval_s, std::memory_order_relaxed)) {
    draw(done, now - start_);
  }
}

void progress::draw(std::int64_t done, double elapsed) const {
  double const share = static_cast<double>(done) / static_cast<double>(total_);
  auto const full = static_cast<std::size_t>(share * bar_width);
  std::string const bar = std::string(full, '#') + std::string(bar_width - full, '.');
  std::fprintf(stderr, "\r[%s] %3.0f %%  %.0f s left \033[K", bar.c_str(), 100 * share, elapsed * (1 - share) / share);
  std::fflush(stderr);
}

}  // namespace kernels::ray
