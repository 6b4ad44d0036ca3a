// SPDX-License-Identifier: Apache-2.0
// <tbb/spin_rw_mutex.h> by the name of oneTBB's inner header, which tools for writing programs insert.
#pragma once

#include <tbb/spin_rw_mutex.h>
