// SPDX-License-Identifier: Apache-2.0
// null_rw_mutex: the interface of a reader-writer mutex that does nothing, for templates that take a lock but need
// none.
#pragma once

#include <ashlar/base/config.h>
#include <ashlar/sync/null_mutex.h>

#include <tbb/detail/closure/base.h>
