// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/aligned_space.h>

namespace tbb {
namespace detail {
using ::tbb::aligned_space;
}  // namespace detail
}  // namespace tbb
