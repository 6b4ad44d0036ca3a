// SPDX-License-Identifier: Apache-2.0
// What a program reads when it starts (environment, sandbox) is tested by a second start of the test program.
#pragma once

#include <initializer_list>

namespace test {

// Replaces this process by the test program with these arguments, in the emulator if this process runs in one (preset
// aarch64). The process ends with exit code 127 if the system refuses.
[[noreturn]] void start_again(std::initializer_list<char const*> arguments);

}  // namespace test
