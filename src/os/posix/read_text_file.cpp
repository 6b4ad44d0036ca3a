// SPDX-License-Identifier: Apache-2.0
// Files of /proc have no size to ask for, so they are read until they end.
#include "os/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace ashlar::inline v1::os {
namespace {

class descriptor {
 public:
  explicit descriptor(char const* path) noexcept : value_(::open(path, O_RDONLY | O_CLOEXEC)) {}
  descriptor(descriptor const&) = delete;
  descriptor& operator=(descriptor const&) = delete;
  ~descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int value() const noexcept { return value_; }

 private:
  int value_;
};

// Up to `room` characters; fewer only at the end of the file.
std::optional<std::size_t> read_part(descriptor const& file, char* place, std::size_t room) noexcept {
  std::size_t size = 0;
  while (size < room) {
    ssize_t const got = ::read(file.value(), place + size, room - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return size;
}

}  // namespace

std::optional<std::string> read_text_file(std::string const& path) {
  descriptor const file(path.c_str());
  std::string text;
  for (char part[4096];;) {
    auto const size = read_part(file, part, sizeof(part));
    if (!size) return std::nullopt;
    text.append(part, *size);
    if (*size < sizeof(part)) return text;
  }
}

std::optional<std::string_view> read_text_file(char const* path, char* place, std::size_t room) noexcept {
  descriptor const file(path);
  auto const size = read_part(file, place, room);
  char more;
  if (!size || read_part(file, &more, 1) != std::size_t{0}) return std::nullopt;
  return std::string_view(place, *size);
}

}  // namespace ashlar::inline v1::os
