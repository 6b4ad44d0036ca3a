// SPDX-License-Identifier: Apache-2.0
#include "flow/report/xml_text.h"

#include <doctest/doctest.h>

#include <string>

namespace {

using ashlar::flow::count_characters;
using ashlar::flow::xml_text;

std::string const bad = "\xEF\xBF\xBD";

TEST_CASE("markup is escaped") {
  CHECK(xml_text("a < b && c > \"d\" 'e'") == "a &lt; b &amp;&amp; c &gt; &quot;d&quot; 'e'");
  CHECK(xml_text("").empty());
}

TEST_CASE("characters of any length stay") {
  for (char const* const text : {"\tx\n", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF",
                                 "\xEE\x80\x80", "\xEF\xBF\xBD", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    CAPTURE(text);
    CHECK(xml_text(text) == text);
  }
}

TEST_CASE("bytes that XML has no character for are replaced, each") {
  CHECK(xml_text(std::string("\0\x01\r", 3)) == bad + bad + bad);
  CHECK(xml_text("\x80") == bad);
  CHECK(xml_text("\xC2") == bad);
  CHECK(xml_text("\xC2"
                 "a") == bad + 'a');
  CHECK(xml_text("\xC1\xBF") == bad + bad);                      // longer than it need be
  CHECK(xml_text("\xE0\x9F\xBF") == bad + bad + bad);            // the same
  CHECK(xml_text("\xED\xA0\x80") == bad + bad + bad);            // half of a pair of UTF-16
  CHECK(xml_text("\xEF\xBF\xBE") == bad + bad + bad);            // not a character
  CHECK(xml_text("\xF4\x90\x80\x80") == bad + bad + bad + bad);  // beyond the last one
  CHECK(xml_text("\xF8\x88\x80\x80\x80") == bad + bad + bad + bad + bad);
}

TEST_CASE("characters are counted, not bytes") {
  CHECK(count_characters("abc") == 3);
  CHECK(count_characters("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80") == 3);
}

}  // namespace
