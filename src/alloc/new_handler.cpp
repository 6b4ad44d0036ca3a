// SPDX-License-Identifier: Apache-2.0
// What operator new of the malloc replacement does: allocate, ask the new handler, throw. It lives here so that its
// fast path is the allocator's. libstdc++ is looked up when memory has run out, so that C programs don't have to load
// it.
#include "alloc/api.h"
#include "os/modules.h"

namespace ashlar::inline v1::alloc {

namespace {

using handler = void (*)();

template <typename Function>
Function loaded_function(char const* mangled) {
  return reinterpret_cast<Function>(os::find_function(mangled));
}

// Calls the installed handler, which makes room, throws or ends the process; throws std::bad_alloc if there is none.
void ask_for_room(std::size_t size) {
  auto* const get_handler = loaded_function<handler (*)()>("_ZSt15get_new_handlerv");
  if (handler const h = get_handler != nullptr ? get_handler() : nullptr) {
    h();
    return;
  }
  if (auto* const throw_bad_alloc = loaded_function<handler>("_ZSt17__throw_bad_allocv")) {
    throw_bad_alloc();
  }
  fatal("operator new: out of memory, bytes wanted:", reinterpret_cast<void*>(size));
}

ASHLAR_NOINLINE void* new_slow(std::size_t size) {
  for (;;) {
    if (void* const p = allocate(size)) {
      return p;
    }
    ask_for_room(size);
  }
}

}  // namespace

}  // namespace ashlar::inline v1::alloc

using namespace ashlar::alloc;

extern "C" ASHLAR_EXPORT void* ashlar_malloc_new(std::size_t size) {
  if (hardened || ASHLAR_UNLIKELY(size > table_limit)) {
    return new_slow(size);
  }
  page* const pg = current_heap->active(class_table[size]);
  block* const b = pg->free;
  if (ASHLAR_UNLIKELY(b == nullptr)) {
    return new_slow(size);
  }
  return current_heap->pop(pg, b);
}

extern "C" ASHLAR_EXPORT void* ashlar_malloc_new_aligned(std::size_t size, std::size_t alignment) {
  for (;;) {
    if (void* const p = allocate_aligned(alignment, size)) {
      return p;
    }
    ask_for_room(size);
  }
}
