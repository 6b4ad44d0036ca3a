// SPDX-License-Identifier: Apache-2.0
// Files that somebody made to do harm: traces of random events with names full of markup and control characters, and
// machines of extreme numbers. Each is read or refused with a line; memory is bounded, and nothing of a name acts in a
// page or a terminal.
//
// ASHLAR_HOSTILE_ROUNDS: how many traces (default 1500).
#include "machine/machine_file.h"
#include "program/analysis.h"
#include "program/printable.h"
#include "report/scalability.h"
#include "trace/chrome.h"
#include "trace/critical_path.h"
#include "trace/graph_builder.h"

#include <ashlar/base/config.h>
#include <support/death.h>
#include <support/scratch.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace ashlar::sim;  // NOLINT
using ashlar::obs::trace_chunk;
using ashlar::obs::trace_header;

constexpr char evil[] = "</title><script>alert(1)</script>\"'&\x1b]0;owned\x07\xc2\x9b";

bool acts(std::string const& page) {
  bool const control = std::any_of(page.begin(), page.end(), [](char c) {
    auto const byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
  });
  auto const count = [&](char const* text) {
    int n = 0;
    for (std::size_t at = page.find(text); at != std::string::npos; at = page.find(text, at + 1)) ++n;
    return n;
  };
  // The page's own: the run's data and what draws them.
  bool const foreign = count("<script") != 2 || count("</script") != 2 || count("<script>alert") != 0;
  return control || foreign || page.find("\xc2\x9b") != std::string::npos;
}

class trace_writer {
 public:
  explicit trace_writer(unsigned seed) : random_(seed) {}

  std::string write() {
    auto const chunks = 1 + random_() % 5;
    std::string all(reinterpret_cast<char const*>(&header()), sizeof header_);
    for (unsigned i = 0; i < chunks; ++i) all.append(reinterpret_cast<char const*>(&chunk(i)), sizeof chunk_);
    for (auto damage = random_() % 8; damage > 5; --damage) all[random_() % all.size()] = static_cast<char>(random_());
    return all;
  }

 private:
  trace_header const& header() {
    std::memcpy(header_.magic, ashlar::obs::trace_magic, sizeof header_.magic);
    header_.version = ashlar::obs::trace_version;
    header_.chunk_size = ashlar::obs::trace_chunk_size;
    header_.start_ticks = 1000;
    header_.end_ticks = random_() % 10 == 0 ? 1'000'000 : one_of({0, std::uint64_t{1} << 40, std::uint64_t{1} << 46});
    header_.ticks_per_ns = random_() % 2 == 0 ? 2.5 : 0.011;
    header_.event_ns = static_cast<double>(random_() % 100);
    header_.state = static_cast<ashlar::obs::trace_state>(random_() % 3);
    header_.processors = static_cast<std::uint32_t>(one_of({0, 2, 0xffffffff}));
    std::memcpy(header_.program, evil, sizeof evil);
    std::string const modules =
        std::string("1000 /dev/zero\n2000 /tmp/") + evil + "\n400000 /proc/self/exe\nffffffffffffffff /dev/tty\n";
    std::memcpy(header_.modules, modules.data(), modules.size());
    header_.modules_size = static_cast<std::uint32_t>(modules.size());
    return header_;
  }

  trace_chunk const& chunk(unsigned number) {
    chunk_.magic = ashlar::obs::trace_chunk_magic;
    chunk_.lane = random_() % 20 == 0 ? number + static_cast<unsigned>(random_() % 5000) : number % lanes_;
    chunk_.sequence = chunk_.lane < lanes_ ? number / lanes_ : 0;
    chunk_.thread = static_cast<std::uint32_t>(random_());
    // Mostly behind all that the chunk before it can hold.
    chunk_.start_ticks = 1000 + number * (random_() % 20 == 0 ? 10 : std::uint64_t{200'000'000});
    std::memset(chunk_.events, 0, sizeof chunk_.events);
    std::size_t const most = random_() % 3 == 0 ? 2000 : 60;
    auto& open = open_[number % lanes_];
    for (std::size_t i = 0; i < most;) i += put(i, open);
    return chunk_;
  }

  // The number of words.
  std::size_t put(std::size_t at, std::vector<std::uint64_t>& open) {
    auto kind = 1 + random_() % (static_cast<unsigned>(trace_event::count) - 1);
    std::uint64_t address = random_() % 200 == 0 ? std::uint64_t{random_()} << 8 : 1 + random_() % 6;
    // The end of a task that does not run is refused, and nothing behind it is read: mostly those end that run.
    if (kind == static_cast<unsigned>(trace_event::end) && random_() % 500 != 0) {
      if (open.empty()) {
        kind = static_cast<unsigned>(trace_event::begin);
      } else {
        address = open.back();
        open.pop_back();
      }
    }
    auto const what = static_cast<trace_event>(kind);
    if (what == trace_event::begin) open.push_back(address);
    if (!ashlar::obs::is_timed(what)) {
      std::uint64_t const value = what == trace_event::label ? 0x1000 * (random_() % 8) + random_() % 64 : address;
      chunk_.events[at] = kind | value << ashlar::obs::trace_kind_bits;
      return 1;
    }
    std::uint64_t const payload = what == trace_event::region ? region() : address;
    std::uint64_t const delta = random_() % 60'000;
    chunk_.events[at] = kind | delta << ashlar::obs::trace_kind_bits | payload << ashlar::obs::trace_payload_shift;
    std::size_t const length = sizeof evil - 1;
    if (what != trace_event::region || payload % ashlar::obs::trace_moment != length) return 1;
    std::memcpy(&chunk_.events[at + 1], evil, length);
    return 1 + (length + 7) / 8;
  }

  // A region's or a moment's payload.
  std::uint64_t region() {
    std::size_t const length = sizeof evil - 1;
    if (random_() % 2 == 0) return 0;  // its end
    if (random_() % 10 == 0) return ashlar::obs::trace_region_of_code;
    if (random_() % 100 == 0) return random_() % 300;
    return random_() % 2 == 0 ? length : ashlar::obs::trace_moment + length;
  }

  std::uint64_t one_of(std::initializer_list<std::uint64_t> values) {
    return values.begin()[random_() % values.size()];
  }

  std::mt19937 random_;
  unsigned const lanes_ = 1 + random_() % 4;
  std::vector<std::uint64_t> open_[4];
  trace_header header_{};
  trace_chunk chunk_{};
};

void limit_memory() {
#if !ASHLAR_ASAN && !ASHLAR_TSAN
  rlimit const limit{std::size_t{2} << 30, std::size_t{2} << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

// Ends the child with a number that tells what is wrong.
void require(bool right, int number) {
  if (!right) std::_Exit(number);
}

// Whether the trace was read.
bool report(std::string const& file, bool simulated) {
  try {
    trace const t = read_trace(file);
    task_graph const g = build_graph(t);
    path_analysis const p = analyse_path(g, 1000);
    require(p.span <= p.work + g.tasks.size() * 1000, 10);
    (void)analyse(to_program(g));
    std::string const chrome = to_chrome_json(t, g);
    require(nlohmann::json::accept(chrome), 11);
    require(chrome.find('\x1b') == std::string::npos, 12);
    if (!simulated) return true;
    report_settings how;
    how.on = load_machine("epyc").described;
    how.most_threads = 2;
    scalability const s = analyse_scalability(t, how);
    require(!acts(to_html(s)), 13);
    require(to_text(s).find('\x1b') == std::string::npos, 14);
    require(nlohmann::json::accept(to_json(s)), 15);
    return true;
  } catch (bad_input const& e) {
    require(std::string(e.what()).find('\x1b') == std::string::npos, 16);
    return false;
  }
}

unsigned rounds() {
  char const* const asked = std::getenv("ASHLAR_HOSTILE_ROUNDS");
  return asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : 1500;
}

}  // namespace

TEST_CASE("hostile traces are read or refused, within 2 GB, and nothing of a name acts") {
  test::scratch_folder const folder;
  std::string const file = folder.file("trace");
  constexpr unsigned at_once = 100;
  for (unsigned first = 0; first < rounds(); first += at_once) {
    test::death const end = test::run_in_child([&] {
      limit_memory();
      unsigned read = 0;
      for (unsigned seed = first; seed < first + at_once; ++seed) {
        std::fprintf(stderr, "%u\n", seed);
        write_file(file, trace_writer(seed).write());
        read += report(file, seed % 10 == 0) ? 1 : 0;
      }
      require(read >= at_once / 4, 17);
    });
    CAPTURE(end.errors.substr(end.errors.size() < 200 ? 0 : end.errors.size() - 200));
    CHECK(end.exited);
    REQUIRE(end.code == 0);
  }
}

TEST_CASE("a name shows no control character") {
  CHECK(printable("a\tb\x7f\x1b[0m") == "a?b??[0m");
  CHECK(printable("caf\xc3\xa9 \xc2\xb5s") == "caf\xc3\xa9 \xc2\xb5s");
  CHECK(printable("\xc2\x9b"
                  "2J") == "\xc2?2J");
}

TEST_CASE("a machine file beyond any sense is refused before it takes memory") {
  test::death const end = test::run_in_child([&] {
    limit_memory();
    std::string const open(50'000'000, '[');
    try {
      (void)parse_machine(open, "evil");
    } catch (bad_input const&) {
      std::_Exit(42);
    }
  });
  CHECK(end.exited);
  CHECK(end.code == 42);
}

TEST_CASE("a file is never written through a link that waits at the name of the unfinished one") {
  test::scratch_folder const folder;
  std::string const path = folder.file("report.html");
  std::string const treasure = folder.file("treasure");
  write_file(treasure, "gold");
  REQUIRE(::symlink(treasure.c_str(), (path + ".part").c_str()) == 0);
  for (int i = 0; i < 3; ++i) {
    std::string const guessed = path + ".part." + std::to_string(::getpid()) + "." + std::to_string(i);
    REQUIRE(::symlink(treasure.c_str(), guessed.c_str()) == 0);
  }
  write_file(path, "page");
  CHECK(read_file(path) == "page");
  CHECK(read_file(treasure) == "gold");
}

TEST_CASE("a machine's name acts in no page") {
  machine_file m = load_machine("epyc");
  m.described.name = evil;
  machine_file const read = parse_machine(to_json(m), "evil");
  CHECK(read.described.name.find('\x1b') == std::string::npos);
}
