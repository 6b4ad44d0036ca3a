// SPDX-License-Identifier: Apache-2.0
#include "os/record_file.h"

#include "os/file_space.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ashlar::inline v1::os {

namespace {

#ifdef MAP_POPULATE
constexpr int shared_now = MAP_SHARED | MAP_POPULATE;
#else
constexpr int shared_now = MAP_SHARED;
#endif

// Never takes the number of a standard stream that is closed: what the program prints would be written into the file.
int open_beyond_streams(char const* path) noexcept {
  int const first = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (first < 0 || first > STDERR_FILENO) return first;
  int const second = ::fcntl(first, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(first);
  return second;
}

// Has the file reach beyond `offset` by so many bytes. 0, or the error number.
int claim(int descriptor, std::uint64_t offset, std::size_t bytes) noexcept {
  rlimit most{};
  // Beyond what the process may write (ulimit -f), the next call would be a SIGXFSZ.
  if (::getrlimit(RLIMIT_FSIZE, &most) == 0 && offset + bytes > most.rlim_cur) return EFBIG;
  return claim_space(descriptor, offset, bytes);
}

}  // namespace

char const* record_file::open(char const* path) noexcept {
  descriptor_ = open_beyond_streams(path);
  if (descriptor_ < 0) return std::strerror(errno);
  char const* why = nullptr;
  struct stat about{};
  // A program that this one starts inherits the name, and must not cut this one's file off.
  if (::fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode)) {
    why = "not a regular file";
  } else if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    why = "another process records into it";
  } else if (::ftruncate(descriptor_, 0) != 0) {
    why = std::strerror(errno);
  }
  if (why != nullptr) close();
  return why;
}

void record_file::close() noexcept {
  ::close(descriptor_);
  descriptor_ = -1;
}

void* record_file::map(std::uint64_t offset, std::size_t bytes) const noexcept {
  // The space is claimed first: on a full disk, a store into the mapping would be a SIGBUS.
  int const error = claim(descriptor_, offset, bytes);
  if (error != 0) {
    errno = error;
    return nullptr;
  }
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, shared_now, descriptor_, static_cast<off_t>(offset));
  return at != MAP_FAILED ? at : nullptr;
}

}  // namespace ashlar::inline v1::os
