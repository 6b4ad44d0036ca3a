// SPDX-License-Identifier: Apache-2.0
// sandbox CONDITION[,CONDITION...] PROGRAM ARGUMENTS...: runs a program on a poorer system. 77: such a one can't be
// made here; a line on stderr says which.
//
//   no-membarrier, no-memfd   the kernel does not know that system call
//   no-proc, no-sys           /proc, /sys are empty
//   small-disk=FOLDER         FOLDER is an empty disk of 1 MiB
//   file-size=KIB             no file may grow beyond that (RLIMIT_FSIZE)
//   one-cpu                   the program has one processor
//   pauses                    all threads stand still for a while, again and again, and the clocks go on
//   preload=FILE              LD_PRELOAD for the program alone
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

namespace {

constexpr int not_supported = 77;

[[noreturn]] void give_up(char const* what) {
  std::fprintf(stderr, "sandbox: skipped, no %s here: %s\n", what, std::strerror(errno));
  std::exit(not_supported);
}

void forbid(long system_call) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(system_call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog const program{sizeof(code) / sizeof(code[0]), code};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up("seccomp");
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) give_up("seccomp");
  // The filter works: the programs have nothing else that would tell.
  if (::syscall(system_call, 0, 0, 0) != -1 || errno != ENOSYS) give_up("seccomp");
}

void write_file(char const* path, std::string const& text) {
  int const file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || ::write(file, text.data(), text.size()) < 0) give_up("user namespace");
  ::close(file);
}

// Mounts are this process's own from now on.
void have_own_mounts() {
  static bool done = false;
  if (done) return;
  done = true;
  if (::unshare(CLONE_NEWNS) != 0) {
    std::string const user = std::to_string(::getuid()), group = std::to_string(::getgid());
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) give_up("mount namespace");
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", user + " " + user + " 1");
    write_file("/proc/self/gid_map", group + " " + group + " 1");
  }
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) give_up("private mounts");
}

void cover(std::string const& folder, char const* options) {
  have_own_mounts();
  if (::mount("none", folder.c_str(), "tmpfs", 0, options) != 0) give_up("tmpfs");
}

void limit_files(unsigned long long kib) {
  rlimit const most{kib * 1024, kib * 1024};
  if (::setrlimit(RLIMIT_FSIZE, &most) != 0) give_up("RLIMIT_FSIZE");
}

void take_one_processor() {
  cpu_set_t all;
  if (::sched_getaffinity(0, sizeof all, &all) != 0) give_up("affinity");
  int cpu = 0;
  while (!CPU_ISSET(cpu, &all)) ++cpu;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  if (::sched_setaffinity(0, sizeof one, &one) != 0) give_up("affinity");
}

// Goes on in a child process, which this one stops and continues until it ends.
void be_paused() {
  pid_t const child = ::fork();
  if (child < 0) give_up("process");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    return;
  }
  timespec const stands_still{0, 100'000'000};
  timespec const runs{0, 50'000'000};
  int status = 0;
  for (bool stopped = false; ::waitpid(child, &status, WNOHANG) != child; stopped = !stopped) {
    ::kill(child, stopped ? SIGCONT : SIGSTOP);
    ::nanosleep(stopped ? &runs : &stands_still, nullptr);
  }
  std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

bool establish(std::string_view condition) {
  std::size_t const sign = condition.find('=');
  std::string_view const name = condition.substr(0, sign);
  std::string const value(sign == std::string_view::npos ? "" : condition.substr(sign + 1));
  if (name == "no-membarrier") return forbid(SYS_membarrier), true;
  if (name == "no-memfd") return forbid(SYS_memfd_create), true;
  if (name == "no-proc") return cover("/proc", "size=0"), true;
  if (name == "no-sys") return cover("/sys", "size=0"), true;
  if (name == "small-disk") return cover(value, "size=1m"), true;
  if (name == "file-size") return limit_files(std::strtoull(value.c_str(), nullptr, 10)), true;
  if (name == "one-cpu") return take_one_processor(), true;
  if (name == "pauses") return be_paused(), true;
  return name == "preload" && ::setenv("LD_PRELOAD", value.c_str(), 1) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: sandbox CONDITION[,CONDITION...] PROGRAM ARGUMENTS...\n", stderr);
    return 2;
  }
  for (std::string_view rest = argv[1]; !rest.empty();) {
    std::size_t const end = rest.find(',');
    std::string_view const condition = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (establish(condition)) continue;
    std::fprintf(stderr, "sandbox: no condition is called %.*s\n", static_cast<int>(condition.size()),
                 condition.data());
    return 2;
  }
  ::execv(argv[2], argv + 2);
  std::perror(argv[2]);
  return 1;
}
