// SPDX-License-Identifier: Apache-2.0
// The frame of a stack that was left, from its point upwards, per processor: what the functions below store and load.
#include "os/stack_change.h"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) || defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64)
extern "C" void ashlar_begin_stack() noexcept;
#endif

// What an assembler of ELF, or of Mach-O, wants to be told of a function.
#ifdef __APPLE__
#define FUNCTION_BEGIN(name) ".private_extern _" name "\n.globl _" name "\n.p2align 2\n_" name ":\n"
#define FUNCTION_END(name)
#define FILE_END ".text\n"
#else
#define FUNCTION_BEGIN(name) ".hidden " name "\n.globl " name "\n.type " name ", %function\n" name ":\n"
#define FUNCTION_END(name) ".size " name ", .-" name "\n"
#define FILE_END ".section .note.GNU-stack,\"\",%progbits\n.text\n"
#endif

#if defined(__x86_64__)
// System V ABI, 3.2.1.
__asm__(
    ".text\n"
    FUNCTION_BEGIN("ashlar_change_stack")
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  subq $8, %rsp\n  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  ldmxcsr (%rsp)\n  fldcw 4(%rsp)\n  addq $8, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    FUNCTION_END("ashlar_change_stack")
    FUNCTION_BEGIN("ashlar_begin_stack")
    "  .cfi_startproc\n"
    "  .cfi_undefined rip\n"  // unwinders end here
    "  movq %r13, %rdi\n"
    "  callq *%r12\n"
    "  ud2\n"
    "  .cfi_endproc\n"
    FUNCTION_END("ashlar_begin_stack")
    FILE_END);
#elif defined(__aarch64__)
// AAPCS64, 6.1: x19 to x30 and the lower halves of v8 to v15.
__asm__(
    ".text\n"
    FUNCTION_BEGIN("ashlar_change_stack")
    "  sub sp, sp, #176\n"
    "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
    "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
    "  mrs x9, fpcr\n  str x9, [sp, #160]\n"
    "  mov x9, sp\n  str x9, [x0]\n"
    "  mov sp, x1\n"
    "  ldr x9, [sp, #160]\n  msr fpcr, x9\n"
    "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
    "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
    "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
    "  add sp, sp, #176\n"
    "  ret\n"
    FUNCTION_END("ashlar_change_stack")
    FUNCTION_BEGIN("ashlar_begin_stack")
    "  .cfi_startproc\n"
    "  .cfi_undefined x30\n"  // unwinders end here
    "  mov x0, x20\n"
    "  blr x19\n"
    "  brk #1\n"
    "  .cfi_endproc\n"
    FUNCTION_END("ashlar_begin_stack")
    FILE_END);
#elif defined(__riscv) && __riscv_xlen == 64
// The calling convention for the ABI lp64d: s0 to s11 and fs0 to fs11.
__asm__(
    ".text\n"
    FUNCTION_BEGIN("ashlar_change_stack")
    "  addi sp, sp, -208\n"
    "  sd ra, 0(sp)\n  sd s0, 8(sp)\n  sd s1, 16(sp)\n  sd s2, 24(sp)\n  sd s3, 32(sp)\n  sd s4, 40(sp)\n"
    "  sd s5, 48(sp)\n  sd s6, 56(sp)\n  sd s7, 64(sp)\n  sd s8, 72(sp)\n  sd s9, 80(sp)\n  sd s10, 88(sp)\n"
    "  sd s11, 96(sp)\n"
    "  fsd fs0, 104(sp)\n  fsd fs1, 112(sp)\n  fsd fs2, 120(sp)\n  fsd fs3, 128(sp)\n  fsd fs4, 136(sp)\n"
    "  fsd fs5, 144(sp)\n  fsd fs6, 152(sp)\n  fsd fs7, 160(sp)\n  fsd fs8, 168(sp)\n  fsd fs9, 176(sp)\n"
    "  fsd fs10, 184(sp)\n  fsd fs11, 192(sp)\n"
    "  frrm t0\n  sd t0, 200(sp)\n"
    "  sd sp, 0(a0)\n"
    "  mv sp, a1\n"
    "  ld t0, 200(sp)\n  fsrm t0\n"
    "  ld ra, 0(sp)\n  ld s0, 8(sp)\n  ld s1, 16(sp)\n  ld s2, 24(sp)\n  ld s3, 32(sp)\n  ld s4, 40(sp)\n"
    "  ld s5, 48(sp)\n  ld s6, 56(sp)\n  ld s7, 64(sp)\n  ld s8, 72(sp)\n  ld s9, 80(sp)\n  ld s10, 88(sp)\n"
    "  ld s11, 96(sp)\n"
    "  fld fs0, 104(sp)\n  fld fs1, 112(sp)\n  fld fs2, 120(sp)\n  fld fs3, 128(sp)\n  fld fs4, 136(sp)\n"
    "  fld fs5, 144(sp)\n  fld fs6, 152(sp)\n  fld fs7, 160(sp)\n  fld fs8, 168(sp)\n  fld fs9, 176(sp)\n"
    "  fld fs10, 184(sp)\n  fld fs11, 192(sp)\n"
    "  addi sp, sp, 208\n"
    "  ret\n"
    FUNCTION_END("ashlar_change_stack")
    FUNCTION_BEGIN("ashlar_begin_stack")
    "  .cfi_startproc\n"
    "  .cfi_undefined ra\n"  // unwinders end here
    "  mv a0, s1\n"
    "  jalr s0\n"
    "  ebreak\n"
    "  .cfi_endproc\n"
    FUNCTION_END("ashlar_begin_stack")
    FILE_END);
#endif
#undef FUNCTION_BEGIN
#undef FUNCTION_END
#undef FILE_END

namespace ashlar::inline v1::os {

namespace {

#if defined(__x86_64__) || defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64)
// The frame that the first change loads, below the end of the stack, with zeros.
std::uint64_t* empty_frame(char* low, std::size_t size, std::size_t words) noexcept {
  auto* const frame = reinterpret_cast<std::uint64_t*>(low + size) - words;
  std::memset(frame, 0, words * sizeof *frame);
  return frame;
}
std::uint64_t word_of(void const* p) noexcept { return reinterpret_cast<std::uint64_t>(p); }
std::uint64_t word_of(void (*f)() noexcept) noexcept { return reinterpret_cast<std::uint64_t>(f); }
std::uint64_t word_of(void (*f)(void*) noexcept) noexcept { return reinterpret_cast<std::uint64_t>(f); }
#endif

}  // namespace

#if defined(__x86_64__)
void* first_point(char* low, std::size_t size, void (*begin)(void*) noexcept, void* self) {
  std::uint64_t* const words = empty_frame(low, size, 10);  // so that the stack is aligned in ashlar_begin_stack
  std::uint32_t mxcsr;
  std::uint16_t x87;
  __asm__ volatile("stmxcsr %0\n\tfstcw %1" : "=m"(mxcsr), "=m"(x87));
  std::memcpy(words, &mxcsr, sizeof mxcsr);
  std::memcpy(reinterpret_cast<char*>(words) + 4, &x87, sizeof x87);
  words[3] = word_of(self);   // r13
  words[4] = word_of(begin);  // r12
  words[7] = word_of(&ashlar_begin_stack);
  return words;
}
#elif defined(__aarch64__)
void* first_point(char* low, std::size_t size, void (*begin)(void*) noexcept, void* self) {
  std::uint64_t* const words = empty_frame(low, size, 22);
  words[0] = word_of(begin);                 // x19
  words[1] = word_of(self);                  // x20
  words[11] = word_of(&ashlar_begin_stack);  // x30
  __asm__ volatile("mrs %0, fpcr" : "=r"(words[20]));
  return words;
}
#elif defined(__riscv) && __riscv_xlen == 64
void* first_point(char* low, std::size_t size, void (*begin)(void*) noexcept, void* self) {
  std::uint64_t* const words = empty_frame(low, size, 26);
  words[0] = word_of(&ashlar_begin_stack);  // ra
  words[1] = word_of(begin);                // s0
  words[2] = word_of(self);                 // s1
  __asm__ volatile("frrm %0" : "=r"(words[25]));
  return words;
}
#else
void* first_point(char* low, std::size_t size, void (*begin)(void*) noexcept, void* self) {
  // makecontext() hands on numbers of 32 bits.
  struct call {
    void (*begin)(void*) noexcept;
    void* self;
  };
  auto* const what = reinterpret_cast<call*>(low);
  *what = {begin, self};
  auto* const context = new ucontext_t;
  ::getcontext(context);
  context->uc_stack.ss_sp = low;
  context->uc_stack.ss_size = size;
  context->uc_link = nullptr;
  auto const start = +[](unsigned high, unsigned rest) {
    auto const& of = *reinterpret_cast<call const*>(static_cast<std::uintptr_t>(high) << 32 | rest);
    of.begin(of.self);
  };
  auto const at = reinterpret_cast<std::uintptr_t>(what);
  ::makecontext(context, reinterpret_cast<void (*)()>(start), 2, static_cast<unsigned>(at >> 32),
                static_cast<unsigned>(at));
  return context;
}
#endif

}  // namespace ashlar::inline v1::os
