// SPDX-License-Identifier: Apache-2.0
// Where no file is mapped: nothing is recorded.
#include "os/record_file.h"

namespace ashlar::inline v1::os {

char const* record_file::open(char const*) noexcept { return "not to be had on this system"; }

void record_file::close() noexcept { descriptor_ = -1; }

void* record_file::map(std::uint64_t, std::size_t) const noexcept { return nullptr; }

}  // namespace ashlar::inline v1::os
