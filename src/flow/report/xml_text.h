// SPDX-License-Identifier: Apache-2.0
// Text for an XML document: names of nodes come from programs, and may hold anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ashlar::inline v1::flow {

/// The text with its markup escaped. Bytes that are no character of XML in UTF-8 become U+FFFD. Throws std::bad_alloc.
std::string xml_text(std::string_view text);
/// How many characters a text in UTF-8 has.
std::size_t count_characters(std::string_view text) noexcept;

}  // namespace ashlar::inline v1::flow
