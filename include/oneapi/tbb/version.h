// SPDX-License-Identifier: Apache-2.0
// <tbb/version.h> under its other name.
#pragma once

#include <tbb/version.h>

// Build scripts read these numbers in the text of this file, without a compiler. ashlar/base/interface.h, which has
// defined the same, is what counts: the compiler compares the two.
#if !ASHLAR_CLASSIC_DIALECT
#define TBB_VERSION_MAJOR 2023
#define TBB_VERSION_MINOR 2
#define TBB_VERSION_PATCH 0
#define TBB_VERSION_STRING "2023.2.0"
#define TBB_INTERFACE_VERSION 12200
#define TBB_COMPATIBLE_INTERFACE_VERSION 2
#define __TBB_BINARY_VERSION 12
#endif
