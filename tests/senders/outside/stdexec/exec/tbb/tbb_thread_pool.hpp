// SPDX-License-Identifier: Apache-2.0
// Stands in for stdexec's wrapper of a task_arena in its tests.
#pragma once

#include <exec/static_thread_pool.hpp>

namespace experimental::execution::tbb {

class tbb_thread_pool : public static_thread_pool {
 public:
  using static_thread_pool::static_thread_pool;
};

}  // namespace experimental::execution::tbb
