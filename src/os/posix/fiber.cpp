// SPDX-License-Identifier: Apache-2.0
#include "os/fiber.h"

#include "os/pages.h"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <new>

#ifdef _LIBCPP_VERSION
// libc++'s <cxxabi.h> leaves this function of the C++ ABI out; what it returns has the same layout as libstdc++'s.
namespace __cxxabiv1 {
extern "C" void* __cxa_get_globals() noexcept;
}
#endif

#ifdef __x86_64__
// Saves what a called function must keep (System V ABI, 3.2.1) on the old stack and takes it from the new one.
extern "C" void ashlar_change_stack(void** old_point, void* new_point) noexcept;
extern "C" void ashlar_begin_stack() noexcept;
__asm__(
    ".text\n"
    ".hidden ashlar_change_stack\n"
    ".globl ashlar_change_stack\n"
    ".type ashlar_change_stack, @function\n"
    "ashlar_change_stack:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  subq $8, %rsp\n  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  ldmxcsr (%rsp)\n  fldcw 4(%rsp)\n  addq $8, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    ".size ashlar_change_stack, .-ashlar_change_stack\n"
    ".hidden ashlar_begin_stack\n"
    ".globl ashlar_begin_stack\n"
    ".type ashlar_begin_stack, @function\n"
    "ashlar_begin_stack:\n"
    "  .cfi_startproc\n"
    "  .cfi_undefined rip\n"  // unwinders end here
    "  movq %r13, %rdi\n"
    "  callq *%r12\n"
    "  ud2\n"
    "  .cfi_endproc\n"
    ".size ashlar_begin_stack, .-ashlar_begin_stack\n"
    ".section .note.GNU-stack,\"\",@progbits\n"
    ".text\n");
#else
#include <ucontext.h>
#endif

namespace ashlar::inline v1::os {

namespace {

std::size_t page() noexcept { return page_size(); }

#ifdef __x86_64__
void* first_point(char* high, void (*begin)(void*) noexcept, void* self) noexcept {
  auto* words = reinterpret_cast<std::uint64_t*>(high) - 10;  // so that the stack is aligned in ashlar_begin_stack
  std::memset(words, 0, 80);
  std::uint32_t mxcsr;
  std::uint16_t x87;
  __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
  std::memcpy(words, &mxcsr, sizeof mxcsr);
  std::memcpy(reinterpret_cast<char*>(words) + 4, &x87, sizeof x87);
  words[3] = reinterpret_cast<std::uint64_t>(self);   // r13
  words[4] = reinterpret_cast<std::uint64_t>(begin);  // r12
  words[7] = reinterpret_cast<std::uint64_t>(&ashlar_begin_stack);
  return words;
}
#endif

}  // namespace

fiber::fiber() noexcept = default;

fiber::fiber(std::size_t size, entry run, void* argument) : run_(run), argument_(argument) {
  size = (size + page() - 1) / page() * page();
  void* const memory = mmap(nullptr, size + page(), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, page(), PROT_NONE);
  stack_ = static_cast<char*>(memory) + page();
  size_ = size;
  sanitized_.make(stack_, size_);
#ifdef __x86_64__
  point_ = first_point(stack_ + size_, &begin, this);
#else
  auto* const context = new ucontext_t;
  getcontext(context);
  context->uc_stack.ss_sp = stack_;
  context->uc_stack.ss_size = size_;
  context->uc_link = nullptr;
  auto const self = reinterpret_cast<std::uintptr_t>(this);
  auto const start = +[](unsigned high, unsigned low) {
    begin(reinterpret_cast<void*>(static_cast<std::uintptr_t>(high) << 32 | low));
  };
  makecontext(context, reinterpret_cast<void (*)()>(start), 2, static_cast<unsigned>(self >> 32),
              static_cast<unsigned>(self));
  point_ = context;
#endif
}

fiber::~fiber() {
#ifndef __x86_64__
  delete static_cast<ucontext_t*>(point_);
#endif
  if (stack_ == nullptr) return;
  sanitized_.forget();
  munmap(stack_ - page(), size_ + page());
}

void fiber::begin(void* self) noexcept {
  auto& f = *static_cast<fiber*>(self);
  f.sanitized_.end_change(f.left_->sanitized_);
  f.run_(f.argument_);
  __builtin_trap();
}

void fiber::continue_from(fiber& from) noexcept {
  left_ = &from;
  auto* const exceptions = reinterpret_cast<char*>(abi::__cxa_get_globals());
  std::memcpy(&from.exceptions_.caught, exceptions, sizeof(void*));
  std::memcpy(&from.exceptions_.uncaught, exceptions + sizeof(void*), sizeof(unsigned));
  std::memcpy(exceptions, &exceptions_.caught, sizeof(void*));
  std::memcpy(exceptions + sizeof(void*), &exceptions_.uncaught, sizeof(unsigned));
  sanitized_.begin_change(from.sanitized_, from.stack_ == nullptr);
#ifdef __x86_64__
  ashlar_change_stack(&from.point_, point_);
#else
  if (from.point_ == nullptr) from.point_ = new ucontext_t;
  swapcontext(static_cast<ucontext_t*>(from.point_), static_cast<ucontext_t*>(point_));
#endif
  from.sanitized_.end_change(from.left_->sanitized_);
}

}  // namespace ashlar::inline v1::os
