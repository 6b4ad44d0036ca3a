// SPDX-License-Identifier: Apache-2.0
#include "alloc/command.h"

#include "alloc/heap_registry.h"
#include "alloc/huge_cache.h"
#include "alloc/thread_heap.h"

#include <ashlar/alloc/scalable_malloc.h>

namespace ashlar::inline v1::alloc {

namespace {

int clean_all() {
  heap_use const use;
  bool given = false;
  if (heap* const h = use.get()) {
    h->flush();
    while (h->has_mail()) {
      h->receive(~0u);
    }
    given = h->clean();
    h->cleaned_epoch = clean_epoch.fetch_add(1, mo::relaxed) + 1;
  }
  given = clean_idle_heaps() || given;
  given = kept_huge.give_all() || given;
  given = central.trim(0, true) != 0 || given;
  return given ? TBBMALLOC_OK : TBBMALLOC_NO_EFFECT;
}

int clean_thread() {
  settle_thread();
  heap* const h = current_heap;
  return h != &no_heap && h->clean() ? TBBMALLOC_OK : TBBMALLOC_NO_EFFECT;
}

}  // namespace

void settle_thread() noexcept {
  heap* const h = current_heap;
  if (h != &no_heap) {
    h->flush();
    while (h->has_mail()) {
      h->receive(~0u);
    }
  }
}

int run_command(int command, void* parameter) noexcept {
  if (parameter != nullptr) {
    return TBBMALLOC_INVALID_PARAM;
  }
  switch (command) {
    case TBBMALLOC_CLEAN_ALL_BUFFERS:
      return clean_all();
    case TBBMALLOC_CLEAN_THREAD_BUFFERS:
      return clean_thread();
    default:
      return TBBMALLOC_INVALID_PARAM;
  }
}

}  // namespace ashlar::inline v1::alloc
