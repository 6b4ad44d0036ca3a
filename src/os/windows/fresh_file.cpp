// SPDX-License-Identifier: Apache-2.0
#include "os/fresh_file.h"

#include "os/windows/system.h"

#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

#include <cerrno>

namespace ashlar::inline v1::os {

std::FILE* make_file(char const* path, bool& exists) noexcept {
  int const made = ::_open(path, _O_WRONLY | _O_CREAT | _O_EXCL | _O_NOINHERIT | _O_BINARY, _S_IREAD | _S_IWRITE);
  exists = made < 0 && errno == EEXIST;
  if (made < 0) return nullptr;
  std::FILE* const file = ::_fdopen(made, "wb");
  if (file == nullptr) {
    ::_close(made);
    ::_unlink(path);
  }
  return file;
}

bool may_replace(char const* path) noexcept {
  DWORD const about = ::GetFileAttributesA(path);
  constexpr DWORD other = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE | FILE_ATTRIBUTE_REPARSE_POINT;
  return about == INVALID_FILE_ATTRIBUTES || (about & other) == 0;
}

}  // namespace ashlar::inline v1::os
