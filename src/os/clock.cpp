// SPDX-License-Identifier: Apache-2.0
// The rate of the processor's counter: from the hardware where it tells (counter_rate.h), else measured between two
// points far enough apart; nobody waits for the second one.
#include "os/clock.h"

#include "os/counter_rate.h"

#include <ashlar/base/atomic.h>
#include <ashlar/base/config.h>

#include <bit>

namespace ashlar::inline v1::os {
namespace {

constexpr std::uint64_t rough_answer_ns = 1'000;
constexpr std::uint64_t first_answer_ns = 50'000;
constexpr std::uint64_t final_answer_ns = 10'000'000;

// Both clocks at (nearly) one moment: of three readings the one that was disturbed least.
struct moment {
  std::uint64_t ticks = 0;
  std::uint64_t ns = 0;
  std::uint64_t width = ~std::uint64_t{0};  // `ticks` is that exact
};

moment read_both() noexcept {
  moment best;
  for (int i = 0; i < 3; ++i) {
    std::uint64_t const before = ticks();
    std::uint64_t const ns = raw_ns();
    std::uint64_t const width = ticks() - before;
    if (width < best.width) best = {before + width / 2, ns, width};
  }
  return best;
}

moment const& start() noexcept {
  static moment const first = read_both();
  return first;
}

// Starts the measurement when the library is loaded, so that it is over when somebody asks.
[[gnu::constructor]] void start_at_load() { start(); }

// The final answer as the bits of a double; 0 while there is none. A relaxed access suffices: the word carries
// its whole meaning.
atomic<std::uint64_t> final_rate{0};

double set_final(double rate) noexcept {
  final_rate.store(std::bit_cast<std::uint64_t>(rate), mo::relaxed);
  return rate;
}

double rate_between(moment const& a, moment const& b) noexcept {
  return static_cast<double>(b.ticks - a.ticks) / static_cast<double>(b.ns - a.ns);
}

ASHLAR_COLD double measure() noexcept {
  static double const told = rate_from_hardware();
  if (told > 0) return set_final(told);
  moment const& first = start();
  moment now = read_both();
  while (now.ns - first.ns < first_answer_ns) {
    cpu_pause();
    now = read_both();
  }
  double const rate = rate_between(first, now);
  return now.ns - first.ns < final_answer_ns ? rate : set_final(rate);
}

}  // namespace

double ticks_per_ns() noexcept {
  std::uint64_t const known = final_rate.load(mo::relaxed);
  return ASHLAR_LIKELY(known != 0) ? std::bit_cast<double>(known) : measure();
}

double rough_ticks_per_ns() noexcept {
  moment const& first = start();
  moment now = read_both();
  while (now.ns - first.ns < rough_answer_ns || now.ticks - first.ticks < 16 * (first.width + now.width + 2)) {
    cpu_pause();
    now = read_both();
  }
  return rate_between(first, now);
}

}  // namespace ashlar::inline v1::os
