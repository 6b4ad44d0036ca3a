// SPDX-License-Identifier: Apache-2.0
#include "os/file_space.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace ashlar::inline v1::os {

int claim_space(int descriptor, std::uint64_t offset, std::size_t bytes) noexcept {
  fstore_t wish{};
  wish.fst_flags = F_ALLOCATEALL;
  wish.fst_posmode = F_PEOFPOSMODE;
  wish.fst_length = static_cast<off_t>(bytes);
  if (::fcntl(descriptor, F_PREALLOCATE, &wish) != 0) return errno;
  return ::ftruncate(descriptor, static_cast<off_t>(offset + bytes)) == 0 ? 0 : errno;
}

}  // namespace ashlar::inline v1::os
