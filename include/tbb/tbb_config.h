// SPDX-License-Identifier: Apache-2.0
// The switches and feature macros of classic TBB; every public header defines them.
#pragma once

#include <ashlar/base/config.h>

#if !ASHLAR_LEAN_HEADERS
#include <cstddef>
#endif
