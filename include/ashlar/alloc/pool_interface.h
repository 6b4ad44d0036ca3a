// SPDX-License-Identifier: Apache-2.0
// Memory pools over raw memory that the user supplies; tbb/memory_pool.h has the classes on top.
//
// Any thread may allocate from a pool and free to it. pool_reset and pool_destroy must not run beside other calls
// for the same pool.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rml {

class MemoryPool;

/// Asks for raw memory; may make `bytes` larger, and returns null if there is none. Fixed pools are asked once and
/// take what `bytes` says afterwards.
using rawAllocType = void* (*)(std::intptr_t pool_id, std::size_t& bytes);
/// Gives back a region as it was received. Non-zero means failure.
using rawFreeType = int (*)(std::intptr_t pool_id, void* raw_ptr, std::size_t raw_bytes);

struct MemPoolPolicy {
  enum { TBBMALLOC_POOL_VERSION = 1 };

  rawAllocType pAlloc;
  rawFreeType pFree;
  std::size_t granularity;  // requests are multiples of it; 0: the allocator's choice
  int version;
  unsigned fixedPool : 1;      // pAlloc is called once and nothing is ever given back
  unsigned keepAllMemory : 1;  // memory is given back when the pool ends, not before
  unsigned reserved : 30;

  MemPoolPolicy(rawAllocType alloc, rawFreeType free, std::size_t granularity_ = 0, bool fixed = false,
                bool keep_all = false)
      : pAlloc(alloc),
        pFree(free),
        granularity(granularity_),
        version(TBBMALLOC_POOL_VERSION),
        fixedPool(fixed),
        keepAllMemory(keep_all),
        reserved(0) {}
};

/// The same values as ScalableAllocationResult.
enum MemPoolError { POOL_OK = 0, INVALID_POLICY = 1, UNSUPPORTED_POLICY = 2, NO_MEMORY = 3, NO_EFFECT = 4 };

/// Makes a pool, whose number the policy's functions get. INVALID_POLICY: a function is missing; UNSUPPORTED_POLICY: an
/// unknown version or a reserved bit. *pool is null but for POOL_OK. Any thread may call.
MemPoolError pool_create_v1(std::intptr_t pool_id, MemPoolPolicy const* policy, MemoryPool** pool);
/// As pool_create_v1; null if the pool can't be made.
MemoryPool* pool_create(std::intptr_t pool_id, MemPoolPolicy const* policy);
/// Frees every object and gives all memory back: linear in the regions. False for null and if pFree failed. Not beside
/// other calls for the same pool.
bool pool_destroy(MemoryPool* pool);
/// Frees every object; the memory stays with the pool. False for null. Linear in the regions. Not beside other calls
/// for the same pool.
bool pool_reset(MemoryPool* pool);

/// As scalable_malloc and scalable_realloc, from the pool's memory, under a lock of the pool, in constant or
/// logarithmic time beside what is copied. Null with errno ENOMEM if the policy has no more memory, also if its
/// function throws, and with EINVAL for a null pool. An object of another pool ends the process with a message.
void* pool_malloc(MemoryPool* pool, std::size_t size);
void* pool_realloc(MemoryPool* pool, void* object, std::size_t size);
/// The same with an alignment. Null with errno EINVAL unless it is a power of two, and for a size of 0 in
/// pool_aligned_malloc.
void* pool_aligned_malloc(MemoryPool* pool, std::size_t size, std::size_t alignment);
void* pool_aligned_realloc(MemoryPool* pool, void* object, std::size_t size, std::size_t alignment);
/// Any thread may free, whoever allocated. False for null arguments.
bool pool_free(MemoryPool* pool, void* object);
/// The pool that the object lies in; null if in none. A search among all regions, under a lock.
MemoryPool* pool_identify(void* object);
/// The bytes that may be used at the object, at least those asked for. 0 with errno EINVAL for null arguments.
std::size_t pool_msize(MemoryPool* pool, void* object);

}  // namespace rml
