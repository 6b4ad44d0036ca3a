// SPDX-License-Identifier: Apache-2.0
// Names that users give to objects (tbb::profiling::set_name), kept for reports that people read.
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {

// The longest name that is kept, with its final zero; longer ones are cut.
inline constexpr std::size_t object_name_bytes = 56;

// Remembers the name of the object at this address; null forgets it. At most some hundred names are kept: when
// the table is full a new one replaces an old one. An object's name outlives it until it is replaced. Thread-safe.
ASHLAR_EXPORT void set_object_name(void const* object, char const* name) noexcept;
// Copies the name into `name` (of object_name_bytes) and returns true, or returns false. Thread-safe.
ASHLAR_EXPORT bool get_object_name(void const* object, char* name) noexcept;

}  // namespace v1
}  // namespace ashlar
