// SPDX-License-Identifier: Apache-2.0
#include "os/fiber.h"

#include "os/pages.h"
#include "os/stack_change.h"

#include <cxxabi.h>
#include <cstdint>
#include <cstring>
#include <new>

#ifdef _LIBCPP_VERSION
// libc++'s <cxxabi.h> leaves this function of the C++ ABI out; what it returns has the same layout as libstdc++'s.
namespace __cxxabiv1 {
extern "C" void* __cxa_get_globals() noexcept;
}
#endif

namespace ashlar::inline v1::os {

namespace {

std::size_t page() noexcept { return page_size(); }

}  // namespace

fiber::fiber() noexcept = default;

fiber::fiber(std::size_t size, entry run, void* argument) : run_(run), argument_(argument) {
  size = (size + page() - 1) / page() * page();
  void* const memory = map_stack(size + page());
  if (memory == nullptr) throw std::bad_alloc();
  set_accessible(memory, page(), false);
  stack_ = static_cast<char*>(memory) + page();
  size_ = size;
  sanitized_.make(stack_, size_);
  point_ = first_point(stack_, size_, &begin, this);
}

fiber::~fiber() {
  forget_point(point_);
  if (stack_ == nullptr) return;
  sanitized_.forget();
  unmap_pages(stack_ - page(), size_ + page());
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
  change_stack(&from.point_, point_);
  from.sanitized_.end_change(from.left_->sanitized_);
}

}  // namespace ashlar::inline v1::os
