// SPDX-License-Identifier: Apache-2.0
// <tbb/mutex.h> and <tbb/rw_mutex.h> by the name of oneTBB's inner header, which tools for writing programs insert.
#pragma once

#include <tbb/mutex.h>
#include <tbb/rw_mutex.h>
