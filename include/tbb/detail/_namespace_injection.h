// SPDX-License-Identifier: Apache-2.0
// Kept for programs that include it by this name; every public header makes oneapi::tbb an alias of tbb.
#pragma once

#include <ashlar/base/config.h>
