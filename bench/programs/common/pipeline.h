// SPDX-License-Identifier: Apache-2.0
// The names of a pipeline's parts: those of TBB 2020 and those of oneTBB and Ashlar.
#pragma once

#include <bench/tbb_peer.h>

#if TBB_INTERFACE_VERSION < 12000
#include <tbb/pipeline.h>
#else
#include <tbb/parallel_pipeline.h>
#endif

namespace programs {

#if TBB_INTERFACE_VERSION < 12000
template <typename In, typename Out>
using stage = tbb::filter_t<In, Out>;
using stage_mode = tbb::filter;
#else
template <typename In, typename Out>
using stage = tbb::filter<In, Out>;
using stage_mode = tbb::filter_mode;
#endif

}  // namespace programs
