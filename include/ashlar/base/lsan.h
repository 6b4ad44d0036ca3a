// SPDX-License-Identifier: Apache-2.0
// What LeakSanitizer has to be told of memory that a container knows by another word than the memory's address: else a
// container that lives until the program ends, reached by a static pointer, counts as lost. Nothing where the program
// has no such sanitizer.
#pragma once

#include <ashlar/base/config.h>

#ifdef __ELF__
extern "C" __attribute__((weak)) void __lsan_ignore_object(void const* begin);  // NOLINT: the sanitizer's name
#else
// Names that a program may lack are ELF's.
inline constexpr void (*__lsan_ignore_object)(void const* begin) = nullptr;  // NOLINT
#endif

namespace ashlar {
inline namespace v1 {
namespace lsan {

/// Takes the block that begins there, and what it points to, for memory in use. The owner of the block may still be
/// lost and reported.
inline void ignore(void const* begin) noexcept {
  if (ASHLAR_UNLIKELY(__lsan_ignore_object != nullptr)) __lsan_ignore_object(begin);
}

}  // namespace lsan
}  // namespace v1
}  // namespace ashlar
