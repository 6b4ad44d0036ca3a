// SPDX-License-Identifier: Apache-2.0
// Changes between stacks on Windows, x86-64: what a called function must keep, and in the thread's environment block
// the stack's bounds and the list of handlers (Wine's), by which exceptions find their frames.
#include "os/stack_change.h"

#include <cstdint>
#include <cstring>

extern "C" void ashlar_begin_stack() noexcept;

__asm__(
    ".text\n"
    ".globl ashlar_change_stack\n"
    "ashlar_change_stack:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %rdi\n  pushq %rsi\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  pushq %gs:0x8\n  pushq %gs:0x10\n  pushq %gs:0x1478\n  pushq %gs:0x0\n"
    "  subq $168, %rsp\n"
    "  movaps %xmm6, (%rsp)\n  movaps %xmm7, 16(%rsp)\n  movaps %xmm8, 32(%rsp)\n  movaps %xmm9, 48(%rsp)\n"
    "  movaps %xmm10, 64(%rsp)\n  movaps %xmm11, 80(%rsp)\n  movaps %xmm12, 96(%rsp)\n  movaps %xmm13, 112(%rsp)\n"
    "  movaps %xmm14, 128(%rsp)\n  movaps %xmm15, 144(%rsp)\n  stmxcsr 160(%rsp)\n  fnstcw 164(%rsp)\n"
    "  movq %rsp, (%rcx)\n"
    "  movq %rdx, %rsp\n"
    "  movaps (%rsp), %xmm6\n  movaps 16(%rsp), %xmm7\n  movaps 32(%rsp), %xmm8\n  movaps 48(%rsp), %xmm9\n"
    "  movaps 64(%rsp), %xmm10\n  movaps 80(%rsp), %xmm11\n  movaps 96(%rsp), %xmm12\n  movaps 112(%rsp), %xmm13\n"
    "  movaps 128(%rsp), %xmm14\n  movaps 144(%rsp), %xmm15\n  ldmxcsr 160(%rsp)\n  fldcw 164(%rsp)\n"
    "  addq $168, %rsp\n"
    "  popq %gs:0x0\n  popq %gs:0x1478\n  popq %gs:0x10\n  popq %gs:0x8\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rsi\n  popq %rdi\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    ".globl ashlar_begin_stack\n"
    "ashlar_begin_stack:\n"
    "  movq %r13, %rcx\n"
    "  subq $32, %rsp\n"
    "  callq *%r12\n"
    "  ud2\n");

namespace ashlar::inline v1::os {

void* first_point(char* low, std::size_t size, void (*begin)(void*) noexcept, void* self) {
  constexpr std::size_t words = 40;  // so that the stack is aligned in ashlar_begin_stack
  auto* const frame = reinterpret_cast<std::uint64_t*>(low + size) - words;
  std::memset(frame, 0, words * sizeof *frame);
  std::uint32_t mxcsr;
  std::uint16_t x87;
  __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
  std::memcpy(reinterpret_cast<char*>(frame) + 160, &mxcsr, sizeof mxcsr);
  std::memcpy(reinterpret_cast<char*>(frame) + 164, &x87, sizeof x87);
  frame[21] = ~std::uint64_t{0};  // no frame of a handler
  frame[22] = frame[23] = reinterpret_cast<std::uint64_t>(low);
  frame[24] = reinterpret_cast<std::uint64_t>(low + size);
  frame[27] = reinterpret_cast<std::uint64_t>(self);   // r13
  frame[28] = reinterpret_cast<std::uint64_t>(begin);  // r12
  frame[33] = reinterpret_cast<std::uint64_t>(&ashlar_begin_stack);
  return frame;
}

}  // namespace ashlar::inline v1::os
