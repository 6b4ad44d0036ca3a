// SPDX-License-Identifier: Apache-2.0
// The table of fork hooks. An entry is claimed, written, then published; it never changes afterwards.
//
// [FK1] an entry's bit in `published` set, after the entry is written -> [FK2] a fork that reads the entry
#include "os/fork.h"

#include <ashlar/base/atomic.h>
#include <ashlar/os/memory.h>

#include <pthread.h>

#include <cstdint>
#include <new>

namespace ashlar::inline v1::os {
namespace {

constexpr unsigned capacity = 16;

fork_hooks entries[capacity];
atomic<std::uint32_t> claimed{0};
atomic<std::uint32_t> published{0};

// The entries that the running fork() covers. Per thread, because two threads may fork at the same time.
thread_local std::uint32_t covered = 0;

void run_prepare() {
  covered = published.load(mo::acquire);  // [FK2]
  for (unsigned i = capacity; i-- > 0;) {
    if ((covered >> i & 1u) != 0 && entries[i].prepare != nullptr) entries[i].prepare();
  }
}

void run_after(void (*fork_hooks::*hook)() noexcept) {
  for (unsigned i = 0; i < capacity; ++i) {
    if ((covered >> i & 1u) != 0 && entries[i].*hook != nullptr) (entries[i].*hook)();
  }
}

void run_parent() { run_after(&fork_hooks::parent); }
void run_child() { run_after(&fork_hooks::child); }

// The allocator has hooks of its own, which it registers when it is loaded, and here that is done. They have to come
// before ours: then whoever forks takes the allocator's locks last, as threads do that allocate while they hold one of
// ours.
void register_allocator() noexcept {
  try {
    deallocate_memory(allocate_memory(1));
  } catch (std::bad_alloc const&) {
  }
}

// No lock and no static guard here: a fork() in another thread would leave them held in the child.
bool install() noexcept {
  enum : std::uint32_t { absent, present, refused };
  static atomic<std::uint32_t> installed{absent};
  std::uint32_t state = absent;
  if (!installed.compare_exchange(state, present, mo::relaxed, mo::relaxed)) return state == present;
  register_allocator();
  if (::pthread_atfork(run_prepare, run_parent, run_child) == 0) return true;
  installed.store(refused, mo::relaxed);
  return false;
}

}  // namespace

bool add_fork_hooks(fork_hooks hooks) noexcept {
  if (!install()) return false;
  std::uint32_t slot = claimed.load(mo::relaxed);  // relaxed: only the value counts
  do {
    if (slot == capacity) return false;
  } while (!claimed.compare_exchange(slot, slot + 1, mo::relaxed, mo::relaxed));
  entries[slot] = hooks;
  published.fetch_or(1u << slot, mo::release);  // [FK1]
  return true;
}

}  // namespace ashlar::inline v1::os
