// SPDX-License-Identifier: Apache-2.0
// A program that links the malloc replacement: every replaced function, the new handler, pointers of the C library.
// Exit code 0 when all is right; prints the line of each check that fails.
#include <tbb/scalable_allocator.h>
#include <tbb/tbbmalloc_proxy.h>

#include <dlfcn.h>
#include <malloc.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

int failures = 0;

void check(bool good, int line) {
  if (!good) {
    std::fprintf(stderr, "replaced.cpp:%d: wrong\n", line);
    ++failures;
  }
}
#define CHECK(...) check((__VA_ARGS__), __LINE__)

bool ours(void* p) { return scalable_msize(p) != 0; }
bool aligned(void* p, std::size_t a) { return reinterpret_cast<std::uintptr_t>(p) % a == 0; }

struct alignas(512) wide {
  char c[512];
};

void c_functions() {
  void* p = malloc(100);
  CHECK(ours(p) && malloc_usable_size(p) >= 100);
  p = realloc(p, 1000);
  CHECK(ours(p));
  free(p);
  p = calloc(10, 10);
  CHECK(ours(p) && static_cast<char*>(p)[99] == 0);
  free(p);
  CHECK(posix_memalign(&p, 4096, 10) == 0 && ours(p) && aligned(p, 4096));
  free(p);
  p = aligned_alloc(256, 512);
  CHECK(ours(p) && aligned(p, 256));
  free(p);
  p = memalign(100, 30);
  CHECK(ours(p) && aligned(p, 128));
  free(p);
  p = valloc(10);
  CHECK(ours(p) && aligned(p, 4096));
  free(p);
  p = pvalloc(4097);
  CHECK(ours(p) && aligned(p, 4096) && malloc_usable_size(p) >= 8192);
  free(p);
  p = reallocarray(nullptr, 10, 30);
  CHECK(ours(p));
  free(p);
  char* const text = strdup("text of the C library");
  CHECK(ours(text));
  free(text);
  CHECK(malloc_usable_size(nullptr) == 0);
  errno = 0;
  CHECK(pvalloc(~std::size_t{0}) == nullptr && errno == ENOMEM);
  errno = 0;
  CHECK(memalign(~std::size_t{0}, 10) == nullptr && errno == EINVAL);
  std::size_t volatile overflow = ~std::size_t{0} / 2;
  CHECK(calloc(overflow, 4) == nullptr);
  CHECK(mallopt(M_MMAP_THRESHOLD, 1 << 20) == 1);
  void* kept = malloc(10 << 20);
  __asm__ volatile("" : "+r"(kept));  // or the compiler removes the pair
  CHECK(mallinfo2().uordblks >= 10u << 20);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  CHECK(mallinfo().uordblks >= 10 << 20);
#pragma GCC diagnostic pop
  free(kept);
  CHECK(malloc_trim(0) == 1);
  char** log = nullptr;
  CHECK(TBB_malloc_replacement_log(&log) == 0 && log && !*log);
}

void operators() {
  delete new int(1);
  int* const array = new int[100];
  CHECK(ours(array));
  delete[] array;
  wide* const w = new wide;
  CHECK(ours(w) && aligned(w, 512));
  delete w;
  wide* const many = new (std::nothrow) wide[5];
  CHECK(ours(many) && aligned(many, 512));
  delete[] many;
  void* p = ::operator new(30, std::nothrow);
  CHECK(ours(p));
  ::operator delete(p, std::size_t{30});
  p = ::operator new(30, std::align_val_t{64});
  CHECK(aligned(p, 64));
  ::operator delete(p, std::size_t{30}, std::align_val_t{64});
  std::string s(1000, 'x');
  CHECK(ours(&s[0]));
}

int handler_calls = 0;

void without_memory() {
  std::size_t volatile absurd = std::size_t{1} << 60;
  bool caught = false;
  try {
    ::operator delete(::operator new(absurd));
  } catch (std::bad_alloc const&) {
    caught = true;
  }
  CHECK(caught);
  CHECK(::operator new(absurd, std::nothrow) == nullptr);
  // The handler is called until it gives up; here by another exception.
  std::set_new_handler([] {
    if (++handler_calls == 3) {
      throw std::bad_alloc();
    }
  });
  caught = false;
  try {
    ::operator delete(::operator new(absurd, std::align_val_t{64}));
  } catch (std::bad_alloc const&) {
    caught = true;
  }
  CHECK(caught && handler_calls == 3);
  handler_calls = 0;
  CHECK(::operator new(absurd, std::nothrow) == nullptr);
  CHECK(handler_calls == 3);
  std::set_new_handler(nullptr);
}

// What the C library allocated itself, behind our back, is passed back to it.
void foreign_pointers() {
  void* const libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  CHECK(libc != nullptr);
  auto* const libc_malloc = reinterpret_cast<void* (*)(std::size_t)>(dlsym(libc, "malloc"));
  CHECK(libc_malloc && libc_malloc != static_cast<void* (*)(std::size_t)>(malloc));
  for (std::size_t size : {24u, 1000u, 1u << 20}) {
    void* p = libc_malloc(size);
    CHECK(!ours(p) && malloc_usable_size(p) >= size);
    std::memset(p, 5, size);
    p = realloc(p, size * 2);
    CHECK(!ours(p) && static_cast<char*>(p)[size - 1] == 5);
    free(p);
    p = libc_malloc(size);
    std::thread([p] { free(p); }).join();
  }
}

}  // namespace

int main() {
  c_functions();
  operators();
  without_memory();
  foreign_pointers();
  return failures != 0;
}
