// SPDX-License-Identifier: Apache-2.0
// A program that links the malloc replacement: every replaced function, the new handler, pointers of the C library.
// Exit code 0 when all is right; prints the line of each check that fails.
#include <tbb/scalable_allocator.h>
#include <tbb/tbbmalloc_proxy.h>

#include <support/death.h>
#include <support/emulator.h>
#include <support/process_memory.h>

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

// The names under which old libraries reach past a replacement; no header declares them.
extern "C" {
void* __libc_malloc(std::size_t size);
void __libc_free(void* p);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* p, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void* __libc_valloc(std::size_t size);
void* __libc_pvalloc(std::size_t size);
}

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
  for (std::size_t const size : {0u, 1u, 4096u}) {
    void* const all[] = {malloc(size),       calloc(size, 1), realloc(nullptr, size), aligned_alloc(64, size),
                         memalign(64, size), valloc(size),    pvalloc(size)};
    for (void* q : all) {
      CHECK(ours(q) && malloc_usable_size(q) >= size);
      free(q);
    }
  }
  errno = 0;
  CHECK(posix_memalign(&p, 24, 8) == EINVAL && posix_memalign(&p, 4, 8) == EINVAL && errno == 0);
  CHECK(aligned_alloc(48, 96) == nullptr && errno == EINVAL);
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
  CHECK(TBB_malloc_replacement_log(&log) == 0 && log != nullptr && !*log);
}

void libc_names() {
  void* p = __libc_malloc(100);
  CHECK(ours(p));
  p = __libc_realloc(p, 5000);
  CHECK(ours(p) && malloc_usable_size(p) >= 5000);
  __libc_free(p);
  p = __libc_calloc(7, 11);
  CHECK(ours(p) && static_cast<char*>(p)[76] == 0);
  free(p);
  p = __libc_memalign(1024, 10);
  CHECK(ours(p) && aligned(p, 1024));
  free(p);
  p = __libc_valloc(10);
  CHECK(ours(p) && aligned(p, 4096));
  free(p);
  p = __libc_pvalloc(10);
  CHECK(ours(p) && aligned(p, 4096) && malloc_usable_size(p) >= 4096);
  __libc_free(p);
}

// Each form of new with each form of delete that may follow it.
void operator_forms() {
  constexpr std::align_val_t wide{256};
  for (std::size_t const n : {0ul, 1ul, 100ul, 5000ul, 200000ul}) {
    void* const plain[] = {::operator new(n),   ::operator new(n, std::nothrow),   ::operator new(n),
                           ::operator new[](n), ::operator new[](n, std::nothrow), ::operator new[](n)};
    for (void* p : plain) {
      CHECK(ours(p) && malloc_usable_size(p) >= n);
      std::memset(p, 1, n);
    }
    ::operator delete(plain[0]);
    ::operator delete(plain[1], std::nothrow);
    ::operator delete(plain[2], n);
    ::operator delete[](plain[3]);
    ::operator delete[](plain[4], std::nothrow);
    ::operator delete[](plain[5], n);
    void* const aligned_ones[] = {
        ::operator new(n, wide),   ::operator new(n, wide, std::nothrow),   ::operator new(n, wide),
        ::operator new[](n, wide), ::operator new[](n, wide, std::nothrow), ::operator new[](n, wide)};
    for (void* p : aligned_ones) {
      CHECK(ours(p) && aligned(p, 256) && malloc_usable_size(p) >= n);
      std::memset(p, 1, n);
    }
    ::operator delete(aligned_ones[0], wide);
    ::operator delete(aligned_ones[1], wide, std::nothrow);
    ::operator delete(aligned_ones[2], n, wide);
    ::operator delete[](aligned_ones[3], wide);
    ::operator delete[](aligned_ones[4], wide, std::nothrow);
    ::operator delete[](aligned_ones[5], n, wide);
  }
  ::operator delete(nullptr);
  ::operator delete[](nullptr);
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

void* reserve = nullptr;

// A handler that makes room is what new asks for: it is called once, and the request is served.
void handler_makes_room() {
  test::death const d = test::run_in_child([] {
    constexpr std::size_t mb = std::size_t{1} << 20;
    handler_calls = 0;
    reserve = malloc(300 * mb);
    rlim_t const most = test::memory_of_process().mapped + 50 * mb;
    rlimit const limit{most, most};
    if (setrlimit(RLIMIT_AS, &limit) != 0) {
      _exit(11);
    }
    std::set_new_handler([] {
      ++handler_calls;
      if (reserve == nullptr) {
        _exit(12);
      }
      free(reserve);
      reserve = nullptr;
    });
    char volatile* const p = static_cast<char*>(::operator new(200 * mb));
    p[100 * mb] = 1;
    _exit(handler_calls == 1 ? 0 : 13);
  });
  CHECK(d.exited && d.code == 0);
}

// The C library has no memory of its own in this process, so a pointer that is not ours is nobody's.
void wild_pointers() {
  static char nobodys[64];
  for (bool const resized : {false, true}) {
    test::death const d = test::run_in_child([=] {
      void* volatile p = nobodys + 16;
      std::fprintf(stderr, "%p\n", p);
      if (resized) {
        p = realloc(p, 100);
      }
      free(p);
    });
    std::string const address = d.errors.substr(0, d.errors.find('\n'));
    CHECK(d.by_signal(SIGABRT) && d.errors.find("not allocated by anybody: " + address) != std::string::npos);
  }
}

// Memory from before main is freed, and more is allocated, by what runs after it.
struct early_and_late {
  std::vector<std::string> texts;
  early_and_late() : texts(100, std::string(200, 'e')) { std::atexit(at_exit); }
  ~early_and_late() {
    texts.emplace_back(5000, 'l');
    check(ours(&texts.back()[0]), __LINE__);
    texts.clear();
    if (failures) {
      _exit(1);
    }
  }
  static void at_exit() {
    void* volatile p = malloc(3000);
    free(p);
  }
} early;

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
  wild_pointers();
  c_functions();
  libc_names();
  operators();
  operator_forms();
  without_memory();
  if (!test::emulated) {
    handler_makes_room();
  }
  foreign_pointers();
  return failures != 0;
}
