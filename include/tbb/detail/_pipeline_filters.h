// SPDX-License-Identifier: Apache-2.0
// <tbb/parallel_pipeline.h> by the name of oneTBB's inner header, which tools for writing programs insert.
#pragma once

#include <tbb/parallel_pipeline.h>

#if !ASHLAR_CLASSIC_DIALECT
namespace tbb {
namespace detail {
namespace d1 {
inline namespace ashlar_v1 {
using ::tbb::filter;
using ::tbb::filter_mode;
using ::tbb::flow_control;
using ::tbb::make_filter;
}  // namespace ashlar_v1
}  // namespace d1
}  // namespace detail
}  // namespace tbb
#endif
