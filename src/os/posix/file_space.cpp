// SPDX-License-Identifier: Apache-2.0
#include "os/file_space.h"

#include <fcntl.h>

#include <cerrno>

namespace ashlar::inline v1::os {

int claim_space(int descriptor, std::uint64_t offset, std::size_t bytes) noexcept {
  int error = 0;
  do {
    error = ::posix_fallocate(descriptor, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (error == EINTR);
  return error;
}

}  // namespace ashlar::inline v1::os
