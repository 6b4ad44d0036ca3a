// SPDX-License-Identifier: Apache-2.0
#include "os/fresh_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace ashlar::inline v1::os {

std::FILE* make_file(char const* path, bool& exists) noexcept {
  int const made = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  exists = made < 0 && errno == EEXIST;
  if (made < 0) return nullptr;
  std::FILE* const file = ::fdopen(made, "w");
  if (file == nullptr) {
    ::close(made);
    ::unlink(path);
  }
  return file;
}

bool may_replace(char const* path) noexcept {
  struct stat about{};
  return ::lstat(path, &about) != 0 || S_ISREG(about.st_mode);
}

}  // namespace ashlar::inline v1::os
