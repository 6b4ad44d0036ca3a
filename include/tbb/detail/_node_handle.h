// SPDX-License-Identifier: Apache-2.0
// <tbb/concurrent_map.h> and <tbb/concurrent_unordered_map.h> by the name of oneTBB's inner header, which tools for
// writing programs insert.
#pragma once

#include <tbb/concurrent_map.h>
#include <tbb/concurrent_unordered_map.h>
