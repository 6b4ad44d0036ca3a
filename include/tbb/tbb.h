// SPDX-License-Identifier: Apache-2.0
// All public headers at once. A file that uses a few of them compiles faster when it includes those.
#pragma once

#include <tbb/aligned_space.h>
#include <tbb/profiling.h>
#include <tbb/tbb_config.h>
#include <tbb/tbb_exception.h>
#include <tbb/tbb_profiling.h>
#include <tbb/tbb_stddef.h>
#include <tbb/tick_count.h>
#include <tbb/version.h>
