// SPDX-License-Identifier: Apache-2.0
// without_membarrier PROGRAM ARGUMENTS...: runs a program in a sandbox that does not know the system call membarrier, as old
// kernels and many containers do. 77: such a sandbox can't be made here.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: without_membarrier PROGRAM ARGUMENTS...\n", stderr);
    return 2;
  }
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog const program{sizeof(code) / sizeof(code[0]), code};
  constexpr int not_supported = 77;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return not_supported;
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return not_supported;
  // The filter works: the programs have nothing else that would tell.
  if (::syscall(SYS_membarrier, 0, 0, 0) != -1 || errno != ENOSYS) return not_supported;
  ::execv(argv[1], argv + 1);
  std::perror(argv[1]);
  return 1;
}
