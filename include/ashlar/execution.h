// SPDX-License-Identifier: Apache-2.0
// Arenas as schedulers of std::execution (C++20): for the implementation that the program has included before, which is
// stdexec, beman.execution, or the standard library's. <tbb/tbb.h> does not include it. Ours: no TBB has it.
#pragma once

#include <ashlar/execution/implementation.h>

#ifdef ASHLAR_SENDERS  // else the compiler has said why
#include <ashlar/execution/awaiter.h>
#include <ashlar/execution/bulk.h>
#include <ashlar/execution/get_partitioner.h>
#include <ashlar/execution/group_token.h>
#include <ashlar/execution/scheduler.h>
#include <ashlar/execution/sender_node.h>
#include <ashlar/execution/stop_with.h>
#include <ashlar/execution/sync_wait.h>
#endif
