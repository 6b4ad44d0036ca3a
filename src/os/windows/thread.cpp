// SPDX-License-Identifier: Apache-2.0
// Threads of winpthreads, as mingw's C++ library has them, and what Windows tells of them.
#include "os/thread.h"

#include "os/windows/system.h"

#include <ashlar/base/assert.h>
#include <ashlar/base/atomic.h>

#include <cstring>
#include <new>

namespace ashlar::inline v1::os {

namespace {

constexpr std::size_t name_size = 16;

// What a new thread needs to know; it frees this itself.
struct launch {
  void (*fn)(void*);
  void* arg;
  char name[name_size];
};

void* run(void* p) noexcept {
  launch const l = *static_cast<launch*>(p);
  delete static_cast<launch*>(p);
  if (l.name[0] != '\0') ::pthread_setname_np(::pthread_self(), l.name);
  l.fn(l.arg);
  return nullptr;
}

// The module stays when the library is closed, because worker threads run in it.
void pin_module() noexcept {
  static atomic<bool> pinned{false};
  if (pinned.load(mo::relaxed)) return;
  HMODULE module = nullptr;
  auto const* const here = reinterpret_cast<char const*>(&pinned);
  ::GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, here, &module);
  pinned.store(true, mo::relaxed);
}

bool start(pthread_t& thread, void (*fn)(void*), void* arg, std::size_t stack_size, char const* name,
           int state) noexcept {
  pin_module();
  auto* const l = new (std::nothrow) launch{fn, arg, {}};
  if (l == nullptr) return false;
  if (name != nullptr) std::strncpy(l->name, name, name_size - 1);
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setdetachstate(&attributes, state);
  bool const sized = stack_size == 0 || ::pthread_attr_setstacksize(&attributes, stack_size) == 0;
  bool const started = sized && ::pthread_create(&thread, &attributes, run, l) == 0;
  ::pthread_attr_destroy(&attributes);
  if (!started) delete l;
  return started;
}

}  // namespace

bool start_detached(void (*fn)(void*), void* arg, std::size_t stack_size, char const* name) noexcept {
  pthread_t thread{};
  return start(thread, fn, arg, stack_size, name, PTHREAD_CREATE_DETACHED);
}

thread_handle start_joinable(void (*fn)(void*), void* arg, std::size_t stack_size, char const* name) noexcept {
  pthread_t thread{};
  bool const started = start(thread, fn, arg, stack_size, name, PTHREAD_CREATE_JOINABLE);
  return started ? thread_handle(thread) : thread_handle();
}

thread_handle& thread_handle::operator=(thread_handle&& other) noexcept {
  ASHLAR_ASSERT(!owns_, "a thread must be joined before its handle is assigned to");
  thread_ = other.thread_;
  owns_ = other.owns_;
  other.owns_ = false;
  return *this;
}

thread_handle::~thread_handle() { ASHLAR_ASSERT(!owns_, "a thread must be joined before its handle is destroyed"); }

void thread_handle::join() noexcept {
  if (!owns_) return;
  owns_ = false;
  ::pthread_join(thread_, nullptr);
}

stack_bounds current_stack() noexcept {
  ULONG_PTR low = 0, high = 0;
  ::GetCurrentThreadStackLimits(&low, &high);
  return {reinterpret_cast<char*>(low), reinterpret_cast<char*>(high)};
}

int thread_id() noexcept { return static_cast<int>(::GetCurrentThreadId()); }

void wait_until_gone(int thread) noexcept {
  HANDLE const handle = ::OpenThread(SYNCHRONIZE, FALSE, static_cast<DWORD>(thread));
  if (handle == nullptr) return;
  constexpr DWORD second = 1000;
  ::WaitForSingleObject(handle, second);
  ::CloseHandle(handle);
}

void yield() noexcept { ::SwitchToThread(); }

void sleep_ns(std::uint64_t nanoseconds) noexcept {
  constexpr std::uint64_t longest = INFINITE - 1;
  std::uint64_t const milliseconds = nanoseconds / 1'000'000 + (nanoseconds % 1'000'000 != 0 ? 1 : 0);
  ::Sleep(static_cast<DWORD>(milliseconds < longest ? milliseconds : longest));
}

}  // namespace ashlar::inline v1::os
