// SPDX-License-Identifier: Apache-2.0
// Memory pools: the interface of ashlar/alloc/pool_interface.h. One lock per pool, one for all regions; the second is
// taken when regions come and go and by pool_identify, inside the first where both are. What is known about a region
// lies apart from it, so that all of a small fixed pool is the user's. Every operation takes constant or logarithmic
// time, except those that are about all regions of a pool.
#include "alloc/api.h"
#include "alloc/lock.h"
#include "alloc/pool_blocks.h"
#include "alloc/pool_regions.h"

#include <ashlar/alloc/pool_interface.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace rml {

class MemoryPool {
 public:
  MemoryPool(std::intptr_t id, MemPoolPolicy const& policy) : id_(id), policy_(policy) {}

  bool grow(std::size_t wanted) noexcept;
  bool give_back_all() noexcept;
  void free(void* object) noexcept;
  void reset() noexcept;

  ashlar::alloc::slow_lock lock;
  ashlar::alloc::pool_blocks blocks;
  bool fixed() const noexcept { return policy_.fixedPool; }
  // Ends the process if this is no pool, or none any more.
  void require() const noexcept {
    if (mark_ != own_mark()) {
      ashlar::alloc::fatal("not a memory pool, or destroyed:", this);
    }
  }

 private:
  std::size_t rounded(std::size_t wanted) const noexcept;
  void give_back(ashlar::alloc::pool_region* r) noexcept;
  std::uintptr_t own_mark() const noexcept { return ~reinterpret_cast<std::uintptr_t>(this); }

  std::intptr_t id_;
  MemPoolPolicy policy_;
  ashlar::alloc::pool_region* regions_ = nullptr;  // the newest one first
  std::uintptr_t mark_ = own_mark();               // 0 once it is destroyed
};

namespace {

using ashlar::alloc::pool_blocks;
using ashlar::alloc::pool_region;
using ashlar::alloc::slow_guard;

constexpr std::size_t usual_region = std::size_t{64} << 10;

constinit ashlar::alloc::slow_lock regions_lock;
constinit ashlar::alloc::pool_regions regions;

constexpr bool power_of_two(std::size_t n) { return n && !(n & (n - 1)); }

void* invalid() {
  errno = EINVAL;
  return nullptr;
}

void* allocate_in(MemoryPool* pool, std::size_t size, std::size_t align) {
  pool->require();
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
  pool->require();
  {
    slow_guard const g(pool->lock);
    if (reinterpret_cast<std::uintptr_t>(old) % align == 0 && pool->blocks.resize(old, size)) {
      return old;
    }
    kept = pool->blocks.usable(old);
  }
  void* const fresh = allocate_in(pool, size, align);
  if (fresh != nullptr) {
    std::memcpy(fresh, old, size < kept ? size : kept);
    pool_free(pool, old);
  }
  return fresh;
}

}  // namespace

// The bytes to ask for: a multiple of the policy's granularity that holds an object of that size; 0: absurd.
std::size_t MemoryPool::rounded(std::size_t wanted) const noexcept {
  std::size_t const least = wanted + pool_blocks::region_overhead;
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
  void* const memory = bytes ? ashlar::alloc::allocate(sizeof(pool_region)) : nullptr;
  if (memory == nullptr) {
    return false;
  }
  void* const raw = policy_.pAlloc(id_, bytes);
  if (raw == nullptr) {
    ashlar::alloc::deallocate(memory);
    return false;
  }
  pool_region* const r = new (memory) pool_region{this, raw, bytes, regions_};
  // A fixed pool may be too small for any object, and then it is one all the same.
  if (!blocks.add_region(raw, bytes, reinterpret_cast<std::uintptr_t>(r)) && !fixed()) {
    policy_.pFree(id_, raw, bytes);
    ashlar::alloc::deallocate(memory);
    return false;
  }
  if (regions_ != nullptr) {
    regions_->prev = r;
  }
  regions_ = r;
  slow_guard const g(regions_lock);
  regions.insert(r);
  return true;
}

bool MemoryPool::give_back_all() noexcept {
  bool good = true;
  mark_ = 0;
  while (pool_region* const r = regions_) {
    regions_ = r->next;
    {
      slow_guard const g(regions_lock);
      regions.remove(r);
    }
    if (policy_.pFree && !fixed()) {
      good = policy_.pFree(id_, r->start, r->bytes) == 0 && good;
    }
    ashlar::alloc::deallocate(r);
  }
  return good;
}

void MemoryPool::give_back(pool_region* r) noexcept {
  blocks.remove_region(r->start);
  r->prev->next = r->next;
  if (r->next != nullptr) {
    r->next->prev = r->prev;
  }
  {
    slow_guard const g(regions_lock);
    regions.remove(r);
  }
  policy_.pFree(id_, r->start, r->bytes);
  ashlar::alloc::deallocate(r);
}

// Gives back the object's region if it was the last one there; the newest region stays.
void MemoryPool::free(void* object) noexcept {
  auto* const unused = reinterpret_cast<pool_region*>(blocks.free(object));
  if (unused != nullptr && unused->prev != nullptr && !fixed() && !policy_.keepAllMemory) {
    give_back(unused);
  }
}

void MemoryPool::reset() noexcept {
  blocks.clear();
  for (pool_region* r = regions_; r != nullptr; r = r->next) {
    blocks.add_region(r->start, r->bytes, reinterpret_cast<std::uintptr_t>(r));
  }
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
  if (memory == nullptr) {
    return NO_MEMORY;
  }
  MemoryPool* const pool = new (memory) MemoryPool(id, *policy);
  // A fixed pool takes all it will ever have; its policy's granularity says how much it may expect.
  if (pool->fixed() && !pool->grow(policy->granularity ? policy->granularity : usual_region)) {
    ashlar::alloc::deallocate(memory);
    return NO_MEMORY;
  }
  *result = pool;
  return POOL_OK;
}

ASHLAR_EXPORT MemoryPool* pool_create(std::intptr_t id, MemPoolPolicy const* policy) {
  MemoryPool* pool;
  return pool_create_v1(id, policy, &pool) == POOL_OK ? pool : nullptr;
}

ASHLAR_EXPORT bool pool_destroy(MemoryPool* pool) {
  if (pool == nullptr) {
    return false;
  }
  pool->require();
  bool const good = pool->give_back_all();
  ashlar::alloc::deallocate(pool);
  return good;
}

ASHLAR_EXPORT bool pool_reset(MemoryPool* pool) {
  if (pool == nullptr) {
    return false;
  }
  pool->require();
  slow_guard const g(pool->lock);
  pool->reset();
  return true;
}

ASHLAR_EXPORT void* pool_malloc(MemoryPool* pool, std::size_t size) {
  return pool != nullptr ? allocate_in(pool, size, pool_blocks::grain) : invalid();
}

ASHLAR_EXPORT void* pool_aligned_malloc(MemoryPool* pool, std::size_t size, std::size_t alignment) {
  if (pool == nullptr || !power_of_two(alignment) || !size || alignment > (std::size_t{1} << 40)) {
    return invalid();
  }
  return allocate_in(pool, size, alignment < pool_blocks::grain ? pool_blocks::grain : alignment);
}

ASHLAR_EXPORT void* pool_realloc(MemoryPool* pool, void* object, std::size_t size) {
  if (pool == nullptr) {
    return invalid();
  }
  if (object == nullptr) {
    return pool_malloc(pool, size);
  }
  if (!size) {
    pool_free(pool, object);
    return nullptr;
  }
  return reallocate_in(pool, object, size, pool_blocks::grain);
}

ASHLAR_EXPORT void* pool_aligned_realloc(MemoryPool* pool, void* object, std::size_t size, std::size_t alignment) {
  if (pool == nullptr || !power_of_two(alignment) || alignment > (std::size_t{1} << 40)) {
    return invalid();
  }
  if (object == nullptr) {
    return pool_aligned_malloc(pool, size, alignment);
  }
  if (!size) {
    pool_free(pool, object);
    return nullptr;
  }
  return reallocate_in(pool, object, size, alignment < pool_blocks::grain ? pool_blocks::grain : alignment);
}

ASHLAR_EXPORT bool pool_free(MemoryPool* pool, void* object) {
  if (pool == nullptr || object == nullptr) {
    return false;
  }
  pool->require();
  slow_guard const g(pool->lock);
  pool->free(object);
  return true;
}

ASHLAR_EXPORT MemoryPool* pool_identify(void* object) {
  slow_guard const g(regions_lock);
  pool_region const* const r = regions.find(object);
  return r != nullptr ? r->pool : nullptr;
}

ASHLAR_EXPORT std::size_t pool_msize(MemoryPool* pool, void* object) {
  if (pool == nullptr || object == nullptr) {
    errno = EINVAL;
    return 0;
  }
  pool->require();
  slow_guard const g(pool->lock);
  return pool->blocks.usable(object);
}

}  // namespace rml

ashlar::alloc::slow_lock& ashlar::alloc::pool_regions_lock() noexcept { return rml::regions_lock; }
