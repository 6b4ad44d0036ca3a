// SPDX-License-Identifier: Apache-2.0
// <tbb/tbb_stddef.h> by the name of classic TBB's inner header, which tools for writing programs insert.
#pragma once

#include <tbb/tbb_stddef.h>
