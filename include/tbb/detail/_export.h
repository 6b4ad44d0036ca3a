// SPDX-License-Identifier: Apache-2.0
// Kept for programs that include it by this name. What the libraries export is decided by their version scripts.
#pragma once

#include <ashlar/base/config.h>

#define __TBB_EXPORT ASHLAR_EXPORT
#define TBB_EXPORT
#define TBBMALLOC_EXPORT
#define TBBMALLOCPROXY_EXPORT
#define TBBBIND_EXPORT
