// SPDX-License-Identifier: Apache-2.0
// A program or a library as a file in memory, for the names of its functions. Async-signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ashlar/base/config.h>

#include <elf.h>
#include <link.h>

namespace ashlar {
inline namespace v1 {
namespace obs {

class elf_file {
 public:
  // A file that can't be read, or is none of these, knows no name.
  explicit elf_file(char const* path) noexcept;
  ~elf_file();
  elf_file(elf_file const&) = delete;
  elf_file& operator=(elf_file const&) = delete;

  // The mangled name of the code or the object that lies at the address in the image; empty: not known. It lasts as
  // long as the file.
  std::string_view name_at(std::uintptr_t address) const noexcept;
  // The address in the image of what lies at the offset in the file. False: it is in no part of the image.
  bool find_address(std::uintptr_t offset, std::uintptr_t& address) const noexcept;

 private:
  // `count` objects at this place; null if they are not all in the file.
  template <typename T>
  T const* at(std::uint64_t offset, std::uint64_t count = 1) const noexcept {
    if (begin_ == nullptr || offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<T const*>(begin_ + offset);
  }
  std::string_view name_in(unsigned kind, std::uintptr_t address) const noexcept;
  std::string_view name_in(ElfW(Shdr) const& table, ElfW(Shdr) const& names, std::uintptr_t address) const noexcept;

  unsigned char const* begin_ = nullptr;
  std::size_t size_ = 0;
  ElfW(Ehdr) const* header_ = nullptr;  // null: not such a file
};

}  // namespace obs
}  // namespace v1
}  // namespace ashlar
