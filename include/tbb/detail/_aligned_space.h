// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/aligned_space.h>

namespace tbb {
namespace detail {
inline namespace d0 {
inline namespace ashlar_v1 {
using ::tbb::aligned_space;
}  // namespace ashlar_v1
}  // namespace d0
}  // namespace detail
}  // namespace tbb
