// SPDX-License-Identifier: Apache-2.0
// A file that a process records into through its memory, and that no other process records into meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

// One object a process, of static storage: the file stays open until the process ends. Any thread may map and unmap.
class record_file {
 public:
  constexpr record_file() noexcept = default;
  record_file(record_file const&) = delete;
  record_file& operator=(record_file const&) = delete;

  // Makes the file, or cuts off what it holds. Null, or why that is not possible: it is no regular file, another
  // process holds it, or what the system says.
  char const* open(char const* path) noexcept;
  // Undoes that after a failure.
  void close() noexcept;

  // `bytes` of the file from `offset` on, both whole pages, as zeros that are there to be written. Null if the disk is
  // full, or the file would be larger than the process may write; errno says why. Later stores don't fail.
  void* map(std::uint64_t offset, std::size_t bytes) const noexcept;

 private:
  int descriptor_ = -1;
};

}  // namespace os
}  // namespace v1
}  // namespace ashlar
