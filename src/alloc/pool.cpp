// SPDX-License-Identifier: Apache-2.0
// Memory pools: the interface of ashlar/alloc/pool_interface.h. One lock per pool, one for the list of all pools; the
// second is taken for changes of the lists of pools and regions and by pool_identify, inside the first where both are.
#include "alloc/api.h"
#include "alloc/lock.h"
#include "alloc/pool_blocks.h"

#include <ashlar/alloc/pool_interface.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace rml {

class MemoryPool {
 public:
  struct region {
    region* next;
    void* start;
    std::size_t bytes;
  };

  MemoryPool(std::intptr_t id, MemPoolPolicy const& policy) : id_(id), policy_(policy) {}

  bool grow(std::size_t wanted) noexcept;
  bool give_back_all() noexcept;
  void give_back_unused(void* freed) noexcept;
  void reset() noexcept;
  bool contains(void const* p) const noexcept;

  ashlar::alloc::slow_lock lock;
  ashlar::alloc::pool_blocks blocks;
  MemoryPool* next_pool = nullptr;
  bool fixed() const noexcept { return policy_.fixedPool; }

 private:
  std::size_t rounded(std::size_t wanted) const noexcept;

  std::intptr_t id_;
  MemPoolPolicy policy_;
  region* regions_ = nullptr;
};

namespace {

using ashlar::alloc::pool_blocks;
using ashlar::alloc::slow_guard;

constexpr std::size_t usual_region = std::size_t{64} << 10;

constinit ashlar::alloc::slow_lock pools_lock;
constinit MemoryPool* pools = nullptr;

constexpr bool power_of_two(std::size_t n) { return n && !(n & (n - 1)); }

void* invalid() {
  errno = EINVAL;
  return nullptr;
}

void* allocate_in(MemoryPool* pool, std::size_t size, std::size_t align) {
  slow_guard const g(pool->lock);
  void* p = pool->blocks.allocate(size, align);
  if (!p && pool->grow(size + (align > pool_blocks::grain ? 2 * align + 2 * pool_blocks::header : 0))) {
    p = pool->blocks.allocate(size, align);
  }
  if (!p) {
    errno = ENOMEM;
  }
  return p;
}

void* reallocate_in(MemoryPool* pool, void* old, std::size_t size, std::size_t align) {
  std::size_t kept;
  {
    slow_guard const g(pool->lock);
    if (reinterpret_cast<std::uintptr_t>(old) % align == 0 && pool->blocks.resize(old, size)) {
      return old;
    }
    kept = pool_blocks::usable(old);
  }
  void* const fresh = allocate_in(pool, size, align);
  if (fresh) {
    std::memcpy(fresh, old, size < kept ? size : kept);
    pool_free(pool, old);
  }
  return fresh;
}

}  // namespace

// The bytes to ask for: a multiple of the policy's granularity that holds an object of that size; 0: absurd.
std::size_t MemoryPool::rounded(std::size_t wanted) const noexcept {
  std::size_t const least = wanted + sizeof(region) + pool_blocks::region_overhead;
  if (least < wanted || least > (std::size_t{1} << 46)) {
    return 0;
  }
  std::size_t const bytes = least > usual_region ? least : usual_region;
  std::size_t const granularity = policy_.granularity ? policy_.granularity : usual_region;
  return (bytes + granularity - 1) / granularity * granularity;
}

bool MemoryPool::grow(std::size_t wanted) noexcept {
  if (fixed() && (regions_ || !wanted)) {
    return false;
  }
  std::size_t bytes = fixed() ? wanted : rounded(wanted);
  if (!bytes) {
    return false;
  }
  void* const raw = policy_.pAlloc(id_, bytes);
  if (!raw) {
    return false;
  }
  std::uintptr_t const start = reinterpret_cast<std::uintptr_t>(raw);
  std::uintptr_t const own = (start + alignof(region) - 1) & ~(alignof(region) - 1);
  std::uintptr_t const rest = own + sizeof(region);
  if (bytes < sizeof(region) + alignof(region) ||
      !blocks.add_region(reinterpret_cast<void*>(rest), start + bytes - rest)) {
    if (policy_.pFree && !fixed()) {
      policy_.pFree(id_, raw, bytes);
    }
    return false;
  }
  slow_guard const g(pools_lock);
  regions_ = new (reinterpret_cast<void*>(own)) region{regions_, raw, bytes};
  return true;
}

bool MemoryPool::give_back_all() noexcept {
  bool good = true;
  while (region* const r = regions_) {
    regions_ = r->next;
    if (policy_.pFree && !fixed()) {
      void* const start = r->start;
      good = policy_.pFree(id_, start, r->bytes) == 0 && good;
    }
  }
  return good;
}

// Gives back the region of an object that was just freed if it was the last one; the newest region stays.
void MemoryPool::give_back_unused(void* freed) noexcept {
  if (fixed() || policy_.keepAllMemory || !regions_) {
    return;
  }
  for (region** link = &regions_->next; region* const r = *link; link = &r->next) {
    char* const start = static_cast<char*>(r->start);
    if (freed >= start && freed < start + r->bytes) {
      if (blocks.remove_region(r + 1)) {
        {
          slow_guard const g(pools_lock);
          *link = r->next;
        }
        policy_.pFree(id_, start, r->bytes);
      }
      return;
    }
  }
}

void MemoryPool::reset() noexcept {
  blocks.clear();
  for (region* r = regions_; r; r = r->next) {
    std::uintptr_t const rest = reinterpret_cast<std::uintptr_t>(r + 1);
    blocks.add_region(r + 1, reinterpret_cast<std::uintptr_t>(r->start) + r->bytes - rest);
  }
}

bool MemoryPool::contains(void const* p) const noexcept {
  for (region const* r = regions_; r; r = r->next) {
    if (p >= r->start && p < static_cast<char*>(r->start) + r->bytes) {
      return true;
    }
  }
  return false;
}

ASHLAR_EXPORT MemPoolError pool_create_v1(std::intptr_t id, MemPoolPolicy const* policy, MemoryPool** result) {
  *result = nullptr;
  if (!policy || !policy->pAlloc || policy->version < MemPoolPolicy::TBBMALLOC_POOL_VERSION ||
      (!policy->fixedPool && !policy->pFree)) {
    return INVALID_POLICY;
  }
  if (policy->version > MemPoolPolicy::TBBMALLOC_POOL_VERSION || policy->reserved) {
    return UNSUPPORTED_POLICY;
  }
  void* const memory = ashlar::alloc::allocate(sizeof(MemoryPool));
  if (!memory) {
    return NO_MEMORY;
  }
  MemoryPool* const pool = new (memory) MemoryPool(id, *policy);
  // A fixed pool takes all it will ever have; its policy's granularity says how much it may expect.
  if (pool->fixed() && !pool->grow(policy->granularity ? policy->granularity : usual_region)) {
    ashlar::alloc::deallocate(memory);
    return NO_MEMORY;
  }
  slow_guard const g(pools_lock);
  pool->next_pool = pools;
  pools = pool;
  *result = pool;
  return POOL_OK;
}

ASHLAR_EXPORT MemoryPool* pool_create(std::intptr_t id, MemPoolPolicy const* policy) {
  MemoryPool* pool;
  return pool_create_v1(id, policy, &pool) == POOL_OK ? pool : nullptr;
}

ASHLAR_EXPORT bool pool_destroy(MemoryPool* pool) {
  if (!pool) {
    return false;
  }
  {
    slow_guard const g(pools_lock);
    for (MemoryPool** link = &pools; *link; link = &(*link)->next_pool) {
      if (*link == pool) {
        *link = pool->next_pool;
        break;
      }
    }
  }
  bool const good = pool->give_back_all();
  ashlar::alloc::deallocate(pool);
  return good;
}

ASHLAR_EXPORT bool pool_reset(MemoryPool* pool) {
  if (!pool) {
    return false;
  }
  slow_guard const g(pool->lock);
  pool->reset();
  return true;
}

ASHLAR_EXPORT void* pool_malloc(MemoryPool* pool, std::size_t size) {
  return pool ? allocate_in(pool, size, pool_blocks::grain) : invalid();
}

ASHLAR_EXPORT void* pool_aligned_malloc(MemoryPool* pool, std::size_t size, std::size_t alignment) {
  if (!pool || !power_of_two(alignment) || !size || alignment > (std::size_t{1} << 40)) {
    return invalid();
  }
  return allocate_in(pool, size, alignment < pool_blocks::grain ? pool_blocks::grain : alignment);
}

ASHLAR_EXPORT void* pool_realloc(MemoryPool* pool, void* object, std::size_t size) {
  if (!pool) {
    return invalid();
  }
  if (!object) {
    return pool_malloc(pool, size);
  }
  if (!size) {
    pool_free(pool, object);
    return nullptr;
  }
  return reallocate_in(pool, object, size, pool_blocks::grain);
}

ASHLAR_EXPORT void* pool_aligned_realloc(MemoryPool* pool, void* object, std::size_t size, std::size_t alignment) {
  if (!pool || !power_of_two(alignment) || alignment > (std::size_t{1} << 40)) {
    return invalid();
  }
  if (!object) {
    return pool_aligned_malloc(pool, size, alignment);
  }
  if (!size) {
    pool_free(pool, object);
    return nullptr;
  }
  return reallocate_in(pool, object, size, alignment < pool_blocks::grain ? pool_blocks::grain : alignment);
}

ASHLAR_EXPORT bool pool_free(MemoryPool* pool, void* object) {
  if (!pool || !object) {
    return false;
  }
  slow_guard const g(pool->lock);
  pool->blocks.free(object);
  pool->give_back_unused(object);
  return true;
}

ASHLAR_EXPORT MemoryPool* pool_identify(void* object) {
  slow_guard const g(pools_lock);
  for (MemoryPool* pool = pools; pool; pool = pool->next_pool) {
    if (pool->contains(object)) {
      return pool;
    }
  }
  return nullptr;
}

ASHLAR_EXPORT std::size_t pool_msize(MemoryPool* pool, void* object) {
  if (!pool || !object) {
    errno = EINVAL;
    return 0;
  }
  slow_guard const g(pool->lock);
  return pool_blocks::usable(object);
}

}  // namespace rml
