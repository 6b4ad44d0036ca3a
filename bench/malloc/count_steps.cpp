// SPDX-License-Identifier: Apache-2.0
// Exact instruction counts of malloc and free, by single-stepping a child process from end to end of each measured
// stretch. Locked instructions (lock prefix, xchg with memory) are counted apart. The counts include the calling loop:
// about 6 instructions per call, the jump through the PLT among them.
//
// Usage: count_steps [size...], the allocator being the one that is preloaded; compiled with -DDIRECT it calls
// scalable_malloc and scalable_free instead. Columns: a hot pair with 64 other live objects, malloc of 256, free by the
// owner, free of objects whose owner has exited, free of objects of a live other thread, malloc after another
// thread freed this thread's objects. x86-64 Linux.
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#ifdef DIRECT
#include <tbb/scalable_allocator.h>
#define MALLOC scalable_malloc
#define FREE scalable_free
#else
#define MALLOC malloc
#define FREE free
#endif

namespace {

constexpr int objects = 256;
constexpr int columns = 6;
void* held[objects];
void* others[64];

// Where the parent starts and stops counting.
inline void mark() { __asm__ volatile("int3" ::: "memory"); }

__attribute__((noinline)) void pairs(std::size_t size, int n) {
  for (int i = 0; i < n; ++i) {
    FREE(MALLOC(size));
  }
}
__attribute__((noinline)) void fill(std::size_t size) {
  for (int i = 0; i < objects; ++i) {
    held[i] = MALLOC(size);
  }
}
__attribute__((noinline)) void drain() {
  for (int i = 0; i < objects; ++i) {
    FREE(held[i]);
  }
}

template <typename Work>
void measured(Work work) {
  mark();
  work();
  mark();
}

void child(std::size_t size) {
  for (void*& p : others) {
    p = MALLOC(size);
  }
  for (int warm = 0; warm < 3; ++warm) {
    pairs(size, objects);
    fill(size);
    drain();
  }
  measured([&] { pairs(size, objects); });
  measured([&] { fill(size); });
  measured([&] { drain(); });
  for (int warm = 0; warm < 2; ++warm) {  // the freeing thread's structures exist afterwards
    std::thread([&] { fill(size); }).join();
    drain();
  }
  std::thread([&] { fill(size); }).join();
  measured([&] { drain(); });

  int turn[2], back[2];
  if (pipe(turn) || pipe(back)) {
    std::exit(3);
  }
  std::thread owner([&] {
    char c;
    while (read(turn[0], &c, 1) == 1 && c == 'f') {
      fill(size);
      c = 0;
      if (write(back[1], &c, 1) != 1) {
        std::exit(3);
      }
    }
  });
  auto const ask = [&](char c) {
    if (write(turn[1], &c, 1) != 1 || (c == 'f' && read(back[0], &c, 1) != 1)) {
      std::exit(3);
    }
  };
  ask('f');
  drain();
  ask('f');
  measured([&] { drain(); });
  ask('q');
  owner.join();

  fill(size);
  std::thread([&] { drain(); }).join();
  measured([&] { fill(size); });
}

struct counts {
  long steps = 0;
  long locked = 0;
};

bool is_locked(unsigned long word) {
  auto byte = [&](int i) { return static_cast<unsigned>(word >> (8 * i)) & 0xff; };
  int i = 0;
  for (;; ++i) {
    unsigned const b = byte(i);
    if (b == 0xf0) {
      return true;
    }
    if (b != 0x66 && b != 0x64 && b != 0xf2 && b != 0xf3 && (b & 0xf0) != 0x40) {
      break;
    }
    if (i == 5) {
      return false;
    }
  }
  return (byte(i) == 0x87 || byte(i) == 0x86) && (byte(i + 1) >> 6) != 3;
}

bool wait_stop(pid_t pid) {
  int status;
  return waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);
}

bool at_mark(pid_t pid) {
  siginfo_t info;
  return ptrace(PTRACE_GETSIGINFO, pid, nullptr, &info) == 0 && info.si_signo == SIGTRAP && info.si_code == SI_KERNEL;
}

// The next mark, at full speed.
bool run_to_mark(pid_t pid) {
  do {
    if (ptrace(PTRACE_CONT, pid, nullptr, nullptr) || !wait_stop(pid)) {
      return false;
    }
  } while (!at_mark(pid));
  return true;
}

bool step_to_mark(pid_t pid, counts& c) {
  for (;;) {
    user_regs_struct regs;
    ptrace(PTRACE_GETREGS, pid, nullptr, &regs);
    unsigned long const word =
        static_cast<unsigned long>(ptrace(PTRACE_PEEKTEXT, pid, reinterpret_cast<void*>(regs.rip), nullptr));
    if (ptrace(PTRACE_SINGLESTEP, pid, nullptr, nullptr) || !wait_stop(pid)) {
      return false;
    }
    if (at_mark(pid)) {
      return true;
    }
    ++c.steps;
    c.locked += is_locked(word);
  }
}

bool measure(std::size_t size, counts (&result)[columns]) {
  pid_t const pid = fork();
  if (pid == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    child(size);
    _exit(0);
  }
  if (!wait_stop(pid)) {
    return false;
  }
  for (counts& c : result) {
    if (!run_to_mark(pid) || !step_to_mark(pid, c)) {
      return false;
    }
  }
  ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
  int status;
  waitpid(pid, &status, 0);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("%8s %s\n", "size", "hot pair / malloc / free / free, owner gone / free, owner alive / malloc after");
  static char const* const usual[] = {"16", "64", "1024", "16384"};
  int const n = argc > 1 ? argc - 1 : 4;
  char const* const* const sizes = argc > 1 ? argv + 1 : usual;
  for (int i = 0; i < n; ++i) {
    counts c[columns];
    if (!measure(std::strtoul(sizes[i], nullptr, 10), c)) {
      std::fprintf(stderr, "the measured process ended early\n");
      return 1;
    }
    std::printf("%8s ", sizes[i]);
    for (counts const& k : c) {
      std::printf(" %.1f (%.2f)", static_cast<double>(k.steps) / objects, static_cast<double>(k.locked) / objects);
    }
    std::printf("\n");
  }
}
