// SPDX-License-Identifier: Apache-2.0
// A free object's signature is its page's descriptor's address, half of which is compared. Objects of a program are
// full of zeroes, so no descriptor may lie where that half is 0: free would take each such object for a free one, find
// that it is none, and do so again without end. Here the allocator's own memory lies across a multiple of 4 GiB, the
// argument's number of bytes before it. Linked with --wrap=mmap.
#include <tbb/scalable_allocator.h>

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

std::size_t bytes_before = 0;
int placed = 0;

}  // namespace

extern "C" {
void* __real_mmap(void*, std::size_t, int, int, int, off_t);
void* __wrap_mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  // Descriptors and heaps come in steps of so much.
  bool const own = bytes == (std::size_t{64} << 10) || bytes == (std::size_t{256} << 10);
  if (at == nullptr && own && (flags & MAP_ANONYMOUS) != 0) {
    for (std::uintptr_t k = 0x200; k < 0x400; ++k) {
      void* const place = reinterpret_cast<void*>((k << 32) - bytes_before);
      void* const got = __real_mmap(place, bytes, protection, flags | MAP_FIXED_NOREPLACE, file, offset);
      if (got == place) {
        ++placed;
        return got;
      }
      if (got != MAP_FAILED) munmap(got, bytes);
    }
  }
  return __real_mmap(at, bytes, protection, flags, file, offset);
}
}

int main(int count, char** arguments) {
  bytes_before = count == 2 ? std::strtoul(arguments[1], nullptr, 10) : 0;
  for (std::size_t const size : {16, 100, 1000, 10000}) {
    std::vector<void*> objects(4000);
    for (void*& p : objects) {
      p = scalable_malloc(size);
      std::memset(p, 0, size);
    }
    for (std::size_t i = 0; i < objects.size(); i += 2) scalable_free(objects[i]);
    std::thread([&] {
      for (std::size_t i = 1; i < objects.size(); i += 2) scalable_free(objects[i]);
    }).join();
  }
  if (placed == 0) {
    std::puts("the allocator's memory could not be placed");
    return 1;
  }
}
