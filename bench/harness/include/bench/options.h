// SPDX-License-Identifier: Apache-2.0
// The command line that every benchmark program understands; bench/README.md describes it. A wrong option ends
// the program with one line and exit code 2, because a silently ignored one would falsify a measurement.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bench {

// A parameter of the suite, given as --set NAME=VALUE.
struct setting {
  char name[32] = "";
  double value = 0;
};

struct options {
  char const* row = nullptr;  // which measurement of the program
  int threads = 1;            // all threads that may run tasks, the main thread included
  int samples = 5;            // good samples wanted
  double sample_s = 0.030;    // least length of one sample
  double warm_s = 0.150;      // the work runs at least so long before the first sample
  double cores_min = 0;       // samples with a smaller CPU/wall are thrown away (and counted)
  long size = 0;              // problem size; 0 is the program's own default
  bool count = false;         // run the work once, untimed: for instruction counting
  bool pin = false;           // after warming, pin thread k to CPU k (round robin)
  setting set[16];            // the first `settings` of them; programs refuse names that they don't know
  int settings = 0;
};

[[noreturn]] inline void usage(char const* message, char const* argument) {
  std::fprintf(stderr, "%s: %s\n", message, argument);
  std::exit(2);
}

inline double number(char const* name, char const* text, double least, double most) {
  char* end = nullptr;
  double const v = text != nullptr ? std::strtod(text, &end) : 0;
  if (text == nullptr || end == text || *end || !(v >= least && v <= most)) {
    usage("bad or missing value of option", name);
  }
  return v;
}

inline void add_setting(options& o, char const* text) {
  char const* const equals = text != nullptr ? std::strchr(text, '=') : nullptr;
  constexpr int most = sizeof o.set / sizeof o.set[0];
  if (equals == nullptr || equals == text || equals - text >= static_cast<int>(sizeof o.set[0].name) ||
      o.settings == most) {
    usage("--set wants NAME=VALUE", text ? text : "");
  }
  setting& s = o.set[o.settings++];
  std::memcpy(s.name, text, static_cast<std::size_t>(equals - text));
  s.value = number(s.name, equals + 1, 0, 1e15);
}

inline options parse(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    char const* a = argv[i];
    char const* next = i + 1 < argc ? argv[i + 1] : nullptr;
    auto is = [a](char const* name) { return std::strcmp(a, name) == 0; };
    if (is("--count")) {
      o.count = true;
    } else if (is("--pin")) {
      o.pin = true;
    } else if (a[0] != '-') {
      if (o.row != nullptr) {
        usage("more than one row named", a);
      }
      o.row = a;
    } else {
      ++i;
      if (is("--set")) {
        add_setting(o, next);
      } else if (is("--threads")) {
        o.threads = static_cast<int>(number(a, next, 1, 4096));
      } else if (is("--samples")) {
        o.samples = static_cast<int>(number(a, next, 1, 100000));
      } else if (is("--sample-ms")) {
        o.sample_s = 1e-3 * number(a, next, 0, 1e6);
      } else if (is("--warm-ms")) {
        o.warm_s = 1e-3 * number(a, next, 0, 1e6);
      } else if (is("--cores-min")) {
        o.cores_min = number(a, next, 0, 4096);
      } else if (is("--size")) {
        o.size = static_cast<long>(number(a, next, 1, 1e15));
      } else {
        usage("unknown option", a);
      }
    }
  }
  if (o.row == nullptr) {
    usage("no row named", argv[0]);
  }
  return o;
}

inline bool is_row(options const& o, char const* name) { return std::strcmp(o.row, name) == 0; }

}  // namespace bench
