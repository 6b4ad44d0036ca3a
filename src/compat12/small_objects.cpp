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

ASHLAR_ALWAYS_INLINE void* allocate_from(slot& here, d1::small_object_pool*& pool, std::size_t bytes) {
  task_pool* home;
  void* const p = here.pool().allocate(bytes, home);
  pool = ASHLAR_LIKELY(home != nullptr) ? reinterpret_cast<d1::small_object_pool*>(home) : &of_large_objects;
  return p;
}
task_pool* home_of(d1::small_object_pool& pool) noexcept {
  return ASHLAR_LIKELY(&pool != &of_large_objects) ? reinterpret_cast<task_pool*>(&pool) : nullptr;
}

}  // namespace

ASHLAR_EXPORT void* allocate(d1::small_object_pool*& pool, std::size_t bytes) {
  return allocate_from(ashlar::sched::this_slot(), pool, bytes);
}
ASHLAR_EXPORT void* allocate(d1::small_object_pool*& pool, std::size_t bytes, d1::execution_data const& ed) {
  return allocate_from(*static_cast<running const&>(ed).here, pool, bytes);
}
ASHLAR_EXPORT void deallocate(d1::small_object_pool& pool, void* p, std::size_t bytes) {
  slot* const here = ashlar::sched::current_slot;
  if (ASHLAR_UNLIKELY(here == nullptr)) return task_pool::release_from_outside(p, bytes, home_of(pool));
  here->pool().release(p, bytes, home_of(pool));
}
ASHLAR_EXPORT void deallocate(d1::small_object_pool& pool, void* p, std::size_t bytes, d1::execution_data const& ed) {
  static_cast<running const&>(ed).here->pool().release(p, bytes, home_of(pool));
}

}  // namespace tbb::detail::r1
