// SPDX-License-Identifier: Apache-2.0
// A part of the program gets a name in traces and reports.
#include <ashlar/obs/trace_region.h>
#include <tbb/parallel_for.h>
#include <tbb/profiling.h>
#include <vector>

int main() {
  std::vector<int> rows(1000);
  {
    // What this task does meanwhile, and the tasks that it spawns meanwhile.
    ashlar::trace_region const region("assemble");
    tbb::parallel_for(0, 1000, [&](int i) { rows[i] = i; });
  }
  tbb::profiling::event("saved").emit();  // a moment
  return rows[999] == 999 ? 0 : 1;
}
