// SPDX-License-Identifier: Apache-2.0
// The library of own_free.cpp: it has its own free() and realloc(), as memory tracers do, which forward to the C
// library.
#include <dlfcn.h>

#include <cstddef>

extern "C" {
void __libc_free(void* p);
void* __libc_realloc(void* p, std::size_t size);

void free(void* p) { __libc_free(p); }
void* realloc(void* p, std::size_t size) { return __libc_realloc(p, size); }

// An object of the C library's malloc, which comes after this library, grown and freed.
bool take_and_give_back() {
  using allocation = void* (*)(std::size_t);
  auto const take = reinterpret_cast<allocation>(dlsym(RTLD_NEXT, "malloc"));
  char* const p = take ? static_cast<char*>(take(24)) : nullptr;
  if (p == nullptr) return false;
  p[23] = 'x';
  char* const q = static_cast<char*>(realloc(p, 5000));
  bool const kept = q != nullptr && q[23] == 'x';
  free(q);
  return kept;
}
}
