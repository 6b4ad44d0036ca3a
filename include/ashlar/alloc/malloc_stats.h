/* SPDX-License-Identifier: Apache-2.0
 * How much memory the scalable allocator has from the system and what it is used for. C and C++. */
#ifndef ASHLAR_ALLOC_MALLOC_STATS_H
#define ASHLAR_ALLOC_MALLOC_STATS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In bytes. What is mapped and neither `used` nor `free_dirty` is free and has no memory; heaps keep some wholly free
 * pages inside `used`. */
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

/* One size class, and what of it is in use. A heap does not count the objects of the one page of each class that it
 * fills just now: how many are in use lies between two bounds. */
struct ashlar_malloc_class_usage {
  size_t size;
  size_t pages;
  size_t held;         /* bytes of these pages */
  size_t least_in_use; /* objects */
  size_t most_in_use;
};

/* What the program has of it, in bytes; objects that were freed by another thread count until their own one has them.
 */
struct ashlar_malloc_usage {
  size_t held;         /* from the system, and possibly resident: used + free_dirty + metadata */
  size_t pages;        /* of held: pages of heaps */
  size_t large;        /* of held: large objects that are in use */
  size_t least_in_use; /* objects, large ones included */
  size_t most_in_use;
};

/* What the allocator holds, in all. May be called by any thread at any time. */
void ashlar_malloc_get_stats(struct ashlar_malloc_stats* stats) __attribute__((__nothrow__));
/* Fills up to `count` entries, ascending by size, and returns how many classes there are. */
size_t ashlar_malloc_get_class_stats(struct ashlar_malloc_class_stats* stats, size_t count)
    __attribute__((__nothrow__));
size_t ashlar_malloc_get_class_usage(struct ashlar_malloc_class_usage* usage, size_t count)
    __attribute__((__nothrow__));
void ashlar_malloc_get_usage(struct ashlar_malloc_usage* usage) __attribute__((__nothrow__));
/* Writes all figures as a text, with a zero behind it: `json` 0: the table that is printed, at most 80 columns and 30
 * lines; 1: one line of JSON. What exceeds `room` bytes is cut off; returns how long the whole text is, as snprintf
 * does. */
size_t ashlar_malloc_write_stats(char* to, size_t room, int json) __attribute__((__nothrow__));
/* Prints the table to stderr; with the environment variable ASHLAR_MALLOC_STATS=1 this happens at exit, and with
 * ASHLAR_MALLOC_STATS=json the line of JSON is printed. */
void ashlar_malloc_print_stats(void) __attribute__((__nothrow__));

/* Hands back what the calling thread freed of other threads' objects and takes what they freed of its own. For a thread
 * that is about to sleep for long; idle workers of libtbb call it. Cheap if there is nothing to do. */
void ashlar_malloc_settle(void) __attribute__((__nothrow__));

#ifdef __cplusplus
}
#endif
#endif
