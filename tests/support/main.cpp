// SPDX-License-Identifier: Apache-2.0
// The main() of every test that does not bring its own. It is an archive member by itself, so the linker
// leaves it out of a test that does.
#include <doctest/doctest.h>

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  return context.run();
}
