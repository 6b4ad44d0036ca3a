// SPDX-License-Identifier: Apache-2.0
#include "common/options.h"

#include <cstdio>
#include <cstdlib>

namespace study {
namespace {

char const usage[] =
    "usage: study PROGRAM [options]   run a program and print a line of JSON\n"
    "       study --list              the programs of this build\n"
    "       study --check [--threads N]   every program, size test, each version against the serial one\n"
    "       study --costs             spawn, get_task and wait_for_all of empty tasks on one thread, in cycles\n"
    "  --size S       test, simsmall, simmedium, simlarge, native (default test)\n"
    "  --version V    tasks, static (pthreads, fixed shares), serial (default tasks)\n"
    "  --threads N    1 to 1024, the calling thread included (default 1)\n"
    "  --runs N       runs that are timed, 1 to 10000 (default 5)\n"
    "  --warm-ms T    the program runs at least so long before, 0 (not at all) to 60000 (default 100)\n"
    "  --pin          pin thread k to CPU k after warming, round robin\n"
    "  --observe      count spawns and time the scheduler's operations (Ashlar only)\n";

double number(std::string const& name, std::string const& text, double least, double most) {
  char* end = nullptr;
  double const v = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(v >= least && v <= most)) {
    char range[64];
    std::snprintf(range, sizeof range, "%g to %g", least, most);
    refuse("option " + name + " takes " + range + ", not '" + text + "'");
  }
  return v;
}

int whole(std::string const& name, std::string const& text, int least, int most) {
  double const v = number(name, text, least, most);
  if (v != static_cast<int>(v)) {
    refuse("option " + name + " takes a whole number, not '" + text + "'");
  }
  return static_cast<int>(v);
}

template <std::size_t N>
std::size_t position(std::string const& name, std::string const& text, char const* const (&names)[N]) {
  std::string known;
  for (std::size_t i = 0; i < N; ++i) {
    if (text == names[i]) {
      return i;
    }
    known += (i ? ", " : "") + std::string(names[i]);
  }
  refuse("option " + name + " takes one of " + known + ", not '" + text + "'");
}

void take_value(options& o, std::string const& name, std::string const& value) {
  if (name == "--size") {
    o.size = static_cast<size_class>(position(name, value, size_names));
  } else if (name == "--version") {
    o.how = static_cast<version>(position(name, value, version_names));
  } else if (name == "--threads") {
    o.threads = whole(name, value, 1, 1024);
  } else if (name == "--runs") {
    o.runs = whole(name, value, 1, 10000);
  } else if (name == "--warm-ms") {
    o.warm_s = 1e-3 * number(name, value, 0, 60000);
  } else {
    refuse("unknown option " + name);
  }
}

bool take_flag(options& o, std::string const& name) {
  if (name == "--observe") {
    o.observe = true;
  } else if (name == "--pin") {
    o.pin = true;
  } else if (name == "--list") {
    o.what = options::action::list;
  } else if (name == "--check") {
    o.what = options::action::check;
  } else if (name == "--costs") {
    o.what = options::action::costs;
  } else {
    return false;
  }
  return true;
}

}  // namespace

void refuse(std::string const& message) {
  std::fprintf(stderr, "study: %s\n", message.c_str());
  std::exit(2);
}

options parse(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    std::string const a = argv[i];
    if (a == "--help" || a == "-h") {
      std::fputs(usage, stdout);
      std::exit(0);
    }
    if (a.empty() || a[0] != '-') {
      if (!o.program.empty()) {
        refuse("more than one program named: " + o.program + " and " + a);
      }
      o.program = a;
    } else if (!take_flag(o, a)) {
      if (i + 1 == argc) {
        refuse((a.rfind("--", 0) == 0 ? "no value for, or unknown: option " : "unknown option ") + a);
      }
      take_value(o, a, argv[++i]);
    }
  }
  if (o.what == options::action::measure && o.program.empty()) {
    refuse("no program named; --list names them, --help explains");
  }
  return o;
}

}  // namespace study
