// SPDX-License-Identifier: Apache-2.0
#include "engine/fiber.h"

#include <ashlar/base/config.h>
#include <cxxabi.h>

#include <cstdint>
#include <cstring>

#if ASHLAR_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if ASHLAR_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if defined(__x86_64__)
extern "C" void ashlar_model_switch(void** save, void* load);
// Pushes the registers that a call preserves, changes the stack, pops those of the other side.
__asm__(R"(
.text
.type ashlar_model_switch,@function
ashlar_model_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size ashlar_model_switch,.-ashlar_model_switch
)");
#endif

namespace ashlar::model {

namespace {
[[maybe_unused]] fiber* previous = nullptr;
}

void fiber::prepare(char* stack, std::size_t size, void (*entry)()) {
  stack_ = stack;
  size_ = size;
  exceptions_ = {};
#if ASHLAR_ASAN
  ASAN_UNPOISON_MEMORY_REGION(stack, size);
  sanitizer_ = nullptr;
#endif
#if ASHLAR_TSAN
  if (sanitizer_ != nullptr) __tsan_destroy_fiber(sanitizer_);
  sanitizer_ = __tsan_create_fiber(0);
#endif
#if defined(__x86_64__)
  auto** top = reinterpret_cast<void**>(stack + size) - 8;
  std::memset(top, 0, 8 * sizeof(void*));
  top[6] = reinterpret_cast<void*>(entry);  // above the six registers; top[7]: the entry has no caller
  top_ = top;
#else
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack;
  context_.uc_stack.ss_size = size;
  context_.uc_link = nullptr;
  makecontext(&context_, entry, 0);
#endif
}

void fiber::go(fiber& from, fiber& to) {
  auto* const globals = reinterpret_cast<exceptions*>(abi::__cxa_get_globals());  // the layout is part of the C++ ABI
  from.exceptions_ = *globals;
  *globals = to.exceptions_;
#if ASHLAR_ASAN
  previous = &from;
  __sanitizer_start_switch_fiber(&from.sanitizer_, to.stack_, to.size_);
#endif
#if ASHLAR_TSAN
  if (from.sanitizer_ == nullptr) from.sanitizer_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.sanitizer_, 0);
#endif
#if defined(__x86_64__)
  ashlar_model_switch(&from.top_, to.top_);
#else
  swapcontext(&from.context_, &to.context_);
#endif
#if ASHLAR_ASAN
  void const* bottom;
  std::size_t size;
  __sanitizer_finish_switch_fiber(from.sanitizer_, &bottom, &size);
  if (previous->stack_ == nullptr) {  // the thread's own stack becomes known when it is left
    previous->stack_ = static_cast<char*>(const_cast<void*>(bottom));
    previous->size_ = size;
  }
#endif
}

void fiber_started() {
#if ASHLAR_ASAN
  void const* bottom;
  std::size_t size;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
  if (previous->stack_ == nullptr) {
    previous->stack_ = static_cast<char*>(const_cast<void*>(bottom));
    previous->size_ = size;
  }
#endif
}

}  // namespace ashlar::model
