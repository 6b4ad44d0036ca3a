// SPDX-License-Identifier: Apache-2.0
// The lines that each library of ours prints under TBB_VERSION=1.
#pragma once

#include <ashlar/base/config.h>
#include <ashlar/base/interface.h>
#include <ashlar/base/language_macros.h>

#include <cstdlib>
#include <string_view>

/// `name` opens each line.
#define ASHLAR_VERSION_LINES(name)                                                                          \
  name ": SPECIFICATION VERSION\t" __TBB_STRING(                                                            \
      ONETBB_SPEC_VERSION) "\n" name ": VERSION\t\t" TBB_VERSION_STRING "\n" name                           \
                           ": INTERFACE VERSION\t" __TBB_STRING(                                            \
                               TBB_INTERFACE_VERSION) "\n" name                                             \
                                                      ": TBB_USE_DEBUG\t" __TBB_STRING(                     \
                                                          TBB_USE_DEBUG) "\n" name                          \
                                                                         ": TBB_USE_ASSERT\t" __TBB_STRING( \
                                                                             TBB_USE_ASSERT) "\n"

namespace ashlar {
inline namespace v1 {

/// Whether the environment says TBB_VERSION=1, with blanks around the 1 or without. Needs no memory.
inline bool version_is_asked_for() noexcept {
  char const* const text = secure_getenv("TBB_VERSION");
  if (text == nullptr) return false;
  constexpr char const* blanks = " \t\n\v\f\r";
  std::string_view value(text);
  auto const begin = value.find_first_not_of(blanks);
  if (begin == value.npos) return false;
  value = value.substr(begin, value.find_last_not_of(blanks) - begin + 1);
  return value == "1";
}

}  // namespace v1
}  // namespace ashlar
