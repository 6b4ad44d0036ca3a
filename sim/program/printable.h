// SPDX-License-Identifier: Apache-2.0
// Names that come from files are shown on terminals, which obey control characters.
#pragma once

#include <string>

namespace ashlar::sim {

// The text with '?' for each byte of a control character: ASCII's, and those from U+0080 to U+009F in UTF-8.
inline std::string printable(std::string text) {
  bool may_be_control = false;
  for (char& c : text) {
    auto const byte = static_cast<unsigned char>(c);
    bool const control = byte < 0x20 || byte == 0x7f || (may_be_control && byte >= 0x80 && byte < 0xa0);
    may_be_control = byte == 0xc2;
    if (control) c = '?';
  }
  return text;
}

}  // namespace ashlar::sim
