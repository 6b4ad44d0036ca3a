// SPDX-License-Identifier: Apache-2.0
// <tbb/spin_mutex.h> and <tbb/spin_rw_mutex.h> by the name of classic TBB's inner header, which tools for writing
// programs insert.
#pragma once

#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>
