/* SPDX-License-Identifier: Apache-2.0
 * The C interface from C: every function, mode and command once. Exit code 0 when all is right. */
#include <ashlar/alloc/malloc_stats.h>
#include <tbb/scalable_allocator.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void check(int good, int line) {
  if (!good) {
    fprintf(stderr, "pure.c:%d: wrong\n", line);
    ++failures;
  }
}
#define CHECK(condition) check((condition), __LINE__)

static void objects(void) {
  char* p = (char*)scalable_malloc(100);
  void* q = NULL;
  CHECK(p != NULL && scalable_msize(p) >= 100);
  memset(p, 1, 100);
  p = (char*)scalable_realloc(p, 1000);
  CHECK(p != NULL && p[99] == 1);
  scalable_free(p);
  p = (char*)scalable_calloc(10, 10);
  CHECK(p != NULL && p[99] == 0);
  scalable_free(p);
  CHECK(scalable_posix_memalign(&q, 64, 100) == 0 && (uintptr_t)q % 64 == 0);
  scalable_free(q);
  CHECK(scalable_posix_memalign(&q, 3, 100) == EINVAL);
  p = (char*)scalable_aligned_malloc(100, 4096);
  CHECK(p != NULL && (uintptr_t)p % 4096 == 0);
  p = (char*)scalable_aligned_realloc(p, 10000, 4096);
  CHECK(p != NULL && (uintptr_t)p % 4096 == 0);
  scalable_aligned_free(p);
  errno = 0;
  CHECK(scalable_malloc((size_t)-1) == NULL && errno == ENOMEM);
}

static void modes(void) {
  struct ashlar_malloc_stats stats;
  CHECK(scalable_allocation_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, 1 << 30) == TBBMALLOC_OK);
  CHECK(scalable_allocation_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, 0) == TBBMALLOC_OK);
  CHECK(scalable_allocation_mode(TBBMALLOC_SET_HUGE_SIZE_THRESHOLD, 1 << 26) == TBBMALLOC_OK);
  CHECK(scalable_allocation_mode(USE_HUGE_PAGES, 0) == TBBMALLOC_OK);
  CHECK(scalable_allocation_mode(TBBMALLOC_USE_HUGE_PAGES, 5) == TBBMALLOC_INVALID_PARAM);
  CHECK(scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, NULL) == TBBMALLOC_OK);
  CHECK(scalable_allocation_command(TBBMALLOC_CLEAN_THREAD_BUFFERS, NULL) == TBBMALLOC_NO_EFFECT);
  CHECK(scalable_allocation_command(TBBMALLOC_CLEAN_THREAD_BUFFERS, &stats) == TBBMALLOC_INVALID_PARAM);
  CHECK(TBBMALLOC_UNSUPPORTED != TBBMALLOC_NO_MEMORY);
  ashlar_malloc_get_stats(&stats);
  CHECK(stats.heaps == 1 && stats.mapped >= stats.used);
  CHECK(ashlar_malloc_get_class_stats(NULL, 0) > 16);
  CHECK(ashlar_malloc_get_class_usage(NULL, 0) == ashlar_malloc_get_class_stats(NULL, 0));
  ashlar_malloc_settle();
}

int main(void) {
  objects();
  modes();
  return failures != 0;
}
