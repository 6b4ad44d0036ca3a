// SPDX-License-Identifier: Apache-2.0
// Reading the small text files of /proc and /sys. Any thread may call.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ashlar {
inline namespace v1 {
namespace os {

// The whole file, or nothing if it can't be opened or read. Throws std::bad_alloc.
std::optional<std::string> read_text_file(std::string const& path);
// The same without the heap; nothing, too, if the file has more than `room` characters.
std::optional<std::string_view> read_text_file(char const* path, char* place, std::size_t room) noexcept;

// Cuts off and returns what stands before the first `separator` (all of it if there is none).
std::string_view next_field(std::string_view& text, char separator) noexcept;

// A decimal number that fills the text but for a final line end; nothing if it does not fit.
std::optional<unsigned long long> parse_number(std::string_view text) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
