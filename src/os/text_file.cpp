// SPDX-License-Identifier: Apache-2.0
// Files of /proc have no size to ask for, so they are read until they end.
#include "os/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

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

std::string_view next_field(std::string_view& text, char separator) noexcept {
  std::size_t const end = text.find(separator);
  std::string_view const field = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return field;
}

std::optional<unsigned long long> parse_number(std::string_view text) noexcept {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (text.empty()) return std::nullopt;
  constexpr unsigned long long limit = std::numeric_limits<unsigned long long>::max();
  unsigned long long number = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    auto const digit = static_cast<unsigned>(c - '0');
    if (number > (limit - digit) / 10) return std::nullopt;
    number = number * 10 + digit;
  }
  return number;
}

}  // namespace ashlar::inline v1::os
