// SPDX-License-Identifier: Apache-2.0
// Makes Ashlar the backend of the program's parallel_scheduler: the definition that std::execution lets a program
// replace. It is compiled by the program (TBB::parallel_scheduler), with the implementation that the program has.
#if __has_include(<stdexec/execution.hpp>)
#include <stdexec/execution.hpp>
#elif __has_include(<beman/execution/execution.hpp>)
#include <beman/execution/execution.hpp>
#else
#include <execution>
#endif

#include <ashlar/execution/parallel_scheduler.h>

namespace replacement = ashlar::execution::replacement;

auto replacement::query_parallel_scheduler_backend() -> std::shared_ptr<replacement::parallel_scheduler_backend> {
  return ashlar::execution::process_backend();
}
