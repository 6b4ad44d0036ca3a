/* SPDX-License-Identifier: Apache-2.0
 * How much memory the scalable allocator has from the system and what it is used for. C and C++. */
#ifndef ASHLAR_ALLOC_MALLOC_STATS_H
#define ASHLAR_ALLOC_MALLOC_STATS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All in bytes. mapped = used + free_clean + free_dirty; heaps keep some wholly free pages inside `used`. */
struct ashlar_malloc_stats {
  size_t mapped;     /* address space for objects */
  size_t used;       /* in pages of heaps, large objects and their caches */
  size_t free_dirty; /* free, kept for reuse, possibly resident */
  size_t metadata;   /* the allocator's own structures */
  size_t heaps;      /* number of heaps ever made: the most threads at a time */
};

/* One size class: objects of `size` bytes lie in `pages` pages of heaps. */
struct ashlar_malloc_class_stats {
  size_t size;
  size_t pages;
};

void ashlar_malloc_get_stats(struct ashlar_malloc_stats* stats) __attribute__((__nothrow__));
/* Fills up to `count` entries, ascending by size, and returns how many classes there are. */
size_t ashlar_malloc_get_class_stats(struct ashlar_malloc_class_stats* stats, size_t count)
    __attribute__((__nothrow__));
/* Prints the figures to stderr; with the environment variable ASHLAR_MALLOC_STATS=1 this happens at exit. */
void ashlar_malloc_print_stats(void) __attribute__((__nothrow__));

/* Hands back what the calling thread freed of other threads' objects and takes what they freed of its own. For a thread
 * that is about to sleep for long; idle workers of libtbb call it. Cheap if there is nothing to do. */
void ashlar_malloc_settle(void) __attribute__((__nothrow__));

#ifdef __cplusplus
}
#endif
#endif
