// SPDX-License-Identifier: Apache-2.0
#include <ashlar/base/stack_identity.h>

namespace ashlar {
inline namespace v1 {

static ASHLAR_INITIAL_EXEC __thread std::uintptr_t identity = 0;

// Not inlined around a change of stacks, where a compiler might keep the address of the word.
ASHLAR_NOINLINE std::uintptr_t stack_identity() noexcept { return identity; }

ASHLAR_NOINLINE void set_stack_identity(std::uintptr_t of) noexcept { identity = of; }

}  // namespace v1
}  // namespace ashlar
