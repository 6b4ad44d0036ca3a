// SPDX-License-Identifier: Apache-2.0
// libtbb is initialised and loads the allocator while the n-th call of malloc fails, for every n, each in a process of
// its own: memory comes from somewhere or std::bad_alloc does, and the loader's failure is no crash.
#include <support/death.h>
#include <tbb/tbb_allocator.h>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
}

namespace {
long calls = 0;
long fail_at = -1;

constexpr char variable[] = "ASHLAR_TEST_FAIL_AT=";

// Before the libraries are initialised.
void arm(int, char**, char** environment) {
  for (; *environment != nullptr; ++environment) {
    if (std::strncmp(*environment, variable, sizeof variable - 1) == 0) {
      fail_at = std::atol(*environment + sizeof variable - 1);
    }
  }
  calls = 0;
}
__attribute__((section(".preinit_array"), used)) void (*const first)(int, char**, char**) = arm;

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

int main(int, char** arguments) {
  if (long const n = fail_at; n >= 0) {
    use();
    _exit(calls > n ? 0 : 3);  // 3: nothing failed any more
  }
  for (long n = 0; n < 1000; ++n) {
    test::death const d = test::run_in_child([&] {
      std::string setting = variable + std::to_string(n);
      char* const environment[] = {setting.data(), nullptr};
      execve("/proc/self/exe", arguments, environment);
      _exit(6);
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
