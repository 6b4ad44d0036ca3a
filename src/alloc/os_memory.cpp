// SPDX-License-Identifier: Apache-2.0
#include "alloc/os_memory.h"

#include "os/coarse_clock.h"
#include "os/pages.h"
#include "os/process.h"

#include <ashlar/base/atomic.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace ashlar::inline v1::alloc {

namespace {

std::uintptr_t page_before(std::uintptr_t at) { return at & ~(std::uintptr_t{system_page()} - 1); }
std::uintptr_t page_after(std::uintptr_t at) { return page_before(at + system_page() - 1); }

class keep_errno {
 public:
  keep_errno() noexcept : value_(errno) {}
  ~keep_errno() { errno = value_; }
  keep_errno(keep_errno const&) = delete;
  keep_errno& operator=(keep_errno const&) = delete;

 private:
  int value_;
};

constinit atomic<std::size_t> page_bytes{0};

}  // namespace

std::size_t system_page() noexcept {
  std::size_t bytes = page_bytes.load(mo::relaxed);
  if (ASHLAR_UNLIKELY(bytes == 0)) {
    bytes = os::page_size();
    page_bytes.store(bytes, mo::relaxed);
  }
  return bytes;
}

void* os_map(std::size_t bytes) noexcept {
  keep_errno const keep;
  return os::map_pages(bytes);
}

bool os_unmap(void* p, std::size_t bytes) noexcept {
  keep_errno const keep;
  return os::unmap_pages(p, bytes);
}

void os_purge(void* p, std::size_t bytes) noexcept {
  keep_errno const keep;
  std::uintptr_t const begin = reinterpret_cast<std::uintptr_t>(p);
  std::uintptr_t const end = begin + bytes;
  std::uintptr_t const from = page_after(begin);
  std::uintptr_t const to = page_before(end);
  if (from >= to || !os::empty_pages(reinterpret_cast<void*>(from), to - from)) {
    // Locked memory can't be given back, nor can less than a page; its readers still rely on zeroes.
    std::memset(p, 0, bytes);
    return;
  }
  std::memset(p, 0, from - begin);
  std::memset(reinterpret_cast<void*>(to), 0, end - to);
}

void os_guard(void* p, std::size_t bytes, bool on) noexcept {
  if (bytes == 0) {
    return;
  }
  std::uintptr_t const begin = reinterpret_cast<std::uintptr_t>(p);
  std::uintptr_t const from = page_after(begin);
  std::uintptr_t const to = page_before(begin + bytes);
  if (from < to) {
    keep_errno const keep;
    (void)os::set_accessible(reinterpret_cast<void*>(from), to - from, !on);
  }
}

void os_want_huge_pages(void* p, std::size_t bytes) noexcept {
  keep_errno const keep;
  os::want_huge_pages(p, bytes);
}

bool os_has_huge_pages() noexcept {
  keep_errno const keep;
  return os::may_have_huge_pages();
}

bool os_move(void* from, std::size_t old_bytes, void* to, std::size_t new_bytes) noexcept {
  std::uintptr_t const all =
      reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to) | old_bytes | new_bytes;
  if (page_before(all) != all) {
    return false;
  }
  keep_errno const keep;
  return os::move_pages(from, old_bytes, to, new_bytes);
}

std::uint64_t coarse_ms() noexcept { return os::coarse_ms(); }

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
  os::write_error(line, n);
  std::abort();
}

}  // namespace ashlar::inline v1::alloc
