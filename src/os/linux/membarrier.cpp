// SPDX-License-Identifier: Apache-2.0
// membarrier(PRIVATE_EXPEDITED): registered once per process, and again in a forked child.
//
// A process may enter a sandbox that forbids membarrier after its light fences are in use. The call then fails
// although it was available, and the fence is made the slow way: a thread that is moved to a CPU makes that CPU
// switch context, which is a full fence for whatever ran there, so visiting all CPUs fences all threads.
//
// [MB1] state = answer, after the registration -> [MB2] the reader that skips the registration
// [MB3] the caller's fence -> [MB3] the fence of the other side, which is a full one where this one is used
#include "os/membarrier.h"

#include "os/clock.h"
#include "os/fork.h"

#include <ashlar/base/atomic.h>

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace ashlar {
inline namespace v1 {

bool heavy_fence_missing = false;

namespace os {

#if ASHLAR_TSAN

// ThreadSanitizer does not see what the kernel does; under it fence_light() is a full fence too, so the pair
// is modelled by two full fences.
bool heavy_fence_available() noexcept { return true; }
void heavy_fence() noexcept { fence_seq_cst(); }  // [MB3]
std::uint64_t heavy_fence_ticks() noexcept { return 0; }

#else
namespace {

enum class support : int { unknown, available, unavailable };

atomic<support> state{support::unknown};
atomic<std::uint64_t> price{0};  // ticks, the mean of the last calls

bool membarrier(int command) noexcept {
  int const saved = errno;
  bool const done = ::syscall(SYS_membarrier, command, 0, 0) == 0;
  errno = saved;
  return done;
}

// The child of a fork has one thread, so nothing races with this.
void register_child() noexcept {
  if (state.load(mo::relaxed) == support::available) membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

// Two threads may both come here: registering twice is harmless and gives the same answer.
support find_support() noexcept {
  bool const usable =
      membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  support answer = usable ? support::available : support::unavailable;
  support found = support::unknown;
  if (!state.compare_exchange(found, answer, mo::release, mo::acquire)) return found;  // [MB1] [MB2]
  if (usable) add_fork_hooks({nullptr, nullptr, register_child});
  return answer;
}

support get_support() noexcept {
  support const s = state.load(mo::acquire);  // [MB2]
  return ASHLAR_LIKELY(s != support::unknown) ? s : find_support();
}

// The set of CPUs as the kernel takes it. 8192 is the largest NR_CPUS that distributions configure.
struct cpu_mask {
  static constexpr int max_cpus = 8192;
  cpu_set_t* bits = CPU_ALLOC(max_cpus);
  std::size_t size = CPU_ALLOC_SIZE(max_cpus);
  cpu_mask() noexcept = default;
  cpu_mask(cpu_mask const&) = delete;
  cpu_mask& operator=(cpu_mask const&) = delete;
  ~cpu_mask() { CPU_FREE(bits); }
};

// Visits every CPU on which this process may run. False if the kernel does not let us.
bool visit_all_cpus() noexcept {
  cpu_mask old;
  cpu_mask one;
  if (old.bits == nullptr || one.bits == nullptr) return false;
  CPU_ZERO_S(old.size, old.bits);
  if (::sched_getaffinity(0, old.size, old.bits) != 0) return false;
  long const configured = ::sysconf(_SC_NPROCESSORS_CONF);
  int const cpus =
      configured > 0 && configured < cpu_mask::max_cpus ? static_cast<int>(configured) : cpu_mask::max_cpus;
  bool visited = true;
  for (int cpu = 0; cpu < cpus && visited; ++cpu) {
    CPU_ZERO_S(one.size, one.bits);
    CPU_SET_S(cpu, one.size, one.bits);
    // EINVAL: off line, or outside our cpuset; no thread of ours runs there.
    visited = ::sched_setaffinity(0, one.size, one.bits) == 0 || errno == EINVAL;
  }
  return ::sched_setaffinity(0, old.size, old.bits) == 0 && visited;
}

ASHLAR_COLD void fence_without_membarrier() noexcept {
  int const saved = errno;
  if (!visit_all_cpus()) {
    // Going on would break the protocols that rely on the pair, silently.
    std::fputs("ashlar: membarrier was forbidden while in use; allow it, or forbid it from the start\n", stderr);
    std::abort();
  }
  errno = saved;
}

}  // namespace

bool heavy_fence_available() noexcept { return get_support() == support::available; }

void heavy_fence() noexcept {
  if (get_support() != support::available) {
    fence_seq_cst();  // [MB3]
    return;
  }
  std::uint64_t const begin = ticks();
  if (ASHLAR_UNLIKELY(!membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))) fence_without_membarrier();
  std::uint64_t const before = price.load(mo::relaxed);
  price.store(before - before / 8 + (ticks() - begin) / 8, mo::relaxed);
}

std::uint64_t heavy_fence_ticks() noexcept { return price.load(mo::relaxed); }

#endif  // ASHLAR_TSAN
}  // namespace os
}  // namespace v1
}  // namespace ashlar
