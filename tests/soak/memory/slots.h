// SPDX-License-Identifier: Apache-2.0
// Shapes whose makers have slots of an arena.
#pragma once

#include "shapes.h"

#include <tbb/task_arena.h>

namespace growth {

/// Calls body() once for each maker, at the same time. As many workers as the shape has enders help.
template <typename F>
void in_slots(run& r, F const& body) {
  unsigned const from = makers(r.form);
  tbb::task_arena a(static_cast<int>(from + enders(r.form)), from);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < from; ++t) threads.emplace_back([&] { a.execute(body); });
  for (std::thread& t : threads) t.join();
}

}  // namespace growth
