// SPDX-License-Identifier: Apache-2.0
// Included before the first line of each source file of the library when it is compiled for simulated processors: what
// the processor itself answers or delays, the time counter, pauses and atomic accesses, goes through the simulation.
// The sources are the product's, unchanged.
#pragma once

// The library makes relaxed loads by ordinary reads, except for ThreadSanitizer, which has to see them as the world
// has. No other part for that sanitizer is wanted: an unknown name is 0 where the preprocessor asks.
#define ASHLAR_TSAN simulated_loads_are_seen
constexpr bool simulated_loads_are_seen = true;

extern "C" {
unsigned long long simulated_ticks() noexcept;
void simulated_pause() noexcept;
void simulated_read(void const volatile* word) noexcept;
void simulated_write(void const volatile* word) noexcept;
void simulated_change(void const volatile* word) noexcept;  // a locked instruction
void simulated_compute(unsigned long long nanoseconds) noexcept;
}

#define __builtin_ia32_rdtsc() simulated_ticks()
#define __builtin_ia32_pause() simulated_pause()
#define __atomic_load(word, to, o) (simulated_read(word), __atomic_load(word, to, o))
#define __atomic_store(word, from, o) (simulated_write(word), __atomic_store(word, from, o))
#define __atomic_exchange(word, from, to, o) (simulated_change(word), __atomic_exchange(word, from, to, o))
#define __atomic_compare_exchange(word, from, to, weak, o, p) \
  (simulated_change(word), __atomic_compare_exchange(word, from, to, weak, o, p))
#define __atomic_fetch_add(word, v, o) (simulated_change(word), __atomic_fetch_add(word, v, o))
#define __atomic_fetch_sub(word, v, o) (simulated_change(word), __atomic_fetch_sub(word, v, o))
#define __atomic_fetch_or(word, v, o) (simulated_change(word), __atomic_fetch_or(word, v, o))
#define __atomic_fetch_and(word, v, o) (simulated_change(word), __atomic_fetch_and(word, v, o))
