// SPDX-License-Identifier: Apache-2.0
#include "os/text_file.h"

#include "file_tree.h"

#include <doctest/doctest.h>

#include <string>

using namespace ashlar;

TEST_CASE("text_file: reads whole files and tells failures from empty files") {
  file_tree tree;
  std::string const large(100'000, 'x');
  tree.write("/large", large);
  tree.write("/empty", "");
  CHECK(os::read_text_file(tree.root() + "/large") == large);
  CHECK(os::read_text_file(tree.root() + "/empty") == "");
  CHECK_FALSE(os::read_text_file(tree.root() + "/absent"));
  CHECK_FALSE(os::read_text_file(tree.root()));
  CHECK(os::read_text_file("/proc/self/cgroup").value_or("").find(':') != std::string::npos);
}

TEST_CASE("text_file: reads into a place of the caller's, if the file fits") {
  file_tree tree;
  tree.write("/four", "four");
  std::string const four = tree.root() + "/four";
  char place[5];
  CHECK(os::read_text_file(four.c_str(), place, 5) == "four");
  CHECK(os::read_text_file(four.c_str(), place, 4) == "four");
  CHECK_FALSE(os::read_text_file(four.c_str(), place, 3));
  CHECK_FALSE(os::read_text_file("/absent", place, 5));
  CHECK_FALSE(os::read_text_file(tree.root().c_str(), place, 5));
}

TEST_CASE("text_file: fields") {
  std::string_view text = "a,bc,,d";
  CHECK(os::next_field(text, ',') == "a");
  CHECK(os::next_field(text, ',') == "bc");
  CHECK(os::next_field(text, ',') == "");
  CHECK(os::next_field(text, ',') == "d");
  CHECK(text.empty());
  CHECK(os::next_field(text, ',') == "");
}

TEST_CASE("text_file: numbers") {
  CHECK(os::parse_number("0") == 0u);
  CHECK(os::parse_number("100000\n") == 100000u);
  CHECK(os::parse_number("18446744073709551615") == 18446744073709551615ull);
  for (char const* bad :
       {"", "\n", "-1", "+1", " 1", "1 ", "1\n\n", "x", "18446744073709551616", "99999999999999999999"}) {
    CAPTURE(bad);
    CHECK_FALSE(os::parse_number(bad));
  }
}
