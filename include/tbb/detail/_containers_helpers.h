// SPDX-License-Identifier: Apache-2.0
// <tbb/detail/_allocator_traits.h> and <tbb/detail/_template_helpers.h> by the name of oneTBB's inner header, which
// tools for writing programs insert.
#pragma once

#include <tbb/detail/_allocator_traits.h>
#include <tbb/detail/_template_helpers.h>
