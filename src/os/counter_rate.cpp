// SPDX-License-Identifier: Apache-2.0
#include "os/counter_rate.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

#include <cstring>
#elif defined(__aarch64__)
#include <cstdint>
#endif

namespace ashlar::inline v1::os {

#if defined(__x86_64__) || defined(__i386__)
namespace {

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

}  // namespace

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

}  // namespace ashlar::inline v1::os
