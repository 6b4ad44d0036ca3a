// SPDX-License-Identifier: Apache-2.0
#include "os/text_file.h"

#include <limits>

namespace ashlar::inline v1::os {

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
