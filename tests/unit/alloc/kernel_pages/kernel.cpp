// SPDX-License-Identifier: Apache-2.0
// What a kernel with longer pages does, for a program whose libraries are linked with --wrap of these functions: ranges
// begin at a page or are refused, their lengths are rounded up, and what is mapped begins at a page. The environment
// variable KERNEL_PAGE has the length.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>

namespace {

std::size_t page() {
  static std::size_t const bytes = [] {
    char const* const text = std::getenv("KERNEL_PAGE");
    return text != nullptr ? std::strtoul(text, nullptr, 10) : 4096;
  }();
  return bytes;
}
bool begins_page(void const* p) { return reinterpret_cast<std::uintptr_t>(p) % page() == 0; }
std::size_t whole(std::size_t bytes) { return (bytes + page() - 1) / page() * page(); }
template <typename Call>
int if_page(void const* p, Call call) {
  if (begins_page(p)) return call();
  errno = EINVAL;
  return -1;
}

}  // namespace

extern "C" {
void* __real_mmap(void*, std::size_t, int, int, int, off_t);
int __real_munmap(void*, std::size_t);
int __real_madvise(void*, std::size_t, int);
int __real_mprotect(void*, std::size_t, int);
void* __real_mremap(void*, std::size_t, std::size_t, int, ...);
long __real_sysconf(int);

void* __wrap_mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  if (offset % static_cast<off_t>(page()) != 0 || ((flags & MAP_FIXED) != 0 && !begins_page(at))) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  if ((flags & MAP_FIXED) != 0) return __real_mmap(at, whole(bytes), protection, flags, file, offset);
  // Room is looked for first, so that the mapping itself can begin at a page.
  std::size_t const room = whole(bytes) + page();
  void* const found = __real_mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return found;
  std::uintptr_t const begin = reinterpret_cast<std::uintptr_t>(found);
  std::uintptr_t const start = whole(begin);
  if (start != begin) __real_munmap(found, start - begin);
  std::uintptr_t const end = start + whole(bytes);
  if (end != begin + room) __real_munmap(reinterpret_cast<void*>(end), begin + room - end);
  return __real_mmap(reinterpret_cast<void*>(start), file < 0 ? whole(bytes) : bytes, protection, flags | MAP_FIXED,
                     file, offset);
}
int __wrap_munmap(void* p, std::size_t bytes) {
  return if_page(p, [=] { return __real_munmap(p, whole(bytes)); });
}
int __wrap_madvise(void* p, std::size_t bytes, int advice) {
  return if_page(p, [=] { return __real_madvise(p, whole(bytes), advice); });
}
int __wrap_mprotect(void* p, std::size_t bytes, int protection) {
  return if_page(p, [=] { return __real_mprotect(p, whole(bytes), protection); });
}
void* __wrap_mremap(void* from, std::size_t old_bytes, std::size_t new_bytes, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  void* const to = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, void*) : nullptr;
  va_end(arguments);
  if (!begins_page(from) || !begins_page(to)) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  return __real_mremap(from, whole(old_bytes), whole(new_bytes), flags, to);
}
long __wrap_sysconf(int name) { return name == _SC_PAGESIZE ? static_cast<long>(page()) : __real_sysconf(name); }
}
