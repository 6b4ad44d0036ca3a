// SPDX-License-Identifier: Apache-2.0
// Space on the disk for what a mapping of a file will hold.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

// Has the file reach beyond `offset` by so many bytes, which are there then. 0, or the error number.
int claim_space(int descriptor, std::uint64_t offset, std::size_t bytes) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
