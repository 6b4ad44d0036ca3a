// SPDX-License-Identifier: Apache-2.0
// <tbb/concurrent_map.h> and <tbb/concurrent_set.h> by the name of classic TBB's inner header, which tools for writing
// programs insert.
#pragma once

#include <tbb/concurrent_map.h>
#include <tbb/concurrent_set.h>
