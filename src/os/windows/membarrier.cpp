// SPDX-License-Identifier: Apache-2.0
// A fence in all threads of the process by FlushProcessWriteBuffers.
//
// [WB1] the caller's fence -> [WB1] the fence of the other side
#include "os/membarrier.h"

#include "os/clock.h"
#include "os/windows/system.h"

#include <ashlar/base/atomic.h>

namespace ashlar {
inline namespace v1 {

bool heavy_fence_missing = false;

namespace os {
namespace {

atomic<std::uint64_t> price{0};  // ticks, the mean of the last calls

// Wine may have the function without what it does.
bool is_windows() noexcept {
  HMODULE const system = ::GetModuleHandleA("ntdll.dll");
  return system == nullptr || ::GetProcAddress(system, "wine_get_version") == nullptr;
}

}  // namespace

bool heavy_fence_available() noexcept {
  static bool const available = is_windows();
  return available;
}

void heavy_fence() noexcept {
  if (!heavy_fence_available()) {
    fence_seq_cst();  // [WB1]
    return;
  }
  std::uint64_t const begin = ticks();
  ::FlushProcessWriteBuffers();
  std::uint64_t const before = price.load(mo::relaxed);
  price.store(before - before / 8 + (ticks() - begin) / 8, mo::relaxed);
}

std::uint64_t heavy_fence_ticks() noexcept { return price.load(mo::relaxed); }

}  // namespace os
}  // namespace v1
}  // namespace ashlar
