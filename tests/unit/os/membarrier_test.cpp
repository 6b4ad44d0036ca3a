// SPDX-License-Identifier: Apache-2.0
#include "os/membarrier.h"

#include "child_process.h"

#include <ashlar/base/atomic.h>
#include <support/again.h>

#include <doctest/doctest.h>

#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <initializer_list>
#include <thread>

using namespace ashlar;

namespace {

// Yields soon, because both threads may share one CPU.
void wait_for(atomic<int> const& word, int value) {
  for (int i = 0; word.load(mo::acquire) < value; ++i) {
    if (i < 50) {
      cpu_pause();
    } else {
      std::this_thread::yield();
    }
  }
}

#if !ASHLAR_TSAN
// Makes a system call fail with EPERM from now on, as a sandbox would. False where that is not supported.
bool forbid(unsigned call) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog const program{sizeof(code) / sizeof(code[0]), code};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

constexpr int passed = 0;
constexpr int failed = 1;
constexpr int not_supported = 77;

void expect_pass(int code) {
  if (code == not_supported) {
    MESSAGE("skipped: this system, or its emulator, takes no filter of system calls");
  } else {
    CHECK(code == passed);
  }
}
#endif

}  // namespace

TEST_CASE("membarrier: the answer does not change") {
  bool const first = os::heavy_fence_available();
  os::heavy_fence();
  CHECK(os::heavy_fence_available() == first);
  atomic<bool> elsewhere{!first};
  std::thread([&] { elsewhere.store(os::heavy_fence_available(), mo::relaxed); }).join();
  CHECK(elsewhere.load(mo::relaxed) == first);
}

// Store buffering: each side writes its word, fences, reads the other's. Not both may read the old value.
TEST_CASE("membarrier: a light and a heavy fence together are two full fences") {
  if (!os::heavy_fence_available()) return;
  constexpr int rounds = 20'000;
  static atomic<int> x{0};
  static atomic<int> y{0};
  static atomic<int> go{0};
  static atomic<int> done{0};
  static atomic<int> light_saw{0};
  std::thread light([] {
    for (int r = 1; r <= rounds; ++r) {
      wait_for(go, r);
      x.store(r, mo::relaxed);
      fence_light();
      light_saw.store(y.load(mo::relaxed), mo::relaxed);
      done.store(r, mo::release);
    }
  });
  int both_missed = 0;
  for (int r = 1; r <= rounds; ++r) {
    go.store(r, mo::release);
    y.store(r, mo::relaxed);
    os::heavy_fence();
    int const heavy_saw = x.load(mo::relaxed);
    wait_for(done, r);
    if (heavy_saw != r && light_saw.load(mo::relaxed) != r) ++both_missed;
  }
  light.join();
  CHECK(both_missed == 0);
}

#if !ASHLAR_TSAN

TEST_CASE("membarrier: a forked child is registered too") {
  if (!os::heavy_fence_available()) return;
  int const code = exit_code_of_child([] {
    if (!os::heavy_fence_available()) return failed;
    os::heavy_fence();
    return ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0 ? passed : failed;
  });
  CHECK(code == passed);
}

TEST_CASE("membarrier: forbidden after it was in use, the fence visits the CPUs and keeps the mask") {
  if (!os::heavy_fence_available()) return;
  int const code = exit_code_of_child([] {
    if (!forbid(SYS_membarrier)) return not_supported;
    cpu_set_t before;
    cpu_set_t after;
    if (::sched_getaffinity(0, sizeof(before), &before) != 0) return not_supported;
    errno = EDOM;
    os::heavy_fence();
    if (errno != EDOM || !os::heavy_fence_available()) return failed;
    if (::sched_getaffinity(0, sizeof(after), &after) != 0) return failed;
    return CPU_EQUAL(&before, &after) ? passed : failed;
  });
  expect_pass(code);
}

TEST_CASE("membarrier: without any way left the process ends with a message instead of going on wrongly") {
  if (!os::heavy_fence_available()) return;
  int const code = exit_code_of_child([] {
    return exit_code_of_child([] {
      ::close(STDERR_FILENO);
      if (!forbid(SYS_membarrier) || !forbid(SYS_sched_setaffinity)) return not_supported;
      ::signal(SIGABRT, [](int) { ::_exit(passed); });
      os::heavy_fence();
      return failed;
    });
  });
  expect_pass(code);
}

// Runs in a process of its own, started by the test below with the filter, because the answer is found once per
// process.
TEST_CASE("membarrier: in a sandbox" * doctest::skip()) {
  if (os::heavy_fence_available()) ::_exit(failed);
  os::heavy_fence();
  ::_exit(os::heavy_fence_available() ? failed : passed);
}

TEST_CASE("membarrier: forbidden from the start, it is not available and the fence still works") {
  int const code = exit_code_of_child([] {
    if (!forbid(SYS_membarrier)) return not_supported;
    test::start_again({"--no-skip", "--test-case=membarrier: in a sandbox"});
  });
  expect_pass(code);
}

#endif  // !ASHLAR_TSAN
