// SPDX-License-Identifier: Apache-2.0
// The kernel's page: the only place that asks for it. Kernels have 4, 16 or 64 KiB (tools/check_pages.py).
#pragma once

#include <unistd.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {

inline std::size_t page_size() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

}  // namespace v1
}  // namespace ashlar
