// SPDX-License-Identifier: Apache-2.0
// Machine files: what is read is what is written, and each fault is one line with file and position.
#include "machine/machine_file.h"
#include "program/bad_input.h"

#include <support/scratch.h>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

using namespace ashlar::sim;

namespace {

std::string good() { return to_json(load_machine("epyc")); }

// The file with one text replaced.
std::string with(std::string const& from, std::string const& to) {
  std::string text = good();
  std::size_t const at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string complaint(std::string const& text) {
  try {
    parse_machine(text, "m.json");
  } catch (bad_input const& e) {
    return e.what();
  }
  return "none";
}

TEST_CASE("what is no regular file is written into and never replaced") {
  test::scratch_folder const folder;
  std::string const pipe = folder.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  int const reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  write_file(pipe, "text");
  struct stat about{};
  REQUIRE(stat(pipe.c_str(), &about) == 0);
  CHECK(S_ISFIFO(about.st_mode));
  char got[8] = {};
  CHECK(read(reader, got, sizeof got) == 4);
  CHECK(std::string(got) == "text");
  close(reader);
}

}  // namespace

TEST_CASE("a machine survives being written and read") {
  for (char const* name : {"epyc", "nehalem2015", "cmp2008"}) {
    machine_file const m = load_machine(name);
    CHECK(m.described.name == name);
    CHECK(to_json(parse_machine(to_json(m), "copy")) == to_json(m));
  }
  CHECK(load_machine("nehalem2015").described.protocol == steal_protocol::tbb41);
  CHECK(load_machine("nehalem2015").described.costs.cycle == 376);
  // The one entry that may be missing.
  machine_file m = load_machine("epyc");
  CHECK(m.described.line_ahead == 0);
  m.described.line_ahead = 1500;
  CHECK(parse_machine(to_json(m), "copy").described.line_ahead == 1500);
}

TEST_CASE("each fault of a machine file is told with its line") {
  CHECK(complaint(good()) == "none");
  CHECK(complaint(with("\"cores\": 128", "\"cores\": 0")) == "m.json:11: cores: 0 is not between 1 and 1048576");
  CHECK(complaint(with("\"cores\": 128", "\"cores\": 1.5")) == "m.json:11: cores: 1.5 is not a whole number");
  CHECK(complaint(with("\"cores\": 128", "\"cores\": \"many\"")) == "m.json:11: cores: is not a number");
  CHECK(complaint(with("\"cores\": 128,", "")) == "m.json:1: cores: missing");
  CHECK(complaint(with("\"cores\": 128", "\"corse\": 128")) == "m.json:11: corse: unknown entry");
  CHECK(complaint(with("\"socket_size\": 64", "\"socket_size\": 60")) ==
        "m.json:13: socket_size: is not a multiple of cluster_size");
  CHECK(complaint(with("\"protocol\": \"ashlar\"", "\"protocol\": \"tbb42\"")) ==
        "m.json:14: protocol: 'tbb42' is neither ashlar nor tbb41");
  CHECK(complaint(with("\"ashlar_machine\": 1", "\"ashlar_machine\": 2")) ==
        "m.json:2: ashlar_machine: this version reads format 1 only");
  CHECK(complaint(with("\"pause\": 98.0", "\"pause\": 0")) == "m.json:33: pause: 0 is not between 1 and 1000000000");
  CHECK(complaint(with("\"pause\": 98.0", "\"pause\": 1e999")) == "m.json:33: 1e999 is too large a number");
  CHECK(complaint(with("\"pause\": 98.0", "\"pause\": nan")) == "m.json:33: this is not JSON");
  CHECK(complaint(with("\"pause\": 98.0", "\"pause\": 9223372036854775808")) ==
        "m.json:33: pause: 9.223372036854776e+18 is not between 0 and 1000000000");
  CHECK(complaint(with("\"cores\": 128", "\"cores\": 32")) == "m.json:13: socket_size: 64 is larger than cores, 32");
  CHECK(complaint(with("\"cores\": 128", "\"co\\nres\": 128")) == "m.json:1: co?res: unknown entry");
  CHECK(complaint(with("\"cores\": 128", "\"a\\n\": 1, \"a\\n\": 128")) == "m.json:1: a?: appears twice");
  CHECK(complaint(with("\"pause\": 98.0", "\"pause\": -1")) == "m.json:33: pause: -1 is not between 0 and 1000000000");
  CHECK(complaint(with("\"busy\": 5000", "\"busy\": 5000.5")) == "m.json:42: busy: 5000.5 is not a whole number");
  CHECK(complaint(good().substr(0, good().size() / 2)).substr(0, 7) == "m.json:");
  CHECK(complaint(with("\"cores\": 128", "\"cores\": 128,\n \"cores\": 64")) == "m.json:12: cores: appears twice");
  CHECK(complaint(with("\"steal\":", "\"spawn\": 5, \"steal\":")) == "m.json:31: spawn: appears twice");
  CHECK(complaint(with("\"steal\":", "\"steal\": 1e300, \"stael\":")) == "m.json:31: stael: unknown entry");
  CHECK(complaint("{\"ashlar_machine\": 1}") == "m.json:1: name: missing");
  CHECK(complaint("\xff\xfe{") == "m.json:1: this is not JSON");
  std::string text = good();
  std::size_t const list = text.find('['), end = text.find(']');
  CHECK(complaint(text.replace(list, end + 1 - list, "\"a text\"")) == "m.json:4: source: is not a list of texts");
  CHECK(complaint("") == "m.json:1: this is not JSON");
  CHECK(complaint("[1]") == "m.json:1: a machine is a JSON object");
  CHECK_THROWS_AS(load_machine("/nowhere/m.json"), bad_input);
}

TEST_CASE("whatever a byte of a machine file is changed to, it is a machine or one line with file and position") {
  std::string const whole = good();
  unsigned read = 0, refused = 0;
  auto const check = [&](std::string const& text) {
    std::string const line = complaint(text);
    if (line == "none") {
      ++read;
      return;
    }
    ++refused;
    REQUIRE(line.find("m.json:") == 0);
    std::size_t const colon = line.find(": ");
    REQUIRE(colon > 7);
    REQUIRE(line.find_first_not_of("0123456789", 7) == colon);
    REQUIRE(std::none_of(line.begin(), line.end(), [](unsigned char c) { return c < ' '; }));
  };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    check(whole.substr(0, i));
    for (char const c : {'\0', '\n', '"', '9', '-', 'e', '{', '\\', '\x80'}) {
      std::string text = whole;
      text[i] = c;
      check(text);
    }
  }
  CHECK(read > 1000);  // the sources' texts
  CHECK(refused > 4000);
}

TEST_CASE("a file is written as a whole or not at all") {
  test::scratch_folder const scratch;
  std::string const path = scratch.file("machine.json");
  write_file(path, good());
  CHECK(read_file(path) == good());
  CHECK(parse_machine(read_file(path), path).described.name == "epyc");
  CHECK_THROWS_AS(write_file("/nowhere/m.json", good()), bad_input);
}
