// SPDX-License-Identifier: Apache-2.0
// Runs with malloc replaced beside a library that has its own free(): exit code 0 when objects of the C library find
// their way back to it.
#include <cstdlib>

extern "C" bool take_and_give_back();

int main() {
  void* const mine = std::malloc(100);
  bool const good = take_and_give_back() && mine != nullptr;
  std::free(mine);
  return good ? 0 : 1;
}
