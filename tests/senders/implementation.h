// SPDX-License-Identifier: Apache-2.0
// The implementation of std::execution that a test is compiled with: `ex`.
#pragma once

#if SENDERS_OF_BEMAN
#include <beman/execution/execution.hpp>
namespace ex = beman::execution;
#else
#include <stdexec/execution.hpp>
namespace ex = stdexec;
#endif
#include <ashlar/execution.h>

using tbb::execution::arena_scheduler;

inline arena_scheduler own_scheduler() { return arena_scheduler(tbb::attach()); }
