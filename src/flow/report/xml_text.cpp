// SPDX-License-Identifier: Apache-2.0
#include "flow/report/xml_text.h"

#include <cstdint>

namespace ashlar::inline v1::flow {

namespace {

constexpr char const* replacement = "\xEF\xBF\xBD";

bool continues(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

bool is_allowed(std::uint32_t c) noexcept {
  if (c < 0x20) return c == '\t' || c == '\n';
  return c < 0xD800 || (c > 0xDFFF && c != 0xFFFE && c != 0xFFFF && c <= 0x10FFFF);
}

// The bytes of the character that the text begins with; 0: it is none of XML's.
std::size_t first_length(std::string_view text) noexcept {
  auto const lead = static_cast<unsigned char>(text[0]);
  std::size_t const length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (text.size() < length || (lead >= 0x80 && lead < 0xC0) || lead >= 0xF8) return 0;
  std::uint32_t c = length == 1 ? lead : lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text[i])) return 0;
    c = c << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // what is longer than it need be is refused
  return c >= least[length] && is_allowed(c) ? length : 0;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string to;
  while (!text.empty()) {
    std::size_t const length = first_length(text);
    switch (length == 0 ? '\0' : text[0]) {
      case '\0':
        to += replacement;
        break;
      case '<':
        to += "&lt;";
        break;
      case '>':
        to += "&gt;";
        break;
      case '&':
        to += "&amp;";
        break;
      case '"':
        to += "&quot;";
        break;
      default:
        to += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return to;
}

std::size_t count_characters(std::string_view text) noexcept {
  std::size_t n = 0;
  for (char const c : text) n += !continues(c);
  return n;
}

}  // namespace ashlar::inline v1::flow
