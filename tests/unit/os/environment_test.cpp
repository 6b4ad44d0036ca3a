// SPDX-License-Identifier: Apache-2.0
#include "os/environment.h"

#include <doctest/doctest.h>

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <string>

using namespace ashlar;

namespace {

constexpr char const* variable = "ASHLAR_TEST_VARIABLE";

class with_value {
 public:
  explicit with_value(char const* value) { ::setenv(variable, value, 1); }
  ~with_value() { ::unsetenv(variable); }
};

// What `body` writes to stderr.
std::string stderr_of(std::function<void()> const& body) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  int const saved = ::dup(STDERR_FILENO);
  ::dup2(ends[1], STDERR_FILENO);
  ::close(ends[1]);
  body();
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  return text;
}

struct reading {
  std::optional<unsigned> number;
  std::string complaint;
};

reading read_unsigned(char const* value, unsigned min, unsigned max) {
  with_value const scope(value);
  reading r;
  r.complaint = stderr_of([&] { r.number = os::env_unsigned(variable, min, max); });
  return r;
}

}  // namespace

TEST_CASE("environment: what is not set gives the default without a word") {
  ::unsetenv(variable);
  static constexpr char const* choices[] = {"a"};
  CHECK(stderr_of([] {
          CHECK_FALSE(os::env_unsigned(variable, 0, 9));
          CHECK_FALSE(os::env_choice(variable, choices));
          CHECK(os::env_flag(variable, true));
          CHECK_FALSE(os::env_flag(variable));
        }).empty());
  for (char const* nothing : {"", "  ", "\t\n"}) {
    reading const r = read_unsigned(nothing, 0, 9);
    CHECK_FALSE(r.number);
    CHECK(r.complaint.empty());
  }
}

TEST_CASE("environment: numbers in range") {
  constexpr unsigned most = std::numeric_limits<unsigned>::max();
  struct {
    char const* text;
    unsigned min, max, number;
  } const cases[] = {{"0", 0, 0, 0},
                     {"7", 1, 8, 7},
                     {" 12\n", 1, 64, 12},
                     {"0008", 1, 8, 8},
                     {"1", 1, most, 1},
                     {"4294967295", 0, most, most},
                     {"0000000000000000000000000000042", 0, 99, 42}};
  for (auto const& c : cases) {
    CAPTURE(c.text);
    reading const r = read_unsigned(c.text, c.min, c.max);
    CHECK(r.number == c.number);
    CHECK(r.complaint.empty());
  }
}

TEST_CASE("environment: a number that is not accepted prints one line and gives the default") {
  for (char const* text :
       {"9", "0", "-1", "+5", "5x", "x", "0x5", "5 5", "1e0", "4294967297", "99999999999999999999999"}) {
    CAPTURE(text);
    reading const r = read_unsigned(text, 1, 8);
    CHECK_FALSE(r.number);
    CHECK(r.complaint ==
          "ashlar: ASHLAR_TEST_VARIABLE=\"" + std::string(text) + "\" is ignored: expected a number from 1 to 8\n");
  }
  CHECK_FALSE(read_unsigned("4294967296", 0, std::numeric_limits<unsigned>::max()).number);
}

TEST_CASE("environment: the complaint is one line, whatever the value is") {
  std::string const nasty = "a\nb\tc\x7f" + std::string(2000, 'z');
  reading const r = read_unsigned(nasty.c_str(), 1, 8);
  CHECK(std::count(r.complaint.begin(), r.complaint.end(), '\n') == 1);
  CHECK(r.complaint.back() == '\n');
  CHECK(r.complaint.find("a?b?c?zzz") != std::string::npos);
  CHECK(r.complaint.find("...\" is ignored: expected a number from 1 to 8\n") != std::string::npos);
}

TEST_CASE("environment: choices") {
  static constexpr char const* choices[] = {"random", "pseudo", "occupancy"};
  auto const choose = [](char const* value) {
    with_value const scope(value);
    return os::env_choice(variable, choices);
  };
  CHECK(choose("random") == 0u);
  CHECK(choose("Pseudo") == 1u);
  CHECK(choose(" OCCUPANCY ") == 2u);
  for (char const* bad : {"rand", "randomly", "3", "random,pseudo"}) {
    std::string const said = stderr_of([&] { CHECK_FALSE(choose(bad)); });
    CHECK(said == "ashlar: ASHLAR_TEST_VARIABLE=\"" + std::string(bad) +
                      "\" is ignored: expected random, pseudo or occupancy\n");
  }
}

TEST_CASE("environment: an accepted value that is ignored says why") {
  with_value const scope(" hwloc ");
  CHECK(stderr_of([] { os::env_ignored(variable, "it isn't there"); }) ==
        "ashlar: ASHLAR_TEST_VARIABLE=\"hwloc\" is ignored: it isn't there\n");
}

TEST_CASE("environment: a long list of choices is cut, not overrun") {
  std::array<char const*, 100> many{};
  many.fill("a-rather-long-choice");
  with_value const scope("none");
  std::string const said = stderr_of([&] { CHECK_FALSE(os::env_choice(variable, many)); });
  CHECK(said.size() == 512);
  CHECK(said.back() == '\n');
}

TEST_CASE("environment: flags") {
  for (char const* on : {"1", "on", "yes", "true", "TRUE", "On"}) {
    with_value const scope(on);
    CHECK(os::env_flag(variable));
  }
  for (char const* off : {"0", "off", "no", "false", "False"}) {
    with_value const scope(off);
    CHECK_FALSE(os::env_flag(variable, true));
  }
  with_value const scope("maybe");
  std::string const said = stderr_of([] { CHECK(os::env_flag(variable, true)); });
  CHECK(said == "ashlar: ASHLAR_TEST_VARIABLE=\"maybe\" is ignored: expected 0, 1, off, on, no, yes, false or true\n");
}
