// SPDX-License-Identifier: Apache-2.0
// Memory for tasks of foreign programs, from the calling thread's task_pool. A pool is passed by reference, so that
// large objects, which belong to no pool, need one that stands for none.
#include "running.h"

#include <ashlar/sched/queue/task_pool.h>

namespace tbb::detail::r1 {

using namespace ashlar::compat12;
using ashlar::sched::slot;
using ashlar::sched::task_pool;

namespace {

d1::small_object_pool of_large_objects;

// Last, so that its calls need no frame here.
ASHLAR_ALWAYS_INLINE void* allocate_from(task_pool& mine, d1::small_object_pool*& pool, std::size_t bytes) {
  task_pool* home;
  bool const small = ASHLAR_LIKELY(bytes - 1 < task_pool::granule * task_pool::classes);
  pool = small ? reinterpret_cast<d1::small_object_pool*>(&mine) : &of_large_objects;
  return mine.allocate(bytes, home);
}
ASHLAR_COLD void* allocate_first(d1::small_object_pool*& pool, std::size_t bytes) {
  return allocate_from(ashlar::sched::this_slot().pool(), pool, bytes);
}

ASHLAR_NOINLINE void release_elsewhere(d1::small_object_pool& pool, void* p, std::size_t bytes) {
  auto* const home = &pool != &of_large_objects ? reinterpret_cast<task_pool*>(&pool) : nullptr;
  task_pool::release_from_outside(p, bytes, home);
}
ASHLAR_ALWAYS_INLINE void release_to(task_pool& mine, d1::small_object_pool& pool, void* p, std::size_t bytes) {
  if (ASHLAR_UNLIKELY(reinterpret_cast<task_pool*>(&pool) != &mine)) return release_elsewhere(pool, p, bytes);
  mine.release(p, bytes, &mine);
}

}  // namespace

ASHLAR_EXPORT void* allocate(d1::small_object_pool*& pool, std::size_t bytes) {
  slot* const here = ashlar::sched::current_slot;
  if (ASHLAR_UNLIKELY(here == nullptr)) return allocate_first(pool, bytes);
  return allocate_from(here->pool(), pool, bytes);
}
ASHLAR_EXPORT void* allocate(d1::small_object_pool*& pool, std::size_t bytes, d1::execution_data const& ed) {
  return allocate_from(static_cast<running const&>(ed).here->pool(), pool, bytes);
}
ASHLAR_EXPORT void deallocate(d1::small_object_pool& pool, void* p, std::size_t bytes) {
  slot* const here = ashlar::sched::current_slot;
  if (ASHLAR_UNLIKELY(here == nullptr)) return release_elsewhere(pool, p, bytes);
  release_to(here->pool(), pool, p, bytes);
}
ASHLAR_EXPORT void deallocate(d1::small_object_pool& pool, void* p, std::size_t bytes, d1::execution_data const& ed) {
  release_to(static_cast<running const&>(ed).here->pool(), pool, p, bytes);
}

}  // namespace tbb::detail::r1
