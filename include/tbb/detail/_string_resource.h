// SPDX-License-Identifier: Apache-2.0
// <tbb/profiling.h> by the name of oneTBB's inner header, which tools for writing programs insert.
#pragma once

#include <tbb/profiling.h>
