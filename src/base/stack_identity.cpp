// SPDX-License-Identifier: Apache-2.0
#include <ashlar/base/atomic.h>
#include <ashlar/base/stack_identity.h>

namespace ashlar {
inline namespace v1 {
namespace {

constinit atomic<stack_identity_function> installed{nullptr};

}  // namespace

std::uintptr_t stack_identity() noexcept {
  stack_identity_function const f = installed.load(mo::relaxed);
  return f ? f() : 0;
}

void set_stack_identity(stack_identity_function f) noexcept { installed.store(f, mo::relaxed); }

}  // namespace v1
}  // namespace ashlar
