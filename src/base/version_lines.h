// SPDX-License-Identifier: Apache-2.0
// The lines that each library of ours prints under TBB_VERSION=1.
#pragma once

#include <ashlar/base/config.h>
#include <ashlar/base/interface.h>
#include <ashlar/base/language_macros.h>

#include <cstddef>
#include <string_view>

namespace ashlar {
inline namespace v1 {

/// A text that is put together when the library is compiled; too long a text does not compile. Ends with a zero.
struct version_text {
  char text[320] = {};
  std::size_t length = 0;

  constexpr void put(std::string_view part) noexcept {
    for (char const c : part) text[length++] = c;
  }
};

/// The lines that all libraries have; `name` opens each.
constexpr version_text version_lines(std::string_view name) noexcept {
  constexpr std::string_view lines[] = {
      ": SPECIFICATION VERSION\t" __TBB_STRING(ONETBB_SPEC_VERSION) "\n", ": VERSION\t\t" TBB_VERSION_STRING "\n",
      ": INTERFACE VERSION\t" __TBB_STRING(TBB_INTERFACE_VERSION) "\n",
      ": TBB_USE_DEBUG\t" __TBB_STRING(TBB_USE_DEBUG) "\n", ": TBB_USE_ASSERT\t" __TBB_STRING(TBB_USE_ASSERT) "\n"};
  version_text all;
  for (std::string_view const line : lines) {
    all.put(name);
    all.put(line);
  }
  return all;
}

/// The environment variable that asks for the lines, and whether its value (null: it has none) does: a 1, with blanks
/// around it or without. Needs no memory.
constexpr char version_variable[] = "TBB_VERSION";
inline bool version_is_asked_for(char const* text) noexcept {
  if (text == nullptr) return false;
  std::string_view const value(text);
  auto const digit = value.find_first_not_of(" \t\n\v\f\r");
  return digit != value.npos && value[digit] == '1' && value.find_first_not_of(" \t\n\v\f\r", digit + 1) == value.npos;
}

}  // namespace v1
}  // namespace ashlar
