// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ashlar/base/config.h>

#include <memory>

namespace tbb {
namespace detail {
using std::allocator_traits;
}  // namespace detail
}  // namespace tbb
