// SPDX-License-Identifier: Apache-2.0
#include "product/context.h"

#include <sys/auxv.h>

#include <cstdint>

// What a called function has to keep lies on the stack, in this order from below: control words, r15 to r12, rbx, rbp.
__asm__(R"(
  .text
  .globl simulated_change_context
  .type simulated_change_context, @function
simulated_change_context:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  sub $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  mov %rsp, (%rdi)
  rdfsbase %rax
  mov %rax, 8(%rdi)
  mov 8(%rsi), %rax
  wrfsbase %rax
  mov (%rsi), %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  add $8, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
  .size simulated_change_context, . - simulated_change_context
)");

namespace ashlar::sim::product {

bool can_change_contexts() noexcept {
  constexpr unsigned long fsgsbase = 2;  // of the kernel's second word of capabilities
  return (getauxval(AT_HWCAP2) & fsgsbase) != 0;
}

context fresh_context(void* top, void (*run)()) noexcept {
  struct frame {
    std::uint32_t mxcsr;
    std::uint16_t control, unused;
    void* registers[6];
    void (*run)();
    void* caller;  // none
  };
  // A function begins with its caller's address at 8 more than a multiple of 16.
  auto const end = reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15};
  auto* const f = reinterpret_cast<frame*>(end - sizeof(frame));
  static_assert(sizeof(frame) % 16 == 8);
  *f = {};
  __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(f->mxcsr), "=m"(f->control));
  f->run = run;
  context made{f, nullptr};
  __asm__("mov %%fs:0, %0" : "=r"(made.thread_pointer));
  return made;
}

}  // namespace ashlar::sim::product
