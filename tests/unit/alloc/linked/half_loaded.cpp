// SPDX-License-Identifier: Apache-2.0
// libtbb loads the allocator while the n-th call of malloc fails, for every n, each in a process of its own: memory
// comes from somewhere or std::bad_alloc does, and the loader's failure is no crash.
#include <support/death.h>
#include <tbb/tbb_allocator.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <vector>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
}

namespace {
long calls = 0;
long fail_at = -1;

bool fails() {
  if (calls++ != fail_at) return false;
  errno = ENOMEM;
  return true;
}

void use() {
  try {
    std::vector<int, tbb::tbb_allocator<int>> v(1000, 7);
    std::vector<int, tbb::tbb_allocator<int>> w(v);
    if (w.back() != 7) _exit(2);
  } catch (std::bad_alloc&) {
  }
}
}  // namespace

extern "C" void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }
extern "C" void* calloc(std::size_t count, std::size_t size) { return fails() ? nullptr : __libc_calloc(count, size); }

int main() {
  for (long n = 0; n < 1000; ++n) {
    test::death const d = test::run_in_child([&] {
      calls = 0;
      fail_at = n;
      use();
      _exit(calls > n ? 0 : 3);  // 3: nothing failed any more
    });
    if (d.exited && d.code == 3) {
      return n > 5 ? 0 : 4;
    }
    if (!d.exited || d.code != 0) {
      std::fprintf(stderr, "allocation %ld fails: %s %d\n%s", n, d.exited ? "exit" : "signal", d.code,
                   d.errors.c_str());
      return 1;
    }
  }
  return 5;
}
