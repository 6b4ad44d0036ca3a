// SPDX-License-Identifier: Apache-2.0
// The rate of the processor's counter: from the processor where it is to be believed, else measured.
//
// On x86 the crystal clock leaf of CPUID is exact on bare metal only (a hypervisor may scale the counter and pass
// the leaf through), and in a virtual machine only the hypervisor's own timing leaf is. Everything else is
// measured between two points far enough apart; nobody waits for the second one.
#include "os/clock.h"

#include <ashlar/base/atomic.h>
#include <ashlar/base/config.h>

#include <bit>
#include <ctime>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

#include <cstring>
#endif

namespace ashlar {
inline namespace v1 {
namespace os {
namespace {

constexpr std::uint64_t first_answer_ns = 50'000;
constexpr std::uint64_t final_answer_ns = 10'000'000;

std::uint64_t read_clock(clockid_t clock) noexcept {
  timespec t{};
  ::clock_gettime(clock, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

// Both clocks at (nearly) one moment: of three readings the one that was disturbed least.
struct moment {
  std::uint64_t ticks = 0;
  std::uint64_t ns = 0;
};

moment read_both() noexcept {
  moment best;
  std::uint64_t best_width = ~std::uint64_t{0};
  for (int i = 0; i < 3; ++i) {
    std::uint64_t const before = ticks();
    std::uint64_t const ns = read_clock(CLOCK_MONOTONIC_RAW);
    std::uint64_t const width = ticks() - before;
    if (width >= best_width) continue;
    best_width = width;
    best = {before + width / 2, ns};
  }
  return best;
}

moment const& start() noexcept {
  static moment const first = read_both();
  return first;
}

// Starts the measurement when the library is loaded, so that it is over when somebody asks.
[[gnu::constructor]] void start_at_load() { start(); }

// Ticks per nanosecond as the hardware tells it, 0 if it does not.
#if defined(__x86_64__) || defined(__i386__)
struct cpuid_leaf {
  unsigned a = 0, b = 0, c = 0, d = 0;
  explicit cpuid_leaf(unsigned leaf) noexcept { __cpuid_count(leaf, 0, a, b, c, d); }
};

double rate_from_hypervisor() noexcept {
  constexpr unsigned base = 0x40000000;
  constexpr unsigned timing = base + 0x10;
  cpuid_leaf const id(base);
  char vendor[12];
  std::memcpy(vendor, &id.b, 4);
  std::memcpy(vendor + 4, &id.c, 4);
  std::memcpy(vendor + 8, &id.d, 4);
  bool const known = std::memcmp(vendor, "VMwareVMware", 12) == 0 || std::memcmp(vendor, "KVMKVMKVM\0\0\0", 12) == 0;
  if (!known || id.a < timing || id.a > base + 0xffff) return 0;
  return cpuid_leaf(timing).a * 1e-6;  // kHz
}

double rate_from_hardware() noexcept {
  unsigned const leaves = cpuid_leaf(0).a;
  if (leaves >= 1 && (cpuid_leaf(1).c >> 31) != 0) return rate_from_hypervisor();
  if (leaves < 0x15) return 0;
  cpuid_leaf const crystal(0x15);
  if (crystal.a == 0 || crystal.b == 0 || crystal.c == 0) return 0;
  return 1e-9 * crystal.c * crystal.b / crystal.a;
}
#elif defined(__aarch64__)
double rate_from_hardware() noexcept {
  std::uint64_t hertz;
  __asm__ __volatile__("mrs %0, cntfrq_el0" : "=r"(hertz));
  return 1e-9 * static_cast<double>(hertz);
}
#else
double rate_from_hardware() noexcept { return 1; }
#endif

// The final answer as the bits of a double; 0 while there is none. A relaxed access suffices: the word carries
// its whole meaning.
atomic<std::uint64_t> final_rate{0};

double set_final(double rate) noexcept {
  final_rate.store(std::bit_cast<std::uint64_t>(rate), mo::relaxed);
  return rate;
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
  double const rate = static_cast<double>(now.ticks - first.ticks) / static_cast<double>(now.ns - first.ns);
  return now.ns - first.ns < final_answer_ns ? rate : set_final(rate);
}

}  // namespace

std::uint64_t now_ns() noexcept { return read_clock(CLOCK_MONOTONIC); }

double ticks_per_ns() noexcept {
  std::uint64_t const known = final_rate.load(mo::relaxed);
  return ASHLAR_LIKELY(known != 0) ? std::bit_cast<double>(known) : measure();
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
