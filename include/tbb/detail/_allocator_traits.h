// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ashlar/base/config.h>

#include <memory>

namespace tbb {
namespace detail {
inline namespace d0 {
inline namespace ashlar_v1 {
using std::allocator_traits;
}  // namespace ashlar_v1
}  // namespace d0
}  // namespace detail
}  // namespace tbb
