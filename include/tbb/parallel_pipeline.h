// SPDX-License-Identifier: Apache-2.0
// parallel_pipeline: a stream of items that passes through a chain of filters.
#pragma once

#include <ashlar/base/config.h>

#if defined(__TBB_pipeline_H) && !defined(__TBB_tbb_H) && !ASHLAR_CLASSIC_DIALECT
#error \
    "<tbb/parallel_pipeline.h> after <tbb/pipeline.h>: tbb::filter is classic TBB's class already. Include one of them per file, or compile with -DASHLAR_CLASSIC_DIALECT=1"
#endif
// oneTBB's include guard; it tells <tbb/pipeline.h> that `filter` is the class template.
#define __TBB_parallel_pipeline_H

#include <tbb/detail/_filters.h>

#include <tbb/detail/closure/groups.h>
#if !ASHLAR_LEAN_HEADERS
#if !ASHLAR_CLASSIC_DIALECT
#include <memory_resource>
#endif
#endif
