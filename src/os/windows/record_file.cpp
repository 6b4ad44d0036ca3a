// SPDX-License-Identifier: Apache-2.0
#include "os/record_file.h"

#include "os/windows/system.h"

#include <io.h>

#include <cerrno>

namespace ashlar::inline v1::os {

char const* record_file::open(char const* path) noexcept {
  // Others may read: who writes is alone.
  HANDLE const file = ::CreateFileA(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, nullptr, OPEN_ALWAYS,
                                    FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) {
    return ::GetLastError() == ERROR_SHARING_VIOLATION ? "another process records into it" : "it can't be written to";
  }
  char const* why = nullptr;
  if (::GetFileType(file) != FILE_TYPE_DISK) {
    why = "not a regular file";
  } else if (::SetEndOfFile(file) == 0) {
    why = "it can't be cut off";
  }
  if (why == nullptr) descriptor_ = ::_open_osfhandle(reinterpret_cast<std::intptr_t>(file), 0);
  if (descriptor_ < 0) ::CloseHandle(file);
  return descriptor_ >= 0 ? nullptr : why != nullptr ? why : "too many files are open";
}

void record_file::close() noexcept {
  ::_close(descriptor_);
  descriptor_ = -1;
}

void* record_file::map(std::uint64_t offset, std::size_t bytes) const noexcept {
  auto* const file = reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor_));
  auto const high = [](std::uint64_t n) { return static_cast<DWORD>(n >> 32); };
  auto const low = [](std::uint64_t n) { return static_cast<DWORD>(n); };
  // Makes the file that long, with its space.
  std::uint64_t const end = offset + bytes;
  HANDLE const mapping = ::CreateFileMappingA(file, nullptr, PAGE_READWRITE, high(end), low(end), nullptr);
  void* const at =
      mapping != nullptr ? ::MapViewOfFile(mapping, FILE_MAP_WRITE, high(offset), low(offset), bytes) : nullptr;
  if (mapping != nullptr) ::CloseHandle(mapping);
  if (at == nullptr) errno = ENOSPC;
  return at;
}

}  // namespace ashlar::inline v1::os
