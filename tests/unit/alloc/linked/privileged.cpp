// SPDX-License-Identifier: Apache-2.0
// Uses the scheduler and the allocator, which print to stderr what the environment asks them to.
#include <tbb/parallel_for.h>
#include <tbb/scalable_allocator.h>

int main() {
  tbb::parallel_for(0, 10, [](int) { scalable_free(scalable_malloc(100)); });
}
