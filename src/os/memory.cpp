// SPDX-License-Identifier: Apache-2.0
#include <ashlar/os/memory.h>

#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>
#include <ashlar/base/lsan.h>
#include <ashlar/base/throw.h>

#include "os/modules.h"
#include "os/pages.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ashlar {
inline namespace v1 {

namespace {

struct memory_functions {
  void* (*allocate)(std::size_t);
  void* (*allocate_aligned)(std::size_t size, std::size_t alignment);
  void (*deallocate)(void*);
  void (*deallocate_aligned)(void*);
  void (*settle)();  // null: nothing to do
};

constexpr std::size_t aligned_size(std::size_t bytes) { return (bytes + no_sharing - 1) & ~(no_sharing - 1); }

// Whole lines of a larger block, whose address stands before them: aligned_alloc() of a small block costs four times
// malloc(), because it cuts a larger one and passes by the cache of free blocks.
void* allocate_lines(std::size_t bytes, std::size_t alignment) {
  void* const block = std::malloc(aligned_size(bytes) + alignment);
  if (block == nullptr) return nullptr;
  std::uintptr_t const lines = (reinterpret_cast<std::uintptr_t>(block) + alignment) & ~(alignment - 1);
  reinterpret_cast<void**>(lines)[-1] = block;
  return reinterpret_cast<void*>(lines);
}
void deallocate_lines(void* p) { std::free(static_cast<void**>(p)[-1]); }

constexpr memory_functions standard{std::malloc, allocate_lines, std::free, deallocate_lines, nullptr};
constinit atomic<memory_functions const*> chosen{nullptr};

// `find` tells where a function is.
template <typename Find>
bool find_scalable(Find const& find, memory_functions& f) noexcept {
  f.allocate = reinterpret_cast<void* (*)(std::size_t)>(find("scalable_malloc"));
  f.allocate_aligned = reinterpret_cast<void* (*)(std::size_t, std::size_t)>(find("scalable_aligned_malloc"));
  f.deallocate = reinterpret_cast<void (*)(void*)>(find("scalable_free"));
  f.deallocate_aligned = f.deallocate;
  f.settle = reinterpret_cast<void (*)()>(find("ashlar_malloc_settle"));
  return f.allocate && f.allocate_aligned && f.deallocate;
}

constexpr char const* scalable_name = "libtbbmalloc-ashlar.so.0";

// The allocator lies beside this library where both are installed. A run path that says so would make the loader search
// there for every library of each program, too. A file that is there and can't be loaded is not tried again under its
// name: the loader, when it runs out of memory, may leave a module without its thread-local data behind and find it
// then.
void* open_scalable() noexcept {
  char const* const self = os::file_of(&chosen);
  char path[4096];
  if (self != nullptr) {
    char const* const slash = std::strrchr(self, '/');
    if (slash != nullptr) {
      int const folder = static_cast<int>(slash + 1 - self);
      int const length = std::snprintf(path, sizeof path, "%.*s%s", folder, self, scalable_name);
      if (length > 0 && length < static_cast<int>(sizeof path)) {
        void* const library = os::load_library(path);
        if (library != nullptr || os::file_exists(path)) return library;
      }
    }
  }
  return os::load_library(scalable_name);
}

// Two threads may both get here; they find the same, and the first one's answer stays.
ASHLAR_COLD memory_functions const* choose() noexcept {
  memory_functions found;
  // In a program with AddressSanitizer or LeakSanitizer, which see only the memory of their own malloc. A library that
  // is compiled with them, too, is there to test the allocator.
  bool const watched = !ASHLAR_ASAN && __lsan_ignore_object != nullptr;
  bool good = !watched && find_scalable(os::find_function, found);
  if (!good && !watched) {
    void* const library = open_scalable();
    auto const in_library = [library](char const* name) { return os::find_function_in(library, name); };
    good = library != nullptr && find_scalable(in_library, found);
  }
  memory_functions const* answer = &standard;
  if (good) {
    static memory_functions const kept = found;
    answer = &kept;
  }
  memory_functions const* expected = nullptr;
  return chosen.compare_exchange(expected, answer, mo::acq_rel, mo::acquire) ? answer : expected;  // [BM1] [BM2]
}
// Ordering: [BM1] choose: the functions -> [BM2] functions: their callers.

memory_functions const& functions() noexcept {
  memory_functions const* const f = chosen.load(mo::acquire);  // [BM2]
  return ASHLAR_LIKELY(f != nullptr) ? *f : *choose();
}

}  // namespace

void* allocate_memory(std::size_t bytes) {
  void* const p = functions().allocate(bytes ? bytes : 1);
  if (p == nullptr) {
    throw_exception(exception_id::bad_alloc);
  }
  return p;
}

void deallocate_memory(void* p) noexcept {
  if (p != nullptr) {
    functions().deallocate(p);
  }
}

void* allocate_cache_aligned(std::size_t bytes) {
  void* const p =
      bytes > ~std::size_t{0} - 2 * no_sharing ? nullptr : functions().allocate_aligned(bytes ? bytes : 1, no_sharing);
  if (p == nullptr) {
    throw_exception(exception_id::bad_alloc);
  }
  return p;
}

void deallocate_cache_aligned(void* p) noexcept {
  if (p != nullptr) {
    functions().deallocate_aligned(p);
  }
}

void prefer_huge_pages(void* p, std::size_t bytes) noexcept {
  constexpr std::uintptr_t huge_page = std::uintptr_t{1} << 21;
  std::uintptr_t const address = reinterpret_cast<std::uintptr_t>(p);
  std::uintptr_t const begin = (address + huge_page - 1) & ~(huge_page - 1);
  std::uintptr_t const end = (address + bytes) & ~(huge_page - 1);
  if (begin < end) {
    os::want_huge_pages(reinterpret_cast<void*>(begin), end - begin);
  }
}

bool drop_pages(void* begin, void* end, bool first_too, bool last_too) noexcept {
  std::uintptr_t const page = os::page_size();
  std::uintptr_t const first = (reinterpret_cast<std::uintptr_t>(begin) + (first_too ? 0 : page - 1)) & ~(page - 1);
  std::uintptr_t const last = (reinterpret_cast<std::uintptr_t>(end) + (last_too ? page - 1 : 0)) & ~(page - 1);
  if (first >= last) return true;
  return os::empty_private_pages(reinterpret_cast<void*>(first), last - first);
}

void settle_memory() noexcept {
  memory_functions const* const f = chosen.load(mo::acquire);  // [BM2]
  if (f) {
    if (f->settle != nullptr) f->settle();
    return;
  }
  // This library has not needed memory yet, but the program may use the scalable allocator itself.
  static auto* const settle = reinterpret_cast<void (*)()>(os::find_function("ashlar_malloc_settle"));
  if (settle != nullptr) settle();
}

bool memory_is_scalable() noexcept { return &functions() != &standard; }

}  // namespace v1
}  // namespace ashlar
