// SPDX-License-Identifier: Apache-2.0
// A program or a library as a file in memory, for the names of its functions. Async-signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ashlar {
inline namespace v1 {
namespace os {

class image_file {
 public:
  // A file that can't be read, or is none of these, knows no name.
  explicit image_file(char const* path) noexcept;
  ~image_file();
  image_file(image_file const&) = delete;
  image_file& operator=(image_file const&) = delete;

  // The mangled name of the code or the object that lies at the address in the image; empty: not known. It lasts as
  // long as the file.
  std::string_view name_at(std::uintptr_t address) const noexcept;
  // The address in the image of what lies at the offset in the file. False: it is in no part of the image.
  bool find_address(std::uintptr_t offset, std::uintptr_t& address) const noexcept;

 private:
  unsigned char const* begin_ = nullptr;
  std::size_t size_ = 0;  // 0: no such file
};

}  // namespace os
}  // namespace v1
}  // namespace ashlar
