// SPDX-License-Identifier: Apache-2.0
// blocked_rangeNd: the name that classic TBB gives to blocked_nd_range.
#pragma once

#include <tbb/blocked_nd_range.h>
