// SPDX-License-Identifier: Apache-2.0
// The partitioners of the range algorithms: simple, auto, static and affinity.
#pragma once

#include <ashlar/algo/partitioner.h>
#include <ashlar/base/interface.h>
#include <ashlar/base/split.h>

#include <tbb/detail/closure/loops.h>
