// SPDX-License-Identifier: Apache-2.0
// Kept for programs that include it by this name; every public header defines what it holds.
#pragma once

#include <ashlar/base/config.h>
#include <tbb/detail/_export.h>
