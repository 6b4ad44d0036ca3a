// SPDX-License-Identifier: Apache-2.0
// What of Microsoft's Parallel Patterns Library classic TBB has, in namespace Concurrency. Each is documented in the
// header of its own.
#pragma once

#include <tbb/combinable.h>
#include <tbb/critical_section.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/reader_writer_lock.h>
#include <tbb/task_group.h>
#include <tbb/tbb_exception.h>

namespace Concurrency {

using ::tbb::canceled;
using ::tbb::combinable;
using ::tbb::complete;
using ::tbb::critical_section;
using ::tbb::improper_lock;
using ::tbb::invalid_multiple_scheduling;
using ::tbb::is_current_task_group_canceling;
using ::tbb::make_task;
using ::tbb::missing_wait;
using ::tbb::not_complete;
using ::tbb::parallel_for;
using ::tbb::parallel_for_each;
using ::tbb::parallel_invoke;
using ::tbb::reader_writer_lock;
using ::tbb::structured_task_group;
using ::tbb::task_group;
using ::tbb::task_group_status;
using ::tbb::task_handle;

}  // namespace Concurrency
