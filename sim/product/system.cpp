// SPDX-License-Identifier: Apache-2.0
// The system of the simulated processors: these functions stand before the C library's, in the program itself, so that
// clocks, sleeps, threads, locks and the scheduler's system calls are the world's. Whatever else a program calls is the
// real system's.
#include "product/processor_files.h"
#include "product/world.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unordered_map>

namespace {

using namespace ashlar::sim::product;

world& here() { return world::here(); }

// The function that one of these stands before.
template <typename Function>
Function* behind(Function*, char const* name) {
  auto* const found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  if (found == nullptr) std::abort();
  return found;
}
#define BEHIND(name)                                  \
  ([] {                                               \
    static auto* const real = behind(&::name, #name); \
    return real;                                      \
  }())

constexpr nanoseconds second = 1'000'000'000;

nanoseconds in_ns(timespec const& t) noexcept {
  return static_cast<nanoseconds>(t.tv_sec) * second + static_cast<nanoseconds>(t.tv_nsec);
}
timespec as_time(nanoseconds t) noexcept { return {static_cast<time_t>(t / second), static_cast<long>(t % second)}; }

// The clock of a thread's processor time.
constexpr clockid_t thread_clock(unsigned index) noexcept { return -1000 - static_cast<clockid_t>(index); }

void sleep_until(nanoseconds deadline) {
  here().advance_about(here().cost().sleep_call);
  here().sleep(nullptr, deadline);
  if (here().cost().computing != 0) here().advance(here().cost().computing);
}

// ---- Threads

struct start {
  void* (*run)(void*);
  void* argument;
  world::thread* self;
  void* result = nullptr;
  turn waits;  // the thread, for its turn: it may be run in its place
};

std::unordered_map<pthread_t, world::thread*>& threads() {
  static auto* const all = new std::unordered_map<pthread_t, world::thread*>;
  return *all;
}

thread_local start* mine = nullptr;

// A thread is over when its last destructors have run: they call the world, too. The system goes four times over the
// keys that have values.
pthread_key_t last_key() {
  static pthread_key_t const key = [] {
    pthread_key_t made;
    pthread_key_create(&made, [](void* rounds) {
      auto const left = reinterpret_cast<std::uintptr_t>(rounds) - 1;
      if (left == 0) return here().end();
      pthread_setspecific(last_key(), reinterpret_cast<void*>(left));
    });
    return made;
  }();
  return key;
}

// The thread's stack and variables are used in its place while it waits here for its turn, below `reserve`.
void* run_thread(void* p) {
  constexpr std::size_t reserve = 4096;
  start& s = *static_cast<start*>(p);
  world::thread& self = *s.self;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // a handler would need the stack, too
  mine = &s;
  self.place = fresh_context(static_cast<char*>(__builtin_frame_address(0)) - reserve, [] {
    mine->result = mine->run(mine->argument);
    here().go_on_alone();
  });
  s.waits.give();
  self.mine.take();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setspecific(last_key(), reinterpret_cast<void*>(std::uintptr_t{PTHREAD_DESTRUCTOR_ITERATIONS}));
  void* const result = s.result;
  delete &s;
  return result;
}

long futex(std::uint32_t* word, long operation, std::uint32_t value, timespec const* time) {
  long const command = operation & FUTEX_CMD_MASK;
  if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET) {
    here().advance(here().cost().call);
    return here().wake(word, static_cast<int>(value));
  }
  if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET) return -ENOSYS;
  here().advance(here().cost().call);
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) return -EAGAIN;
  nanoseconds deadline = world::never;
  if (time != nullptr) deadline = in_ns(*time) + (command == FUTEX_WAIT ? here().now() : 0);
  return here().sleep(word, deadline) ? 0 : -ETIMEDOUT;
}

// For condition variables: the mutex is given up by the same step that falls asleep.
bool wait_at(pthread_cond_t* c, pthread_mutex_t* m, nanoseconds deadline) {
  here().advance(here().cost().call);
  BEHIND(pthread_mutex_unlock)(m);
  here().wake_one(m);
  bool const woken = here().sleep(c, deadline);
  pthread_mutex_lock(m);
  return woken;
}

// The same in every run: no random addresses, on which hashes and neighbours in lines depend, and no path of the
// program, which the C library copies.
[[gnu::constructor]] void fix_addresses(int, char** arguments, char**) {
  int const now = personality(0xffffffff);
  if (now == -1 || (now & ADDR_NO_RANDOMIZE) != 0 || std::getenv("ASHLAR_SIMULATED_AGAIN") != nullptr) return;
  if (personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) == -1) return;
  setenv("ASHLAR_SIMULATED_AGAIN", "1", 1);
  static char name[] = "simulated";
  arguments[0] = name;
  execv("/proc/self/exe", arguments);
}

int (*program_s_main)(int, char**, char**) = nullptr;

// Where the stack begins is up to the seed, as it is up to chance on a machine, and not to the lengths of the command
// and of the environment, which lie above it.
[[gnu::noinline]] int main_on_stack_of_seed(int count, char** arguments, char** environment) {
  constexpr std::uintptr_t room = 1 << 20, granule = 16;
  costs told;
  if (char const* const text = std::getenv("ASHLAR_SIMULATED")) read(told, text);
  std::uintptr_t const wanted = told.seed * 0x9E3779B97F4A7C15u >> 56;
  auto const here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  void* const left_out = __builtin_alloca((here - wanted * granule) % room + granule);
  __asm__ volatile("" : : "r"(left_out) : "memory");
  int const result = program_s_main(count, arguments, environment);
  __asm__ volatile("" : : "r"(left_out) : "memory");  // the call is no tail call
  return result;
}

// One processor for all threads: only one runs, and it is found in a warm cache.
[[gnu::constructor]] void stay_on_one_processor() {
  cpu_set_t one;
  CPU_ZERO(&one);
  unsigned cpu = 0;
  real_call(SYS_getcpu, {reinterpret_cast<long>(&cpu)});
  CPU_SET(cpu, &one);
  real_call(SYS_sched_setaffinity, {0, sizeof one, reinterpret_cast<long>(&one)});
}

struct say_counts {
  ~say_counts() {
    if (std::getenv("ASHLAR_SIMULATED_COUNTS") == nullptr) return;
    counts const& c = here().counted;
    std::fprintf(
        stderr,
        "%.6f s simulated, %lu accesses, %lu handovers, %lu fences, %lu sleeps, %lu wakes, %lu yields, %lu lines "
        "moved\n",
        static_cast<double>(here().now()) * 1e-9 - 1, c.accesses, c.handovers, c.fences, c.sleeps, c.wakes, c.yields,
        here().transfers());
  }
} at_exit;

}  // namespace

extern "C" {

// ---- The program's first function
int __libc_start_main(int (*main)(int, char**, char**), int count, char** arguments, void (*begin)(), void (*end)(),
                      void (*end_of_loader)(), void* stack_end) {
  using start_function = int(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  program_s_main = main;
  auto* const real = reinterpret_cast<start_function*>(dlsym(RTLD_NEXT, "__libc_start_main"));
  if (real == nullptr) std::abort();
  return real(main_on_stack_of_seed, count, arguments, begin, end, end_of_loader, stack_end);
}

// ---- What the processor does (shadow.h)
unsigned long long simulated_ticks() noexcept {
  here().advance(here().cost().ticks);
  return here().now();
}
void simulated_pause() noexcept {
  here().serialize();
  here().advance(here().cost().pause);
}
void simulated_read(void const volatile* word) noexcept { here().access(word, false); }
void simulated_write(void const volatile* word) noexcept { here().access(word, true); }
void simulated_compute(unsigned long long duration) noexcept { here().advance(duration); }
void simulated_change(void const volatile* word) noexcept {
  here().serialize();
  here().advance(here().cost().locked);
  here().access(word, true);
}

// ---- Clocks and sleeps
int clock_gettime(clockid_t clock, timespec* to) noexcept {
  here().advance(here().cost().clock);
  nanoseconds shown = here().now();
  if (clock == CLOCK_PROCESS_CPUTIME_ID) shown = here().used_by_all();
  if (clock == CLOCK_THREAD_CPUTIME_ID) shown = here().self().used;
  if (clock <= thread_clock(0)) {
    world::thread const* const whose = here().find(static_cast<unsigned>(-1000 - clock));
    if (whose == nullptr) {
      errno = EINVAL;
      return -1;
    }
    shown = whose->used;
  }
  *to = as_time(shown);
  return 0;
}
int pthread_getcpuclockid(pthread_t thread, clockid_t* clock) noexcept {
  auto const found = threads().find(thread);
  *clock = thread_clock(found == threads().end() ? 0 : found->second->index);
  return 0;
}
int nanosleep(timespec const* length, timespec* left) {
  if (left != nullptr) *left = {};
  sleep_until(here().now() + in_ns(*length));
  return 0;
}
int clock_nanosleep(clockid_t, int flags, timespec const* length, timespec*) {
  sleep_until(in_ns(*length) + ((flags & TIMER_ABSTIME) != 0 ? 0 : here().now()));
  return 0;
}

// ---- Processors
int sched_yield() noexcept {
  here().yield();
  return 0;
}
int sched_getcpu() noexcept { return static_cast<int>(here().self().processor); }
int get_nprocs() noexcept { return static_cast<int>(here().cost().processors); }
long sysconf(int name) noexcept {
  if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) return get_nprocs();
  return BEHIND(sysconf)(name);
}
int sched_getaffinity(pid_t, size_t size, cpu_set_t* set) noexcept {
  here().advance(here().cost().call);
  if (8 * size < here().cost().processors) {
    errno = EINVAL;
    return -1;
  }
  CPU_ZERO_S(size, set);
  for (unsigned p = 0; p < here().cost().processors; ++p) CPU_SET_S(p, size, set);
  return 0;
}
int sched_setaffinity(pid_t, size_t, cpu_set_t const*) noexcept {
  here().advance(here().cost().call);
  return 0;
}

// Also tells of what processors share, if the costs do.
int open(char const* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  long const mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, long) : 0;
  va_end(list);
  if (int const told = open_processor_file(here().cost(), path); told != not_of_processors) {
    errno = ENOENT;
    return told;
  }
  long const result = real_call(SYS_open, {reinterpret_cast<long>(path), flags, mode});
  if (result >= 0) return static_cast<int>(result);
  errno = static_cast<int>(-result);
  return -1;
}

// ---- System calls
long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& one : a) one = va_arg(list, long);
  va_end(list);
  long result;
  if (number == SYS_futex) {
    result = futex(reinterpret_cast<std::uint32_t*>(a[0]), a[1], static_cast<std::uint32_t>(a[2]),
                   reinterpret_cast<timespec const*>(a[3]));
  } else if (number == SYS_membarrier) {
    if (a[0] == MEMBARRIER_CMD_PRIVATE_EXPEDITED) here().heavy_fence();
    result = 0;
  } else if (number == SYS_sched_getaffinity) {
    result = sched_getaffinity(0, static_cast<size_t>(a[1]), reinterpret_cast<cpu_set_t*>(a[2]));
    if (result == 0) result = a[1];
  } else {
    result = real_call(number, {a[0], a[1], a[2], a[3], a[4], a[5]});
  }
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

// ---- Threads and their locks
int pthread_create(pthread_t* made, pthread_attr_t const* attributes, void* (*run)(void*), void* argument) noexcept {
  world& w = here();
  world::thread& t = w.make();
  auto* const s = new start{run, argument, &t, nullptr, {}};
  if (int const error = BEHIND(pthread_create)(made, attributes, run_thread, s)) {
    std::fprintf(stderr, "simulated processors: no thread: %s\n", std::strerror(error));
    std::_Exit(70);
  }
  s->waits.take();
  threads()[*made] = &t;
  w.advance_about(w.cost().create);
  return 0;
}
int pthread_join(pthread_t thread, void** result) {
  auto const found = threads().find(thread);
  if (found != threads().end()) {
    here().advance(here().cost().call);
    here().join(*found->second);
    threads().erase(found);
  }
  return BEHIND(pthread_join)(thread, result);
}
int pthread_mutex_trylock(pthread_mutex_t* m) noexcept {
  simulated_change(m);
  return BEHIND(pthread_mutex_trylock)(m);
}
int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
  simulated_change(m);
  for (;;) {
    int const error = BEHIND(pthread_mutex_trylock)(m);
    if (error != EBUSY) return error;
    here().advance(here().cost().call);
    if (BEHIND(pthread_mutex_trylock)(m) == 0) return 0;
    here().sleep(m);
  }
}
int pthread_mutex_unlock(pthread_mutex_t* m) noexcept {
  simulated_change(m);
  int const error = BEHIND(pthread_mutex_unlock)(m);
  here().wake(m, 1);
  return error;
}
int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
  wait_at(c, m, world::never);
  return 0;
}
int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, timespec const* deadline) {
  return wait_at(c, m, in_ns(*deadline)) ? 0 : ETIMEDOUT;
}
int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t, timespec const* deadline) {
  return wait_at(c, m, in_ns(*deadline)) ? 0 : ETIMEDOUT;
}
int pthread_cond_signal(pthread_cond_t* c) noexcept {
  here().advance(here().cost().clock);
  here().wake(c, 1);
  return 0;
}
int pthread_cond_broadcast(pthread_cond_t* c) noexcept {
  here().advance(here().cost().clock);
  here().wake(c, INT_MAX);
  return 0;
}

}  // extern "C"
