// SPDX-License-Identifier: Apache-2.0
// Where programs are no ELF files: none of their names is known.
#include "os/image_file.h"

namespace ashlar::inline v1::os {

image_file::image_file(char const*) noexcept {}

image_file::~image_file() = default;

std::string_view image_file::name_at(std::uintptr_t) const noexcept { return {}; }

bool image_file::find_address(std::uintptr_t, std::uintptr_t&) const noexcept { return false; }

}  // namespace ashlar::inline v1::os
