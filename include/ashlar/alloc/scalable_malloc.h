/* SPDX-License-Identifier: Apache-2.0
 * The C interface of the scalable memory allocator; C compilers accept this header.
 *
 * All functions may be called by any thread at any time, also before main, in late destructors of thread-local
 * objects and in a forked child. Objects may be freed by another thread than the one that allocated them. */
#ifndef ASHLAR_ALLOC_SCALABLE_MALLOC_H
#define ASHLAR_ALLOC_SCALABLE_MALLOC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As malloc, free, realloc and calloc of C. A request for 0 bytes gives a unique pointer; failure gives null with errno
 * ENOMEM; realloc(p, 0) frees p and gives null. Objects are aligned to 16 bytes. Freeing a pointer that was not
 * allocated here, or twice in a row, ends the process with a message that names it. */
void* scalable_malloc(size_t size) __attribute__((__nothrow__));
void scalable_free(void* ptr) __attribute__((__nothrow__));
void* scalable_realloc(void* ptr, size_t size) __attribute__((__nothrow__));
void* scalable_calloc(size_t nobj, size_t size) __attribute__((__nothrow__));

/* As posix_memalign: EINVAL unless the alignment is a power of two and a multiple of sizeof(void*), ENOMEM
 * without memory; *memptr is then unchanged, and so is errno always. */
int scalable_posix_memalign(void** memptr, size_t alignment, size_t size) __attribute__((__nothrow__));

/* Alignments are powers of two. Null with errno EINVAL for others, and for a size of 0 in aligned_malloc. */
void* scalable_aligned_malloc(size_t size, size_t alignment) __attribute__((__nothrow__));
void* scalable_aligned_realloc(void* ptr, size_t size, size_t alignment) __attribute__((__nothrow__));
void scalable_aligned_free(void* ptr) __attribute__((__nothrow__));

/* The bytes that may be used at ptr, at least those asked for. 0 for pointers not allocated here; 0 with errno EINVAL
 * for null. */
size_t scalable_msize(void* ptr) __attribute__((__nothrow__));

/* What scalable_allocation_mode and scalable_allocation_command return. */
typedef enum {
  TBBMALLOC_OK,
  TBBMALLOC_INVALID_PARAM, /* an unknown mode or command, or a value that it does not take */
  TBBMALLOC_UNSUPPORTED,   /* not used here, as the next one */
  TBBMALLOC_NO_MEMORY,
  TBBMALLOC_NO_EFFECT
} ScalableAllocationResult;

/* The modes of scalable_allocation_mode. */
typedef enum {
  /* 1: ask for huge pages for memory mapped from now on; 0: don't. TBBMALLOC_NO_EFFECT if the system has none for those
   * who ask. The environment variable TBB_MALLOC_USE_HUGE_PAGES sets it at the start. */
  TBBMALLOC_USE_HUGE_PAGES,
  USE_HUGE_PAGES = TBBMALLOC_USE_HUGE_PAGES, /* old name */
  /* Bytes of memory from the system above which buffers are given back before more is requested; allocation
   * goes on nevertheless. 0: no limit. */
  TBBMALLOC_SET_SOFT_HEAP_LIMIT,
  /* Bytes from which on an object is "huge", less a thirty-second at most; objects up to 128 KB never are. The memory
   * of a freed huge object is kept for the next one of about its size until CLEAN_ALL_BUFFERS, the soft limit or a lack
   * of memory asks for it, or the threshold is set anew; regular cleaning leaves it alone. 0: no object is huge. The
   * environment variable TBB_MALLOC_SET_HUGE_SIZE_THRESHOLD sets it at the start. */
  TBBMALLOC_SET_HUGE_SIZE_THRESHOLD
} AllocationModeParam;

/* Sets one of the modes above. TBBMALLOC_INVALID_PARAM for an unknown mode or a value that it does not take. */
int scalable_allocation_mode(int param, intptr_t value) __attribute__((__nothrow__));

/* The commands of scalable_allocation_command. */
typedef enum {
  /* Gives all memory kept for reuse back to the system: the calling thread's at once, that of threads that have ended
   * too, that of other threads when they next run short of a page. */
  TBBMALLOC_CLEAN_ALL_BUFFERS,
  /* What the calling thread keeps for itself becomes available to all. */
  TBBMALLOC_CLEAN_THREAD_BUFFERS
} ScalableAllocationCmd;

/* TBBMALLOC_OK if something was given back, TBBMALLOC_NO_EFFECT if there was nothing. */
int scalable_allocation_command(int cmd, void* param) __attribute__((__nothrow__));

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
