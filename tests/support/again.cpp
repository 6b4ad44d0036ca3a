// SPDX-License-Identifier: Apache-2.0
#include "support/again.h"

#include <unistd.h>

#include <cstdio>
#include <vector>

namespace test {

void start_again(std::initializer_list<char const*> arguments) {
#ifdef ASHLAR_TEST_EMULATOR
  // The system runs the emulator, which has to be told the program's own path: its /proc/self/exe is the emulator.
  static char path[4096];
  ssize_t const length = ::readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  std::vector<char const*> words{ASHLAR_TEST_EMULATOR, path};
#else
  std::vector<char const*> words{"/proc/self/exe"};
#endif
  char const* const program = words.front();
  words.insert(words.end(), arguments);
  words.push_back(nullptr);
  ::execv(program, const_cast<char* const*>(words.data()));
  std::perror("the test program does not start again");
  ::_exit(127);
}

}  // namespace test
