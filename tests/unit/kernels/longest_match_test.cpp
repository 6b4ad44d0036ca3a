// SPDX-License-Identifier: Apache-2.0
#include "sub_string_finder/longest_match.h"

#include <doctest/doctest.h>

#include "fibonacci/serial_fib.h"

using kernels::longest_match;
using kernels::match;

TEST_CASE("the longest match elsewhere in a text, the first of equals") {
  CHECK(longest_match("abcXabcdYabc", 0) == match{3, 4});
  CHECK(longest_match("abcXabcdYabc", 4) == match{3, 0});
  CHECK(longest_match("abcXabcdYabc", 9) == match{3, 0});
  CHECK(longest_match("abcXabcdYabc", 7) == match{0, -1});
  CHECK(longest_match("ab", 1) == match{0, -1});
}

TEST_CASE("a match may overlap the substring itself") {
  CHECK(longest_match("aaaa", 0) == match{3, 1});
  CHECK(longest_match("aaaa", 1) == match{3, 0});
  CHECK(longest_match("aaaa", 3) == match{1, 0});
}

TEST_CASE("the serial recursion and repeated addition agree") {
  for (long n = 0; n <= 25; ++n) {
    CHECK(kernels::serial_fib(n) == kernels::fib_by_addition(n));
  }
  CHECK(kernels::fib_by_addition(50) == 12586269025);
}
