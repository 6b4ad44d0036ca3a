// SPDX-License-Identifier: Apache-2.0
// Settings from environment variables. A variable that is not set, or set to nothing, gives the default; a value
// that is not accepted gives it too and prints one line to stderr that names the variable, the value and what is
// accepted. Read a variable once and keep the answer: each reading of a bad value prints.
//
// Any thread may call; as with getenv, nobody may change the environment at the same time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace ashlar {
inline namespace v1 {
namespace os {

// A decimal number in [min, max]. Blanks around it are ignored; signs and other characters are not accepted.
std::optional<unsigned> env_unsigned(char const* name, unsigned min, unsigned max) noexcept;

// The index of the value among the choices; upper and lower case are the same.
std::optional<std::size_t> env_choice(char const* name, std::span<char const* const> choices) noexcept;

// A switch: 1, on, yes, true against 0, off, no, false, in upper or lower case.
bool env_flag(char const* name, bool default_value = false) noexcept;

// The value as it is, for names of files; null if it is empty or not to be trusted (a set-uid program).
char const* env_text(char const* name) noexcept;

// Says in the same way that the value of a variable, though accepted, is ignored, and why.
void env_ignored(char const* name, char const* why) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
