// SPDX-License-Identifier: Apache-2.0
#include "alloc/settings.h"

#include "alloc/backend.h"
#include "alloc/huge_cache.h"
#include "alloc/stats.h"

#include <ashlar/alloc/scalable_malloc.h>

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace ashlar {
inline namespace v1 {
namespace alloc {

namespace {

void complain(char const* name, char const* value) {
  char line[256];
  std::size_t n = 0;
  for (char const* s : {"tbbmalloc: bad value of ", name, ": ", value, "; it is ignored\n"}) {
    for (; *s && n < sizeof line; ++s) {
      line[n++] = *s;
    }
  }
  [[maybe_unused]] auto const written = write(STDERR_FILENO, line, n);
}

// A decimal number up to `most`; `fallback` if the variable is not set or, after one line to stderr, is no such number.
std::intptr_t number(char const* name, std::intptr_t most, std::intptr_t fallback) {
  char const* const text = secure_getenv(name);
  if (!text || !*text) {
    return fallback;
  }
  std::intptr_t value = 0;
  char const* s = text;
  for (; *s >= '0' && *s <= '9'; ++s) {
    std::intptr_t const digit = *s - '0';
    if (digit > most || value > (most - digit) / 10) {
      break;
    }
    value = value * 10 + digit;
  }
  if (*s) {
    complain(name, text);
    return fallback;
  }
  return value;
}

}  // namespace

void read_environment() noexcept {
  central.set_huge_pages(number("TBB_MALLOC_USE_HUGE_PAGES", 1, 0) != 0);
  if (std::intptr_t const limit = number("TBB_MALLOC_SET_SOFT_HEAP_LIMIT", INTPTR_MAX, 0)) {
    set_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, limit);
  }
  // TBB reads the first name and documents the second.
  std::intptr_t const least = number("TBB_MALLOC_SET_HUGE_SIZE_THRESHOLD", INTPTR_MAX, 0);
  if (std::intptr_t const huge = least ? least : number("TBB_MALLOC_SET_HUGE_OBJECT_THRESHOLD", INTPTR_MAX, 0)) {
    set_mode(TBBMALLOC_SET_HUGE_SIZE_THRESHOLD, huge);
  }
  if (number("ASHLAR_MALLOC_STATS", 1, 0)) {
    print_stats_at_exit();
  }
}

int set_mode(int mode, std::intptr_t value) noexcept {
  switch (mode) {
    case TBBMALLOC_USE_HUGE_PAGES:
      if (value != 0 && value != 1) {
        return TBBMALLOC_INVALID_PARAM;
      }
      central.set_huge_pages(value != 0);
      return value && !os_has_huge_pages() ? TBBMALLOC_NO_EFFECT : TBBMALLOC_OK;
    case TBBMALLOC_SET_SOFT_HEAP_LIMIT:
      if (value < 0) {
        return TBBMALLOC_INVALID_PARAM;
      }
      central.set_limit(static_cast<std::size_t>(value));
      if (central.above_limit(0)) {
        reclaim_from_heaps();
        central.trim(0, true);
      }
      return TBBMALLOC_OK;
    case TBBMALLOC_SET_HUGE_SIZE_THRESHOLD:
      if (value < 0) {
        return TBBMALLOC_INVALID_PARAM;
      }
      kept_huge.set_threshold(static_cast<std::size_t>(value));
      return TBBMALLOC_OK;
    default:
      return TBBMALLOC_INVALID_PARAM;
  }
}

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
