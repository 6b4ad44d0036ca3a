// SPDX-License-Identifier: Apache-2.0
// null_mutex: the interface of a mutex that does nothing, for templates that take a lock but need none.
#pragma once

#include <ashlar/base/config.h>
#include <ashlar/sync/null_mutex.h>

#include <tbb/detail/closure/base.h>
