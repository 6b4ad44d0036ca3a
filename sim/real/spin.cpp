// SPDX-License-Identifier: Apache-2.0
#include "os/clock.h"
#include "real/real_run.h"

#include <algorithm>
#include <array>

namespace ashlar::sim {

namespace {

// Nothing of what follows starts before all that precedes is done.
void drain() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __asm__ __volatile__("lfence" ::: "memory");
#elif defined(__aarch64__)
  __asm__ __volatile__("isb" ::: "memory");
#endif
}

// A chain of dependent multiplications: its speed depends on the core's clock only. Between fences, as a processor that
// predicts the end of the loop hides the scheduler's instructions in the chain's latency, and one that doesn't can't.
[[gnu::noinline]] void turn(std::uint64_t turns) noexcept {
  drain();
  std::uint64_t x = turns | 1;
  for (std::uint64_t i = 0; i < turns; ++i) {
    x *= 0x9E3779B97F4A7C15u;
    __asm__ __volatile__("" : "+r"(x));
  }
  drain();
}

// Nanoseconds of `calls` times `turns`, the median of a number of measurements: how fast the core is most of the time.
template <std::size_t Measurements = 101>
std::uint64_t typical(std::uint64_t calls, std::uint64_t turns) noexcept {
  std::array<std::uint64_t, Measurements> times;
  for (std::uint64_t& t : times) {
    std::uint64_t const start = os::now_ns();
    for (std::uint64_t c = 0; c < calls; ++c) turn(turns);
    t = os::now_ns() - start;
  }
  std::sort(times.begin(), times.end());
  return std::max<std::uint64_t>(1, times[times.size() / 2]);
}

struct spin_speed {
  std::uint64_t femtoseconds = typical(1, 200000) * 1000000 / 200000;      // a turn
  std::uint64_t per_picosecond = ~std::uint64_t(0) / femtoseconds * 1000;  // turns, as a fraction of 2^64
  picoseconds call = typical(10000, 1) * nanosecond / 10000;               // a call with one turn
};

spin_speed const& speed() noexcept {
  static spin_speed const measured;
  return measured;
}

}  // namespace

std::uint64_t spin_turn() noexcept { return speed().femtoseconds; }

double spin_pace() noexcept {
  constexpr std::uint64_t turns = 200000;
  return static_cast<double>(typical<5>(1, turns)) * 1e6 / static_cast<double>(turns * spin_turn());
}

void spin_for(picoseconds time) noexcept {
  spin_speed const& s = speed();
  if (time <= s.call) return;
  turn(1 + static_cast<std::uint64_t>(static_cast<unsigned __int128>(time - s.call) * s.per_picosecond >> 64));
}

}  // namespace ashlar::sim
