// SPDX-License-Identifier: Apache-2.0
// tbbmalloc's C interface: null, errno, alignment, sizes, contents.
#include "memory_block.h"
#include "subjects.h"

#include <tbb/scalable_allocator.h>

#include <cerrno>
#include <cstdint>

namespace differ {

namespace {

std::string error_name(int e) {
  return e == 0 ? "0" : e == ENOMEM ? "ENOMEM" : e == EINVAL ? "EINVAL" : std::to_string(e);
}

class heap {
 public:
  ~heap() {
    for (block& b : blocks_) free_one(b);
  }
  void act(step const& s, std::string const& path, book& told) {
    block& b = blocks_[static_cast<std::size_t>(s.n % 4)];
    std::size_t const size = s.b % 40 == 0 ? absurd_sizes[s.a % 4] : block_sizes[s.a % 16];
    std::size_t const alignment = s.b % 37 == 0 ? static_cast<std::size_t>(s.b % 50) : std::size_t(1) << s.b % 14;
    errno = 0;
    if (s.kind == "malloc") {
      free_one(b);
      take(b, scalable_malloc(size), size, false, path, told);
    } else if (s.kind == "calloc") {
      free_one(b);
      std::size_t const number = s.b % 5 == 0 ? SIZE_MAX / 2 : 3;
      void* const got = scalable_calloc(number, size);
      take(b, got, got == nullptr ? 0 : number * size, false, path, told);
      bool zero = true;
      for (std::size_t i = 0; i < b.size; ++i) zero = zero && b.at[i] == 0;
      told.tell(path + " zero", zero);
    } else if (s.kind == "realloc") {
      resize(b, size, 0, path, told);
    } else if (s.kind == "aligned_realloc") {
      resize(b, size, alignment, path, told);
    } else if (s.kind == "aligned_malloc") {
      free_one(b);
      void* const got = scalable_aligned_malloc(size, alignment);
      take(b, got, size, true, path, told);
      told.tell(path + " is aligned", got == nullptr || reinterpret_cast<std::uintptr_t>(got) % alignment == 0);
      return;
    } else if (s.kind == "memalign") {
      free_one(b);
      void* got = nullptr;
      int const result = scalable_posix_memalign(&got, alignment, size);
      told.tell(path + " result", error_name(result));
      errno = 0;
      take(b, result == 0 ? got : nullptr, size, false, path, told);
      told.tell(path + " is aligned", got == nullptr || reinterpret_cast<std::uintptr_t>(got) % alignment == 0);
      return;
    } else if (s.kind == "free") {
      told.tell(path + " whole", b.whole(b.size));
      free_one(b);
    } else if (s.kind == "size") {
      told.tell(path + " has room", scalable_msize(b.at) >= b.size);
      told.tell(path + " of null", scalable_msize(nullptr) + static_cast<std::size_t>(errno));
    } else if (s.kind == "command") {
      told.tell(path + " command",
                scalable_allocation_command(s.b % 2 == 0 ? TBBMALLOC_CLEAN_ALL_BUFFERS : TBBMALLOC_CLEAN_THREAD_BUFFERS,
                                            nullptr) >= 0);
      told.tell(path + " with a parameter", scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, this));
      told.tell(path + " unknown", scalable_allocation_command(77, nullptr));
      told.tell(path + " mode", scalable_allocation_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, 0));
      told.tell(path + " no mode", scalable_allocation_mode(999, 1));
    }
  }

 private:
  void take(block& b, void* got, std::size_t size, bool aligned, std::string const& path, book& told) {
    told.tell(path + " null, errno", text(got == nullptr) + " " + error_name(got == nullptr ? errno : 0));
    b = {static_cast<unsigned char*>(got), got == nullptr ? 0 : size, 0, aligned};
    if (got != nullptr && size <= 2000000) {
      told.tell(path + " has room", scalable_msize(got) >= size);
      bool const zeroed = path.find("calloc") != std::string::npos;
      if (!zeroed) b.fill(static_cast<int>(size) + 1);
      if (planted("memory changes what it holds") && size > 60) b.at[50] ^= 1;
    } else if (got != nullptr) {
      b.size = 0;
    }
  }
  void resize(block& b, std::size_t size, std::size_t alignment, std::string const& path, book& told) {
    if (b.at != nullptr && b.aligned != (alignment != 0)) return;
    // oneTBB gives too little, or dies (docs/differences.md).
    if (scalable_msize(b.at) > 1000000 && size > SIZE_MAX / 4) return;
    void* const got = alignment == 0 ? scalable_realloc(b.at, size) : scalable_aligned_realloc(b.at, size, alignment);
    told.tell(path + " null, errno", text(got == nullptr) + " " + error_name(got == nullptr ? errno : 0));
    if (got == nullptr) {
      // Freed if the size was 0; else what was there stays.
      if (size == 0 && (alignment == 0 || (alignment & (alignment - 1)) == 0)) b = block();
      told.tell(path + " still whole", b.whole(b.size));
      return;
    }
    if (alignment != 0) told.tell(path + " is aligned", reinterpret_cast<std::uintptr_t>(got) % alignment == 0);
    b.at = static_cast<unsigned char*>(got);
    b.aligned = alignment != 0;
    told.tell(path + " keeps its contents", b.whole(size));
    b.size = size <= 2000000 ? size : 0;
    b.fill(static_cast<int>(size) + 1);
  }
  static void free_one(block& b) {
    if (b.aligned) {
      scalable_aligned_free(b.at);
    } else {
      scalable_free(b.at);
    }
    b = block();
  }
  block blocks_[4];
};

void mallocs(step const& program, book& told) {
  heap h;
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    h.act(program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
}

}  // namespace

void add_mallocs(subjects& table) { table["memory"] = mallocs; }

}  // namespace differ
