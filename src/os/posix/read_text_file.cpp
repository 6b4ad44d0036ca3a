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

}  // namespace

std::optional<std::string> read_text_file(std::string const& path) {
  descriptor const file(path.c_str());
  if (file.value() < 0) return std::nullopt;
  std::string text;
  char buffer[4096];
  for (;;) {
    ssize_t const got = ::read(file.value(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace ashlar::inline v1::os
