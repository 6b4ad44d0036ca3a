// SPDX-License-Identifier: Apache-2.0
// Inner names of oneTBB that programs use after the header of their class alone. It compiles with oneTBB's own headers
// as well, so it states oneTBB's interface and not ours. Compiled only.
#define TBB_PREVIEW_NUMA_ALLOCATION 1
#include <tbb/task_arena.h>

#include <tbb/flow_graph.h>
#include <tbb/numa_allocation.h>

namespace {

namespace d2 = tbb::detail::d2;
namespace r1 = tbb::detail::r1;

void arenas() {
  tbb::task_arena::constraints const wanted;
  (void)(r1::constraints_default_concurrency(wanted) + r1::constraints_threads_per_core(wanted));
}

void memory() { r1::deallocate_interleaved(r1::allocate_interleaved(1, nullptr, 0, 0), 1); }

void edges() {
  tbb::flow::graph g;
  tbb::flow::buffer_node<int> from(g), to(g);
  (void)(d2::register_successor<int>(from, to) || d2::register_predecessor<int>(to, from));
  (void)(d2::remove_successor<int>(from, to) || d2::remove_predecessor<int>(to, from));
  (void)(register_successor(from, to) || register_predecessor(to, from));
  (void)(remove_successor(from, to) || remove_predecessor(to, from));
}

}  // namespace

void use_inner_names_alone();
void use_inner_names_alone() {
  arenas();
  memory();
  edges();
}
