// SPDX-License-Identifier: Apache-2.0
#include "alloc/os_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace ashlar::inline v1::alloc {

namespace {

class keep_errno {
 public:
  keep_errno() noexcept : value_(errno) {}
  ~keep_errno() { errno = value_; }
  keep_errno(keep_errno const&) = delete;
  keep_errno& operator=(keep_errno const&) = delete;

 private:
  int value_;
};

}  // namespace

void* os_map(std::size_t bytes) noexcept {
  keep_errno const keep;
  void* const p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

bool os_unmap(void* p, std::size_t bytes) noexcept {
  keep_errno const keep;
  return munmap(p, bytes) == 0;
}

void os_purge(void* p, std::size_t bytes) noexcept {
  keep_errno const keep;
  if (madvise(p, bytes, MADV_DONTNEED) != 0) {
    // Locked memory can't be given back; its readers still rely on zeroes.
    std::memset(p, 0, bytes);
  }
}

void os_guard(void* p, std::size_t bytes, bool on) noexcept {
  if (bytes) {
    keep_errno const keep;
    (void)mprotect(p, bytes, on ? PROT_NONE : PROT_READ | PROT_WRITE);
  }
}

void os_want_huge_pages(void* p, std::size_t bytes) noexcept {
  keep_errno const keep;
  (void)madvise(p, bytes, MADV_HUGEPAGE);
}

bool os_has_huge_pages() noexcept {
  keep_errno const keep;
  char text[64] = {};
  int const file = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  ssize_t const n = read(file, text, sizeof text - 1);
  close(file);
  return n > 0 && !std::strstr(text, "[never]");
}

bool os_move(void* from, std::size_t old_bytes, void* to, std::size_t new_bytes) noexcept {
  keep_errno const keep;
  return mremap(from, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
}

std::uint64_t coarse_ms() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000 + static_cast<std::uint64_t>(t.tv_nsec) / 1000000;
}

void fatal(char const* what, void const* p) noexcept {
  char line[160];
  std::size_t n = 0;
  auto const text = [&](char const* s) {
    while (*s && n < sizeof line - 1) {
      line[n++] = *s++;
    }
  };
  text("tbbmalloc: ");
  text(what);
  text(" 0x");
  std::uintptr_t const a = reinterpret_cast<std::uintptr_t>(p);
  bool significant = false;
  for (int shift = 60; shift >= 0; shift -= 4) {
    unsigned const digit = static_cast<unsigned>(a >> shift) & 15;
    significant = significant || digit || shift == 0;
    if (significant && n < sizeof line - 1) {
      line[n++] = "0123456789abcdef"[digit];
    }
  }
  line[n++] = '\n';
  [[maybe_unused]] auto const written = write(STDERR_FILENO, line, n);
  std::abort();
}

}  // namespace ashlar::inline v1::alloc
